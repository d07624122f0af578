/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the verb conformance: a check in a process of its own, what it says on its standard output,
 * and the report that is made of that. */
#ifndef LAMINA_TOOLS_CONFORMANCE_H
#define LAMINA_TOOLS_CONFORMANCE_H

#include "tools/common.h"

/* Runs one check here (check NULL: only opens the backend) and writes lines to standard output, fields
 * apart by tabs and escaped:
 *   "@ number dtype function"   a case is about to run
 *   "= ..."                     a result, fields as in ConformanceRow
 *   "# device"                  the end
 * Returns the exit status: 0 also when cases failed. */
int conformance_child (LaminaContext *context, const LaminaConformanceOptions *options);

/* One check in one dtype, as its process said. */
typedef struct ConformanceRow {
  char *dtype;
  guint cases, failed, refused, number;
  double ulps, part;
  char *message, *function, *refusal, *kept; /* "": none */
} ConformanceRow;

typedef enum {
  CONFORMANCE_PASS,
  CONFORMANCE_FAIL,    /* cases differ */
  CONFORMANCE_REFUSED, /* none ran, and none had to */
  CONFORMANCE_CRASH,
  CONFORMANCE_HANG,
  CONFORMANCE_ERROR, /* the process ended with a status of its own */
  CONFORMANCE_NONE,  /* the check has no cases in this dtype */
} ConformanceVerdict;

typedef struct ConformanceReport {
  const char *check;
  ConformanceVerdict verdict;
  GPtrArray *rows;      /* ConformanceRow* */
  char *how;            /* crash: the signal's name; error: the message */
  ConformanceRow *last; /* the case at work when it ended early; NULL */
} ConformanceReport;

/* Reads what a process left: text of its standard output. verdict: how it ended. */
ConformanceReport *conformance_report_new (const char *check, const char *text,
                                           ConformanceVerdict verdict);
void conformance_report_free (ConformanceReport *report);

gboolean conformance_failed (const ConformanceReport *report);

/* "# device" of a child's text; NULL. Free with g_free. */
char *conformance_device (const char *text);

/* As text and as JSON. */
void conformance_print (const ConformanceReport *report);
void conformance_print_json (const ConformanceReport *report, gboolean first);
/* What each of these checks allows, and why; every reason once. */
void conformance_print_tolerances (const char *const *checks);

#endif
