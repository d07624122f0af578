/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ir.h
 * A function of the IR as plain arrays: what a backend compiles, and what every transform reads.
 *
 * Values are numbered 0 .. n_values-1: first the parameters, then the results of the equations in
 * order. An equation only uses values defined before it. Arrays of growable structs carry their
 * stride, so that a plugin compiled against an older header steps over newer members: read
 * element i through lam_value_type(), lam_equation_at() and lam_attr_at(), never by indexing.
 *
 * Everything reachable from a lam_function is owned by the host, immutable, and valid until the
 * call that received it returns. Thread: any.
 */
#ifndef LAMINA_IR_H
#define LAMINA_IR_H

#include <lamina/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LAM_IR_MAJOR 1 /**< functions of another major are refused */
/** Newest IR minor of this header: rows of ops.def state the minor that brought them. Minor 1
 * brought logistic, reduce_precision, dynamic_slice, dynamic_update_slice, cumsum and top_k;
 * minor 2 all_reduce, all_gather and axis_index. */
#define LAM_IR_MINOR 2

/** Op numbers: LAM_OP_add, LAM_OP_dot_general ... Reserved rows have a number too. */
enum {
/** One number of the enum for each row of the table. */
#define LAM_OP(name, number, since, min, max, results, class, flags, attrs, doc)                   \
  LAM_OP_##name = number,
/** Reserved numbers too. */
#define LAM_OP_RESERVED(name, number) LAM_OP_##name = number,
#include <lamina/ops.def>
  LAM_OP_NONE = 0
};

/** @name Kinds of attribute values */
/**@{*/
#define LAM_ATTR_INT   1 /**< i: an integer, a bool or a lam_dtype */
#define LAM_ATTR_FLOAT 2 /**< f */
#define LAM_ATTR_INTS  3 /**< data: n int64_t */
#define LAM_ATTR_STR   4 /**< data: n bytes of UTF-8, followed by a NUL that n does not count */
#define LAM_ATTR_BYTES 5 /**< data: n bytes, little-endian elements, 64-byte aligned in functions */
#define LAM_ATTR_DTYPE 6 /**< i: a lam_dtype; printed by name */
/**@}*/

/** A reader that does not know this key must refuse the function. */
#define LAM_ATTR_MUST_UNDERSTAND 1u

/** One attribute: key, kind and the member that the kind names. Absent keys have their default. */
typedef struct lam_attr {
  const char *key;  /**< lower-case ASCII */
  int32_t kind;     /**< LAM_ATTR_* */
  uint32_t flags;   /**< LAM_ATTR_MUST_UNDERSTAND */
  int64_t i;        /**< INT, DTYPE */
  double f;         /**< FLOAT */
  const void *data; /**< INTS, STR, BYTES */
  uint64_t n;       /**< elements (INTS) or bytes (STR, BYTES) of data */
} lam_attr;

/** One equation: results = op (operands) {attrs} (regions). */
typedef struct lam_equation {
  int32_t op;             /**< LAM_OP_* */
  uint32_t n_operands;    /**< operands are function->operands[first_operand ...] */
  uint32_t first_operand; /**< place in function->operands */
  uint32_t n_results;     /**< results are the values first_result, first_result + 1 ... */
  uint32_t first_result;  /**< value number of result 0 */
  uint32_t n_attrs;       /**< attributes are lam_attr_at (f, first_attr) and so on */
  uint32_t first_attr;    /**< place in function->attrs */
  uint32_t n_regions;     /**< regions are function->regions[first_region ...] */
  uint32_t first_region;  /**< place in function->regions */
  uint32_t path; /**< index into function->paths: the layer path that recorded it; 0 is "" */
} lam_equation;

/** A function: parameters, equations, results. */
typedef struct lam_function {
  uint32_t struct_size;
  uint32_t ir_minor;        /**< newest `since` of any op used */
  const char *name;         /**< [a-zA-Z0-9_.-]+ */
  uint32_t n_params;        /**< values 0 .. n_params-1 */
  uint32_t n_results;       /**< length of results */
  uint32_t n_values;        /**< parameters and results of all equations */
  uint32_t n_equations;     /**< length of equations */
  uint32_t n_operands;      /**< length of operands */
  uint32_t n_attrs;         /**< length of attrs */
  uint32_t n_regions;       /**< length of regions */
  uint32_t n_paths;         /**< >= 1 */
  uint32_t type_stride;     /**< bytes from one element to the next */
  uint32_t equation_stride; /**< bytes from one equation to the next */
  uint32_t attr_stride;     /**< bytes from one attribute to the next */
  uint32_t reserved;
  const lam_type *types;                     /**< of each value */
  const lam_equation *equations;             /**< in order of execution; lam_equation_at */
  const uint32_t *operands;                  /**< value numbers */
  const lam_attr *attrs;                     /**< of all equations; lam_attr_at */
  const struct lam_function *const *regions; /**< closed functions */
  const uint32_t *results;                   /**< value numbers; may repeat, may be parameters */
  const char *const *paths; /**< layer paths, "lm.stack.layer_03.ffn"; paths[0] is "" */
} lam_function;

/** Type of value v. */
static inline const lam_type *
lam_value_type (const lam_function *f, uint32_t v)
{
  return (const lam_type *)(const void *)((const char *)f->types + (size_t)v * f->type_stride);
}

/** Equation i. */
static inline const lam_equation *
lam_equation_at (const lam_function *f, uint32_t i)
{
  return (const lam_equation *)(const void *)((const char *)f->equations
                                              + (size_t)i * f->equation_stride);
}

/** Attribute i of the whole function. */
static inline const lam_attr *
lam_attr_at (const lam_function *f, uint32_t i)
{
  return (const lam_attr *)(const void *)((const char *)f->attrs + (size_t)i * f->attr_stride);
}

/** Operand k of equation e, as a value number. */
static inline uint32_t
lam_operand (const lam_function *f, const lam_equation *e, uint32_t k)
{
  return f->operands[e->first_operand + k];
}

/** Attribute of e by key; NULL if absent. */
static inline const lam_attr *
lam_find_attr (const lam_function *f, const lam_equation *e, const char *key)
{
  for (uint32_t i = 0; i < e->n_attrs; i++) {
    const lam_attr *a = lam_attr_at (f, e->first_attr + i);
    const char *p = a->key, *q = key;
    while (*p != '\0' && *p == *q) {
      p++;
      q++;
    }
    if (*p == *q)
      return a;
  }
  return NULL;
}

/** Integer (or dtype) attribute, or the default when absent. */
static inline int64_t
lam_attr_int (const lam_function *f, const lam_equation *e, const char *key, int64_t absent)
{
  const lam_attr *a = lam_find_attr (f, e, key);
  return a != NULL ? a->i : absent;
}

/** Integer-list attribute; *out_n is 0 and the result NULL when absent. */
static inline const int64_t *
lam_attr_ints (const lam_function *f, const lam_equation *e, const char *key, uint64_t *out_n)
{
  const lam_attr *a = lam_find_attr (f, e, key);
  *out_n = a != NULL ? a->n : 0;
  return a != NULL ? (const int64_t *)a->data : NULL;
}

/** String attribute (NUL-terminated), or the default when absent. */
static inline const char *
lam_attr_str (const lam_function *f, const lam_equation *e, const char *key, const char *absent)
{
  const lam_attr *a = lam_find_attr (f, e, key);
  return a != NULL ? (const char *)a->data : absent;
}

/** Number of elements; the host refuses functions where this or the byte size overflows int64. */
static inline int64_t
lam_type_elements (const lam_type *type)
{
  int64_t n = 1;
  for (int32_t i = 0; i < type->rank; i++)
    n *= type->dims[i];
  return n;
}

/** Size in bytes of a dense row-major array of this type. */
static inline int64_t
lam_type_bytes (const lam_type *type)
{
  return lam_type_elements (type) * (int64_t)(lam_dtype_bits (type->dtype) / 8);
}

#ifdef __cplusplus
}
#endif
#endif
