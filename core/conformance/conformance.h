/* SPDX-License-Identifier: Apache-2.0 */
/* Conformance: a backend against the backend reference, over generated functions of every op and over
 * whole training steps. One call makes one check ("add", "donation", "steps_mlp"); who wants a crash
 * to be a result runs each in a process of its own. */
#ifndef LM_CONFORMANCE_CONFORMANCE_H
#define LM_CONFORMANCE_CONFORMANCE_H

#include "core/model/model.h"
#include "core/run/run.h"

/* How far a result may be from reference's. */
typedef struct LmTolerance {
  const char *allowed; /* short: "4 ulp" */
  const char *why;
} LmTolerance;

/* Names of all checks, NULL-terminated: the ops of ops.def in its order, then those over several
 * equations. Owned by the caller (g_free). */
const char **lm_conformance_checks (void);

/* False and an error with the nearest name when there is no such check. */
bool lm_conformance_known (const char *check, GError **error);

/* What a check allows; NULL for an unknown name. */
const LmTolerance *lm_conformance_tolerance (const char *check);

/* A case that is about to run, or failed. in: one array for each parameter. */
typedef struct LmConformanceCase {
  const char *check, *dtype;
  guint number;        /* counts all cases of the check, whatever is left out */
  const LmFunction *f; /* NULL: a training run, which has no single function to call */
  LmArray *const *in;
  bool donated;        /* result 0 was to take over parameter 0 */
  const char *message; /* what is wrong; NULL before the run */
} LmConformanceCase;

/* One check in one dtype. */
typedef struct LmConformanceResult {
  const char *check, *dtype;
  guint cases, failed;
  guint refused;        /* the backend said that it does not run them */
  char *refusal;        /* the first one's words; NULL */
  double worst_ulps;    /* where ulps are what is allowed */
  double worst_part;    /* of what is allowed for sums: 1 is the limit */
  guint first_failed;   /* number of the case, when failed > 0 */
  char *message;        /* and what is wrong with it */
  char *first_function; /* in text form; for a training run its config */
} LmConformanceResult;

typedef struct LmConformance {
  LmBackend *backend, *reference;
  LmRegistry *registry;       /* finds the layers of the training runs */
  const LmHostTables *tables; /* that their traces see */
  const char *check;
  const char *dtype; /* NULL: all */
  guint64 seed;
  gint64 only; /* this case alone; -1: all */
  /* May be NULL. */
  void (*begin) (const LmConformanceCase *c, gpointer user);
  void (*failed) (const LmConformanceCase *c, gpointer user); /* the first of each dtype */
  void (*result) (const LmConformanceResult *r, gpointer user);
  gpointer user;
} LmConformance;

/* False only when the check could not be made (unknown name, reference failed, no memory): what the
 * backend does wrong is a result. */
bool lm_conformance_run (const LmConformance *c, GError **error);

#endif
