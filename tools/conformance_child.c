/* SPDX-License-Identifier: Apache-2.0 */
/* One check in this process: everything it learns goes out at once, since it may end any time. */
#include "tools/conformance.h"

#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <signal.h>

static void
field (const char *text)
{
  g_autofree char *escaped = g_strescape (text != NULL ? text : "", NULL);
  printf ("\t%s", escaped);
}

static void
number (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  printf ("\t%s", g_ascii_dtostr (text, sizeof text, value));
}

static void
end_line (void)
{
  putchar ('\n');
  fflush (stdout);
}

static void
begin (const char *dtype, guint n, const char *function, gpointer user)
{
  (void)user;
  printf ("@\t%u", n);
  field (dtype);
  field (function);
  end_line ();
}

static void
result (const LaminaConformanceResult *r, gpointer user)
{
  (void)user;
  putchar ('=');
  field (r->dtype);
  printf ("\t%u\t%u\t%u\t%u", r->cases, r->failed, r->refused, r->first_failed);
  number (r->worst_ulps);
  number (r->worst_part);
  field (r->message);
  field (r->function);
  field (r->refusal);
  field (r->kept);
  end_line ();
}

int
conformance_child (LaminaContext *context, const LaminaConformanceOptions *options)
{
  const LaminaConformanceWatch watch = {.begin = begin, .result = result};
  const struct rlimit none = {0, 0};
  g_autofree char *device = NULL;
  GError *error = NULL;
  prctl (PR_SET_PDEATHSIG, SIGKILL); /* nobody is left to stop a backend that hangs */
  setrlimit (RLIMIT_CORE, &none);
  if (!lamina_conformance_run (context, options, &watch, &device, &error))
    return tool_fail (error);
  putchar ('#');
  field (device);
  end_line ();
  return TOOL_OK;
}
