/* SPDX-License-Identifier: Apache-2.0 */
/* sort by merging, top_k by looking for the next best element. */
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct order_args {
  kit_axis axis;
  uint32_t num_keys;
  int64_t k;
} order_args;

static void
copy_element (lam_dtype dtype, void *to, int64_t to_at, const void *from, int64_t from_at)
{
  int64_t width = lam_dtype_bits (dtype) / 8;

  memcpy ((char *)to + to_at * width, (const char *)from + from_at * width, (size_t)width);
}

/* --- sort --------------------------------------------------------------------------------------- */

/* Element a of operand `key` against element b: below 0, 0, above 0. NaN is last, -0 equals 0. */
static int
compare_key (const ref_step *s, uint32_t key, int64_t a, int64_t b)
{
  lam_dtype dtype = ref_in_type (s, key)->dtype;
  double x, y;
  int64_t i, j;

  if (lam_dtype_is_float (dtype)) {
    ref_load_float (dtype, ref_in (s, key), a, 1, &x);
    ref_load_float (dtype, ref_in (s, key), b, 1, &y);
    if (isnan (x) || isnan (y))
      return (isnan (x) != 0) - (isnan (y) != 0);
    return (x > y) - (x < y);
  }
  ref_load_int (dtype, ref_in (s, key), a, 1, &i);
  ref_load_int (dtype, ref_in (s, key), b, 1, &j);
  if (dtype == LAM_U64)
    return ((uint64_t)i > (uint64_t)j) - ((uint64_t)i < (uint64_t)j);
  return (i > j) - (i < j);
}

static int
compare (const ref_step *s, int64_t a, int64_t b)
{
  const order_args *args = s->args;
  int order = 0;

  for (uint32_t key = 0; key < args->num_keys && order == 0; key++)
    order = compare_key (s, key, a, b);
  return order;
}

/* Merges from[low .. middle-1] and from[middle .. high-1]; of equal ones the former come first. */
static void
merge (const ref_step *s, const int64_t *from, int64_t low, int64_t middle, int64_t high,
       int64_t *to)
{
  int64_t a = low, b = middle;

  for (int64_t i = low; i < high; i++)
    if (a < middle && (b == high || compare (s, from[a], from[b]) <= 0))
      to[i] = from[a++];
    else
      to[i] = from[b++];
}

static int64_t
least (int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* The line of elements at, at + step ...: their places in order. The scratch holds two lines. */
static const int64_t *
sort_line (const ref_step *s, int64_t at, int64_t n, int64_t step)
{
  int64_t *from = s->scratch, *to = from + n;

  for (int64_t i = 0; i < n; i++)
    from[i] = at + i * step;
  for (int64_t width = 1; width < n; width *= 2) {
    int64_t *keep = from;
    for (int64_t low = 0; low < n; low += 2 * width)
      merge (s, from, low, least (low + width, n), least (low + 2 * width, n), to);
    from = to;
    to = keep;
  }
  return from;
}

static void
run_sort (const ref_step *s)
{
  const kit_axis *axis = &((const order_args *)s->args)->axis;

  for (int64_t o = 0; o < axis->outer; o++)
    for (int64_t i = 0; i < axis->inner; i++) {
      int64_t at = o * axis->size * axis->inner + i;
      const int64_t *order = sort_line (s, at, axis->size, axis->inner);
      for (uint32_t k = 0; k < s->n_in; k++)
        for (int64_t j = 0; j < axis->size; j++)
          copy_element (ref_in_type (s, k)->dtype, ref_out (s, k), at + j * axis->inner,
                        ref_in (s, k), order[j]);
    }
}

/* --- top_k -------------------------------------------------------------------------------------- */

/* A number that orders elements as the total order does: -NaN, -inf ... -0, 0 ... inf, NaN. */
static int64_t
rank_of (const ref_step *s, int64_t at)
{
  lam_dtype dtype = ref_in_type (s, 0)->dtype;
  int64_t v;

  if (!lam_dtype_is_float (dtype)) {
    ref_load_int (dtype, ref_in (s, 0), at, 1, &v);
    return dtype == LAM_U64 ? v ^ INT64_MIN : v;
  }
  dtype = dtype == LAM_F64 ? LAM_I64 : dtype == LAM_F32 ? LAM_I32 : LAM_I16;
  ref_load_int (dtype, ref_in (s, 0), at, 1, &v);
  return v < 0 ? v ^ INT64_MAX : v; /* the larger a negative float's bits, the smaller it is */
}

/* The element that follows `last` (-1: none yet) of the line: the largest below it, of equal ones the
 * first behind it. */
static int64_t
next_best (const ref_step *s, int64_t at, int64_t n, int64_t last)
{
  int64_t best = -1;

  for (int64_t i = 0; i < n; i++) {
    int64_t rank = rank_of (s, at + i), bound = last < 0 ? 0 : rank_of (s, at + last);
    if (last >= 0 && (rank > bound || (rank == bound && i <= last)))
      continue;
    if (best < 0 || rank > rank_of (s, at + best))
      best = i;
  }
  return best;
}

static void
run_top_k (const ref_step *s)
{
  const order_args *a = s->args;

  for (int64_t o = 0; o < a->axis.outer; o++) {
    int64_t at = o * a->axis.size, last = -1;
    for (int64_t j = 0; j < a->k; j++) {
      last = next_best (s, at, a->axis.size, last);
      copy_element (ref_in_type (s, 0)->dtype, ref_out (s, 0), o * a->k + j, ref_in (s, 0),
                    at + last);
      ref_store_int (LAM_I32, ref_out (s, 1), o * a->k + j, 1, &last);
    }
  }
}

lam_status
ref_prepare_order (ref_step *s, const lam_function *f, const lam_equation *e)
{
  const lam_type *type = ref_in_type (s, 0);
  bool sorts = e->op == LAM_OP_sort;
  order_args *a;

  if (!sorts && e->op != LAM_OP_top_k)
    return LAM_E_UNSUPPORTED;
  a = calloc (1, sizeof *a);
  if (a == NULL)
    return LAM_E_NO_MEMORY;
  s->args = a;
  s->run = sorts ? run_sort : run_top_k;
  a->num_keys = (uint32_t)lam_attr_int (f, e, "num_keys", 1);
  a->k = lam_attr_int (f, e, "k", 0);
  kit_split_axis (type, sorts ? lam_attr_int (f, e, "dimension", 0) : type->rank - 1, &a->axis);
  s->scratch_bytes = sorts ? (size_t)a->axis.size * 2 * sizeof (int64_t) : 0;
  return LAM_OK;
}
