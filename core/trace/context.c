/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: the stack, keys, namespaces, bound variables and the layers being run. */
#include "core/trace/private.h"

#include <string.h>

#define DEFAULT_VERBOSITY 3

Context *
lm_context_new (const LmTraceVars *vars)
{
  Context *c = g_new0 (Context, 1);
  c->verbosity = DEFAULT_VERBOSITY;
  c->values = g_new0 (lam_tensor, vars != NULL ? vars->n + 1 : 1);
  c->summaries = g_array_new (FALSE, FALSE, sizeof (LmSummary));
  c->keys = g_hash_table_new (g_str_hash, g_str_equal);
  c->names = g_ptr_array_new ();
  c->aux = g_array_new (FALSE, FALSE, sizeof (AuxLoss));
  c->watches = g_array_new (FALSE, FALSE, sizeof (LmWatch));
  return c;
}

void
lm_context_free (Context *c)
{
  g_free (c->values);
  g_array_unref (c->summaries);
  g_hash_table_unref (c->keys);
  g_ptr_array_unref (c->names);
  g_array_unref (c->aux);
  g_array_unref (c->watches);
  g_free (c);
}

static bool
inherit (int32_t given, bool outer)
{
  return given < 0 ? outer : given != 0;
}

/* The caller's arguments; members that it does not know yet inherit, as all do where it gives none. */
static lam_context_args
whole_args (const lam_context_args *given)
{
  lam_context_args args = {.do_eval = -1,
                           .original_keys = -1,
                           .check_numerics = -1,
                           .enable_asserts = -1,
                           .verbosity = -1};
  if (given != NULL)
    memcpy (&args, given, MIN (given->struct_size, sizeof args));
  return args;
}

void
lm_trace_context_push (lam_trace *pub, const lam_context_args *given)
{
  LmTrace *t = self (pub);
  lam_context_args whole = whole_args (given), *args = &whole;
  const Context *outer = top (t);
  Context *c = lm_context_new (t->vars);
  c->do_eval = inherit (args->do_eval, outer->do_eval);
  c->original_keys = inherit (args->original_keys, outer->original_keys);
  c->check_numerics = inherit (args->check_numerics, outer->check_numerics);
  c->enable_asserts = inherit (args->enable_asserts, outer->enable_asserts);
  c->verbosity = args->verbosity <= 0 ? outer->verbosity : args->verbosity;
  c->layer_depth = t->layers->len;
  c->has_key = !lam_is_nil (args->key.bits);
  c->key = args->key;
  c->step = args->global_step;
  if (c->has_key && lam_is_nil (c->step))
    lm_trace_failf (t, LM_ERROR_INVALID, "context_push: a key was given without a global step");
  g_ptr_array_add (t->contexts, c);
}

void
lm_trace_context_pop (lam_trace *pub)
{
  LmTrace *t = self (pub);
  if (lm_trace_refuse_in_rows (t, "context_pop", "the context was pushed outside"))
    return;
  if (t->contexts->len < 2 || top (t)->layer_depth != t->layers->len) {
    lm_trace_failf (t, LM_ERROR_INVALID,
                    "context_pop without a context_push of the same method; contexts must nest");
    return;
  }
  g_ptr_array_set_size (t->contexts, (gint)t->contexts->len - 1);
}

lam_key
lm_trace_next_key (lam_trace *pub)
{
  LmTrace *t = self (pub);
  lam_key pair[2] = {{lam_nil ()}, {lam_nil ()}};
  if (lm_trace_refuse_in_rows (t, "next_key",
                               "every row would get the same key; split a key outside and give one "
                               "for each row as an input"))
    return pair[1];
  if (!top (t)->has_key) {
    lm_trace_failf (
        t, LM_ERROR_INVALID,
        "a random key was asked for, but the context has none; push a context with a key");
    return pair[1];
  }
  lm_trace_split (pub, top (t)->key, 2, pair);
  top (t)->key = pair[0];
  return pair[1];
}

void
lm_trace_reset_key (lam_trace *pub, lam_key key, lam_tensor global_step)
{
  Context *c = top (self (pub));
  if (lm_trace_refuse_in_rows (self (pub), "reset_key", "push a context of its own"))
    return;
  c->has_key = !lam_is_nil (key.bits);
  c->key = key;
  c->step = global_step;
}

bool
lm_trace_do_eval (lam_trace *pub)
{
  return top (self (pub))->do_eval;
}

lam_tensor
lm_trace_global_step (lam_trace *pub)
{
  LmTrace *t = self (pub);
  if (lam_is_nil (top (t)->step))
    lm_trace_failf (t, LM_ERROR_INVALID, "the global step was asked for, but the context has none");
  return top (t)->step;
}

lam_dtype
lm_trace_real_dtype (lam_trace *pub)
{
  return self (pub)->real;
}

void
lm_trace_set_axis_size (LmTrace *t, uint32_t n)
{
  t->axis_size = n;
}

uint32_t
lm_trace_axis_size (lam_trace *pub)
{
  return self (pub)->axis_size;
}

/* A namespace part: keys joined by dots, as "<layer>.<method>". */
static bool
check_name (const char *name)
{
  if (name == NULL)
    return false;
  g_auto (GStrv) parts = g_strsplit (name, ".", -1);
  for (char **p = parts; *p != NULL; p++)
    if (!lm_nest_check_key (*p))
      return false;
  return parts[0] != NULL;
}

void
lm_trace_namespace_push (lam_trace *pub, const char *name)
{
  LmTrace *t = self (pub);
  if (!check_name (name)) {
    lm_trace_failf (t, LM_ERROR_INVALID,
                    "namespace \"%s\" is not a key: letters, digits, _ and dots between keys",
                    name != NULL ? name : "(null)");
    name = "invalid";
  }
  g_ptr_array_add (top (t)->names, g_string_chunk_insert_const (t->strings, name));
}

void
lm_trace_namespace_pop (lam_trace *pub)
{
  LmTrace *t = self (pub);
  if (top (t)->names->len == 0) {
    lm_trace_failf (t, LM_ERROR_INVALID, "namespace_pop without namespace_push");
    return;
  }
  g_ptr_array_set_size (top (t)->names, (gint)top (t)->names->len - 1);
}

/* --- layers ---------------------------------------------------------------------------------- */

void
lm_trace_enter (LmTrace *t, const LmTraceLayer *layer)
{
  LmTraceLayer copy = {layer->id, g_string_chunk_insert_const (t->strings, layer->path),
                       g_string_chunk_insert_const (t->strings, layer->name_space)};
  g_array_append_val (t->layers, copy);
  lm_builder_set_path (inner (t)->builder, copy.path);
  lm_trace_namespace_push (&t->pub, copy.name_space);
}

/* What the method left open is closed here, and is an error. */
void
lm_trace_leave (LmTrace *t)
{
  guint depth = t->layers->len;
  if (inner (t)->layer_depth == depth && t->frames->len > 1)
    lm_trace_failf (t, LM_ERROR_INVALID, "the method returned inside composite %s; end it first",
                    inner (t)->name);
  while (t->frames->len > 1 && inner (t)->layer_depth == depth)
    g_ptr_array_set_size (t->frames, (gint)t->frames->len - 1);
  if (t->contexts->len > 1 && top (t)->layer_depth == depth)
    lm_trace_failf (t, LM_ERROR_INVALID, "the method returned with a context still pushed; pop it");
  while (t->contexts->len > 1 && top (t)->layer_depth == depth)
    g_ptr_array_set_size (t->contexts, (gint)t->contexts->len - 1);
  if (t->error == NULL)
    lm_trace_namespace_pop (&t->pub);
  g_array_set_size (t->layers, depth - 1);
  lm_builder_set_path (inner (t)->builder,
                       depth > 1 ? g_array_index (t->layers, LmTraceLayer, depth - 2).path : "");
}

uint32_t
lm_trace_layer_id (const LmTrace *t)
{
  return t->layers->len > 0 ? g_array_index (t->layers, LmTraceLayer, t->layers->len - 1).id : 0;
}

guint
lm_trace_depth (const LmTrace *t)
{
  return t->layers->len;
}

/* --- variables ------------------------------------------------------------------------------- */

static bool
begin_bind (LmTrace *t, uint32_t mutables)
{
  if (top (t)->bound) {
    lm_trace_failf (t, LM_ERROR_INVALID,
                    "bind: this context is bound already; push a new context to bind again");
    return false;
  }
  lm_trace_next_key (&t->pub);
  top (t)->bound = true;
  top (t)->mutables = mutables;
  return t->error == NULL;
}

static bool
check_value (LmTrace *t, const lam_var_info *info, lam_tensor value)
{
  const lam_type *type = lm_trace_peek_type (t, value);
  if (type == NULL) {
    lm_trace_failf (t, LM_ERROR_INVALID, "variable %s: the value is nil", info->path);
    return false;
  }
  lam_type fprop = info->type; /* what a step in bfloat16 binds */
  fprop.dtype = LAM_BF16;
  if (lm_type_equal (type, &info->type)
      || (info->type.dtype == LAM_F32 && lm_type_equal (type, &fprop)))
    return true;
  g_autofree char *got = lm_type_to_string (type);
  g_autofree char *wanted = lm_type_to_string (&info->type);
  lm_trace_failf (t, LM_ERROR_INVALID, "variable %s: wanted %s, got %s", info->path, wanted, got);
  return false;
}

void
lm_trace_bind_all (LmTrace *t, const lam_tensor *values, uint32_t mutables)
{
  g_return_if_fail (t->vars != NULL);
  if (!begin_bind (t, mutables))
    return;
  for (uint32_t i = 0; i < t->vars->n && check_value (t, t->vars->infos[i], values[i]); i++)
    top (t)->values[i] = values[i];
}

void
lm_trace_bind_tree (LmTrace *t, const char *prefix, lam_nest vars, uint32_t mutables)
{
  g_return_if_fail (t->vars != NULL);
  const LmNest *given = lm_trace_nest_peek (t, vars);
  const LmNest *ids = *prefix != '\0' ? lm_nest_get (t->vars->tree, prefix) : t->vars->tree;
  g_autoptr (LmNest) none = lm_nest_new_map ();
  GError *error = NULL;
  if (!begin_bind (t, mutables))
    return;
  ids = ids != NULL ? ids : none; /* a layer without variables */
  if (given == NULL || !lm_nest_assert_same_structure (ids, given, &error)) {
    lm_trace_failf (t, LM_ERROR_INVALID, "bind: the variables given do not fit the layer: %s",
                    error != NULL ? error->message : "no tree was given");
    g_clear_error (&error);
    return;
  }
  g_autoptr (GArray) id = lm_nest_flatten (ids);
  g_autoptr (GArray) leaf = lm_nest_flatten (given);
  for (guint i = 0; i < id->len; i++) {
    uint64_t v = g_array_index (id, uint64_t, i) - 1;
    lam_tensor value = lm_trace_leaf (t, g_array_index (leaf, uint64_t, i));
    if (!check_value (t, t->vars->infos[v], value))
      return;
    top (t)->values[v] = value;
  }
}

/* The layer whose variables the running one uses. */
static uint32_t
owner_id (const LmTrace *t)
{
  uint32_t id = lm_trace_layer_id (t);
  return id != 0 && t->vars->groups != NULL ? t->vars->groups[id - 1] : id;
}

/* Index of a variable of the running layer, or -1 and the error. */
static int64_t
var_index (LmTrace *t, lam_var var, const char *what)
{
  if (t->error != NULL)
    return -1;
  const LmTraceVars *vars = t->vars;
  if (var.id == 0 || vars == NULL || var.epoch != vars->epoch || var.id > vars->n) {
    lm_trace_failf (t, LM_ERROR_INVALID, "%s: not a variable that this layer declared in setup",
                    what);
    return -1;
  }
  const lam_var_info *info = vars->infos[var.id - 1];
  if (vars->owners[var.id - 1] != owner_id (t)) {
    lm_trace_failf (t, LM_ERROR_INVALID, "%s: variable %s belongs to another layer", what,
                    info->path);
    return -1;
  }
  if (!top (t)->bound || lam_is_nil (top (t)->values[var.id - 1])) {
    lm_trace_failf (t, LM_ERROR_INVALID, "%s: variable %s is not bound in this context", what,
                    info->path);
    return -1;
  }
  return var.id - 1;
}

lam_tensor
lm_trace_theta (lam_trace *pub, lam_var var)
{
  LmTrace *t = self (pub);
  int64_t i = var_index (t, var, "theta");
  return i < 0 ? lam_nil () : top (t)->values[i];
}

/* A new value has the type of the one it replaces, which a step in bfloat16 has cast. */
static bool
check_update (LmTrace *t, const lam_var_info *info, lam_tensor value, lam_tensor old)
{
  const lam_type *type = lm_trace_peek_type (t, value);
  if (type != NULL && !lm_type_equal (type, lm_trace_peek_type (t, old))) {
    g_autofree char *got = lm_type_to_string (type);
    g_autofree char *wanted = lm_type_to_string (lm_trace_peek_type (t, old));
    lm_trace_failf (t, LM_ERROR_INVALID, "update_var: variable %s: wanted %s, got %s", info->path,
                    wanted, got);
    return false;
  }
  return check_value (t, info, value);
}

void
lm_trace_update_var (lam_trace *pub, lam_var var, lam_tensor value)
{
  LmTrace *t = self (pub);
  int64_t i = var_index (t, var, "update_var");
  if (i < 0
      || lm_trace_refuse_in_rows (t, "update_var",
                                  "each row would have its own; return it as a result, reduce it "
                                  "over the rows and update outside"))
    return;
  const lam_var_info *info = t->vars->infos[i];
  if (!(info->collections & LAM_NON_TRAINABLE))
    lm_trace_failf (t, LM_ERROR_INVALID,
                    "update_var: %s is trainable; declare it LAM_NON_TRAINABLE", info->path);
  else if (!(top (t)->mutables & LAM_MUTABLE_VARS))
    lm_trace_failf (
        t, LM_ERROR_INVALID,
        "update_var: %s: variables are not writable here (eval, or a backward context); "
        "test lam_do_eval first",
        info->path);
  else if (check_update (t, info, value, top (t)->values[i]))
    top (t)->values[i] = value;
}

void
lm_trace_updated (LmTrace *t, lam_tensor *values)
{
  for (uint32_t i = 0; t->vars != NULL && i < t->vars->n; i++)
    values[i] =
        t->vars->infos[i]->collections & LAM_NON_TRAINABLE ? top (t)->values[i] : lam_nil ();
}

lam_nest
lm_trace_updated_vars (lam_trace *pub)
{
  LmTrace *t = self (pub);
  if (t->error != NULL || t->vars == NULL)
    return (lam_nest) {0, 0};
  g_autofree lam_tensor *values = g_new0 (lam_tensor, t->vars->n + 1);
  lm_trace_updated (t, values);
  g_autoptr (GArray) ids = lm_nest_flatten (t->vars->tree);
  for (guint i = 0; i < ids->len; i++)
    g_array_index (ids, uint64_t, i) = values[g_array_index (ids, uint64_t, i) - 1].id;
  GError *error = NULL;
  LmNest *tree =
      lm_nest_pack (t->vars->tree, (const uint64_t *)(void *)ids->data, ids->len, &error);
  return lm_trace_nest (t, tree);
}
