/* SPDX-License-Identifier: Apache-2.0 */
/* One row for each kind of provided thing, and the check of a plugin's table against its row. */
#include "core/plugin/kinds.h"

#include <lamina/backend.h>
#include <lamina/collective.h>
#include <lamina/input.h>
#include <lamina/layer.h>
#include <lamina/learner.h>
#include <lamina/metric.h>
#include <lamina/optimizer.h>
#include <lamina/schedule.h>
#include <string.h>

#define MAX_TABLE    65536u
#define MAX_INSTANCE (UINT64_C (1) << 24)
#define MAX_METHODS  1024u

#define F(T, f)                                                                                    \
  {                                                                                                \
#f, offsetof(T, f)                                                                             \
  }

static const LmKindMember layer_functions[] = {F (lam_layer_vt, fields), F (lam_layer_vt, setup)};

static const LmKindMember optimizer_functions[] = {
    F (lam_optimizer_vt, fields), F (lam_optimizer_vt, setup), F (lam_optimizer_vt, declare_slots),
    F (lam_optimizer_vt, update)};

static const LmKindMember learner_functions[] = {
    F (lam_learner_vt, fields),        F (lam_learner_vt, setup),
    F (lam_learner_vt, loss_name),     F (lam_learner_vt, learning_rate),
    F (lam_learner_vt, init_states),   F (lam_learner_vt, update_states),
    F (lam_learner_vt, apply_gradient)};

static const LmKindMember schedule_functions[] = {
    F (lam_schedule_vt, fields), F (lam_schedule_vt, setup), F (lam_schedule_vt, value)};

static const LmKindMember metric_functions[] = {F (lam_metric_vt, fields), F (lam_metric_vt, setup),
                                                F (lam_metric_vt, value)};

static const LmKindMember input_functions[] = {
    F (lam_input_vt, fields),   F (lam_input_vt, open),       F (lam_input_vt, close),
    F (lam_input_vt, describe), F (lam_input_vt, next),       F (lam_input_vt, reset),
    F (lam_input_vt, batches),  F (lam_input_vt, state_size), F (lam_input_vt, save),
    F (lam_input_vt, restore)};

static const LmKindMember backend_functions[] = {
    F (lam_backend_vt, fields),       F (lam_backend_vt, probe),
    F (lam_backend_vt, open),         F (lam_backend_vt, close),
    F (lam_backend_vt, device_name),  F (lam_backend_vt, claims),
    F (lam_backend_vt, buffer_new),   F (lam_backend_vt, buffer_free),
    F (lam_backend_vt, buffer_write), F (lam_backend_vt, buffer_read),
    F (lam_backend_vt, compile),      F (lam_backend_vt, exec_free),
    F (lam_backend_vt, exec_layout),  F (lam_backend_vt, exec_plan),
    F (lam_backend_vt, execute)};

static const LmKindMember collective_functions[] = {
    F (lam_collective_vt, fields), F (lam_collective_vt, open),   F (lam_collective_vt, close),
    F (lam_collective_vt, size),   F (lam_collective_vt, member), F (lam_collective_vt, first_rank),
    F (lam_collective_vt, abort)};

#undef F

#define KIND(id, name, T, last, size_member)                                                       \
  {                                                                                                \
    id, #name, sizeof (T), LAM_END (T, last), offsetof (T, size_member), name##_functions,         \
        G_N_ELEMENTS (name##_functions)                                                            \
  }

static const LmKind kinds[] = {
    KIND (LAM_KIND_LAYER, layer, lam_layer_vt, methods, instance_size),
    KIND (LAM_KIND_OPTIMIZER, optimizer, lam_optimizer_vt, update, instance_size),
    KIND (LAM_KIND_LEARNER, learner, lam_learner_vt, apply_gradient, instance_size),
    KIND (LAM_KIND_SCHEDULE, schedule, lam_schedule_vt, value, instance_size),
    KIND (LAM_KIND_METRIC, metric, lam_metric_vt, value, instance_size),
    KIND (LAM_KIND_INPUT, input, lam_input_vt, restore, instance_size),
    KIND (LAM_KIND_BACKEND, backend, lam_backend_vt, execute, options_size),
    KIND (LAM_KIND_COLLECTIVE, collective, lam_collective_vt, abort, options_size),
};

#undef KIND

const LmKind *
lm_kind_find (const char *id)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (kinds[i].id, id) == 0)
      return &kinds[i];
  return NULL;
}

static bool G_GNUC_PRINTF (3, 4) fail (GError **error, const char *what, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, LM_ERROR, LM_ERROR_PLUGIN, "%s: %s; this is a fault in the plugin", what,
               message);
  return false;
}

/* Size and place of a growable struct of the plugin; its size by *out. */
static bool
check_struct (const LmModule *module, const void *p, size_t required, uint32_t *out,
              const char *what, GError **error)
{
  if (!lm_module_holds (module, p, sizeof *out))
    return fail (error, what, "its table at %p is outside the plugin's memory", p);
  memcpy (out, p, sizeof *out);
  if (*out > MAX_TABLE || *out % 8 != 0)
    return fail (error, what, "its table claims %u bytes; wanted a multiple of 8, at most %u", *out,
                 MAX_TABLE);
  if (*out < required)
    return fail (error, what, "its table has %u bytes, %" G_GSIZE_FORMAT " are required", *out,
                 required);
  return lm_module_holds (module, p, *out)
         || fail (error, what, "its table of %u bytes reaches outside the plugin's memory", *out);
}

static bool
check_functions (const LmKind *kind, const void *copy, const LmModule *module, const char *what,
                 GError **error)
{
  for (guint i = 0; i < kind->n_functions; i++) {
    const LmKindMember *member = &kind->functions[i];
    uintptr_t p;
    memcpy (&p, (const char *)copy + member->offset, sizeof p);
    if (p == 0 && member->offset < kind->required)
      return fail (error, what, "its function %s is NULL", member->name);
    if (p != 0 && !lm_module_is_code (module, p))
      return fail (error, what,
                   "its function %s points to 0x%" G_GINTPTR_MODIFIER
                   "x, which is not code of the plugin",
                   member->name, p);
  }
  return true;
}

static bool
check_method (const lam_method *method, const LmModule *module, const char *what, GError **error)
{
  uint32_t size;
  lam_method copy;

  if (!check_struct (module, method, LAM_END (lam_method, call), &size, what, error))
    return false;
  memcpy (&copy, method, sizeof copy);
  if (!lm_module_text_ok (module, copy.name, 100) || copy.name[0] == '\0')
    return fail (error, what, "a method has no readable name");
  return lm_module_is_code (module, (uintptr_t)copy.call)
         || fail (error, what, "its method %s is not code of the plugin", copy.name);
}

static bool
check_methods (const lam_layer_vt *vt, const LmModule *module, const char *what, GError **error)
{
  if (vt->n_methods == 0 || vt->n_methods > MAX_METHODS
      || !lm_module_holds (module, vt->methods, vt->n_methods * sizeof *vt->methods))
    return fail (error, what, "its %u methods are not in the plugin's memory", vt->n_methods);
  for (uint32_t i = 0; i < vt->n_methods; i++) {
    if (!check_method (vt->methods[i], module, what, error))
      return false;
    for (uint32_t k = 0; k < i; k++)
      if (strcmp (vt->methods[i]->name, vt->methods[k]->name) == 0)
        return fail (error, what, "its method %s is there twice", vt->methods[i]->name);
  }
  return true;
}

void *
lm_kind_copy (const LmKind *kind, const void *vtable, const LmModule *module, const char *what,
              GError **error)
{
  g_autofree void *copy = NULL;
  uint64_t instance_size;
  uint32_t size;

  if (!check_struct (module, vtable, kind->required, &size, what, error))
    return NULL;
  copy = g_malloc0 (kind->size);
  memcpy (copy, vtable, MIN (size, kind->size));
  if (!check_functions (kind, copy, module, what, error))
    return NULL;
  memcpy (&instance_size, (char *)copy + kind->instance_size, sizeof instance_size);
  if (instance_size > MAX_INSTANCE) {
    fail (error, what, "an instance of %" G_GUINT64_FORMAT " bytes", instance_size);
    return NULL;
  }
  if (strcmp (kind->id, LAM_KIND_LAYER) == 0 && !check_methods (copy, module, what, error))
    return NULL;
  return g_steal_pointer (&copy);
}
