/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.embedding: a learned vector for each id. Semantics and names: praxis.layers.Embedding. */
#include "lookup.h"

#include <math.h>

typedef struct {
  int64_t num_classes, input_dims;
  const char *lookup_style;
  bool scale_sqrt_depth, set_nan_for_oob_id;
  lam_var emb_var; /* (num_classes, input_dims) */
} embedding;

LAM_FIELDS (embedding, LAM_INT (num_classes, 0, "Number of ids N."), LAM_REQUIRED, LAM_MIN (1),
            LAM_INT (input_dims, 0, "Depth of a vector."), LAM_REQUIRED, LAM_MIN (1),
            LAM_STRING (lookup_style, "index", "By index, or by a product with one-hot rows."),
            LAM_CHOICES (LOOKUP_STYLES),
            LAM_BOOL (scale_sqrt_depth, false, "Whether to multiply by sqrt (input_dims)."),
            LAM_BOOL (set_nan_for_oob_id, false, "Whether an id >= N gives NaN."))

static void
embedding_setup (embedding *p, lam_setup *s)
{
  p->emb_var = lam_create_variable (s, "emb_var", LAM_SHAPE (p->num_classes, p->input_dims),
                                    LAM_DEFAULT_INIT);
}

/* ids: (...) integers -> (..., input_dims) */
static lam_tensor
embedding_fprop (const embedding *p, lam_trace *t, lam_tensor ids)
{
  lam_tensor y = lookup (t, p->lookup_style, lam_theta (t, p->emb_var), ids);
  if (p->set_nan_for_oob_id && lam_is_ok (t)) {
    lam_tensor wide = lookup_ids (t, ids);
    lam_tensor known = lam_lt (t, wide, lam_scalar_like (t, wide, (double)p->num_classes));
    y = lam_where (t, lam_expand_dims (t, known, -1), y, lam_scalar_like (t, y, NAN));
  }
  return p->scale_sqrt_depth ? lam_mul_scalar (t, y, sqrt ((double)p->input_dims)) : y;
}

LAM_LAYER (embedding, "lamina.embedding", 1, "A learned vector for each id.")
