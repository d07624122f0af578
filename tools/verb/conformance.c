/* SPDX-License-Identifier: Apache-2.0 */
/* lamina conformance: a backend against reference, each check in a process of its own, so that a crash
 * or an endless loop is a result. */
#include "tools/conformance.h"

#include <errno.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Job Job;

typedef struct Session {
  const char *backend;
  ToolOptions common;
  char **ops, *dtype, *keep, *backend_options;
  gint64 seed, only;
  int timeout, jobs;
  gboolean in_process, list, describe;
  /* at work */
  char *self;
  const char **checks;
  Job *work;
  guint n, next, shown, running, failed, ran, cases;
  char *device;
  GMainLoop *loop;
  GError *error;
} Session;

/* One check in its process. */
struct Job {
  Session *s;
  const char *check;
  GPid pid;
  FILE *out, *err;
  guint timer;
  gboolean timed_out, again; /* again: only to keep the case that ended it */
  ConformanceReport *report; /* when it has ended */
};

/* --- the process ------------------------------------------------------------------------------------- */

static void
add (GPtrArray *argv, const char *option, const char *value)
{
  if (value == NULL)
    return;
  g_ptr_array_add (argv, g_strdup (option));
  g_ptr_array_add (argv, g_strdup (value));
}

static void
add_all (GPtrArray *argv, const char *option, char **values)
{
  for (guint i = 0; values != NULL && values[i] != NULL; i++)
    add (argv, option, values[i]);
}

/* This program again; only: a case, -1: all. */
static char **
command (const Session *s, const char *check, gint64 only)
{
  GPtrArray *argv = g_ptr_array_new ();
  g_autofree char *seed = g_strdup_printf ("%" G_GINT64_FORMAT, s->seed);
  g_autofree char *number = g_strdup_printf ("%" G_GINT64_FORMAT, only);
  g_ptr_array_add (argv, g_strdup (s->self));
  g_ptr_array_add (argv, g_strdup ("conformance"));
  g_ptr_array_add (argv, g_strdup ("--in-process"));
  add (argv, "--op", check);
  add (argv, "--dtype", s->dtype);
  add (argv, "--seed", seed);
  add (argv, "--case", only >= 0 ? number : NULL);
  add (argv, "--keep", s->keep);
  add (argv, "--backend-options", s->backend_options);
  add_all (argv, "--plugin", s->common.plugins);
  add_all (argv, "--plugin-dir", s->common.plugin_dirs);
  g_ptr_array_add (argv, g_strdup ("--"));
  g_ptr_array_add (argv, g_strdup (s->backend));
  g_ptr_array_add (argv, NULL);
  return (char **)g_ptr_array_free (argv, FALSE);
}

static char *
read_all (FILE *file)
{
  GString *text = g_string_new (NULL);
  char piece[4096];
  size_t n;
  rewind (file);
  while ((n = fread (piece, 1, sizeof piece, file)) > 0)
    g_string_append_len (text, piece, (gssize)n);
  return g_string_free (text, FALSE);
}

static void on_end (GPid pid, int status, gpointer data);

static gboolean
on_timeout (gpointer data)
{
  Job *job = data;
  job->timed_out = TRUE;
  job->timer = 0;
  kill (job->pid, SIGKILL);
  return G_SOURCE_REMOVE;
}

static gboolean
start (Job *job, gint64 only, int seconds)
{
  g_auto (GStrv) argv = command (job->s, job->check, only);
  job->out = tmpfile ();
  job->err = tmpfile ();
  if (job->out == NULL || job->err == NULL) {
    g_set_error (&job->s->error, LAMINA_ERROR, LAMINA_ERROR_IO, "no temporary file: %s",
                 g_strerror (errno));
    return FALSE;
  }
  if (!g_spawn_async_with_fds (NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &job->pid,
                               -1, fileno (job->out), fileno (job->err), &job->s->error))
    return FALSE;
  job->timer = g_timeout_add_seconds ((guint)seconds, on_timeout, job);
  g_child_watch_add (job->pid, on_end, job);
  return TRUE;
}

/* --- results ----------------------------------------------------------------------------------------- */

/* The last lines of what the process said on standard error. */
static char *
last_words (FILE *err)
{
  g_autofree char *text = read_all (err);
  g_strchomp (text);
  const char *from = text + strlen (text);
  for (guint lines = 0; from > text && (from[-1] != '\n' || ++lines < 6);)
    from--;
  return g_strdup (from);
}

static void
describe_end (Job *job, int status)
{
  ConformanceReport *r = job->report;
  g_autofree char *words = last_words (job->err);
  if (job->timed_out)
    r->how = g_strdup_printf ("did not end within %d s", job->s->timeout);
  else if (WIFSIGNALED (status))
    r->how = g_strdup_printf ("ended by signal %d (%s)%s%s", WTERMSIG (status),
                              g_strsignal (WTERMSIG (status)), *words != '\0' ? "\n" : "", words);
  else
    r->how = g_strdup_printf ("ended with status %d%s%s", WEXITSTATUS (status),
                              *words != '\0' ? "\n" : "", words);
}

/* A process that said "#" at its end has made all its cases. One that ended of itself on the way did so
 * by an error that lamina tells (2 and above), or because the backend called exit. */
static ConformanceVerdict
verdict_of (const Job *job, int status, const char *text)
{
  g_autofree char *device = conformance_device (text);
  if (job->timed_out)
    return CONFORMANCE_HANG;
  if (WIFSIGNALED (status))
    return CONFORMANCE_CRASH;
  if (WEXITSTATUS (status) != 0)
    return CONFORMANCE_ERROR;
  return device != NULL ? CONFORMANCE_PASS : CONFORMANCE_CRASH;
}

static void
show (Session *s, const ConformanceReport *r)
{
  if (r->verdict == CONFORMANCE_NONE)
    return;
  for (guint i = 0; i < r->rows->len; i++)
    s->cases += ((const ConformanceRow *)r->rows->pdata[i])->cases;
  if (s->common.json)
    conformance_print_json (r, s->ran == 0);
  else
    conformance_print (r);
  s->ran++;
  s->failed += conformance_failed (r);
}

static void
close_files (Job *job)
{
  g_clear_pointer (&job->out, fclose);
  g_clear_pointer (&job->err, fclose);
}

/* Starts what there is room for, shows what is complete, in order. */
static void
proceed (Session *s)
{
  while (s->error == NULL && s->next < s->n && s->running < (guint)s->jobs)
    if (start (&s->work[s->next++], s->only, s->timeout))
      s->running++;
  while (s->shown < s->n && s->work[s->shown].report != NULL && !s->work[s->shown].again)
    show (s, s->work[s->shown++].report);
  if (s->running == 0)
    g_main_loop_quit (s->loop);
}

/* The file that the second run left, if it did. */
static void
note_kept (Job *job)
{
  ConformanceRow *last = job->report->last;
  g_autofree char *name = g_strdup_printf ("%s-%s.lir", job->check, last->dtype);
  g_autofree char *path = g_build_filename (job->s->keep, name, NULL);
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    last->kept = g_steal_pointer (&path);
}

static void
on_end (GPid pid, int status, gpointer data)
{
  Job *job = data;
  Session *s = job->s;
  g_spawn_close_pid (pid);
  if (job->timer != 0)
    g_source_remove (job->timer);
  job->timer = 0;
  if (job->again) {
    job->again = FALSE;
    note_kept (job);
  } else {
    g_autofree char *text = read_all (job->out);
    job->report = conformance_report_new (job->check, text, verdict_of (job, status, text));
    if (job->report->verdict >= CONFORMANCE_CRASH && job->report->verdict <= CONFORMANCE_ERROR)
      describe_end (job, status);
    job->again = s->keep != NULL && job->report->last != NULL && s->only < 0;
  }
  close_files (job);
  if (!job->again || !start (job, job->report->last->number, MIN (s->timeout, 10))) {
    job->again = FALSE;
    s->running--;
  }
  proceed (s);
}

/* --- the whole run ----------------------------------------------------------------------------------- */

/* Opening the backend, in a process too: if that fails there is nothing to check. */
static int
open_once (Session *s)
{
  g_auto (GStrv) argv = command (s, NULL, -1);
  g_autofree char *out = NULL, *err = NULL;
  GError *error = NULL;
  int status;
  if (!g_spawn_sync (NULL, argv, NULL, 0, NULL, NULL, &out, &err, &status, &error))
    return tool_fail (error);
  s->device = conformance_device (out);
  if (WIFEXITED (status) && WEXITSTATUS (status) != 0) {
    fputs (err, stderr);
    return WEXITSTATUS (status);
  }
  if (s->device != NULL)
    return TOOL_OK;
  fprintf (stderr, "%s: opening %s: the process %s%s\n%s", g_get_prgname (), s->backend,
           WIFSIGNALED (status) ? "was ended by signal: " : "ended early",
           WIFSIGNALED (status) ? g_strsignal (WTERMSIG (status)) : "", err);
  return LAMINA_ERROR_PLUGIN + 1;
}

static void
print_start (const Session *s)
{
  g_autoptr (GString) out = g_string_new (NULL);
  if (!s->common.json) {
    printf ("%s against lamina.reference, seed %" G_GINT64_FORMAT "\n\n", s->device, s->seed);
    printf ("%-23s %6s  %-14s  %-18s  %s\n", "check", "cases", "worst", "allowed", "verdict");
    return;
  }
  g_string_append (out, "{\n  \"backend\": ");
  tool_append_json_string (out, s->device);
  g_string_append_printf (out, ",\n  \"seed\": %" G_GINT64_FORMAT ",\n  \"checks\": [", s->seed);
  fputs (out->str, stdout);
}

static void
print_end (const Session *s)
{
  if (s->common.json) {
    printf ("\n  ],\n  \"cases\": %u,\n  \"passed\": %u,\n  \"failed\": %u\n}\n", s->cases,
            s->ran - s->failed, s->failed);
    return;
  }
  putchar ('\n');
  conformance_print_tolerances (s->checks);
  printf ("\n%u checks, %u cases: ", s->ran, s->cases);
  if (s->failed == 0)
    printf ("all passed\n");
  else
    printf ("%u failed\n", s->failed);
}

static int
run_all (Session *s)
{
  int status = open_once (s);
  if (status != TOOL_OK)
    return status;
  s->n = g_strv_length ((char **)(uintptr_t)s->checks);
  s->work = g_new0 (Job, s->n + 1);
  for (guint i = 0; i < s->n; i++)
    s->work[i] = (Job) {.s = s, .check = s->checks[i]};
  s->loop = g_main_loop_new (NULL, FALSE);
  print_start (s);
  proceed (s);
  if (s->running > 0)
    g_main_loop_run (s->loop);
  g_main_loop_unref (s->loop);
  for (guint i = 0; i < s->n; i++)
    conformance_report_free (s->work[i].report);
  g_free (s->work);
  if (s->error != NULL)
    return tool_fail (s->error);
  print_end (s);
  return s->failed > 0 ? TOOL_USAGE : TOOL_OK;
}

static int
run_here (const Session *s)
{
  GError *error = NULL;
  LaminaConformanceOptions o = LAMINA_CONFORMANCE_OPTIONS_INIT;
  g_autoptr (LaminaContext) context = tool_context (&s->common, &error);
  if (context == NULL)
    return tool_fail (error);
  o.backend = s->backend;
  o.backend_options = s->backend_options;
  o.check = s->ops != NULL ? s->ops[0] : NULL;
  o.dtype = s->dtype;
  o.seed = (guint64)s->seed;
  o.only = s->only;
  o.keep = s->keep;
  return conformance_child (context, &o);
}

/* The library knows the names that are near; an unknown one is refused before anything is opened. */
static int
unknown_check (const Session *s, const char *name)
{
  GError *error = NULL;
  LaminaConformanceOptions o = LAMINA_CONFORMANCE_OPTIONS_INIT;
  g_autoptr (LaminaContext) context = lamina_context_new ();
  o.backend = s->backend;
  o.check = name;
  lamina_conformance_run (context, &o, NULL, NULL, &error);
  return tool_fail (error);
}

/* All checks, or those asked for; the names stay the list's. */
static int
choose (Session *s, const char *const *all)
{
  guint n = s->ops != NULL ? g_strv_length (s->ops) : g_strv_length ((char **)(uintptr_t)all);
  s->checks = g_new0 (const char *, n + 1);
  for (guint i = 0; i < n; i++) {
    s->checks[i] = s->ops != NULL ? s->ops[i] : all[i];
    if (lamina_conformance_allows (s->checks[i], NULL) == NULL)
      return unknown_check (s, s->checks[i]);
  }
  return TOOL_OK;
}

static int
prepare (Session *s, const char *const *all)
{
  int status = choose (s, all);
  if (status != TOOL_OK)
    return status;
  if (s->timeout < 1 || s->jobs < 0 || s->seed < 0)
    return tool_usage ("--timeout wants seconds from 1, --jobs and --seed a number from 0");
  if (s->jobs == 0)
    s->jobs = (int)g_get_num_processors ();
  s->self = g_file_read_link ("/proc/self/exe", NULL);
  if (s->self == NULL)
    return tool_usage ("cannot tell which program this is: /proc is not there");
  if (s->keep != NULL && g_mkdir_with_parents (s->keep, 0777) != 0)
    return tool_usage ("--keep %s: %s", s->keep, g_strerror (errno));
  return run_all (s);
}

static int
list_checks (const char *const *all)
{
  for (guint i = 0; all[i] != NULL; i++)
    printf ("%-23s %s\n", all[i], lamina_conformance_allows (all[i], NULL));
  putchar ('\n');
  conformance_print_tolerances (all);
  return TOOL_OK;
}

static void
session_clear (Session *s)
{
  tool_options_clear (&s->common);
  g_strfreev (s->ops);
  g_free (s->dtype);
  g_free (s->keep);
  g_free (s->backend_options);
  g_free (s->self);
  g_free (s->checks);
  g_free (s->device);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Session, session_clear)

static const char description[] =
    "Each op runs in every dtype over shapes with 0, 1, a prime and many elements and over all "
    "its\n"
    "attributes; then chains of ops, donated memory and whole training steps. Exit status: 0 all\n"
    "passed, 1 some failed.\n\n"
    "Examples:\n"
    "  lamina conformance cpu\n"
    "  lamina conformance ./my-backend.so --op dot_general --dtype f16\n"
    "  lamina conformance ./my-backend.so --keep failures\n"
    "  lamina call failures/add-f32.lir --in failures/add-f32.npz --backend reference\n"
    "  lamina conformance --list   (checks, what they allow, and why)";

static int
run (int argc, char **argv)
{
  g_auto (Session) s = {.common = TOOL_OPTIONS_INIT, .seed = 1, .only = -1, .timeout = 120};
  int status;
  const GOptionEntry own[] = {
      {"op", 0, 0, G_OPTION_ARG_STRING_ARRAY, &s.ops, "Only this check (may be repeated)", "NAME"},
      {"dtype", 0, 0, G_OPTION_ARG_STRING, &s.dtype, "Only this element type", "DTYPE"},
      {"seed", 0, 0, G_OPTION_ARG_INT64, &s.seed, "Of the numbers that cases run on (1)", "N"},
      {"case", 0, 0, G_OPTION_ARG_INT64, &s.only, "Only the case of this number", "N"},
      {"keep", 0, 0, G_OPTION_ARG_FILENAME, &s.keep,
       "Write the first failing case of each dtype here, for lamina call", "DIR"},
      {"backend-options", 0, 0, G_OPTION_ARG_STRING, &s.backend_options,
       "Options of the backend, as lamina params shows them", "JSON"},
      {"timeout", 0, 0, G_OPTION_ARG_INT, &s.timeout, "Time limit of a check (120)", "SECONDS"},
      {"jobs", 'j', 0, G_OPTION_ARG_INT, &s.jobs, "Checks at the same time (one a processor)", "N"},
      {"list", 'l', 0, G_OPTION_ARG_NONE, &s.list, "List the checks and what they allow", NULL},
      {"in-process", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &s.in_process, "", NULL},
      {0}};
  const ToolParse parse = {.arguments = "BACKEND.so|NAME",
                           .summary = "Compares a backend with reference, op by op, each in a "
                                      "process of its own: a crash or a hang is a result.",
                           .description = description,
                           .own = own,
                           .options = &s.common,
                           .has = TOOL_HAS_PLUGINS | TOOL_HAS_JSON,
                           .max = 1};
  if (!tool_parse (&parse, &argc, &argv, &status))
    return status;
  g_autofree const char **all = lamina_conformance_checks ();
  if (s.list)
    return list_checks (all);
  if (argc != 2)
    return tool_usage ("wanted BACKEND.so or NAME; see lamina conformance --help");
  s.backend = argv[1];
  return s.in_process ? run_here (&s) : prepare (&s, all);
}

const LaminaVerb lamina_verb_conformance = {"conformance", "compare a backend with reference", run};
