/* SPDX-License-Identifier: Apache-2.0 */
/* Keys, variables and learner states on a backend. Key values: JAX 0.10.2,
 * jax.random.PRNGKey (s) and jax.random.fold_in (key, n), default (partitionable) layout; fold_in is
 * one Threefry block, checked there against the golden group keys. */
#include "core/program/state.h"

#include "tests/lib/project.h"
#include <lamina/prng.h>
#include <string.h>

/* The train key is the root key itself: a plain JAX program repeats a run from PRNGKey (seed). */
static void
test_train_key (void)
{
  uint32_t key[2];
  lm_program_key (1234, LM_KEY_TRAIN, key);
  g_assert_cmpuint (key[0], ==, 0);
  g_assert_cmpuint (key[1], ==, 1234);
  lm_program_key (UINT64_C (0x123456789), LM_KEY_TRAIN, key);
  g_assert_cmpuint (key[0], ==, 1);
  g_assert_cmpuint (key[1], ==, 0x23456789);
}

/* The other uses take numbers that no step reaches. */
static void
test_other_keys (void)
{
  const LmKeyUse uses[] = {LM_KEY_INIT, LM_KEY_EVAL, LM_KEY_INPUT};
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t key[2];
    lam_prng_key wanted = lam_prng_fold_in (lam_prng_seed (99), UINT32_MAX - i);
    lm_program_key (99, uses[i], key);
    g_assert_cmpmem (key, sizeof key, wanted.word, sizeof wanted.word);
  }
}

/* Drawn variables are those of the init function under the init key, and depend on the seed. */
static void
test_draw (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  g_autoptr (LmState) state = lm_state_new (p->model, p->backend, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (GHashTable) vars = lm_state_read_vars (state, &error);
  g_assert_cmpuint (g_hash_table_size (vars), ==, 4);
  g_assert_null (state->init);
  g_assert_cmpuint (state->step, ==, 0);
  g_autoptr (LmFunction) init = lm_model_init_function (p->model, &error);
  g_autoptr (LmArray) key = lm_program_key_array (7, LM_KEY_INIT, &error);
  LmArray *wanted[4];
  lm_test_run (p->backend, init, (LmArray *const[]) {key}, wanted);
  for (guint i = 0; i < 4; i++) {
    const LmArray *got = g_hash_table_lookup (vars, lm_model_var_infos (p->model)[i]->path);
    g_assert_cmpmem (got->data, got->bytes, wanted[i]->data, wanted[i]->bytes);
    lm_array_unref (wanted[i]);
  }
}

static void
test_learners (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  g_autoptr (LmState) state = lm_test_project_state (p);
  g_autoptr (GHashTable) states = lm_state_read_learners (state, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_hash_table_size (states), ==, state->n_states);
  g_assert_cmpuint (state->n_states, >=, 5); /* a count, and momentum of four variables */
  GHashTableIter iter;
  gpointer name, array;
  g_hash_table_iter_init (&iter, states);
  while (g_hash_table_iter_next (&iter, &name, &array)) {
    g_assert_true (g_str_has_prefix (name, "learner."));
    g_assert_cmpfloat (lm_array_get_double (array, 0), ==, 0);
  }
  /* the same table starts another state */
  g_autoptr (LmState) other = lm_state_new (p->model, p->backend, NULL, &error);
  g_assert_true (lm_state_init_learners (other, states, "test", &error));
  g_assert_cmpuint (other->n_states, ==, state->n_states);
}

/* Missing, unexpected and mismatched states come in one report. */
static void
test_learners_misfit (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  g_autoptr (LmState) state = lm_test_project_state (p);
  g_autoptr (GHashTable) states = lm_state_read_learners (state, &error);
  g_autofree char *first = g_strdup (state->init->paths[0]);
  g_autofree char *second = g_strdup (state->init->paths[1]);
  lam_type odd = lm_type (LAM_F64, 1, (int64_t[]) {3});
  LmArray *stray = lm_test_array (&odd, (double[]) {1, 2, 3});
  g_hash_table_remove (states, first);
  g_hash_table_replace (states, g_strdup (second), lm_array_ref (stray));
  g_hash_table_insert (states, g_strdup ("learner.stray"), stray);
  g_autoptr (LmState) other = lm_state_new (p->model, p->backend, NULL, &error);
  g_assert_false (lm_state_init_learners (other, states, "m.lam", &error));
  g_assert_null (other->init);
  lm_test_assert_error (&error, LM_ERROR_INVALID, "m.lam", "missing", first, "f64[3]", second,
                        "unexpected learner.stray", "--init", NULL);
}

static void
test_given_variables (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTestProject) p = lm_test_project_new ("\"dtype\": \"f64\",", "reference");
  LmArray *given[4];
  for (guint i = 0; i < 4; i++) {
    given[i] = lm_array_new (&lm_model_var_infos (p->model)[i]->type, &error);
    ((double *)given[i]->data)[0] = i + 0.5;
  }
  g_autoptr (LmState) state = lm_state_new (p->model, p->backend, given, &error);
  g_autoptr (GHashTable) vars = lm_state_read_vars (state, &error);
  for (guint i = 0; i < 4; i++) {
    const LmArray *got = g_hash_table_lookup (vars, lm_model_var_infos (p->model)[i]->path);
    g_assert_cmpfloat (lm_array_get_double (got, 0), ==, i + 0.5);
    lm_array_unref (given[i]);
  }
}

static void
test_broken (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  g_autoptr (LmState) state = lm_test_project_state (p);
  state->broken = true;
  g_assert_null (lm_state_read_vars (state, &error));
  lm_test_assert_error (&error, LM_ERROR_INVALID, "open the model again", NULL);
}

static void
test_step_limit (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LmTestProject) p = lm_test_project_new ("", "reference");
  g_autoptr (LmState) state = lm_test_project_state (p);
  g_assert_true (lm_state_set_step (state, 41, &error));
  g_assert_cmpuint (state->step, ==, 41);
  g_assert_false (lm_state_set_step (state, UINT32_MAX, &error)); /* the init key's number */
  lm_test_assert_error (&error, LM_ERROR_INVALID, "32 bits", NULL);
  g_assert_cmpuint (state->step, ==, 41);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program/state/train_key", test_train_key);
  g_test_add_func ("/program/state/other_keys", test_other_keys);
  g_test_add_func ("/program/state/draw", test_draw);
  g_test_add_func ("/program/state/learners", test_learners);
  g_test_add_func ("/program/state/learners_misfit", test_learners_misfit);
  g_test_add_func ("/program/state/given_variables", test_given_variables);
  g_test_add_func ("/program/state/broken", test_broken);
  g_test_add_func ("/program/state/step_limit", test_step_limit);
  return g_test_run ();
}
