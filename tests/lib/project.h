/* SPDX-License-Identifier: Apache-2.0 */
/* A small classifier of the digits in tests/data, for tests of programs: 64 -> 16 -> 10 with dropout,
 * momentum, shuffled batches of 32, 12 steps; the test split in batches of 100, the last one filled. */
#ifndef LM_TEST_PROJECT_H
#define LM_TEST_PROJECT_H

#include "core/program/input.h"
#include "core/program/state.h"
#include "tests/lib/fixture.h"

/* The config, where %s is what the test puts at the top level ("\"dtype\": \"f64\","; may be ""). */
char *lm_test_project_config (const char *top);

typedef struct LmTestProject {
  LmRegistry *registry;
  LmBackend *backend;
  struct lam_files *files;
  LmModel *model;
} LmTestProject;

/* Built, on a backend ("reference"). */
LmTestProject *lm_test_project_new (const char *top, const char *backend);
/* The same over another config. */
LmTestProject *lm_test_project_new_from (const char *config, const char *backend);
void lm_test_project_free (LmTestProject *project);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmTestProject, lm_test_project_free)

/* With learner states. */
LmState *lm_test_project_state (LmTestProject *project);
LmInput *lm_test_project_input (LmTestProject *project, const char *name);

/* A new folder with the config and its data, as `lamina new` makes one; remove it with
 * lm_test_remove_tree. */
char *lm_test_project_folder (const char *top);

/* Removes a folder with all it holds. */
void lm_test_remove_tree (const char *path);

#endif
