/* SPDX-License-Identifier: Apache-2.0 */
/* A layer that is nothing but variables, for tests of optimizers and learners: one element of
 * each list a variable. */
#include <lamina/layer.h>

typedef struct {
  lam_strings names, dtypes;
  lam_ints ranks, dims, collections;
} variables;

LAM_FIELDS (variables, LAM_STRINGS (names, NULL, "Their names."),
            LAM_STRINGS (dtypes, NULL, "f: the model's, h: bf16, i: i32, b: bool."),
            LAM_CHOICES ("f h i b"), LAM_INTS (ranks, "[]", "Their ranks."), LAM_MIN (0),
            LAM_MAX (8), LAM_INTS (dims, "[]", "All their dims."), LAM_MIN (1),
            LAM_INTS (collections, "[]", "LAM_NON_TRAINABLE ..., as numbers."))

static void
variables_setup (variables *p, lam_setup *s)
{
  uint64_t at = 0;
  for (uint64_t i = 0; i < p->names.n; i++) {
    lam_shape shape = {(int32_t)p->ranks.p[i], 0, {0}};
    for (int32_t k = 0; k < shape.rank; k++)
      shape.dims[k] = p->dims.p[at++];
    lam_var_spec spec = lam_var_spec_make (shape, LAM_CONSTANT (0));
    spec.collections = (uint32_t)p->collections.p[i];
    spec.dtype = p->dtypes.p[i][0] == 'i'   ? LAM_I32
                 : p->dtypes.p[i][0] == 'b' ? LAM_PRED
                 : p->dtypes.p[i][0] == 'h' ? LAM_BF16
                                            : LAM_DTYPE_NONE;
    lam_create_variable_spec (s, p->names.p[i], &spec);
  }
}

static lam_tensor
variables_fprop (const variables *p, lam_trace *t, lam_tensor x)
{
  (void)p;
  (void)t;
  return x;
}

LAM_LAYER (variables, "stranger.variables", 1, "Nothing but variables.")
LAM_PLUGIN ("stranger.variables", "1.0.0", "Apache-2.0", LAM_PROVIDES (variables))
