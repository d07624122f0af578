/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the golden vectors of tests/golden (format: its README.md) and compares with them.
 *
 * Independent of the core, so that a fault there cannot hide itself: own safetensors reader, own
 * decoding of bf16 and f16.
 *
 *   g_autoptr (LmGolden) g = lm_golden_open ("ops", &error);
 *   for (guint i = 0; i < lm_golden_n_cases (g); i++) {
 *     const LmGoldenCase *c = lm_golden_case (g, i);
 *     LmGoldenTensor x;
 *     if (strcmp (c->kind, "tanh") == 0 && lm_golden_tensor (g, c, "in", "x", &x)) {
 *       ... y = what the code under test makes of x ...
 *       g_autoptr (GString) why = g_string_new (NULL);
 *       if (!lm_golden_compare (g, c, "out", "y", y, y_bytes, why))
 *         g_test_fail_printf ("%s", why->str);
 *     }
 *   }
 */
#ifndef LM_TESTS_LIB_GOLDEN_H
#define LM_TESTS_LIB_GOLDEN_H

#include <json-glib/json-glib.h>
#include <lamina/types.h>

typedef struct LmGolden LmGolden;

typedef enum {
  LM_GOLDEN_NONE = 0,   /* tolerance null: the expectation is in attrs */
  LM_GOLDEN_BITS,       /* equal bits */
  LM_GOLDEN_ULP,        /* within ulp units in the last place, or |a - b| <= atol */
  LM_GOLDEN_CLOSE,      /* |a - b| <= atol + rtol |expected| */
  LM_GOLDEN_EITHER,     /* each element within ulp of out or of ref */
  LM_GOLDEN_EITHER_CASE /* bits; the caller tries section out, then ref, for the whole case */
} LmGoldenMode;

typedef struct LmGoldenTolerance {
  LmGoldenMode mode;
  double ulp, rtol, atol; /* 0 where not given */
} LmGoldenTolerance;

/* One case. Strings and objects belong to the group. */
typedef struct LmGoldenCase {
  const char *id, *kind;
  const char *note;   /* NULL if there is none */
  const char *why;    /* the reason of the tolerance, NULL if there is none */
  JsonObject *attrs;  /* empty object if there are none */
  JsonObject *object; /* the whole case: "tensors", "alias", "dtype" ... */
  LmGoldenTolerance tolerance;
} LmGoldenCase;

/* A tensor; data is row-major, aligned for its dtype and belongs to the group. */
typedef struct LmGoldenTensor {
  const char *dtype; /* safetensors' name: "F32" */
  lam_type type;     /* the same as Lamina's dtype, with the shape */
  int64_t elements;  /* product of the dims */
  gsize nbytes;
  const void *data;
} LmGoldenTensor;

/* Opens tests/golden/<group>.json and .safetensors below $LAMINA_SRCDIR (default ".") and checks
 * the recorded sha256. */
LmGolden *lm_golden_open (const char *group, GError **error);

/* Opens one plain safetensors file below tests/golden (start weights); it has no cases. */
LmGolden *lm_golden_open_plain (const char *file, GError **error);

void lm_golden_free (LmGolden *golden);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmGolden, lm_golden_free)

guint lm_golden_n_cases (const LmGolden *golden);
const LmGoldenCase *lm_golden_case (const LmGolden *golden, guint i);

/* The case with this id, or NULL. */
const LmGoldenCase *lm_golden_lookup (const LmGolden *golden, const char *id);

/* The names in a section of a case ("in", "out", "var" ...), or NULL if it has no such section. */
JsonArray *lm_golden_names (const LmGoldenCase *c, const char *section);

/* A tensor of a case, through its alias if it has one; false if the case does not list it. */
bool lm_golden_tensor (const LmGolden *golden, const LmGoldenCase *c, const char *section,
                       const char *name, LmGoldenTensor *out);

/* A tensor by its full name in the file; false if there is none. Names in file order. */
bool lm_golden_find (const LmGolden *golden, const char *full_name, LmGoldenTensor *out);
const char *const *lm_golden_tensor_names (const LmGolden *golden);

/* A number in attrs; the strings "nan", "inf", "-inf" count as numbers. */
double lm_golden_number (JsonObject *attrs, const char *key, double fallback);

/* Compares got, an array of the dtype and the element count of the tensor <section>/<name>, by the
 * tolerance of the case. False appends to why: which tensor, how many elements differ, the first
 * of them, wanted and got. Any NaN equals any NaN in floats, infinities must match, integers and
 * booleans are always compared exactly. */
bool lm_golden_compare (const LmGolden *golden, const LmGoldenCase *c, const char *section,
                        const char *name, const void *got, gsize nbytes, GString *why);

/* The same with a tolerance of the caller's, who must say the reason beside the call. */
bool lm_golden_compare_with (const LmGolden *golden, const LmGoldenCase *c, const char *section,
                             const char *name, const void *got, gsize nbytes,
                             const LmGoldenTolerance *tolerance, GString *why);

/* Compares two arrays of one dtype; ref is a second opinion or NULL; label goes into why. */
bool lm_golden_compare_arrays (const char *label, const LmGoldenTensor *want,
                               const LmGoldenTensor *ref, const void *got,
                               const LmGoldenTolerance *tolerance, GString *why);

/* Element i as a double (integers beyond 2^53 are rounded). */
double lm_golden_value (lam_dtype dtype, const void *data, int64_t i);

/* Units in the last place between element i of a and of b, floats only; -0 and +0 are 0 apart,
 * any two NaN too; infinity if one is NaN or one is infinite and they differ. */
double lm_golden_ulps (lam_dtype dtype, const void *a, const void *b, int64_t i);

#endif
