/* SPDX-License-Identifier: Apache-2.0 */
/* Cases: functions of one or a few equations, said in a short text form, with the kind of numbers that
 * their parameters get. Private to core/conformance. */
#ifndef LM_CONFORMANCE_CASES_H
#define LM_CONFORMANCE_CASES_H

#include "core/conformance/conformance.h"

/* What data parameters are filled with. */
typedef enum {
  LM_DRAW_SPECIAL,  /* everything: NaN of any bits, infinities, -0, denormals, ties, extremes */
  LM_DRAW_PLAIN,    /* floats in -2 .. 2, integers of any value */
  LM_DRAW_SPARSE,   /* plain with a few NaN and infinities */
  LM_DRAW_TIES,     /* few different values, many equal; NaN, infinities and both zeros */
  LM_DRAW_DISTINCT, /* few different values without NaN and -0: equal means equal bits */
  LM_DRAW_POSITIVE, /* floats in 0.25 .. 1: sums that grow */
  LM_DRAW_FACTORS,  /* floats near 1 and -1: products that neither overflow nor vanish */
  LM_DRAW_EVERY, /* element i counts through all bits: of one 16-bit operand, of a pair of 8 bits */
} LmDraw;

/* How results are compared. */
typedef enum {
  LM_ALLOW_BITS,    /* equal bits, also of NaN */
  LM_ALLOW_EQUAL,   /* equal bits, any NaN for NaN */
  LM_ALLOW_ULPS,    /* units in the last place of the result */
  LM_ALLOW_SUM,     /* by the sum of the terms' magnitudes and their number */
  LM_ALLOW_PRODUCT, /* by the number of factors */
  LM_ALLOW_STEP,    /* by the largest element of the tensor */
} LmAllow;

/* Everything the comparison of one op needs. */
typedef struct LmRule {
  LmAllow allow;
  double ulps[2]; /* of f64 and f32; of f16 and bf16 */
  bool floor;     /* results below the smallest normal number may be zero; of sums: the products may
                   * underflow in the accumulator */
  const LmTolerance *tolerance;
} LmRule;

/* The rule of a check; for a reduction that of `computation` (NULL: add). */
const LmRule *lm_rule_of (const char *check);
LmAllow lm_rule_allow (const LmRule *rule, const char *computation);

/* --- generators ------------------------------------------------------------------------------- */

/* What a generator fills. A case is
 *   parameters  "$[4,5] i32[3]@7 ?[]": types apart by blanks; $ is the dtype under test, ? another one
 *               of the case; @7 marks an index, drawn around 0 .. 7
 *   equations   "%3 = gather(%0, %1) {...}\n", named from the number of parameters on. The results of
 *               the function are the values that no equation uses. */
typedef struct LmCases {
  const char *check, *dtype;
  lam_dtype code;
  guint number;               /* of the next case */
  const LmHostTables *tables; /* for traces: composites are made by the SDK's own functions */
  void (*take) (struct LmCases *c, LmDraw draw, const char *other, const char *params,
                const char *equations);
  gpointer user;
} LmCases;

/* One equation of the check's op over all parameters: attrs is the text between the braces or NULL;
 * wanted the stated result type or NULL. */
void lm_case (LmCases *c, LmDraw draw, const char *params, const char *attrs, const char *wanted);
/* The same with another dtype for every "?". */
void lm_case_other (LmCases *c, LmDraw draw, const char *other, const char *params,
                    const char *attrs, const char *wanted);
/* Any equations. */
void lm_case_text (LmCases *c, LmDraw draw, const char *params, const char *equations);

/* Every dtype by name, NULL-terminated. */
extern const char *const lm_case_dtypes[];

typedef void (*LmCaseGenerator) (LmCases *c);

/* The generator of a check; NULL: there is none of that name, or it is a training run. */
LmCaseGenerator lm_case_generator (const char *check);

/* By family: true if the check is of it, and *out its generator. */
bool lm_cases_elementwise (const char *check, LmCaseGenerator *out);
bool lm_cases_shape (const char *check, LmCaseGenerator *out);
bool lm_cases_convert (const char *check, LmCaseGenerator *out);
bool lm_cases_index (const char *check, LmCaseGenerator *out);
bool lm_cases_reduce (const char *check, LmCaseGenerator *out);
bool lm_cases_window (const char *check, LmCaseGenerator *out);
bool lm_cases_order (const char *check, LmCaseGenerator *out);
bool lm_cases_contract (const char *check, LmCaseGenerator *out);
bool lm_cases_control (const char *check, LmCaseGenerator *out);
bool lm_cases_replica (const char *check, LmCaseGenerator *out);
void lm_cases_composite (LmCases *c);

/* --- from text to function and numbers ---------------------------------------------------------- */

#define LM_CASE_PARAMS 8

/* A case as a function; bounds[i] > 0 marks an index parameter. */
typedef struct LmParsedCase {
  LmFunction *f;
  int64_t bounds[LM_CASE_PARAMS];
} LmParsedCase;

/* $ and ? replaced by these dtypes. False when some op does not take the dtype; *out is then empty. */
bool lm_case_parse (const char *name, const char *params, const char *equations, const char *dtype,
                    const char *other, LmParsedCase *out, GError **error);
void lm_parsed_case_clear (LmParsedCase *c);

/* Of one parameter. */
typedef struct LmDrawing {
  GRand *rand;
  LmDraw draw;
  int64_t bound; /* > 0: indices around 0 .. bound */
  guint param;   /* its number */
} LmDrawing;

/* A new array of the type. NaN are quiet: IEEE 754 lets a signalling one do different things. */
LmArray *lm_case_draw (const LmDrawing *d, const lam_type *type, GError **error);

/* --- comparison --------------------------------------------------------------------------------- */

typedef struct LmComparison {
  LmAllow allow;
  const LmRule *rule;
  lam_dtype accumulator;         /* sums and products: f64 or f32 */
  const LmArray *size;           /* sums: f64, of each element the sum of the terms' magnitudes */
  const LmArray *count;          /* sums and products: f64, the number of terms */
  double worst_ulps, worst_part; /* grow */
} LmComparison;

/* False when an element is too far off; out_message says which and how far. */
bool lm_case_compare (LmComparison *c, const LmArray *got, const LmArray *want, char **out_message);

/* --- training runs ------------------------------------------------------------------------------ */

/* Names, NULL-terminated. */
extern const char *const lm_step_checks[];

/* Three train steps of a small model on both backends, in f32 and in f64. */
bool lm_step_check_run (const LmConformance *c, GError **error);

/* --- running ------------------------------------------------------------------------------------ */

/* Runs f `steps` times: the first n_donated results take over the parameters of their numbers and are
 * the next step's input. out: new arrays, all results of the last step. */
bool lm_case_run_steps (LmBackend *backend, const LmFunction *f, guint n_donated, guint steps,
                        LmArray *const *in, LmArray **out, GError **error);
void lm_case_free_arrays (LmArray **arrays, guint n); /* and sets them to NULL */

#endif
