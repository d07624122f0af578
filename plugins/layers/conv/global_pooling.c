/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.global_pooling: the largest element or the mean over whole axes. Semantics and names:
 * praxis.layers.GlobalPooling. */
#include "pool.h"

typedef struct {
  const char *pooling_type;
  lam_ints pooling_dims;
  bool keepdims;
  double epsilon;
} global_pooling;

LAM_FIELDS (global_pooling, LAM_STRING (pooling_type, "AVG", "MAX or AVG."),
            LAM_CHOICES ("MAX AVG"),
            LAM_INTS (pooling_dims, "[]", "The axes, counted from the front."), LAM_REQUIRED,
            LAM_MIN (0), LAM_MAX (LAM_MAX_RANK - 1),
            LAM_BOOL (keepdims, false, "The axes stay, with size 1."),
            LAM_FLOAT (epsilon, 1e-8, "Added to the number of cells that are not padded."),
            LAM_MIN (0))

static void
global_pooling_setup (global_pooling *p, lam_setup *s)
{
  if (p->pooling_dims.n == 0 || p->pooling_dims.n > LAM_MAX_RANK)
    lam_setup_fail (s, "wanted pooling_dims with 1 to 8 axes");
}

/* Number of cells that are not padded, of the reduced shape; paddings: rank of x, sizes as x's or 1. */
static lam_tensor
count (lam_trace *t, lam_tensor x, lam_tensor paddings, lam_axes axes)
{
  lam_type all = lam_type_of (t, x), given = lam_type_of (t, paddings);
  lam_tensor real = lam_sub (t, lam_scalar_like (t, paddings, 1), paddings);
  double n = 1;
  for (int32_t i = 0; i < axes.rank; i++)
    if (given.dims[axes.dims[i]] == 1)
      n *= (double)all.dims[axes.dims[i]];
  return lam_mul_scalar (t, lam_sum (t, real, axes, true), n);
}

/* x (any shape), paddings or nil -> x without the axes, or with size 1 there */
static lam_tensor
pool (const global_pooling *p, lam_trace *t, lam_tensor x, lam_tensor paddings)
{
  lam_axes axes = LAM_NO_AXES;
  lam_tensor cells;
  for (uint64_t i = 0; i < p->pooling_dims.n; i++)
    axes.dims[axes.rank++] = p->pooling_dims.p[i];
  axes = lam_axes_of (t, lam_rank_of (t, x), axes);
  if (strcmp (p->pooling_type, "MAX") == 0) {
    if (!lam_is_nil (paddings))
      x = pool_fill (t, x, paddings, pool_lowest (t, x));
    return lam_max_over (t, x, axes, p->keepdims);
  }
  if (lam_is_nil (paddings))
    return lam_mean (t, x, axes, p->keepdims);
  paddings = lam_cast (t, paddings, lam_dtype_of (t, x));
  cells = lam_add_scalar (t, count (t, x, paddings, axes), p->epsilon);
  x = pool_fill (t, x, paddings, lam_scalar_like (t, x, 0));
  x = lam_div (t, lam_sum (t, x, axes, true), cells);
  return p->keepdims ? x : lam_squeeze (t, x, axes);
}

/* True if the paddings broadcast to x. */
static bool
check_paddings (lam_trace *t, lam_tensor x, lam_tensor paddings)
{
  lam_shape wanted = lam_shape_of (t, x);
  lam_type given = lam_type_of (t, paddings);
  for (int32_t i = 0; i < wanted.rank && given.rank == wanted.rank; i++)
    wanted.dims[i] = given.dims[i] == 1 ? 1 : wanted.dims[i];
  return lam_check_shape (t, "global_pooling compatible_paddings (axes as the input, or size 1)",
                          paddings, wanted);
}

/* in: x, or {inputs: x, compatible_paddings: 1 where padded} -> pooled */
static lam_nest
global_pooling_fprop (const global_pooling *p, lam_trace *t, lam_nest in)
{
  bool map = t->api->nest_kind (t, in) == LAM_NEST_MAP;
  lam_tensor x = map ? lam_nest_get_tensor (t, in, "inputs") : lam_nest_tensor (t, in);
  lam_tensor paddings = lam_nil ();
  if (strcmp (p->pooling_type, "AVG") == 0 && lam_is_ok (t)
      && !lam_dtype_is_float (lam_dtype_of (t, x)))
    lam_fail (t, "global_pooling AVG wants inputs of a float dtype; lam_cast them first");
  if (map && lam_nest_has (t, in, "compatible_paddings")) {
    paddings = lam_nest_get_tensor (t, in, "compatible_paddings");
    if (!check_paddings (t, x, paddings))
      return lam_nest_of (t, lam_nil ());
  }
  return lam_nest_of (t, pool (p, t, x, paddings));
}

LAM_METHODS (global_pooling, LAM_METHOD (global_pooling, fprop), LAM_USE (global_pooling, fprop))
LAM_LAYER_METHODS (global_pooling, "lamina.global_pooling", 1,
                   "The largest element or the mean over whole axes.")
