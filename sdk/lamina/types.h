/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file types.h
 * The plain types that cross the plugin border: status codes, strings, dtypes, shapes, handles.
 *
 * Everything here is frozen within ABI major 1: fixed-width members, no enums, no unions, no
 * pointers into the other side's heap. Structs in this file are passed by value or by pointer
 * and never grow.
 *
 * Axis letters, the same everywhere in Lamina's comments:
 *   B batch, T time, D model depth, H height or heads, W width, N heads or count, V vocabulary,
 *   C channels. A shape comment reads outermost to innermost: x (B, T, D).
 */
#ifndef LAMINA_TYPES_H
#define LAMINA_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Result of a call: 0 is success, negative is failure, positive is success with a note. */
typedef int32_t lam_status;

#define LAM_OK            0   /**< done */
#define LAM_S_END         1   /**< an input has no more data */
#define LAM_S_PARTIAL     2   /**< done in part; the callee says how much */
#define LAM_E_INVALID     -1  /**< an argument, shape, dtype or config value is wrong */
#define LAM_E_NOT_FOUND   -2  /**< a file, key, id or device does not exist */
#define LAM_E_EXISTS      -3  /**< it exists already */
#define LAM_E_UNSUPPORTED -4  /**< valid, but this plugin cannot do it */
#define LAM_E_STALE       -5  /**< a compiled artefact must be rebuilt */
#define LAM_E_IO          -6  /**< the operating system refused a read or write */
#define LAM_E_CORRUPT     -7  /**< data do not follow their format */
#define LAM_E_NO_MEMORY   -8  /**< an allocation failed */
#define LAM_E_NO_DEVICE   -9  /**< no usable device */
#define LAM_E_BUSY        -10 /**< in use */
#define LAM_E_CANCELLED   -11 /**< stopped on request */
#define LAM_E_TIMEOUT     -12 /**< took too long */
#define LAM_E_DENIED      -13 /**< policy or permission */
#define LAM_E_ABI         -14 /**< the two sides do not fit together */
#define LAM_E_PEER        -15 /**< another rank failed */
#define LAM_E_INTERNAL    -99 /**< a fault in the callee */

/** UTF-8 text that is not NUL-terminated; owned by whoever passed it, valid during the call. */
typedef struct lam_str {
  const char *p; /**< first byte, may be NULL when n is 0 */
  size_t n;      /**< length in bytes */
} lam_str;

/**
 * @name Element types
 * Codes are part of the ABI and never reused. Sizes come from lam_dtype_bits(), never from a code.
 * Codes 16-31 are reserved for 8-bit floats, 4-bit integers and complex numbers.
 */
/**@{*/
/** Code of an element type: LAM_F32 ...; never a size. */
typedef int32_t lam_dtype;
#define LAM_DTYPE_NONE 0  /**< no type; in a spec: inherit */
#define LAM_F64        1  /**< IEEE binary64 */
#define LAM_F32        2  /**< IEEE binary32 */
#define LAM_F16        3  /**< IEEE binary16 */
#define LAM_BF16       4  /**< bfloat16: the upper half of a binary32 */
#define LAM_I64        5  /**< signed, 64 bits, two's complement */
#define LAM_I32        6  /**< signed, 32 bits */
#define LAM_I16        7  /**< signed, 16 bits */
#define LAM_I8         8  /**< signed, 8 bits */
#define LAM_U64        9  /**< unsigned, 64 bits */
#define LAM_U32        10 /**< unsigned, 32 bits */
#define LAM_U16        11 /**< unsigned, 16 bits */
#define LAM_U8         12 /**< unsigned, 8 bits */
#define LAM_PRED       13 /**< bool: one byte, 0 or 1 (XLA's name; LAM_BOOL declares a field) */
/**@}*/

/** Width of one element in bits; 0 for an unknown code. */
static inline uint32_t
lam_dtype_bits (lam_dtype dtype)
{
  switch (dtype) {
  case LAM_F64:
  case LAM_I64:
  case LAM_U64:
    return 64;
  case LAM_F32:
  case LAM_I32:
  case LAM_U32:
    return 32;
  case LAM_F16:
  case LAM_BF16:
  case LAM_I16:
  case LAM_U16:
    return 16;
  case LAM_I8:
  case LAM_U8:
  case LAM_PRED:
    return 8;
  default:
    return 0;
  }
}

/** True for f64, f32, f16 and bf16: the types that carry a gradient. */
static inline bool
lam_dtype_is_float (lam_dtype dtype)
{
  return dtype >= LAM_F64 && dtype <= LAM_BF16;
}

/** True for the signed integers. */
static inline bool
lam_dtype_is_signed (lam_dtype dtype)
{
  return dtype >= LAM_I64 && dtype <= LAM_I8;
}

/** True for the unsigned integers (not for bool). */
static inline bool
lam_dtype_is_unsigned (lam_dtype dtype)
{
  return dtype >= LAM_U64 && dtype <= LAM_U8;
}

/** The name used in the text form, configs and archives: "f32", "bool" ...; "?" if unknown. */
static inline const char *
lam_dtype_name (lam_dtype dtype)
{
  switch (dtype) {
  case LAM_F64:
    return "f64";
  case LAM_F32:
    return "f32";
  case LAM_F16:
    return "f16";
  case LAM_BF16:
    return "bf16";
  case LAM_I64:
    return "i64";
  case LAM_I32:
    return "i32";
  case LAM_I16:
    return "i16";
  case LAM_I8:
    return "i8";
  case LAM_U64:
    return "u64";
  case LAM_U32:
    return "u32";
  case LAM_U16:
    return "u16";
  case LAM_U8:
    return "u8";
  case LAM_PRED:
    return "bool";
  default:
    return "?";
  }
}

/** Most axes a tensor may have. */
#define LAM_MAX_RANK 8

/** A static shape: dims[0 .. rank-1], each >= 0. Negative dims are reserved for symbolic ids. */
typedef struct lam_shape {
  int32_t rank; /**< number of axes, 0 to LAM_MAX_RANK */
  int32_t reserved;
  int64_t dims[LAM_MAX_RANK]; /**< outermost first */
} lam_shape;

/** Element type and static shape of a tensor: the whole type of an IR value. */
typedef struct lam_type {
  lam_dtype dtype;            /**< of every element */
  int32_t rank;               /**< number of axes; 0: a scalar */
  int64_t dims[LAM_MAX_RANK]; /**< outermost first; members from rank on are 0 */
} lam_type;

/**
 * A symbolic tensor of one trace. {0, 0} is nil: no tensor, a zero cotangent, a missing leaf.
 * Valid while the trace and the region that made it are open; using it elsewhere is a sticky
 * error of that trace, never a crash.
 */
typedef struct lam_tensor {
  uint32_t id;    /**< number of the tensor; 0: none */
  uint32_t epoch; /**< tells a handle of another trace or region from a valid one */
} lam_tensor;

/** A tree of tensors (a NestedMap) owned by one trace; see nest.h. {0, 0} is the nil leaf. */
typedef struct lam_nest {
  uint32_t id;    /**< number of the node; 0: none */
  uint32_t epoch; /**< tells a handle of another trace or region from a valid one */
} lam_nest;

/** A Threefry key of one trace: a u32[2] tensor with a name of its own so that it is not mixed up. */
typedef struct lam_key {
  lam_tensor bits; /**< u32[2]; nil: no key */
} lam_key;

/** A variable that a layer declared; {0, 0} means "not declared". */
typedef struct lam_var {
  uint32_t id;    /**< number of the variable; 0: none */
  uint32_t epoch; /**< tells a handle of another trace or region from a valid one */
} lam_var;

/** A child layer, created by the host from an id and a config; {0, 0} means "no child". */
typedef struct lam_child {
  uint32_t id;    /**< number of the child; 0: none */
  uint32_t epoch; /**< tells a handle of another trace or region from a valid one */
} lam_child;

/** True for {0, 0}: no tensor. */
static inline bool
lam_is_nil (lam_tensor x)
{
  return x.id == 0;
}

/** The handle of no tensor. */
static inline lam_tensor
lam_nil (void)
{
  lam_tensor x = {0, 0};
  return x;
}

/** A shape from its rank and eight numbers, of which the first `rank` count; written by
 * LAM_SHAPE. */
static inline lam_shape
lam_shape_make (int32_t rank, int64_t d0, int64_t d1, int64_t d2, int64_t d3, int64_t d4,
                int64_t d5, int64_t d6, int64_t d7)
{
  lam_shape s;
  s.rank = rank;
  s.reserved = 0;
  s.dims[0] = d0;
  s.dims[1] = d1;
  s.dims[2] = d2;
  s.dims[3] = d3;
  s.dims[4] = d4;
  s.dims[5] = d5;
  s.dims[6] = d6;
  s.dims[7] = d7;
  return s;
}

/** Part of LAM_COUNT. */
#define LAM_COUNT_(a, b, c, d, e, f, g, h, n, ...) n
/** Number of arguments, 1 to 8. */
#define LAM_COUNT(...) LAM_COUNT_ (__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0)
/** Part of LAM_PAD8. */
#define LAM_PAD8_(n, a, b, c, d, e, f, g, h, ...)                                                  \
  lam_shape_make (n, (int64_t)(a), (int64_t)(b), (int64_t)(c), (int64_t)(d), (int64_t)(e),         \
                  (int64_t)(f), (int64_t)(g), (int64_t)(h))
/** Calls lam_shape_make with n and the numbers, filled up with zeros. */
#define LAM_PAD8(n, ...) LAM_PAD8_ (n, __VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0)
/** A lam_shape from 1 to 8 dims: LAM_SHAPE (in, out). */
#define LAM_SHAPE(...) LAM_PAD8 (LAM_COUNT (__VA_ARGS__), __VA_ARGS__)
/** The shape of rank 0. */
#define LAM_SCALAR lam_shape_make (0, 0, 0, 0, 0, 0, 0, 0, 0)

#ifdef __cplusplus
}
#endif
#endif
