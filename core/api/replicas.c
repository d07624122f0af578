/* SPDX-License-Identifier: Apache-2.0 */
/* Replicas of an opened model: how many, over which collective, and each one's share of the threads. */
#include "core/api/private.h"

#include <string.h>

/* How many there are to be in this process. 0: none. */
static bool
wanted_replicas (const LaminaModel *m, guint option, guint *out, GError **error)
{
  LmTrainConfig config = {.replicas = option};
  if (option == LAMINA_REPLICAS_CONFIG && !lm_train_config_read (m->model, &config, error))
    return false;
  *out = (guint)config.replicas;
  if (*out <= LM_MAX_REPLICAS)
    return true;
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "%u replicas: wanted at most %d", *out,
               LM_MAX_REPLICAS);
  return false;
}

static bool
is_local (const char *collective)
{
  return strcmp (collective, "local") == 0 || strcmp (collective, "lamina.local") == 0;
}

/* A collective over processes has one replica in each; how many is said by who starts them. */
static bool
check_size (const LaminaModel *m, guint wanted, GError **error)
{
  guint size = lm_group_size (m->group);
  if (wanted == LAMINA_REPLICAS_CONFIG || wanted == size)
    return true;
  g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
               "%u replicas were asked for, but %s joined %u process%s; start as many with mpirun "
               "-n %u, or leave the number out",
               wanted, lm_group_id (m->group), size, size == 1 ? "" : "es", wanted);
  return false;
}

bool
lm_model_join (LaminaModel *m, const LaminaModelOptions *o, GError **error)
{
  const char *collective = o->collective != NULL ? o->collective : "local";
  guint n = 1;
  if (o->replicas == 0 || (is_local (collective) && !wanted_replicas (m, o->replicas, &n, error)))
    return o->replicas == 0;
  if (n == 0)
    return true;
  m->group = lm_group_open (m->registry, collective, NULL, n, error);
  return m->group != NULL && (is_local (collective) || check_size (m, o->replicas, error));
}

/* Each replica of this process gets its part of the threads, if the backend has such an option. */
bool
lm_model_share_threads (LaminaModel *m, const char *backend, GError **error)
{
  guint here = m->group != NULL ? lm_group_n_local (m->group) : 1;
  if (here < 2)
    return true;
  g_autofree char *id = lm_backend_find_id (m->registry, backend, error);
  if (id == NULL)
    return false;
  if (!lm_backend_has_option (m->registry, id, "threads"))
    return true;
  int64_t all = json_object_get_int_member_with_default (m->backend_options, "threads", 0);
  all = all > 0 ? all : (int64_t)g_get_num_processors ();
  json_object_set_int_member (m->backend_options, "threads", MAX (1, all / here));
  return true;
}

bool
lm_model_give_up (LaminaModel *m)
{
  if (m->group != NULL && lm_group_n_local (m->group) < lm_group_size (m->group))
    lm_group_abort (m->group);
  return false;
}

LmReplicas *
lm_model_replicas_new (LaminaModel *m, GError **error)
{
  const LmReplicasArgs args = {.state = m->state,
                               .group = m->group,
                               .files = m->files,
                               .backend = lm_backend_id (m->backend),
                               .backend_options = m->backend_options,
                               .explain = m->explain};
  return lm_replicas_new (&args, error);
}

guint
lamina_model_replicas (const LaminaModel *model)
{
  return model->group != NULL ? lm_group_size (model->group) : 0;
}

guint
lamina_model_rank (const LaminaModel *model)
{
  return model->group != NULL ? lm_group_first_rank (model->group) : 0;
}
