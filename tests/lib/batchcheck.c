/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a function row by row and over all rows at once, and compares. */
#include "tests/lib/batchcheck.h"

#include "core/ir/text.h"
#include "core/ir/verify.h"
#include "core/transform/transform.h"
#include "tests/lib/fixture.h"

#include <math.h>
#include <string.h>

#define ROWS 3
#define MOST 64 /* parameters or results */

static LmArray *
new_array (const lam_type *type)
{
  g_autoptr (GError) error = NULL;
  LmArray *a = lm_array_new (type, &error);
  g_assert_no_error (error);
  return a;
}

static void
unref_all (LmArray **arrays, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    lm_array_unref (arrays[i]);
}

/* --- rows ------------------------------------------------------------------------------------ */

/* One element has no other place: another bool, the next integer, a smaller float. */
static void
change_scalar (LmArray *y, int64_t r)
{
  double x = lm_array_get_double (y, 0);
  lam_type type = y->type;
  if (r == 0)
    return;
  if (type.dtype == LAM_PRED)
    *(uint8_t *)y->data ^= r & 1;
  else {
    double value = lam_dtype_is_float (type.dtype) ? x * (1 - 0.25 * (double)r) : x + (double)r;
    g_autoptr (LmArray) next = lm_test_array (&type, &value);
    memcpy (y->data, next->data, (size_t)y->bytes);
  }
}

/* The elements of x, each r places further on. */
static LmArray *
rotated (const LmArray *x, int64_t r)
{
  LmArray *y = new_array (&x->type);
  int64_t n = lam_type_elements (&x->type), width = lam_dtype_bits (x->type.dtype) / 8;
  for (int64_t i = 0; i < n; i++)
    memcpy ((char *)y->data + (i + r) % n * width, (const char *)x->data + i * width,
            (size_t)width);
  if (n == 1)
    change_scalar (y, r);
  return y;
}

static lam_type
stacked_type (const lam_type *row, int64_t size, int32_t axis)
{
  int64_t dims[LAM_MAX_RANK];
  for (int32_t i = 0, at = 0; i <= row->rank; i++)
    dims[i] = i == axis ? size : row->dims[at++];
  return lm_type (row->dtype, row->rank + 1, dims);
}

/* Copies row r of `stack` (axis of `size` at `axis`) from or to the array of one row. */
static void
copy_row (LmArray *stack, int32_t axis, int64_t r, LmArray *row, bool into_stack)
{
  int64_t outer = 1, inner = lam_dtype_bits (row->type.dtype) / 8;
  for (int32_t i = 0; i < row->type.rank; i++)
    *(i < axis ? &outer : &inner) *= row->type.dims[i];
  for (int64_t i = 0; i < outer; i++) {
    char *s = (char *)stack->data + (i * stack->type.dims[axis] + r) * inner;
    char *p = (char *)row->data + i * inner;
    memcpy (into_stack ? s : p, into_stack ? p : s, (size_t)inner);
  }
}

static LmArray *
stack (LmArray **rows, const lam_type *row, int64_t size, int32_t axis)
{
  lam_type type = stacked_type (row, size, axis);
  LmArray *out = new_array (&type);
  for (int64_t r = 0; r < size; r++)
    copy_row (out, axis, r, rows[r], true);
  return out;
}

/* --- running ---------------------------------------------------------------------------------- */

static void
run (LmBackend *backend, const LmFunction *f, LmArray *const *in, LmArray **out)
{
  g_autoptr (GError) error = NULL;
  LmArray *none = NULL;
  if (!lm_run_function (backend, f, f->ir.n_params > 0 ? in : &none, out, &error)) {
    g_autofree char *text = lm_text_print (f);
    g_error ("%s\n%s", error->message, text);
  }
}

static LmFunction *
vmap (const LmBatchCheck *c, const LmFunction *f, const int32_t *in_axes, const int32_t *out_axes,
      int64_t size)
{
  g_autoptr (GError) error = NULL;
  LmFunction *g = lm_vmap (f, in_axes, out_axes, size, &error);
  if (g == NULL || !lm_verify (g, "vmap", &error)) {
    g_autofree char *text = lm_text_print (g != NULL ? g : f);
    g_error ("%s: %s\n%s", c->id, error->message, text);
  }
  return g;
}

static bool
close_to (const LmBatchCheck *c, const LmArray *got, const LmArray *want, int64_t i)
{
  size_t width = lam_dtype_bits (want->type.dtype) / 8;
  if (memcmp ((const char *)got->data + (size_t)i * width,
              (const char *)want->data + (size_t)i * width, width)
      == 0)
    return true;
  if (!lam_dtype_is_float (want->type.dtype))
    return false;
  double a = lm_array_get_double (got, i), b = lm_array_get_double (want, i);
  return (isnan (a) && isnan (b)) || fabs (a - b) <= c->tolerance * (1 + fabs (b));
}

static void
assert_equal (const LmBatchCheck *c, const LmFunction *g, const LmArray *got, const LmArray *want,
              const char *what)
{
  g_assert_true (lm_type_equal (&got->type, &want->type));
  for (int64_t i = 0; i < lam_type_elements (&want->type); i++)
    if (!close_to (c, got, want, i)) {
      g_autofree char *text = lm_text_print (g);
      g_error ("%s: %s: element %" G_GINT64_FORMAT " is %.17g, the loop gives %.17g\n%s", c->id,
               what, i, lm_array_get_double (got, i), lm_array_get_double (want, i), text);
    }
}

/* --- one set of batched parameters ------------------------------------------------------------ */

typedef struct Set {
  const LmBatchCheck *c;
  const LmFunction *f;
  uint32_t mask;          /* of batched parameters */
  LmArray *(*rows)[ROWS]; /* [n_params]: what each row reads */
  LmArray *(*want)[ROWS]; /* [n_results]: what the loop gives */
} Set;

static void
set_init (Set *s, const LmBatchCheck *c, const LmFunction *f, LmArray *const *in, uint32_t mask)
{
  s->c = c;
  s->f = f;
  s->mask = mask;
  s->rows = g_malloc0_n (f->ir.n_params + 1, sizeof *s->rows);
  s->want = g_malloc0_n (f->ir.n_results + 1, sizeof *s->want);
  for (int64_t r = 0; r < ROWS; r++) {
    LmArray *args[MOST], *out[MOST];
    for (uint32_t i = 0; i < f->ir.n_params; i++)
      args[i] = s->rows[i][r] = rotated (in[i], mask >> i & 1 ? r : 0);
    run (c->backend, f, args, out);
    for (uint32_t j = 0; j < f->ir.n_results; j++)
      s->want[j][r] = out[j];
  }
}

static void
set_clear (Set *s)
{
  for (uint32_t i = 0; i < s->f->ir.n_params; i++)
    unref_all (s->rows[i], ROWS);
  for (uint32_t j = 0; j < s->f->ir.n_results; j++)
    unref_all (s->want[j], ROWS);
  g_free (s->rows);
  g_free (s->want);
}

/* turn: which axes, each parameter and result another one. */
static void
choose_axes (const Set *s, int32_t turn, int32_t *in_axes, int32_t *out_axes)
{
  const LmFunction *f = s->f;
  for (int32_t i = 0; i < (int32_t)f->ir.n_params; i++)
    in_axes[i] = s->mask >> i & 1 ? (turn + i) % (lm_param_type (f, (uint32_t)i)->rank + 1) : -1;
  for (int32_t j = 0; j < (int32_t)f->ir.n_results; j++)
    out_axes[j] = (turn + j) % (lm_result_type (f, (uint32_t)j)->rank + 1);
}

static void
stack_inputs (const Set *s, const int32_t *in_axes, int64_t size, LmArray **out)
{
  for (uint32_t i = 0; i < s->f->ir.n_params; i++)
    out[i] = in_axes[i] < 0 ? lm_array_ref (s->rows[i][0])
                            : stack (s->rows[i], lm_param_type (s->f, i), size, in_axes[i]);
}

static void
check_rows (const Set *s, int32_t turn, int64_t size)
{
  int32_t in_axes[MOST], out_axes[MOST];
  LmArray *in[MOST], *out[MOST];
  choose_axes (s, turn, in_axes, out_axes);
  g_autoptr (LmFunction) g = vmap (s->c, s->f, in_axes, out_axes, size);
  stack_inputs (s, in_axes, size, in);
  run (s->c->backend, g, in, out);
  for (uint32_t j = 0; j < g->ir.n_results; j++) {
    const lam_type *row = lm_result_type (s->f, j);
    lam_type type = stacked_type (row, size, out_axes[j]);
    g_assert_true (lm_type_equal (&out[j]->type, &type));
    g_autoptr (LmArray) got = new_array (row);
    for (int64_t r = 0; r < size; r++) {
      copy_row (out[j], out_axes[j], r, got, false);
      assert_equal (s->c, g, got, s->want[j][r], "vmap");
    }
  }
  unref_all (in, s->f->ir.n_params);
  unref_all (out, g->ir.n_results);
}

/* --- all sets --------------------------------------------------------------------------------- */

static int32_t
most_axes (const LmFunction *f)
{
  int32_t most = 0;
  for (uint32_t v = 0; v < f->ir.n_params; v++)
    most = MAX (most, lm_param_type (f, v)->rank);
  for (uint32_t j = 0; j < f->ir.n_results; j++)
    most = MAX (most, lm_result_type (f, j)->rank);
  return most;
}

/* Up to four parameters every set, beyond it each alone and all. Returns 0 at the end. */
static uint32_t
next_set (uint32_t mask, uint32_t n)
{
  uint32_t all = n < 32 ? (1u << n) - 1 : 0;
  if (n <= 4)
    return mask < all ? mask + 1 : 0;
  if (mask == all)
    return 0;
  return mask == 0 ? 1 : mask << 1 > all ? all : mask << 1;
}

/* Over a batched function: each parameter alone, and all, once. */
static void
check_twice (const LmBatchCheck *c)
{
  uint32_t n = c->f->ir.n_params, all = (1u << n) - 1;
  int32_t in_axes[MOST], out_axes[MOST];
  LmArray *in[MOST];
  Set once;
  set_init (&once, c, c->f, c->in, all);
  choose_axes (&once, 1, in_axes, out_axes);
  stack_inputs (&once, in_axes, 2, in);
  g_autoptr (LmFunction) g = vmap (c, c->f, in_axes, out_axes, 2);
  for (uint32_t i = 0; i <= n; i++) {
    Set twice;
    set_init (&twice, c, g, in, i < n ? 1u << i : all);
    check_rows (&twice, (int32_t)i + 1, ROWS);
    set_clear (&twice);
  }
  unref_all (in, n);
  set_clear (&once);
}

void
lm_check_batch (const LmBatchCheck *c)
{
  const LmFunction *f = c->f;
  int32_t axes = most_axes (f);
  if (axes == LAM_MAX_RANK) /* no room for rows */
    return;
  g_assert_cmpuint (MAX (f->ir.n_params, f->ir.n_results), <=, MOST);
  for (uint32_t mask = next_set (0, f->ir.n_params); mask != 0;
       mask = next_set (mask, f->ir.n_params)) {
    Set s;
    set_init (&s, c, f, c->in, mask);
    for (int32_t turn = 0; turn <= axes; turn++)
      check_rows (&s, turn, ROWS);
    check_rows (&s, 0, 1);
    check_rows (&s, 1, 0);
    set_clear (&s);
  }
  if (f->ir.n_params > 0 && axes + 2 <= LAM_MAX_RANK)
    check_twice (c);
}

/* --- gradients -------------------------------------------------------------------------------- */

static LmFunction *
vjp_of (const LmBatchCheck *c, const LmFunction *f)
{
  g_autoptr (GError) error = NULL;
  bool all[2 * MOST];
  memset (all, true, sizeof all);
  LmFunction *g = lm_vjp (f, all, all, &error);
  if (g == NULL)
    g_error ("%s: %s", c->id, error->message);
  return g;
}

/* sum += row, in f64. */
static void
add_row (LmArray *sum, const LmArray *row)
{
  for (int64_t i = 0; i < lam_type_elements (&row->type); i++)
    ((double *)sum->data)[i] += ((double *)row->data)[i];
}

/* The gradient of s->f's vmap against the loop over `loop`, a set over the vjp of s->f. */
static void
check_grad_rows (const Set *s, const Set *loop)
{
  uint32_t n = s->f->ir.n_params, m = s->f->ir.n_results;
  int32_t in_axes[MOST], out_axes[MOST];
  LmArray *in[MOST], *out[MOST];
  choose_axes (s, 1, in_axes, out_axes);
  g_autoptr (LmFunction) g = vmap (s->c, s->f, in_axes, out_axes, ROWS);
  g_autoptr (LmFunction) vjp = vjp_of (s->c, g);
  stack_inputs (s, in_axes, ROWS, in);
  for (uint32_t j = 0; j < m; j++)
    in[n + j] = stack (loop->rows[n + j], lm_result_type (s->f, j), ROWS, out_axes[j]);
  run (s->c->backend, vjp, in, out);
  for (uint32_t i = 0; i < n; i++) {
    LmArray *(*want)[ROWS] = &loop->want[m + i];
    g_autoptr (LmArray) got = new_array (lm_param_type (s->f, i));
    for (int64_t r = 0; r < ROWS && in_axes[i] >= 0; r++) {
      copy_row (out[m + i], in_axes[i], r, got, false);
      assert_equal (s->c, vjp, got, (*want)[r], "gradient of vmap");
    }
    for (int64_t r = 0; r < ROWS && in_axes[i] < 0; r++)
      add_row (got, (*want)[r]);
    if (in_axes[i] < 0)
      assert_equal (s->c, vjp, out[m + i], got, "gradient of vmap, summed");
  }
  unref_all (in, n + m);
  unref_all (out, n + m);
}

void
lm_check_batch_grad (const LmBatchCheck *c)
{
  uint32_t n = c->f->ir.n_params, m = c->f->ir.n_results;
  LmArray *in[2 * MOST];
  if (most_axes (c->f) == LAM_MAX_RANK)
    return;
  g_autoptr (LmFunction) vjp = vjp_of (c, c->f);
  for (uint32_t i = 0; i < n; i++)
    in[i] = c->in[i];
  for (uint32_t j = 0; j < m; j++) {
    in[n + j] = new_array (lm_result_type (c->f, j));
    for (int64_t k = 0; k < lam_type_elements (&in[n + j]->type); k++)
      ((double *)in[n + j]->data)[k] = 0.25 + (double)(k * 7 % 5) * (k % 2 ? 1 : -1);
  }
  for (uint32_t mask = next_set (0, n); mask != 0; mask = next_set (mask, n)) {
    uint32_t cts = ((1u << m) - 1) << n;
    Set s, loop;
    set_init (&s, c, c->f, c->in, mask);
    set_init (&loop, c, vjp, in, mask | cts);
    check_rows (&loop, 1, ROWS); /* vmap of the gradient */
    check_grad_rows (&s, &loop);
    set_clear (&s);
    set_clear (&loop);
  }
  unref_all (in + n, m);
}
