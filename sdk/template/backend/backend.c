/* SPDX-License-Identifier: Apache-2.0 */
/* A backend to copy: plain loops over the kit's plan, one element at a time through a double, in f64, f32,
 * i32, u32 and bool. It runs what a small classifier needs and refuses other ops by name when it
 * compiles; `lamina conformance` lists what is missing. Replace run () by what your device does. */
#include <kit/backend.h>
#include <kit/ops.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lam_backend {
  kit_backend base;
};

/* The options of --backend-options; this one has none. */
typedef struct {
  char unused;
} plain;

LAM_NO_FIELDS (plain)

/* One equation, read once at compile time. */
typedef struct {
  int32_t op, direction;
  uint32_t n_operands, operands[3], result;
  lam_type from[3], type; /* of the operands and the result */
  kit_view view;
  kit_reduce reduce;
  kit_axis axis;
  kit_dot dot;
} step;

struct lam_exec {
  const lam_host *host;
  kit_plan plan;
  step *steps;
  uint32_t n_steps, n_in, n_out;
  void **in, **out, *slab;
};

/* --- elements -------------------------------------------------------------------------------------- */

static bool
known_dtype (lam_dtype dtype)
{
  return dtype == LAM_F64 || dtype == LAM_F32 || dtype == LAM_I32 || dtype == LAM_U32
         || dtype == LAM_PRED;
}

static double
get (lam_dtype dtype, const void *p, int64_t i)
{
  switch (dtype) {
  case LAM_F64:
    return ((const double *)p)[i];
  case LAM_F32:
    return ((const float *)p)[i];
  case LAM_I32:
    return ((const int32_t *)p)[i];
  case LAM_U32:
    return ((const uint32_t *)p)[i];
  default:
    return ((const uint8_t *)p)[i];
  }
}

/* Integers wrap. */
static void
put (lam_dtype dtype, void *p, int64_t i, double v)
{
  if (dtype == LAM_F64)
    ((double *)p)[i] = v;
  else if (dtype == LAM_F32)
    ((float *)p)[i] = (float)v;
  else if (dtype == LAM_PRED)
    ((uint8_t *)p)[i] = v != 0;
  else
    ((uint32_t *)p)[i] = (uint32_t)(int64_t)v;
}

static double
larger (double a, double b)
{
  return isnan (a) || a > b ? a : b;
}

/* Products of 32-bit integers do not fit a double: they are made as int64_t. */
static double
multiply (lam_dtype dtype, double a, double b)
{
  if (lam_dtype_is_float (dtype) || dtype == LAM_PRED)
    return a * b;
  return (double)(uint32_t)((uint64_t)(int64_t)a * (uint64_t)(int64_t)b);
}

static double
unary (int32_t op, double x)
{
  switch (op) {
  case LAM_OP_negate:
    return -x;
  case LAM_OP_abs:
    return fabs (x);
  case LAM_OP_sign:
    return x > 0 ? 1 : x < 0 ? -1 : x;
  case LAM_OP_floor:
    return floor (x);
  case LAM_OP_exponential:
    return exp (x);
  case LAM_OP_exponential_minus_one:
    return expm1 (x);
  case LAM_OP_log:
    return log (x);
  case LAM_OP_log_plus_one:
    return log1p (x);
  case LAM_OP_sqrt:
    return sqrt (x);
  case LAM_OP_rsqrt:
    return 1 / sqrt (x);
  case LAM_OP_cosine:
    return cos (x);
  case LAM_OP_tanh:
    return tanh (x);
  case LAM_OP_erf:
    return erf (x);
  case LAM_OP_is_finite:
    return isfinite (x);
  default: /* convert */
    return x;
  }
}

/* dtype: of the result. */
static double
binary (int32_t op, lam_dtype dtype, double a, double b)
{
  switch (op) {
  case LAM_OP_add:
    return a + b;
  case LAM_OP_subtract:
    return a - b;
  case LAM_OP_multiply:
    return multiply (dtype, a, b);
  case LAM_OP_divide:
    return a / b;
  case LAM_OP_power:
    return pow (a, b);
  case LAM_OP_maximum:
    return larger (a, b);
  case LAM_OP_minimum:
    return -larger (-a, -b);
  case LAM_OP_and:
    return a != 0 && b != 0;
  default: /* or */
    return a != 0 || b != 0;
  }
}

/* NaN is unequal to everything and unordered. */
static bool
compare (int32_t direction, double a, double b)
{
  static const bool holds[6][3] = {{false, true, false}, {true, false, true},  {true, false, false},
                                   {true, true, false},  {false, false, true}, {false, true, true}};
  if (isnan (a) || isnan (b))
    return direction == KIT_NE;
  return holds[direction][a < b ? 0 : a == b ? 1 : 2];
}

/* What binary () does only in some dtypes: integer division and bits of integers are left out. */
static bool
is_binary (int32_t op, lam_dtype dtype)
{
  if (op == LAM_OP_divide || op == LAM_OP_power)
    return lam_dtype_is_float (dtype);
  if (op == LAM_OP_and || op == LAM_OP_or)
    return dtype == LAM_PRED;
  return op == LAM_OP_add || op == LAM_OP_subtract || op == LAM_OP_multiply || op == LAM_OP_maximum
         || op == LAM_OP_minimum || op == LAM_OP_compare;
}

/* Float to integer conversion saturates, which put () does not: it is left out. */
static bool
is_unary (int32_t op, lam_dtype from, lam_dtype to)
{
  if (op == LAM_OP_convert)
    return !lam_dtype_is_float (from) || lam_dtype_is_float (to) || to == LAM_PRED;
  return unary (op, 0.25) != 0.25 || op == LAM_OP_abs;
}

/* --- equations: at[k] is operand k, at[3] the result -------------------------------------------------- */

static void
run_elementwise (const step *s, void *const *at)
{
  int64_t n = lam_type_elements (&s->type);
  for (int64_t i = 0; i < n; i++) {
    double x[3] = {0, 0, 0};
    for (uint32_t k = 0; k < s->n_operands; k++)
      x[k] = get (s->from[k].dtype, at[k], s->from[k].rank == 0 ? 0 : i);
    put (s->type.dtype, at[3], i,
         s->op == LAM_OP_select    ? (x[0] != 0 ? x[1] : x[2])
         : s->op == LAM_OP_compare ? compare (s->direction, x[0], x[1])
         : s->n_operands == 2      ? binary (s->op, s->type.dtype, x[0], x[1])
                                   : unary (s->op, x[0]));
  }
}

/* Offset of element i, row-major, of a view. */
static int64_t
offset_of (const kit_view *view, int64_t i)
{
  int64_t at = view->offset;
  for (int32_t k = view->rank - 1; k >= 0; k--) {
    at += i % view->dims[k] * view->strides[k];
    i /= view->dims[k];
  }
  return at;
}

static void
run_view (const step *s, void *const *at)
{
  size_t width = lam_dtype_bits (s->type.dtype) / 8;
  int64_t n = lam_type_elements (&s->type);
  for (int64_t i = 0; i < n; i++) {
    const char *from = (const char *)at[0] + (size_t)offset_of (&s->view, i) * width;
    memcpy ((char *)at[3] + (size_t)i * width, from, width);
  }
}

/* The start value of a reduction by op. */
static double
identity (int32_t op, lam_dtype dtype)
{
  bool i32 = dtype == LAM_I32, u32 = dtype == LAM_U32;
  if (op == LAM_OP_maximum)
    return i32 ? INT32_MIN : u32 ? 0 : -INFINITY;
  if (op == LAM_OP_minimum)
    return i32 ? INT32_MAX : u32 ? UINT32_MAX : INFINITY;
  return op == LAM_OP_multiply || op == LAM_OP_and;
}

static void
run_reduce (const step *s, void *const *at)
{
  static const int32_t ops[] = {LAM_OP_add,     LAM_OP_multiply, LAM_OP_maximum,
                                LAM_OP_minimum, LAM_OP_and,      LAM_OP_or}; /* by KIT_COMBINE_* */
  const kit_view *reduced = &s->reduce.reduced;
  lam_dtype dtype = s->type.dtype;
  int32_t op = ops[s->reduce.combine];
  int64_t n = lam_type_elements (&s->type), m = kit_elements (reduced->rank, reduced->dims);
  for (int64_t i = 0; i < n; i++) {
    int64_t base = offset_of (&s->reduce.kept, i);
    double sum = identity (op, dtype);
    for (int64_t k = 0; k < m; k++)
      sum = binary (op, dtype, sum, get (dtype, at[0], base + offset_of (reduced, k)));
    put (dtype, at[3], i, sum);
  }
}

static void
run_argmax (const step *s, void *const *at)
{
  const kit_axis *a = &s->axis;
  lam_dtype dtype = s->from[0].dtype;
  for (int64_t i = 0; i < a->outer * a->inner; i++) {
    int64_t base = i / a->inner * a->size * a->inner + i % a->inner, best = 0;
    for (int64_t k = 1; k < a->size; k++) {
      double x = get (dtype, at[0], base + k * a->inner);
      double y = get (dtype, at[0], base + best * a->inner);
      if (x > y || (isnan (x) && !isnan (y)))
        best = k;
    }
    put (s->type.dtype, at[3], i, (double)best);
  }
}

static void
run_iota (const step *s, void *const *at)
{
  const kit_axis *a = &s->axis;
  for (int64_t i = 0; i < a->outer * a->size * a->inner; i++)
    put (s->type.dtype, at[3], i, (double)(i / a->inner % a->size));
}

static void
run_dot (const step *s, void *const *at)
{
  const kit_dot *d = &s->dot;
  int64_t total = d->batch * d->m * d->n;
  for (int64_t i = 0; i < total; i++) {
    int64_t b = i / (d->m * d->n), row = i / d->n % d->m, column = i % d->n;
    int64_t x = offset_of (&d->lhs_batch, b) + offset_of (&d->lhs_free, row);
    int64_t y = offset_of (&d->rhs_batch, b) + offset_of (&d->rhs_free, column);
    double sum = 0;
    for (int64_t k = 0; k < d->k; k++)
      sum += get (d->lhs_dtype, at[0], x + offset_of (&d->lhs_contract, k))
             * get (d->rhs_dtype, at[1], y + offset_of (&d->rhs_contract, k));
    put (d->out_dtype, at[3], i, sum);
  }
}

static void
run (const step *s, void *const *at)
{
  switch (s->op) {
  case LAM_OP_broadcast_in_dim:
  case LAM_OP_transpose:
  case LAM_OP_reverse:
  case LAM_OP_slice:
    run_view (s, at);
    break;
  case LAM_OP_reduce:
    run_reduce (s, at);
    break;
  case LAM_OP_argmax:
    run_argmax (s, at);
    break;
  case LAM_OP_iota:
    run_iota (s, at);
    break;
  case LAM_OP_dot_general:
    run_dot (s, at);
    break;
  default:
    run_elementwise (s, at);
  }
}

/* --- compile --------------------------------------------------------------------------------------------- */

/* Reads one equation; false if run () cannot do it. */
static bool
read_step (const lam_function *f, const lam_equation *e, step *s)
{
  s->op = e->op;
  s->result = e->first_result;
  s->type = *lam_value_type (f, e->first_result);
  if (e->n_operands > 3 || e->n_results != 1 || !known_dtype (s->type.dtype))
    return false;
  s->n_operands = e->n_operands;
  for (uint32_t k = 0; k < e->n_operands; k++) {
    s->operands[k] = lam_operand (f, e, k);
    s->from[k] = *lam_value_type (f, s->operands[k]);
    if (!known_dtype (s->from[k].dtype))
      return false;
  }
  if (kit_view_of (f, e, &s->view) || e->op == LAM_OP_select)
    return true;
  switch (e->op) {
  case LAM_OP_reduce:
    kit_read_reduce (f, e, &s->reduce);
    return true;
  case LAM_OP_argmax:
    kit_split_axis (&s->from[0], lam_attr_int (f, e, "dimension", 0), &s->axis);
    return true;
  case LAM_OP_iota:
    kit_split_axis (&s->type, lam_attr_int (f, e, "iota_dimension", 0), &s->axis);
    return true;
  case LAM_OP_dot_general:
    kit_read_dot (f, e, &s->dot);
    return lam_dtype_is_float (s->type.dtype);
  case LAM_OP_compare:
    s->direction = kit_direction (f, e);
    return true;
  default:
    return s->n_operands == 2
               ? is_binary (e->op, s->type.dtype)
               : s->n_operands == 1 && is_unary (e->op, s->from[0].dtype, s->type.dtype);
  }
}

static void
plain_exec_free (lam_exec *exec)
{
  if (exec == NULL)
    return;
  kit_plan_clear (&exec->plan);
  free (exec->steps);
  free (exec->in);
  free (exec->out);
  free (exec->slab);
  free (exec);
}

static lam_status
read_steps (lam_exec *exec, const lam_function *f, lam_error *error)
{
  for (uint32_t i = 0; i < f->n_equations; i++) {
    const lam_equation *e = lam_equation_at (f, i);
    if (e->op == LAM_OP_constant || kit_is_alias (e))
      continue; /* the plan holds constants, and aliases are their operand */
    if (!read_step (f, e, &exec->steps[exec->n_steps++]))
      return kit_fail (exec->host, error, LAM_E_UNSUPPORTED,
                       "equation %u: this backend does not run %s in %s; layer path \"%s\"", i,
                       kit_op_name (e->op),
                       lam_dtype_name (lam_value_type (f, e->first_result)->dtype),
                       f->paths[e->path]);
  }
  return LAM_OK;
}

static lam_status
plain_compile (lam_backend *backend, const lam_function *f, const lam_compile_options *options,
               lam_exec **out, lam_error *error)
{
  char message[500];
  lam_status status;
  lam_exec *exec = (lam_exec *)calloc (1, sizeof *exec);
  *out = NULL;
  if (exec == NULL)
    return kit_fail (backend->base.host, error, LAM_E_NO_MEMORY, "no memory for an executable");
  exec->host = backend->base.host;
  exec->n_in = f->n_params;
  exec->n_out = f->n_results;
  exec->steps = (step *)calloc ((size_t)f->n_equations + 1, sizeof *exec->steps);
  exec->in = (void **)calloc ((size_t)f->n_params + 1, sizeof *exec->in);
  exec->out = (void **)calloc ((size_t)f->n_results + 1, sizeof *exec->out);
  if (!kit_check (f, message, sizeof message))
    status = kit_fail (exec->host, error, LAM_E_UNSUPPORTED, "%s", message);
  else if (exec->steps == NULL || exec->in == NULL || exec->out == NULL
           || kit_plan_init (&exec->plan, f, options, 0, NULL) != LAM_OK
           || (exec->slab = kit_alloc (exec->plan.slab_bytes)) == NULL)
    status = kit_fail (exec->host, error, LAM_E_NO_MEMORY, "no memory to compile");
  else
    status = read_steps (exec, f, error);
  if (status == LAM_OK)
    *out = exec;
  else
    plain_exec_free (exec);
  return status;
}

/* --- the table --------------------------------------------------------------------------------------------- */

static lam_status
plain_execute (lam_exec *exec, const lam_exec_call *call, lam_error *error)
{
  if (call->n_in != exec->n_in || call->n_out != exec->n_out)
    return kit_fail (exec->host, error, LAM_E_INVALID, "wanted %u inputs and %u outputs",
                     exec->n_in, exec->n_out);
  for (uint32_t i = 0; i < call->n_in; i++)
    exec->in[i] = call->in[i]->data;
  for (uint32_t i = 0; i < call->n_out; i++)
    exec->out[i] = call->out[i]->data;
  for (uint32_t i = 0; i < exec->n_steps; i++) {
    const step *s = &exec->steps[i];
    void *at[4] = {NULL, NULL, NULL, NULL};
    for (uint32_t k = 0; k < s->n_operands; k++)
      at[k] = kit_plan_address (&exec->plan, s->operands[k], exec->slab, exec->in, exec->out);
    at[3] = kit_plan_address (&exec->plan, s->result, exec->slab, exec->in, exec->out);
    run (s, at);
  }
  kit_plan_finish (&exec->plan, exec->slab, exec->in, exec->out);
  return LAM_OK;
}

/* Below the backends that come with Lamina: it runs when it is asked for by name. */
static int32_t
plain_probe (const lam_host *host)
{
  (void)host;
  return 1;
}

static lam_status
plain_open (const lam_host *host, const void *options, lam_backend **out, lam_error *error)
{
  (void)options;
  *out = (lam_backend *)calloc (1, sizeof **out);
  if (*out == NULL)
    return kit_fail (host, error, LAM_E_NO_MEMORY, "no memory for the backend");
  (*out)->base.host = host;
  return LAM_OK;
}

static void
plain_close (lam_backend *backend)
{
  free (backend);
}

static const char *
plain_device_name (lam_backend *backend)
{
  (void)backend;
  return "plain loops, one thread";
}

/* No composite and no derived op: the host takes those apart. */
static bool
plain_claims (lam_backend *backend, const lam_function *f, const lam_equation *e)
{
  step s;
  (void)backend;
  memset (&s, 0, sizeof s);
  return e->op == LAM_OP_constant || kit_is_alias (e)
         || (e->op != LAM_OP_composite && read_step (f, e, &s));
}

static uint64_t
plain_exec_layout (const lam_exec *exec, bool output, uint32_t i)
{
  (void)exec;
  (void)output;
  (void)i;
  return 0; /* dense row-major */
}

static uint64_t
plain_exec_plan (const lam_exec *exec, void (*each) (void *ctx, const lam_plan_buffer *buffer),
                 void *ctx)
{
  return kit_plan_each (&exec->plan, each, ctx);
}

static const lam_backend_vt plain_vt = {(uint32_t)sizeof (lam_backend_vt),
                                        LAM_IR_MINOR,
                                        sizeof (plain),
                                        plain_lam_fields,
                                        plain_probe,
                                        plain_open,
                                        plain_close,
                                        plain_device_name,
                                        plain_claims,
                                        kit_buffer_new,
                                        kit_buffer_free,
                                        kit_buffer_write,
                                        kit_buffer_read,
                                        plain_compile,
                                        plain_exec_free,
                                        plain_exec_layout,
                                        plain_exec_plan,
                                        plain_execute};

LAM_BACKEND (plain, "example.plain", 1, "Plain loops for what a small classifier needs.", &plain_vt)
LAM_PLUGIN ("example.backends", "0.1.0", "Apache-2.0", LAM_PROVIDES (plain))
