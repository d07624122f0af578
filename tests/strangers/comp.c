/* SPDX-License-Identifier: Apache-2.0 */
/* The canonical pure function around a layer (semantics 1.9): everything that a layer does to its
 * context comes in as an argument and goes out as a result. Written with the SDK's headers alone. */
#include <lamina/layer.h>

/* One child, called bn. */
typedef struct {
  lam_child_config body;
  lam_child bn;
} comp;

LAM_FIELDS (comp, LAM_LAYER_CONFIG (body, NULL, "The layer to be made a function."), LAM_REQUIRED)

static void
comp_setup (comp *p, lam_setup *s)
{
  p->bn = lam_create_child (s, "bn", p->body);
}

/* New where it is set, else old: UpdateParam, mapped over the tree. */
static lam_nest
merge (lam_trace *t, lam_nest old, lam_nest updated)
{
  lam_tensor a[8], b[8];
  uint32_t n = lam_nest_flatten (t, old, a, 8);
  if (lam_nest_flatten (t, updated, b, 8) != n || n > 8)
    lam_fail (t, "comp: the trees of variables differ");
  for (uint32_t i = 0; i < n && i < 8; i++)
    b[i] = lam_is_nil (b[i]) ? a[i] : b[i];
  return lam_nest_pack (t, old, b, n);
}

/* {theta, key, step, inputs [, paddings]} -> {out, theta, summaries} */
static lam_nest
comp_fprop (const comp *p, lam_trace *t, lam_nest in)
{
  lam_context_args args = lam_context_args_make ();
  lam_nest theta = lam_nest_map (t), call = lam_nest_map (t), out = lam_nest_map (t);
  lam_key key;
  key.bits = lam_nest_get_tensor (t, in, "key");
  args.do_eval = 0;
  args.key = key;
  args.global_step = lam_nest_get_tensor (t, in, "step");
  if (lam_nest_has (t, in, "theta"))
    theta = lam_nest_get (t, in, "theta");
  lam_nest_set (t, call, "inputs", lam_nest_get (t, in, "inputs"));
  if (lam_nest_has (t, in, "paddings"))
    lam_nest_set (t, call, "paddings", lam_nest_get (t, in, "paddings"));
  else
    call = lam_nest_get (t, in, "inputs");

  lam_context_push (t, &args);
  lam_bind (t, p->bn, theta, LAM_MUTABLE_VARS);
  lam_reset_key (t, lam_fold_in (t, key, args.global_step), args.global_step);
  lam_nest_set (t, out, "out", lam_call (t, p->bn, "fprop", call));
  lam_nest_set (t, out, "updated", lam_updated_vars (t));
  lam_nest_set (t, out, "summaries", lam_all_summaries (t));
  lam_context_pop (t);
  if (lam_nest_has (t, in, "theta"))
    lam_nest_set (t, out, "theta",
                  merge (t, theta, lam_nest_get (t, lam_nest_get (t, out, "updated"), "bn")));
  return out;
}

LAM_METHODS (comp, LAM_METHOD (comp, fprop), LAM_USE (comp, fprop))
LAM_LAYER_METHODS (comp, "test.comp", 1, "A layer as a pure function.")

LAM_PLUGIN ("test.comp", "1.0.0", "Apache-2.0", LAM_PROVIDES (comp))
