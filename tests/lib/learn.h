/* SPDX-License-Identifier: Apache-2.0 */
/* A learner alone: variables and gradients given by the test, traced, compiled for the reference
 * backend and run step by step, as core/step calls it. */
#ifndef LM_TEST_LEARN_H
#define LM_TEST_LEARN_H

#include "tests/lib/fixture.h"
#include <lamina/learner.h>

#define LM_LEARN_VARS   8
#define LM_LEARN_STATES 128

/* Variables by name, in flatten order (sorted), and the learner's config: JSON with ' for ". */
typedef struct LmLearnSpec {
  guint n;
  const char *names[LM_LEARN_VARS];
  lam_type types[LM_LEARN_VARS]; /* floats: f64 in an f64 model */
  uint32_t collections[LM_LEARN_VARS];
  int32_t n_prefix[LM_LEARN_VARS];
  char *learner; /* "'type': 'lamina.learner', 'optimizer': {...}" */
} LmLearnSpec;

typedef struct LmLearn {
  LmLearnSpec spec;
  LmRegistry *registry;
  LmBackend *backend;
  LmModel *model;
  lam_var_info storage[LM_LEARN_VARS];
  const lam_var_info *infos[LM_LEARN_VARS]; /* learnable as the learner selects */
  LmFunction *init, *step;
  LmExecutable *executable;
  LmNest *structure;  /* of the states: leaf = 1 + index */
  char **state_paths; /* NULL-terminated */
  guint n_states, count;
  LmArray *vars[LM_LEARN_VARS], *states[LM_LEARN_STATES];
  GPtrArray *summary_keys; /* of char* */
  LmArray **summaries;     /* of the last step */
} LmLearn;

/* The model, or NULL and the error: for tests of what is refused. */
LmLearn *lm_learn_try (const LmLearnSpec *spec, GError **error);
/* vars: start values, spec->n; copied. NULL and the error if tracing is refused. */
bool lm_learn_start (LmLearn *l, LmArray *const *vars, GError **error);
/* Both; fails the test on an error. */
LmLearn *lm_learn_new (const LmLearnSpec *spec, LmArray *const *vars);
void lm_learn_free (LmLearn *l);

/* One step; grads: spec->n, taken. */
void lm_learn_step (LmLearn *l, LmArray **grads);

/* The usual small case, f64: a (2, 2) = 1, -2, 3, 0.5; b (3) = 0.5, -1, 2. learner: the config's
 * text after "'type': 'lamina.learner', ", or a whole one that begins with 'type'. */
LmLearnSpec lm_learn_pair_spec (const char *learner); /* free spec.learner */
LmLearn *lm_learn_pair (const char *learner);
LmLearn *lm_learn_pair_of (const LmLearnSpec *spec); /* other collections, prefixes */
/* One step with these gradients, 4 and 3 numbers. */
void lm_learn_pair_step (LmLearn *l, const double *a, const double *b);
/* The error that a config gives, in setup or in tracing. */
GError *lm_learn_pair_error (const char *learner);
double lm_learn_value (const LmLearn *l, const char *name, guint i);
double lm_learn_state_value (const LmLearn *l, const char *suffix, guint i);

/* State whose path ends with `suffix`, NULL: none. */
const LmArray *lm_learn_state (const LmLearn *l, const char *suffix);
/* Summary whose key ends with `suffix`; fails the test if there is none. */
double lm_learn_summary (const LmLearn *l, const char *suffix);
bool lm_learn_has_summary (const LmLearn *l, const char *suffix);

#endif
