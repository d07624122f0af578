/* SPDX-License-Identifier: Apache-2.0 */
/* A layer whose variables, children and misdeeds its config names, for tests of the life of layers. */
#include <lamina/layer.h>
#include <string.h>

typedef struct {
  lam_strings names;
  lam_ints shape, sharding;
  int64_t collections;
  lam_init init;
  lam_child_config children;
  lam_strings child_names;
  const char *deed;
  lam_setup *kept;
  lam_var vars[4], stray;
  lam_child below[4];
} life;

LAM_FIELDS (life, LAM_STRINGS (names, NULL, "Of the variables, at most 4."),
            LAM_INTS (shape, "[]", "Of every variable."),
            LAM_INTS (sharding, "[]", "Of every variable."),
            LAM_INT (collections, 0, "Of every variable, as a number."),
            LAM_INIT (init, NULL, "Of every variable."), LAM_LAYERS (children, NULL, "At most 4."),
            LAM_STRINGS (child_names, NULL, "As many."),
            LAM_STRING (deed, "none", "What to do wrong."),
            LAM_CHOICES ("none late_variable late_child late_config stray_variable update"))

static void
life_setup (life *p, lam_setup *s)
{
  lam_var_spec spec = lam_var_spec_make (LAM_SCALAR, p->init);
  spec.collections = (uint32_t)p->collections;
  spec.shape.rank = (int32_t)p->shape.n;
  spec.n_sharding = (int32_t)p->sharding.n;
  for (uint64_t i = 0; i < p->shape.n && i < LAM_MAX_RANK; i++)
    spec.shape.dims[i] = p->shape.p[i];
  for (uint64_t i = 0; i < p->sharding.n && i < LAM_MAX_RANK; i++)
    spec.sharding[i] = (int32_t)p->sharding.p[i];
  for (uint64_t i = 0; i < p->names.n && i < 4; i++)
    p->vars[i] = lam_create_variable_spec (s, p->names.p[i], &spec);
  for (uint64_t i = 0; i < p->child_names.n && i < 4; i++)
    p->below[i] = lam_create_child_at (s, p->child_names.p[i], p->children, (uint32_t)i);
  p->kept = s;
}

static void
do_wrong (const life *p, lam_trace *t)
{
  if (strcmp (p->deed, "late_variable") == 0)
    lam_create_variable (p->kept, "late", LAM_SCALAR, LAM_CONSTANT (0));
  if (strcmp (p->deed, "late_child") == 0)
    lam_create_child_at (p->kept, "late", p->children, 0);
  if (strcmp (p->deed, "late_config") == 0)
    p->kept->api->config_copy (p->kept, p->children, 0);
  if (strcmp (p->deed, "stray_variable") == 0)
    lam_theta (t, p->stray);
}

/* x () -> x + the sum of all own elements + what the children make of 0 */
static lam_tensor
life_fprop (const life *p, lam_trace *t, lam_tensor x)
{
  lam_tensor zero = lam_zeros_like (t, x);
  do_wrong (p, t);
  for (uint64_t i = 0; i < p->names.n && i < 4; i++) {
    lam_tensor w = lam_theta (t, p->vars[i]);
    if (strcmp (p->deed, "update") == 0)
      lam_update_var (t, p->vars[i], lam_add_scalar (t, w, 1));
    x = lam_add (t, x, lam_sum (t, lam_theta (t, p->vars[i]), LAM_EVERY_AXIS, false));
  }
  for (uint64_t i = 0; i < p->child_names.n && i < 4; i++)
    x = lam_add (t, x, lam_call_tensor (t, p->below[i], zero));
  return x;
}

LAM_LAYER (life, "stranger.life", 1, "Variables and children by config.")

/* A layer of another type. */
typedef struct {
  int unused;
} twin;

LAM_NO_FIELDS (twin)

static void
twin_setup (twin *p, lam_setup *s)
{
  (void)p;
  (void)s;
}

static lam_tensor
twin_fprop (const twin *p, lam_trace *t, lam_tensor x)
{
  (void)p;
  (void)t;
  return x;
}

LAM_LAYER (twin, "stranger.twin", 1, "Nothing, under a name of its own.")
LAM_PLUGIN ("stranger.life", "1.0.0", "Apache-2.0", LAM_PROVIDES (life), LAM_PROVIDES (twin))
