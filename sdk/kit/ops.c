/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of the op families as plain structs. */
#include <kit/ops.h>

#include <string.h>

/* out[0 .. n-1] from the attribute, or `absent` everywhere. */
static void
read_ints (const lam_function *f, const lam_equation *e, const char *key, int64_t absent, int32_t n,
           int64_t *out)
{
  uint64_t given;
  const int64_t *values = lam_attr_ints (f, e, key, &given);

  for (int32_t i = 0; i < n; i++)
    out[i] = given != 0 ? values[i] : absent;
}

int32_t
kit_combine (const lam_function *f, const lam_equation *e)
{
  static const struct {
    const char *name;
    int32_t code;
  } names[] = {
      {"add", KIT_COMBINE_ADD},         {"multiply", KIT_COMBINE_MULTIPLY},
      {"maximum", KIT_COMBINE_MAXIMUM}, {"minimum", KIT_COMBINE_MINIMUM},
      {"and", KIT_COMBINE_AND},         {"or", KIT_COMBINE_OR},
      {"update", KIT_COMBINE_UPDATE},
  };
  const char *name = lam_attr_str (f, e, "computation", "add");

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp (name, names[i].name) == 0)
      return names[i].code;
  return KIT_COMBINE_ADD;
}

int32_t
kit_direction (const lam_function *f, const lam_equation *e)
{
  static const char names[][3] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  const char *name = lam_attr_str (f, e, "comparison_direction", "EQ");

  for (int32_t i = 0; i < 6; i++)
    if (strcmp (name, names[i]) == 0)
      return i;
  return KIT_EQ;
}

/* Operand elements of one axis that land inside the result: low + i * step in 0 .. out - 1. */
static void
pad_range (kit_pad *p, int32_t k)
{
  int64_t from = p->low[k] < 0 ? (-p->low[k] + p->step[k] - 1) / p->step[k] : 0;
  int64_t last = p->out_dims[k] - 1 - p->low[k];
  int64_t to = last < 0 ? 0 : last / p->step[k] + 1;

  if (to > p->in_dims[k])
    to = p->in_dims[k];
  p->from[k] = from < to ? from : to;
  p->to[k] = to;
}

void
kit_read_pad (const lam_function *f, const lam_equation *e, kit_pad *out)
{
  const lam_type *in = lam_value_type (f, lam_operand (f, e, 0));
  const lam_type *result = lam_value_type (f, e->first_result);

  memset (out, 0, sizeof *out);
  out->rank = in->rank;
  memcpy (out->in_dims, in->dims, sizeof out->in_dims);
  memcpy (out->out_dims, result->dims, sizeof out->out_dims);
  read_ints (f, e, "edge_padding_low", 0, in->rank, out->low);
  read_ints (f, e, "interior_padding", 0, in->rank, out->step);
  for (int32_t k = 0; k < in->rank; k++) {
    out->step[k]++;
    pad_range (out, k);
  }
}

void
kit_split_axis (const lam_type *type, int64_t axis, kit_axis *out)
{
  out->outer = kit_elements ((int32_t)axis, type->dims);
  out->size = type->dims[axis];
  out->inner = kit_elements (type->rank - (int32_t)axis - 1, type->dims + axis + 1);
}

static void
append_axis (kit_view *view, int64_t dim, int64_t stride)
{
  view->dims[view->rank] = dim;
  view->strides[view->rank] = stride;
  view->rank++;
}

void
kit_read_reduce (const lam_function *f, const lam_equation *e, kit_reduce *out)
{
  const lam_type *in = lam_value_type (f, lam_operand (f, e, 0));
  bool reduced[LAM_MAX_RANK] = {false};
  int64_t strides[LAM_MAX_RANK];
  uint64_t n;
  const int64_t *axes = lam_attr_ints (f, e, "dimensions", &n);

  memset (out, 0, sizeof *out);
  out->combine = kit_combine (f, e);
  for (uint64_t i = 0; i < n; i++)
    reduced[axes[i]] = true;
  kit_strides (in->rank, in->dims, strides);
  for (int32_t k = 0; k < in->rank; k++)
    append_axis (reduced[k] ? &out->reduced : &out->kept, in->dims[k], strides[k]);
}

void
kit_read_window (const lam_function *f, const lam_equation *e, kit_window *out)
{
  const lam_type *in = lam_value_type (f, lam_operand (f, e, 0));
  const lam_type *result = lam_value_type (f, e->first_result);
  int64_t padding[2 * LAM_MAX_RANK];

  memset (out, 0, sizeof *out);
  out->rank = in->rank;
  out->combine = kit_combine (f, e);
  memcpy (out->in_dims, in->dims, sizeof out->in_dims);
  memcpy (out->out_dims, result->dims, sizeof out->out_dims);
  read_ints (f, e, "window_dimensions", 1, in->rank, out->size);
  read_ints (f, e, "window_strides", 1, in->rank, out->stride);
  read_ints (f, e, "base_dilations", 1, in->rank, out->base_dilation);
  read_ints (f, e, "window_dilations", 1, in->rank, out->window_dilation);
  read_ints (f, e, "padding", 0, 2 * in->rank, padding);
  for (int32_t k = 0; k < in->rank; k++) {
    out->low[k] = padding[2 * k];
    out->high[k] = padding[2 * k + 1];
  }
}

static void
view_of_axes (const lam_type *type, const int64_t *axes, uint64_t n, bool *used, kit_view *out)
{
  int64_t strides[LAM_MAX_RANK];

  kit_strides (type->rank, type->dims, strides);
  for (uint64_t i = 0; i < n; i++) {
    append_axis (out, type->dims[axes[i]], strides[axes[i]]);
    used[axes[i]] = true;
  }
}

static void
view_of_rest (const lam_type *type, const bool *used, kit_view *out)
{
  int64_t strides[LAM_MAX_RANK];

  kit_strides (type->rank, type->dims, strides);
  for (int32_t k = 0; k < type->rank; k++)
    if (!used[k])
      append_axis (out, type->dims[k], strides[k]);
}

void
kit_read_dot (const lam_function *f, const lam_equation *e, kit_dot *out)
{
  const lam_type *lhs = lam_value_type (f, lam_operand (f, e, 0));
  const lam_type *rhs = lam_value_type (f, lam_operand (f, e, 1));
  bool lhs_used[LAM_MAX_RANK] = {false}, rhs_used[LAM_MAX_RANK] = {false};
  const int64_t *axes;
  uint64_t n;

  memset (out, 0, sizeof *out);
  axes = lam_attr_ints (f, e, "lhs_batching_dimensions", &n);
  view_of_axes (lhs, axes, n, lhs_used, &out->lhs_batch);
  axes = lam_attr_ints (f, e, "rhs_batching_dimensions", &n);
  view_of_axes (rhs, axes, n, rhs_used, &out->rhs_batch);
  axes = lam_attr_ints (f, e, "lhs_contracting_dimensions", &n);
  view_of_axes (lhs, axes, n, lhs_used, &out->lhs_contract);
  axes = lam_attr_ints (f, e, "rhs_contracting_dimensions", &n);
  view_of_axes (rhs, axes, n, rhs_used, &out->rhs_contract);
  view_of_rest (lhs, lhs_used, &out->lhs_free);
  view_of_rest (rhs, rhs_used, &out->rhs_free);
  out->batch = kit_elements (out->lhs_batch.rank, out->lhs_batch.dims);
  out->m = kit_elements (out->lhs_free.rank, out->lhs_free.dims);
  out->n = kit_elements (out->rhs_free.rank, out->rhs_free.dims);
  out->k = kit_elements (out->lhs_contract.rank, out->lhs_contract.dims);
  out->lhs_dtype = lhs->dtype;
  out->rhs_dtype = rhs->dtype;
  out->out_dtype = lam_value_type (f, e->first_result)->dtype;
}

int64_t
kit_view_stride (const kit_view *view)
{
  kit_view merged = *view;

  kit_view_merge (&merged);
  if (merged.rank == 0 || merged.dims[0] == 0)
    return 1;
  return merged.rank == 1 ? merged.strides[0] : -1;
}

void
kit_read_conv (const lam_function *f, const lam_equation *e, kit_conv *out)
{
  const lam_type *lhs = lam_value_type (f, lam_operand (f, e, 0));
  const lam_type *rhs = lam_value_type (f, lam_operand (f, e, 1));
  const lam_type *result = lam_value_type (f, e->first_result);
  int64_t lhs_at[LAM_MAX_RANK], rhs_at[LAM_MAX_RANK], out_at[LAM_MAX_RANK];
  int64_t padding[2 * LAM_MAX_RANK];
  uint64_t n;
  const int64_t *ls = lam_attr_ints (f, e, "lhs_spec", &n);
  const int64_t *rs = lam_attr_ints (f, e, "rhs_spec", &n);
  const int64_t *os = lam_attr_ints (f, e, "out_spec", &n);
  kit_window *w = &out->window;

  memset (out, 0, sizeof *out);
  kit_strides (lhs->rank, lhs->dims, lhs_at);
  kit_strides (rhs->rank, rhs->dims, rhs_at);
  kit_strides (result->rank, result->dims, out_at);
  out->batch = result->dims[os[0]];
  out->out_features = result->dims[os[1]];
  out->group_features = rhs->dims[rs[1]];
  out->feature_groups = lam_attr_int (f, e, "feature_group_count", 1);
  out->batch_groups = lam_attr_int (f, e, "batch_group_count", 1);
  out->lhs_batch = lhs_at[ls[0]];
  out->lhs_feature = lhs_at[ls[1]];
  out->rhs_out = rhs_at[rs[0]];
  out->rhs_in = rhs_at[rs[1]];
  out->out_batch = out_at[os[0]];
  out->out_feature = out_at[os[1]];
  out->in_dtype = lhs->dtype;
  out->out_dtype = result->dtype;
  w->rank = lhs->rank - 2;
  read_ints (f, e, "window_strides", 1, w->rank, w->stride);
  read_ints (f, e, "lhs_dilation", 1, w->rank, w->base_dilation);
  read_ints (f, e, "rhs_dilation", 1, w->rank, w->window_dilation);
  read_ints (f, e, "padding", 0, 2 * w->rank, padding);
  for (int32_t k = 0; k < w->rank; k++) {
    w->low[k] = padding[2 * k];
    w->high[k] = padding[2 * k + 1];
    w->in_dims[k] = lhs->dims[ls[k + 2]];
    w->size[k] = rhs->dims[rs[k + 2]];
    w->out_dims[k] = result->dims[os[k + 2]];
    out->lhs_spatial[k] = lhs_at[ls[k + 2]];
    out->rhs_spatial[k] = rhs_at[rs[k + 2]];
    out->out_spatial[k] = out_at[os[k + 2]];
  }
}
