/* SPDX-License-Identifier: Apache-2.0 */
/* lamina train: trains a model and writes it as an archive. */
#include "tools/common.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Set by the signal handler; a signal has no other way to speak. */
static volatile sig_atomic_t interrupted;

static void
interrupt (int signal)
{
  (void)signal;
  interrupted = 1;
}

/* The first Ctrl-C asks for an end, the second ends at once. A terminal that is closed asks for an end too,
 * and may say so more than once, unless nohup made it say nothing. */
static void
catch_signals (void)
{
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND | SA_RESTART},
                   old;
  sigemptyset (&action.sa_mask);
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
  action.sa_flags = SA_RESTART;
  if (sigaction (SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
    sigaction (SIGHUP, &action, NULL);
}

/* --- progress ------------------------------------------------------------------------------------- */

typedef struct Progress {
  gboolean json, quiet, terminal, silent; /* silent: another process prints */
  GString *line;
  guint64 first;   /* step that this run began with */
  gboolean warned; /* of a loss that is not finite */
  gboolean begun;
  double shown; /* seconds at the last line, or when the last lines were passed on */
  guint64 tenth;
} Progress;

static void
append_duration (GString *out, double seconds)
{
  guint64 s = (guint64)(seconds + 0.5);
  if (s >= 3600)
    g_string_append_printf (out, "%" G_GUINT64_FORMAT ":%02u:%02u", s / 3600,
                            (unsigned)(s / 60 % 60), (unsigned)(s % 60));
  else
    g_string_append_printf (out, "%u:%02u", (unsigned)(s / 60), (unsigned)(s % 60));
}

/* , "key": {"name": value ...} */
static void
append_json_map (GString *out, const char *key, guint n, const char *const *names,
                 const double *values)
{
  g_string_append_printf (out, ", \"%s\": {", key);
  for (guint i = 0; i < n; i++) {
    g_string_append (out, i > 0 ? ", " : "");
    tool_append_json_string (out, names[i]);
    g_string_append (out, ": ");
    tool_append_json_number (out, values[i]);
  }
  g_string_append_c (out, '}');
}

static void
print_json (Progress *p, const LaminaStepInfo *info)
{
  g_string_printf (p->line, "{\"step\": %" G_GUINT64_FORMAT ", \"loss\": ", info->step);
  tool_append_json_number (p->line, info->loss);
  append_json_map (p->line, "metrics", info->n_metrics, info->metric_names, info->metric_values);
  append_json_map (p->line, "weights", info->n_metrics, info->metric_names, info->metric_weights);
  append_json_map (p->line, "scalars", info->n_scalars, info->scalar_names, info->scalar_values);
  g_string_append (p->line, ", \"seconds\": ");
  tool_append_json_number (p->line, info->seconds);
  g_string_append (p->line, "}\n");
  fputs (p->line->str, stdout);
  if (info->seconds - p->shown >= 0.1) { /* who reads along sees them soon, at no cost a step */
    p->shown = info->seconds;
    fflush (stdout);
  }
}

static void
append_plain (GString *out, const char *name, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd (text, sizeof text, "%.4f", value);
  g_string_append_printf (out, "  %s %s", name, text);
}

static void
print_line (Progress *p, const LaminaStepInfo *info)
{
  guint64 done = info->step + 1 - p->first, left = info->total - info->step - 1;
  double rate = info->seconds > 0 ? (double)done / info->seconds : 0;
  g_string_printf (p->line, "step %" G_GUINT64_FORMAT "/%" G_GUINT64_FORMAT "  %3u %%",
                   info->step + 1, info->total, (unsigned)(100 * (info->step + 1) / info->total));
  append_plain (p->line, "loss", info->loss);
  for (guint i = 0; i < info->n_metrics; i++)
    append_plain (p->line, info->metric_names[i], info->metric_values[i]);
  g_string_append_printf (p->line, "  %.0f steps/s  ", rate);
  g_string_append (p->line, left > 0 ? "ETA " : "in ");
  append_duration (p->line, left > 0 && rate > 0 ? (double)left / rate : info->seconds);
  if (p->terminal)
    printf ("\r\033[K%s%s", p->line->str, left == 0 ? "\n" : "");
  else
    printf ("%s\n", p->line->str);
  fflush (stdout);
}

/* On a terminal ten lines a second over each other; in a file about ten in all. */
static gboolean
is_due (Progress *p, const LaminaStepInfo *info)
{
  guint64 tenth = 10 * (info->step + 1) / info->total;
  gboolean last = info->step + 1 == info->total;
  gboolean due = p->terminal ? info->seconds - p->shown >= 0.1 : tenth != p->tenth;
  if (due) {
    p->shown = info->seconds;
    p->tenth = tenth;
  }
  return due || last;
}

#define SHOWN_ELEMENTS 16

/* What layers print by lam_debug_print, on standard error: standard output is the program's own. */
static void
print_debug (Progress *p, const LaminaStepInfo *info)
{
  for (guint i = 0; i < info->n_prints; i++) {
    const LaminaTensor *x = info->print_values[i];
    g_autofree char *type = lamina_tensor_type (x);
    gint64 n = lamina_tensor_elements (x);
    g_string_printf (p->line, "step %" G_GUINT64_FORMAT "  ", info->step);
    tool_append_shown (p->line, info->print_names[i]);
    g_string_append_printf (p->line, " = %s {", type);
    for (gint64 k = 0; k < MIN (n, SHOWN_ELEMENTS); k++) {
      g_string_append (p->line, k > 0 ? ", " : "");
      tool_append_number (p->line, lamina_tensor_get (x, k));
    }
    fprintf (stderr, "%s%s}\n", p->line->str, n > SHOWN_ELEMENTS ? ", ..." : "");
  }
}

static gboolean
each_step (const LaminaStepInfo *info, gpointer user)
{
  Progress *p = user;
  if (!p->begun) {
    p->begun = TRUE;
    p->first = info->step;
    p->tenth = 10 * info->step / info->total;
  }
  if (p->silent)
    return interrupted == 0;
  if (!isfinite (info->loss) && !p->warned) {
    p->warned = TRUE;
    fprintf (stderr,
             "%s: warning: the loss of step %" G_GUINT64_FORMAT
             " is not finite; check the data and the learning rate\n",
             g_get_prgname (), info->step);
  }
  print_debug (p, info);
  if (p->json)
    print_json (p, info);
  else if (!p->quiet && is_due (p, info))
    print_line (p, info);
  return interrupted == 0;
}

/* --- running -------------------------------------------------------------------------------------- */

#define STEPS_OF_CONFIG G_MININT64

typedef struct Train {
  ToolOptions options;
  char *output, *init, *events;
  gint64 steps;
  gboolean force, quiet, check_numerics, check_asserts;
} Train;

/* Hours of training shall not end with a folder that was misspelt. */
static gboolean
check_folder (const char *output, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (output);
  if (access (folder, W_OK | X_OK) == 0)
    return TRUE;
  int code = errno;
  g_set_error (error, LAMINA_ERROR, code == ENOENT ? LAMINA_ERROR_NOT_FOUND : LAMINA_ERROR_IO,
               "cannot write %s: folder %s: %s; make it, or name another file with -o", output,
               folder, g_strerror (code));
  return FALSE;
}

/* FOLDER/trained.lam in a project; beside an unpacked archive, whose manifest lists all it holds; an
 * archive itself. */
static char *
default_output (const char *model)
{
  if (!g_file_test (model, G_FILE_TEST_IS_DIR))
    return g_strdup (model);
  g_autofree char *manifest = g_build_filename (model, "manifest.json", NULL);
  if (!g_file_test (manifest, G_FILE_TEST_EXISTS))
    return g_build_filename (model, "trained.lam", NULL);
  g_autofree char *full = g_canonicalize_filename (model, NULL);
  return g_strconcat (full, ".lam", NULL);
}

/* Where the trained model goes; an existing file is only replaced when it is the one that goes on. */
static char *
choose_output (const Train *t, const char *model, GError **error)
{
  char *output = t->output != NULL ? g_strdup (t->output) : default_output (model);
  g_autofree char *a = g_canonicalize_filename (output, NULL);
  g_autofree char *b = g_canonicalize_filename (model, NULL);
  if (!g_file_test (model, G_FILE_TEST_EXISTS))
    return output; /* opening it says so */
  if (t->force || strcmp (a, b) == 0 || !g_file_test (output, G_FILE_TEST_EXISTS)) {
    if (check_folder (output, error))
      return output;
    g_free (output);
    return NULL;
  }
  g_set_error (error, LAMINA_ERROR, LAMINA_ERROR_INVALID,
               "%s exists already; go on from it with: lamina train %s, name another file with -o, "
               "or overwrite it with --force",
               output, output);
  g_free (output);
  return NULL;
}

/* The numbers on the input "eval", after training. */
static int
print_eval (LaminaModel *model, const ToolOptions *options)
{
  GError *error = NULL;
  if (!lamina_model_has_input (model, "eval"))
    return TOOL_OK;
  g_autoptr (LaminaMetrics) metrics = lamina_model_evaluate (model, "eval", &error);
  if (metrics == NULL)
    return tool_fail (error);
  if (lamina_model_rank (model) > 0)
    return TOOL_OK;
  g_autoptr (GString) out = g_string_new (options->json ? "{\"eval\": {" : "eval  ");
  if (options->json)
    tool_append_json_metrics (out, metrics);
  else
    tool_append_metrics (out, metrics);
  printf ("%s%s\n", out->str, options->json ? "}}" : "");
  return TOOL_OK;
}

static void
print_saved (const LaminaTrainer *trainer, const char *output, const ToolOptions *options)
{
  guint64 step = lamina_trainer_step (trainer);
  g_autoptr (GString) out = g_string_new (NULL);
  if (options->json) {
    g_string_append (out, "{\"saved\": ");
    tool_append_json_string (out, output);
    g_string_append_printf (out, ", \"step\": %" G_GUINT64_FORMAT "}\n", step);
  } else {
    g_string_append_printf (out, "saved %s at step %" G_GUINT64_FORMAT "%s\n", output, step,
                            lamina_trainer_stopped (trainer) ? "; go on with lamina train" : "");
  }
  fputs (out->str, stdout);
}

static void
print_start (const Train *t, const LaminaModel *model, const LaminaTrainer *trainer, guint64 total)
{
  guint64 step = lamina_trainer_step (trainer);
  if (t->options.json || t->quiet || lamina_model_rank (model) > 0)
    return;
  guint n = lamina_model_replicas (model);
  g_autofree char *replicas =
      n > 0 ? g_strdup_printf (", %u replica%s", n, n == 1 ? "" : "s") : g_strdup ("");
  if (step < total)
    printf ("%s on %s (%s)%s, step %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT "\n",
            lamina_model_name (model), lamina_model_backend (model), lamina_model_device (model),
            replicas, step, total);
  else
    printf ("already at step %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
            ": nothing to train; --steps N trains up to step N\n",
            step, total);
}

/* The folder was there when training began. If it went meanwhile it is made again. */
static gboolean
save (LaminaTrainer *trainer, const char *output, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (output);
  g_mkdir_with_parents (folder, 0777);
  return lamina_trainer_save (trainer, output, error);
}

/* A full disk or an input that cannot be read shall not cost the steps that were made. */
static int
fail_training (const Train *t, LaminaTrainer *trainer, guint64 first, const char *output,
               GError *error)
{
  if (g_error_matches (error, LAMINA_ERROR, LAMINA_ERROR_IO)
      && lamina_trainer_step (trainer) > first && save (trainer, output, NULL))
    print_saved (trainer, output, &t->options);
  return tool_fail (error);
}

static int
train (const Train *t, LaminaModel *model, const char *output)
{
  GError *error = NULL;
  g_autoptr (GString) line = g_string_new (NULL);
  g_autoptr (LaminaTrainer) trainer = lamina_trainer_new (model, &error);
  if (trainer == NULL)
    return tool_fail (error);
  lamina_trainer_set_scalars (trainer, t->options.json);
  lamina_trainer_set_checks (trainer, t->check_numerics, t->check_asserts);
  if (!lamina_trainer_lock (trainer, output, &error))
    return tool_fail (error);
  if (t->events != NULL)
    lamina_trainer_set_events (trainer, t->events);
  Progress progress = {.json = t->options.json,
                       .quiet = t->quiet,
                       .silent = lamina_model_rank (model) > 0,
                       .terminal = isatty (STDOUT_FILENO) != 0,
                       .line = line};
  guint64 total = t->steps > 0 ? (guint64)t->steps : lamina_trainer_total (trainer);
  print_start (t, model, trainer, total);
  guint64 first = lamina_trainer_step (trainer);
  catch_signals ();
  if (!lamina_trainer_run (trainer, total, each_step, &progress, &error))
    return progress.silent ? tool_fail (error) : fail_training (t, trainer, first, output, error);
  gboolean stopped = lamina_trainer_stopped (trainer); /* all processes alike */
  if (!progress.silent)
    tool_explain (model, &t->options);
  if (progress.terminal && !progress.json && !progress.quiet && !progress.silent && stopped)
    putchar ('\n');
  if (!save (trainer, output, &error))
    return tool_fail (error);
  if (!progress.silent)
    print_saved (trainer, output, &t->options);
  if (stopped)
    return TOOL_INTERRUPTED;
  return print_eval (model, &t->options);
}

static int
open_and_train (const Train *t, const char *path)
{
  GError *error = NULL;
  g_autofree char *output = choose_output (t, path, &error);
  g_autoptr (LaminaContext) context = output != NULL ? tool_context (&t->options, &error) : NULL;
  g_autoptr (LaminaModel) model =
      context != NULL ? tool_open_model (context, path, &t->options, t->init, &error) : NULL;
  return model != NULL ? train (t, model, output) : tool_fail (error);
}

static const char description[] =
    "Examples:\n"
    "  lamina train my-model\n"
    "  lamina train my-model --seed 3 -o seed-3.lam\n"
    "  lamina train my-model/trained.lam --steps 2000   (goes on)\n"
    "  lamina train my-model --backend reference --dtype f64 --json > curve.jsonl\n"
    "  lamina train my-model --events runs/1 && tensorboard --logdir runs\n"
    "  lamina train my-model --check-numerics   (names the first NaN's layer)\n"
    "  lamina train my-model --replicas 2\n"
    "  mpirun -n 2 lamina train my-model   (a replica in each process)\n\n"
    "--json writes one line a step, {\"step\", \"loss\", \"metrics\", \"weights\", "
    "\"scalars\",\n"
    "\"seconds\"}, then \"saved\" and \"eval\". Numbers read back exactly; those that JSON "
    "lacks are\n"
    "the strings \"nan\", \"inf\", \"-inf\".\n"
    "Ctrl-C, SIGTERM and SIGHUP end after the running step, save, and exit with status\n"
    "130; the archive then goes on bit for bit.";

static int
run (int argc, char **argv)
{
  Train t = {.options = TOOL_OPTIONS_INIT, .steps = STEPS_OF_CONFIG};
  int status;
  const GOptionEntry own[] = {
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &t.output,
       "Where the trained model goes (default: FOLDER/trained.lam, or the archive itself)", "FILE"},
      {"steps", 'n', 0, G_OPTION_ARG_INT64, &t.steps, "Train up to step N (default: the config's)",
       "N"},
      {"init", 0, 0, G_OPTION_ARG_FILENAME, &t.init,
       "Start anew from these variables (.safetensors or .npz)", "FILE"},
      {"events", 'e', 0, G_OPTION_ARG_FILENAME, &t.events,
       "Write event files for TensorBoard into DIR, every train.summary_interval_steps", "DIR"},
      {"check-numerics", 0, 0, G_OPTION_ARG_NONE, &t.check_numerics,
       "Stop at the first NaN or infinity, and say where it is", NULL},
      {"check-asserts", 0, 0, G_OPTION_ARG_NONE, &t.check_asserts,
       "Stop at the first check of a layer that fails", NULL},
      {"force", 'f', 0, G_OPTION_ARG_NONE, &t.force, "Overwrite the output", NULL},
      {"quiet", 'q', 0, G_OPTION_ARG_NONE, &t.quiet, "No progress", NULL},
      {0}};
  const ToolParse parse = {
      .arguments = "MODEL",
      .summary = "Trains a model folder, or goes on with an archive where it stopped.",
      .description = description,
      .own = own,
      .options = &t.options,
      .has = TOOL_HAS_PLUGINS | TOOL_HAS_BACKEND | TOOL_HAS_MODEL | TOOL_HAS_JSON | TOOL_HAS_EXPLAIN
             | TOOL_HAS_REPLICAS,
      .min = 1,
      .max = 1};
  if (tool_parse (&parse, &argc, &argv, &status))
    status = t.steps < 1 && t.steps != STEPS_OF_CONFIG
                 ? tool_usage ("--steps %" G_GINT64_FORMAT ": wanted a number from 1", t.steps)
                 : open_and_train (&t, argv[1]);
  g_free (t.output);
  g_free (t.init);
  g_free (t.events);
  tool_options_clear (&t.options);
  return status;
}

const LaminaVerb lamina_verb_train = {"train", "train a model, or go on training it", run};
