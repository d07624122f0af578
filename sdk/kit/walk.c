/* SPDX-License-Identifier: Apache-2.0 */
/* Strides, views, names of ops, and the check before compiling. */
#include <kit/walk.h>

#include <stdio.h>
#include <string.h>

typedef struct row {
  int32_t number;
  bool reserved;
  const char *name, *attrs;
} row;

static const row rows[] = {
#define LAM_OP(name, number, since, min, max, results, class, flags, attrs, doc)                   \
  {number, false, #name, attrs},
#define LAM_OP_RESERVED(name, number) {number, true, #name, ""},
#include <lamina/ops.def>
};

static const row *
find_row (int32_t op)
{
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (rows[i].number == op)
      return &rows[i];
  return NULL;
}

void
kit_strides (int32_t rank, const int64_t *dims, int64_t *out_strides)
{
  int64_t stride = 1;

  for (int32_t i = rank - 1; i >= 0; i--) {
    out_strides[i] = stride;
    stride *= dims[i];
  }
}

void
kit_view_dense (const lam_type *type, kit_view *out)
{
  out->rank = type->rank;
  out->offset = 0;
  memcpy (out->dims, type->dims, sizeof out->dims);
  kit_strides (type->rank, type->dims, out->strides);
}

static void
view_broadcast (const lam_function *f, const lam_equation *e, const lam_type *in, kit_view *v)
{
  int64_t strides[LAM_MAX_RANK];
  uint64_t n;
  const int64_t *axes = lam_attr_ints (f, e, "broadcast_dimensions", &n);

  kit_strides (in->rank, in->dims, strides);
  memset (v->strides, 0, sizeof v->strides);
  for (uint64_t i = 0; i < n; i++)
    v->strides[axes[i]] = in->dims[i] == 1 ? 0 : strides[i];
}

static void
view_slice (const lam_function *f, const lam_equation *e, const lam_type *in, kit_view *v)
{
  int64_t strides[LAM_MAX_RANK];
  uint64_t n, n_steps;
  const int64_t *start = lam_attr_ints (f, e, "start_indices", &n);
  const int64_t *step = lam_attr_ints (f, e, "strides", &n_steps);

  kit_strides (in->rank, in->dims, strides);
  for (int32_t i = 0; i < in->rank; i++) {
    v->offset += start[i] * strides[i];
    v->strides[i] = strides[i] * (n_steps != 0 ? step[i] : 1);
  }
}

static void
view_reverse (const lam_function *f, const lam_equation *e, kit_view *v)
{
  uint64_t n;
  const int64_t *axes = lam_attr_ints (f, e, "dimensions", &n);

  for (uint64_t i = 0; i < n; i++) {
    int64_t k = axes[i];
    if (v->dims[k] > 0)
      v->offset += (v->dims[k] - 1) * v->strides[k];
    v->strides[k] = -v->strides[k];
  }
}

bool
kit_view_of (const lam_function *f, const lam_equation *e, kit_view *out)
{
  const lam_type *in, *result;
  int64_t strides[LAM_MAX_RANK];
  const int64_t *permutation;
  uint64_t n;

  if (e->op != LAM_OP_broadcast_in_dim && e->op != LAM_OP_reshape && e->op != LAM_OP_transpose
      && e->op != LAM_OP_reverse && e->op != LAM_OP_slice)
    return false;
  in = lam_value_type (f, lam_operand (f, e, 0));
  result = lam_value_type (f, e->first_result);
  kit_view_dense (result, out);
  switch (e->op) {
  case LAM_OP_broadcast_in_dim:
    view_broadcast (f, e, in, out);
    break;
  case LAM_OP_transpose:
    permutation = lam_attr_ints (f, e, "permutation", &n);
    kit_strides (in->rank, in->dims, strides);
    for (int32_t i = 0; i < in->rank; i++)
      out->strides[i] = strides[permutation[i]];
    break;
  case LAM_OP_reverse:
    view_reverse (f, e, out);
    break;
  case LAM_OP_slice:
    view_slice (f, e, in, out);
    break;
  default: /* reshape: the same elements in the same order */
    break;
  }
  return true;
}

void
kit_view_merge (kit_view *view)
{
  int32_t rank = 0;

  if (kit_elements (view->rank, view->dims) == 0) {
    view->rank = 1;
    view->dims[0] = 0;
    view->strides[0] = 1;
    return;
  }
  for (int32_t i = 0; i < view->rank; i++) {
    if (view->dims[i] == 1)
      continue;
    if (rank > 0 && view->strides[rank - 1] == view->strides[i] * view->dims[i]) {
      view->dims[rank - 1] *= view->dims[i];
      view->strides[rank - 1] = view->strides[i];
    } else {
      view->dims[rank] = view->dims[i];
      view->strides[rank] = view->strides[i];
      rank++;
    }
  }
  view->rank = rank;
}

const char *
kit_op_name (int32_t op)
{
  const row *r = find_row (op);

  return r != NULL ? r->name : "?";
}

/* True if the schema "key:kind key:kind! ..." has the key. */
static bool
schema_has (const char *schema, const char *key)
{
  size_t n = strlen (key);

  for (const char *p = schema; p != NULL && *p != '\0';) {
    if (strncmp (p, key, n) == 0 && p[n] == ':')
      return true;
    p = strchr (p, ' ');
    if (p != NULL)
      p++;
  }
  return false;
}

static bool
check_equation (const lam_function *f, uint32_t i, char *message, size_t message_size)
{
  const lam_equation *e = lam_equation_at (f, i);
  const row *r = find_row (e->op);
  const char *path = f->paths[e->path];

  if (r == NULL || r->reserved) {
    snprintf (message, message_size,
              "equation %u has op %d (%s), which this backend does not know; layer path \"%s\"", i,
              e->op, r != NULL ? r->name : "unnamed", path);
    return false;
  }
  for (uint32_t k = 0; k < e->n_attrs; k++) {
    const lam_attr *a = lam_attr_at (f, e->first_attr + k);
    if ((a->flags & LAM_ATTR_MUST_UNDERSTAND) != 0 && !schema_has (r->attrs, a->key)) {
      snprintf (message, message_size,
                "equation %u: %s has the attribute \"%s\", which must be understood and is not "
                "known to this backend; layer path \"%s\"",
                i, r->name, a->key, path);
      return false;
    }
  }
  return true;
}

bool
kit_check (const lam_function *f, char *message, size_t message_size)
{
  for (uint32_t v = 0; v < f->n_values; v++) {
    const lam_type *type = lam_value_type (f, v);
    if (lam_dtype_bits (type->dtype) == 0) {
      snprintf (message, message_size,
                "value %u has dtype code %d, which this backend does not know", v, type->dtype);
      return false;
    }
  }
  for (uint32_t i = 0; i < f->n_equations; i++)
    if (!check_equation (f, i, message, message_size))
      return false;
  return true;
}
