/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs share. */
#include "tools/common.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void
tool_options_clear (ToolOptions *options)
{
  g_free (options->backend);
  g_free (options->backend_options);
  g_free (options->dtype);
  g_free (options->collective);
  g_strfreev (options->plugins);
  g_strfreev (options->plugin_dirs);
}

/* --- options -------------------------------------------------------------------------------------- */

static void
add_common (GOptionContext *context, ToolOptions *o, unsigned has)
{
  const GOptionEntry plugins[] = {
      {"plugin", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->plugins, "Use this plugin file", "FILE"},
      {"plugin-dir", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->plugin_dirs,
       "Search this folder for plugins first", "DIR"},
      {0}};
  const GOptionEntry backend[] = {{"backend", 'b', 0, G_OPTION_ARG_STRING, &o->backend,
                                   "Backend to run on, such as cpu or reference", "ID"},
                                  {0}};
  const GOptionEntry model[] = {
      {"threads", 't', 0, G_OPTION_ARG_INT, &o->threads, "Threads of the backend", "N"},
      {"backend-options", 0, 0, G_OPTION_ARG_STRING, &o->backend_options,
       "All options of the backend, as lamina params shows them", "JSON"},
      {"dtype", 0, 0, G_OPTION_ARG_STRING, &o->dtype, "f32 or f64 instead of the config's",
       "DTYPE"},
      {"seed", 0, 0, G_OPTION_ARG_INT64, &o->seed, "Seed instead of the config's", "N"},
      {0}};
  const GOptionEntry json[] = {
      {"json", 0, 0, G_OPTION_ARG_NONE, &o->json, "Write JSON to standard output", NULL}, {0}};
  const GOptionEntry explain[] = {{"explain", 0, 0, G_OPTION_ARG_NONE, &o->explain,
                                   "Say what was decided when functions were fitted to the backend",
                                   NULL},
                                  {0}};
  const GOptionEntry replicas[] = {
      {"replicas", 'r', 0, G_OPTION_ARG_INT, &o->replicas,
       "Data-parallel replicas, which share each batch (default: the config's; 0: none)", "N"},
      {"collective", 0, 0, G_OPTION_ARG_STRING, &o->collective,
       "How replicas exchange tensors: local (threads of this process, the default), or mpi "
       "(processes; the default under mpirun)",
       "ID"},
      {0}};
  const GOptionEntry *const groups[] = {plugins, backend, model, json, explain, replicas};
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    if ((has & (1u << i)) != 0)
      g_option_context_add_main_entries (context, groups[i], NULL);
}

static int
check_count (const ToolParse *parse, int argc, char **argv)
{
  int n = argc - 1;
  if (n < parse->min)
    return tool_usage ("wanted %s; see %s --help", parse->arguments, g_get_prgname ());
  if (n > parse->max)
    return tool_usage ("did not expect \"%s\"; see %s --help", argv[parse->max + 1],
                       g_get_prgname ());
  return TOOL_OK;
}

static int
check_numbers (const ToolOptions *options)
{
  if (options->threads < 0)
    return tool_usage ("--threads %d: wanted a number from 1, or 0 for the backend's choice",
                       options->threads);
  if (options->replicas < -1)
    return tool_usage ("--replicas %d: wanted a number from 1, or 0 for none", options->replicas);
  if (options->seed < -1)
    return tool_usage ("--seed %" G_GINT64_FORMAT ": wanted a number from 0", options->seed);
  return TOOL_OK;
}

gboolean
tool_parse (const ToolParse *parse, int *argc, char ***argv, int *status)
{
  g_autoptr (GOptionContext) context = g_option_context_new (parse->arguments);
  g_autoptr (GError) error = NULL;
  g_option_context_set_summary (context, parse->summary);
  g_option_context_set_description (context, parse->description);
  if (parse->own != NULL)
    g_option_context_add_main_entries (context, parse->own, NULL);
  if (parse->options != NULL) {
    if ((parse->has & TOOL_HAS_REPLICAS) == 0)
      parse->options->replicas = 0;
    add_common (context, parse->options, parse->has);
  }
  *status = g_option_context_parse (context, argc, argv, &error)
                ? check_count (parse, *argc, *argv)
                : tool_usage ("%s; see %s --help", error->message, g_get_prgname ());
  if (*status == TOOL_OK && parse->options != NULL)
    *status = check_numbers (parse->options);
  return *status == TOOL_OK;
}

/* --- errors --------------------------------------------------------------------------------------- */

/* Messages quote files and plugins: control characters but the newline are shown, not obeyed. */
void
tool_append_shown (GString *out, const char *text)
{
  for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++)
    if ((*p < 0x20 && *p != '\n') || *p == 0x7f)
      g_string_append_printf (out, "\\x%02x", *p);
    else
      g_string_append_c (out, (char)*p);
}

static void
print_message (const char *message)
{
  g_autoptr (GString) out = g_string_new (NULL);
  tool_append_shown (out, message);
  fprintf (stderr, "%s: %s\n", g_get_prgname (), out->str);
}

int
tool_fail (GError *error)
{
  int status = TOOL_USAGE;
  if (g_error_matches (error, LAMINA_ERROR, LAMINA_ERROR_PEER)) { /* the other process tells */
    g_clear_error (&error);
    return LAMINA_ERROR_PEER + 1;
  }
  if (error != NULL && error->domain == LAMINA_ERROR)
    status = error->code + 1;
  print_message (error != NULL ? error->message : "failed");
  g_clear_error (&error);
  return status;
}

int
tool_usage (const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *message = g_strdup_vprintf (format, args);
  va_end (args);
  print_message (message);
  return TOOL_USAGE;
}

int
tool_print (char *text, GError *error)
{
  if (text == NULL)
    return tool_fail (error);
  fputs (text, stdout);
  g_free (text);
  return TOOL_OK;
}

/* --- objects -------------------------------------------------------------------------------------- */

/* Whoever set the path meant something by it. */
static void
warn_of_ignored_dirs (const LaminaContext *context)
{
  g_auto (GStrv) dirs = lamina_context_ignored_dirs (context);
  for (char **dir = dirs; *dir != NULL; dir++) {
    g_autofree char *message = g_strdup_printf (
        "warning: folder %s of $LAM_PLUGIN_PATH is not searched: it is relative; write it as %s/%s",
        *dir, "$PWD", *dir);
    print_message (message);
  }
}

LaminaContext *
tool_context (const ToolOptions *options, GError **error)
{
  g_autoptr (LaminaContext) context = lamina_context_new ();
  for (guint i = 0; options->plugins != NULL && options->plugins[i] != NULL; i++)
    if (!lamina_context_add_plugin (context, options->plugins[i], error))
      return NULL;
  for (guint i = 0; options->plugin_dirs != NULL && options->plugin_dirs[i] != NULL; i++)
    if (!lamina_context_add_plugin_dir (context, options->plugin_dirs[i], error))
      return NULL;
  warn_of_ignored_dirs (context);
  return g_steal_pointer (&context);
}

/* Open MPI's mpirun says how many processes it started. */
static gboolean
is_under_mpirun (void)
{
  const char *size = g_getenv ("OMPI_COMM_WORLD_SIZE");
  return size != NULL && g_ascii_strtoull (size, NULL, 10) > 1;
}

static void
set_replicas (LaminaModelOptions *out, const ToolOptions *options)
{
  out->replicas = options->replicas < 0 ? LAMINA_REPLICAS_CONFIG : (guint)options->replicas;
  out->collective = options->collective;
  if (options->collective == NULL && out->replicas != 0 && is_under_mpirun ())
    out->collective = "mpi";
}

/* --threads is short for the option of that name; given JSON says everything itself. */
LaminaModel *
tool_open_model (LaminaContext *context, const char *path, const ToolOptions *options,
                 const char *weights, GError **error)
{
  g_autofree char *threads =
      options->threads > 0 ? g_strdup_printf ("{\"threads\": %d}", options->threads) : NULL;
  LaminaModelOptions o = LAMINA_MODEL_OPTIONS_INIT;
  o.backend = options->backend;
  o.backend_options = options->backend_options != NULL ? options->backend_options : threads;
  o.dtype = options->dtype;
  o.seed = options->seed;
  o.weights = weights;
  set_replicas (&o, options);
  return lamina_model_open (context, path, &o, error);
}

void
tool_explain (const LaminaModel *model, const ToolOptions *options)
{
  if (!options->explain)
    return;
  g_autofree char *text = lamina_model_explain (model);
  fputs (*text != '\0' ? text : "the backend took every function as it was\n", stderr);
}

/* --- text ----------------------------------------------------------------------------------------- */

void
tool_append_number (GString *out, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (value == floor (value) && fabs (value) < 1e15) { /* 360, not 3.6e+02 */
    g_string_append (out, g_ascii_formatd (text, sizeof text, "%.0f", value));
    return;
  }
  for (int digits = 1; digits <= 17; digits++) {
    char format[8];
    g_snprintf (format, sizeof format, "%%.%dg", digits);
    g_ascii_formatd (text, sizeof text, format, value);
    if (isnan (value) || g_ascii_strtod (text, NULL) == value)
      break;
  }
  g_string_append (out, isnan (value) ? "nan" : text);
}

void
tool_append_json_number (GString *out, double value)
{
  if (isfinite (value))
    tool_append_number (out, value);
  else
    g_string_append (out, isnan (value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"");
}

void
tool_append_json_string (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (const char *p = text; *p != '\0'; p++)
    if (*p == '"' || *p == '\\')
      g_string_append_printf (out, "\\%c", *p);
    else if ((unsigned char)*p < 0x20)
      g_string_append_printf (out, "\\u%04x", (unsigned)*p);
    else
      g_string_append_c (out, *p);
  g_string_append_c (out, '"');
}

void
tool_append_metrics (GString *out, const LaminaMetrics *metrics)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  for (guint i = 1; i <= metrics->n; i++) {
    guint k = i % metrics->n; /* the loss comes last */
    g_ascii_formatd (text, sizeof text, "%.4f", metrics->values[k]);
    g_string_append_printf (out, "%s%s %s", i > 1 ? "  " : "", metrics->names[k], text);
  }
}

void
tool_append_json_metrics (GString *out, const LaminaMetrics *metrics)
{
  for (guint i = 0; i < metrics->n; i++) {
    g_string_append (out, i > 0 ? ", " : "");
    tool_append_json_string (out, metrics->names[i]);
    g_string_append (out, ": ");
    tool_append_json_number (out, metrics->values[i]);
  }
}
