/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.top_k_accuracy: how often the label is among the k largest logits. Of equal logits the first come
 * first, as in jax.lax.top_k; a NaN counts as larger than all numbers. */
#include "metrics.h"

typedef struct {
  int64_t k;
  const char *logits, *labels, *weights;
} top_k_accuracy;

LAM_FIELDS (top_k_accuracy, LAM_INT (k, 5, "How many guesses an example has."), LAM_MIN (1),
            LAM_STRING (logits, "per_example.logits", "Path of the logits (B, ..., classes)."),
            LAM_STRING (labels, "inputs.labels", "Path of the right classes (B, ...), integers."),
            WEIGHTS_FIELD)

static void
top_k_accuracy_setup (top_k_accuracy *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

/* logits (B, ..., V), labels (B, ...): 1 where the label is among the places of the largest, else 0 */
static lam_tensor
hits (const top_k_accuracy *p, lam_trace *t, lam_tensor logits, lam_tensor labels)
{
  lam_shape shape = lam_shape_of (t, logits);
  int64_t classes = shape.rank > 0 ? shape.dims[shape.rank - 1] : 0;
  lam_tensor values, places;
  shape.rank--;
  if (shape.rank < 1 || !lam_check_shape (t, "top_k_accuracy: labels", labels, shape)) {
    lam_fail (t, "top_k_accuracy: wanted logits (B, ..., classes)");
    return lam_nil ();
  }
  lam_top_k (t, logits, p->k < classes ? p->k : classes, &values, &places); /* (B, ..., k) */
  labels = lam_expand_dims (t, lam_cast (t, labels, LAM_I32), -1);          /* (B, ..., 1) */
  return metric_real (t, lam_any (t, lam_eq (t, places, labels), LAM_AXES (-1), false));
}

static lam_nest
top_k_accuracy_value (const top_k_accuracy *p, lam_trace *t, lam_nest in)
{
  lam_tensor logits = lam_nest_get_tensor (t, in, p->logits);
  lam_tensor labels = lam_nest_get_tensor (t, in, p->labels);
  lam_tensor x = hits (p, t, logits, labels);
  return metric_average (t, x, metric_weights (t, in, p->weights, x));
}

LAM_METRIC (top_k_accuracy, "lamina.top_k_accuracy", 1,
            "How often the label is among the k largest logits.")
