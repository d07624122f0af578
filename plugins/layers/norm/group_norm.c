/* SPDX-License-Identifier: Apache-2.0 */
/* lamina.group_norm: normalises groups of channels of each example, over all positions or those up to the
 * current one. Semantics and names: praxis GroupNorm (Wu, He: "Group Normalization", arXiv 1803.08494). */
#include "norm.h"

typedef struct {
  int64_t dim, num_groups, min_group_size, input_rank;
  bool cumulative, set_padded_output_to_zero, use_scale, use_bias;
  double epsilon;
  int64_t group_size;
  lam_var beta, gamma; /* (1, ..., 1, dim) of rank input_rank each; the factor is 1 + gamma */
} group_norm;

LAM_FIELDS (group_norm, LAM_INT (dim, 0, "Depth of the input."), LAM_REQUIRED, LAM_MIN (1),
            LAM_INT (num_groups, 32, "Number of groups, where min_group_size allows."), LAM_MIN (1),
            LAM_INT (min_group_size, 1, "Least number of channels in a group."), LAM_MIN (1),
            LAM_BOOL (cumulative, false,
                      "Each position of axis 1 (time) sees itself and those before it only."),
            LAM_INT (input_rank, 0, "Rank of the input: 3 (B, T, D), 4 (B, H, W, D) or 5."),
            LAM_REQUIRED, LAM_MIN (3), LAM_MAX (5),
            LAM_FLOAT (epsilon, 0.001, "Added to the variance."), LAM_MIN (0),
            LAM_BOOL (set_padded_output_to_zero, true, "Whether padded positions give 0."),
            LAM_BOOL (use_scale, true, "Whether to have a learned factor."),
            LAM_BOOL (use_bias, true, "Whether to have a learned bias."))

static lam_var
variable (const group_norm *p, lam_setup *s, const char *name)
{
  lam_var_spec spec = lam_var_spec_make (LAM_SCALAR, LAM_CONSTANT (0));
  spec.shape.rank = (int32_t)p->input_rank;
  for (int32_t i = 0; i < spec.shape.rank; i++)
    spec.shape.dims[i] = i + 1 < spec.shape.rank ? 1 : p->dim;
  spec.collections = LAM_SKIP_LP_REGULARIZATION;
  return lam_create_variable_spec (s, name, &spec);
}

static void
group_norm_setup (group_norm *p, lam_setup *s)
{
  if (p->dim % p->min_group_size != 0)
    lam_setup_fail (s, "group_norm: dim must be a multiple of min_group_size");
  if (p->dim >= p->num_groups && p->dim % p->num_groups != 0)
    lam_setup_fail (s, "group_norm: dim must be a multiple of num_groups");
  p->group_size = p->dim / p->num_groups;
  if (p->group_size < p->min_group_size)
    p->group_size = p->min_group_size;
  if (p->use_bias)
    p->beta = variable (p, s, "beta");
  if (p->use_scale)
    p->gamma = variable (p, s, "gamma");
}

/* x: (B, T, ..., D) -> normalised (B, T, ..., D); mask: (B, T, 1, ...) of rank input_rank + 1, or nil */
static lam_tensor
normalise (const group_norm *p, lam_trace *t, lam_tensor x, lam_tensor mask)
{
  norm_scope scope = {LAM_NO_AXES, p->cumulative ? 1 : -1, true, false};
  norm_moments m;
  lam_shape shape = lam_shape_of (t, x), grouped = shape; /* grouped: (B, T, ..., G, D / G) */
  grouped.dims[shape.rank - 1] = p->dim / p->group_size;
  grouped.dims[grouped.rank++] = p->group_size;
  for (int32_t i = p->cumulative ? 2 : 1; i < grouped.rank; i++)
    if (i != grouped.rank - 2)
      scope.axes.dims[scope.axes.rank++] = i;
  x = lam_reshape (t, x, grouped);
  m = norm_moments_of (t, x, mask, &scope);
  x = lam_sub (t, x, m.mean);
  x = lam_mul (t, x, lam_rsqrt (t, lam_add_scalar (t, m.variance, p->epsilon)));
  return lam_reshape (t, x, shape);
}

/* 1 - paddings (B, T) as (B, T, 1, ...) of a rank */
static lam_tensor
mask_of (lam_trace *t, lam_tensor x, lam_tensor paddings, int32_t rank)
{
  lam_shape shape = lam_shape_of (t, paddings);
  paddings = lam_cast (t, paddings, lam_dtype_of (t, x));
  for (shape.rank = rank; rank > 2; rank--)
    shape.dims[rank - 1] = 1;
  return lam_sub (t, lam_scalar_like (t, x, 1), lam_reshape (t, paddings, shape));
}

static lam_tensor
affine (const group_norm *p, lam_trace *t, lam_tensor x)
{
  if (p->use_scale)
    x = lam_mul (t, x, lam_add_scalar (t, norm_theta (t, p->gamma, x), 1));
  return p->use_bias ? lam_add (t, x, norm_theta (t, p->beta, x)) : x;
}

/* in: x (B, T, ..., D), or {inputs: x, paddings: (B, T), 1 where padded} -> as x */
static lam_nest
group_norm_fprop (const group_norm *p, lam_trace *t, lam_nest in)
{
  lam_tensor paddings, x = norm_inputs (t, in, &paddings), y;
  lam_shape shape = lam_shape_of (t, x), wanted = shape;
  int32_t rank = (int32_t)p->input_rank;
  bool padded = !lam_is_nil (paddings);
  if (shape.rank != rank)
    wanted = LAM_SHAPE (-1, -1, -1, -1, -1);
  wanted.rank = rank;
  wanted.dims[rank - 1] = p->dim;
  if (!lam_check_shape (t, "group_norm input (B, T, ..., dim) of rank input_rank", x, wanted)
      || (padded
          && !lam_check_shape (t, "group_norm paddings (B, T)", paddings,
                               LAM_SHAPE (shape.dims[0], shape.dims[1]))))
    return lam_nest_of (t, lam_nil ());
  y = normalise (p, t, x, padded ? mask_of (t, x, paddings, rank + 1) : lam_nil ());
  y = affine (p, t, y);
  if (padded && p->set_padded_output_to_zero)
    y = lam_mul (t, y, mask_of (t, x, paddings, rank));
  return lam_nest_of (t, y);
}

LAM_METHODS (group_norm, LAM_METHOD (group_norm, fprop), LAM_USE (group_norm, fprop))
LAM_LAYER_METHODS (group_norm, "lamina.group_norm", 1,
                   "Mean 0 and variance 1 of groups of channels of each example.")
