/* SPDX-License-Identifier: Apache-2.0 */
/* Models of the golden training cases: their attrs as a config of ours, steps run over host arrays. */
#ifndef LM_TEST_STEPS_H
#define LM_TEST_STEPS_H

#include "core/step/step.h"
#include "tests/lib/fixture.h"
#include "tests/lib/golden.h"

/* A golden case's model and learner as the config of a Lamina model ("dtype": "f64"). */
JsonObject *lm_test_step_config (JsonObject *attrs);

/* A model with its backend and the host copies of its state. */
typedef struct LmTestRun {
  LmRegistry *registry;
  LmBackend *backend;
  LmModel *model;
  LmStep *step;
  LmExecutable *executable;
  LmArray **state; /* vars, learner states, step: the first parameters of a train step */
  guint n_state;
  LmArray **out; /* of the last step */
} LmTestRun;

/* What a run is made of. */
typedef struct LmTestRunArgs {
  JsonObject *config;  /* taken */
  GHashTable *weights; /* name -> LmArray */
  const LmBatchSpec *batch;
  LmStepKind kind;
  const char *backend;
  const LmStepOptions *options; /* NULL: with summaries */
  const LmHostTables *tables;   /* NULL: the usual ones */
} LmTestRunArgs;

/* Fails the test on any error. */
LmTestRun *lm_test_run_new_of (const LmTestRunArgs *args);
/* Traces and compiles the step again, after a change of what the tables do; the state stays. */
void lm_test_run_retrace (LmTestRun *run, const LmTestRunArgs *args);

/* config is taken. weights: name -> LmArray. batch: names and types. Fails the test on any error. */
LmTestRun *lm_test_run_new (JsonObject *config, GHashTable *weights, const LmBatchSpec *batch,
                            LmStepKind kind, const char *backend);
/* The same with options of the step; NULL: with summaries. */
LmTestRun *lm_test_run_new_with (JsonObject *config, GHashTable *weights, const LmBatchSpec *batch,
                                 LmStepKind kind, const char *backend,
                                 const LmStepOptions *options);
void lm_test_run_free (LmTestRun *run);

/* One step; key u32[2], batch arrays in the spec's order. Train: the state moves on. */
void lm_test_run_step (LmTestRun *run, LmArray *key, LmArray *const *batch);

/* Result of the last step by meaning; a double each, fails when there is none of that name. */
double lm_test_run_loss (const LmTestRun *run);
double lm_test_run_metric (const LmTestRun *run, const char *name, bool weight);
/* Summary whose key ends with `suffix`. */
double lm_test_run_summary (const LmTestRun *run, const char *suffix);
/* Variable by path; learner state whose path ends with `suffix`, NULL if none. */
const LmArray *lm_test_run_var (const LmTestRun *run, const char *path);
const LmArray *lm_test_run_state (const LmTestRun *run, const char *suffix);

/* --- against the golden run of a whole training: cases with "out" by step and "final" variables ------- */

/* Element i of the case's output `name`. */
double lm_test_golden_out (const LmGolden *g, const LmGoldenCase *c, const char *name, gint64 i);
/* Fails the test unless got is wanted, within the tolerance; what and step name it. */
void lm_test_check_step (const char *what, gint64 step, double got, double wanted,
                         const LmGoldenTolerance *tolerance);
/* The same for every variable of "final". */
void lm_test_check_final (const LmGolden *g, const LmGoldenCase *c, const LmTestRun *run);

#endif
