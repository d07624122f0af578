/* SPDX-License-Identifier: Apache-2.0 */
/* Opening collectives, and small exchanges of the host's own. */
#include "core/run/group.h"

#include "core/run/private.h"

#include <string.h>

struct LmGroup {
  char *id;
  lam_collective_vt vt; /* a copy, so that a group may outlive the registry it came from */
  lam_collective_group *self;
  guint n_local;
};

static bool
open_plugin (LmGroup *group, const lam_collective_vt *vt, const lam_host *host, JsonObject *options,
             GError **error)
{
  LmFilled filled = {0};
  bool ok = lm_fill_options (&filled, group->id, vt->fields, vt->options_size, options, error);
  if (ok) {
    lam_error slot;
    lm_plugin_error_init (&slot);
    lam_status status = vt->open (host, filled.options, group->n_local, &group->self, &slot);
    ok = lm_plugin_error_take (&slot, status, group->id, error);
  }
  lm_filled_clear (&filled);
  return ok;
}

/* What a plugin says of itself must hold together before it is believed. */
static bool
check_group (const LmGroup *group, GError **error)
{
  uint32_t size = group->vt.size (group->self), first = group->vt.first_rank (group->self);
  bool ok = size >= group->n_local && first <= size - group->n_local;
  for (guint i = 0; i < group->n_local && ok; i++) {
    const lam_collective *member = group->vt.member (group->self, i);
    ok = member != NULL && member->size == size && member->rank == first + i;
  }
  if (!ok)
    g_set_error (
        error, LM_ERROR, LM_ERROR_PLUGIN,
        "%s: says that replicas from %u on of %u are here, where %u were opened; this is a "
        "fault in the plugin",
        group->id, first, size, group->n_local);
  return ok;
}

LmGroup *
lm_group_open (LmRegistry *registry, const char *name, JsonObject *options, guint n_local,
               GError **error)
{
  g_autofree char *id = lm_find_id (registry, LAM_KIND_COLLECTIVE, "collective", name, error);
  const LmProvided *p =
      id != NULL ? lm_registry_find (registry, LAM_KIND_COLLECTIVE, id, error) : NULL;
  if (p == NULL)
    return NULL;
  const lam_collective_vt *vt = p->vtable;
  g_autoptr (LmGroup) group = g_new0 (LmGroup, 1);
  group->id = g_steal_pointer (&id);
  group->n_local = n_local;
  memcpy (&group->vt, vt, MIN (vt->struct_size, sizeof group->vt));
  if (!open_plugin (group, vt, lm_registry_host (registry), options, error)
      || !check_group (group, error))
    return NULL;
  return g_steal_pointer (&group);
}

void
lm_group_free (LmGroup *group)
{
  if (group == NULL)
    return;
  if (group->self != NULL)
    group->vt.close (group->self);
  g_free (group->id);
  g_free (group);
}

const char *
lm_group_id (const LmGroup *group)
{
  return group->id;
}

guint
lm_group_size (const LmGroup *group)
{
  return group->vt.size (group->self);
}

guint
lm_group_first_rank (const LmGroup *group)
{
  return group->vt.first_rank (group->self);
}

guint
lm_group_n_local (const LmGroup *group)
{
  return group->n_local;
}

const lam_collective *
lm_group_member (LmGroup *group, guint i)
{
  return group->vt.member (group->self, i);
}

void
lm_group_abort (LmGroup *group)
{
  void (*end) (lam_collective_group * group) = group->vt.abort;
  end (group->self);
}

bool
lm_group_gather_words (LmGroup *group, guint i, const uint64_t *words, guint n, uint64_t *out,
                       GError **error)
{
  const lam_collective *member = lm_group_member (group, i);
  const lam_dtype dtype = LAM_U64;
  const uint64_t count = n;
  const void *in = words;
  void *to = out;
  const lam_collective_call call = {.struct_size = sizeof call,
                                    .n = 1,
                                    .dtypes = &dtype,
                                    .counts = &count,
                                    .in = &in,
                                    .out = &to};
  lam_error slot;
  lm_plugin_error_init (&slot);
  return lm_plugin_error_take (&slot, member->all_gather (member->self, &call, &slot), group->id,
                               error);
}
