/* SPDX-License-Identifier: Apache-2.0 */
/* Running methods of layers inside a trace. */
#include "core/model/private.h"

#include <string.h>

#define MAX_CALLS 256

LmTrace *
lm_model_trace (LmModel *model, const char *name)
{
  return lm_trace_new (name, model->tables->trace, &model->trace_vars, model->real);
}

/* trace_vars is a member of its model: the way back from a trace. */
LmModel *
lm_trace_model (lam_trace *t)
{
  const LmTraceVars *vars = lm_trace_vars ((LmTrace *)t);
  return vars != NULL
             ? (LmModel *)(void *)((char *)(uintptr_t)vars - offsetof (LmModel, trace_vars))
             : NULL;
}

static const lam_method *
find_method (const LmLayer *layer, const char *name)
{
  const lam_layer_vt *vt = layer->provided->vtable;
  for (uint32_t i = 0; i < vt->n_methods; i++)
    if (strcmp (vt->methods[i]->name, name) == 0)
      return vt->methods[i];
  return NULL;
}

bool
lm_layer_has_method (const LmLayer *layer, const char *method)
{
  return strcmp (layer->provided->kind, LAM_KIND_LAYER) == 0 && find_method (layer, method) != NULL;
}

static void
fail_method (LmTrace *t, const LmLayer *layer, const char *name)
{
  const lam_layer_vt *vt = layer->provided->vtable;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (uint32_t i = 0; i < vt->n_methods; i++)
    g_ptr_array_add (names, (gpointer)vt->methods[i]->name);
  g_ptr_array_add (names, NULL);
  g_autofree char *list = g_strjoinv (", ", (char **)names->pdata);
  g_autoptr (GString) message = g_string_new (NULL);
  g_string_printf (message, "%s (%s) has no method \"%s\"; it has: %s", layer->path,
                   layer->provided->id, name, list);
  lm_append_did_you_mean (message, name, (const char *const *)names->pdata);
  lm_trace_failf (t, LM_ERROR_INVALID, "%s", message->str);
}

lam_nest
lm_layer_call (LmTrace *t, LmLayer *layer, const char *method, lam_nest in)
{
  lam_nest nil = {0, 0};
  if (lm_trace_error (t) != NULL)
    return nil;
  const lam_method *m = lm_layer_has_method (layer, method) ? find_method (layer, method) : NULL;
  if (m == NULL) {
    fail_method (t, layer, method);
    return nil;
  }
  if (lm_trace_depth (t) >= MAX_CALLS) {
    lm_trace_failf (t, LM_ERROR_INVALID, "%s: calls nest deeper than %d; does a layer call itself?",
                    layer->path, MAX_CALLS);
    return nil;
  }
  g_autofree char *name_space = g_strdup_printf ("%s.%s", layer->name, method);
  LmTraceLayer entered = {layer->id, layer->path, name_space};
  lm_trace_enter (t, &entered);
  lam_nest out = m->call (layer->instance, lm_trace_pub (t), in);
  lm_trace_leave (t);
  if (layer->setup->error != NULL) /* the method used the setup object that it had kept */
    lm_trace_failf (t, LM_ERROR_INVALID, "%s", layer->setup->error->message);
  return lm_trace_error (t) == NULL ? out : nil;
}

lam_nest
lm_model_call (lam_trace *pub, lam_child child, const char *method, lam_nest in)
{
  LmTrace *t = (LmTrace *)pub;
  lam_nest nil = {0, 0};
  LmModel *model = lm_trace_model (pub);
  if (lm_trace_error (t) != NULL)
    return nil;
  LmLayer *layer =
      model != NULL ? lm_model_resolve_child (model, lm_trace_layer_id (t), child) : NULL;
  if (layer == NULL || method == NULL) {
    lm_trace_failf (t, LM_ERROR_INVALID,
                    "call of \"%s\": not a child that this layer created in setup",
                    method != NULL ? method : "(null)");
    return nil;
  }
  return lm_layer_call (t, layer, method, in);
}

void
lm_model_bind (lam_trace *pub, lam_child root, lam_nest vars, uint32_t mutables)
{
  LmTrace *t = (LmTrace *)pub;
  LmModel *model = lm_trace_model (pub);
  LmLayer *layer =
      model != NULL ? lm_model_resolve_child (model, lm_trace_layer_id (t), root) : NULL;
  if (layer == NULL) {
    lm_trace_failf (t, LM_ERROR_INVALID, "bind: not a child that this layer created in setup");
    return;
  }
  const char *dot = strchr ((layer->share != NULL ? layer->share : layer)->path, '.');
  lm_trace_bind_tree (t, dot != NULL ? dot + 1 : "", vars, mutables);
}
