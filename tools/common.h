/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs share: options, errors, numbers as text. */
#ifndef LAMINA_TOOLS_COMMON_H
#define LAMINA_TOOLS_COMMON_H

#include "lamina.h"
#include "tools/verb.h"

/* Exit statuses; an error of the library is its LaminaError + 1 (2 ... 12). */
#define TOOL_OK          0
#define TOOL_USAGE       1
#define TOOL_INTERRUPTED 130

/* Options that several verbs have. */
typedef struct ToolOptions {
  char *backend, *backend_options, *dtype;
  int threads;  /* 0: the backend's choice */
  gint64 seed;  /* -1: the config's */
  int replicas; /* -1: the config's, or as many as mpirun started; 0: none */
  char *collective;
  char **plugins, **plugin_dirs;
  gboolean json, explain;
} ToolOptions;

#define TOOL_HAS_PLUGINS  (1u << 0)
#define TOOL_HAS_BACKEND  (1u << 1)
#define TOOL_HAS_MODEL    (1u << 2) /* seed, dtype, threads */
#define TOOL_HAS_JSON     (1u << 3)
#define TOOL_HAS_EXPLAIN  (1u << 4)
#define TOOL_HAS_REPLICAS (1u << 5)

void tool_options_clear (ToolOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ToolOptions, tool_options_clear)
#define TOOL_OPTIONS_INIT                                                                          \
  {                                                                                                \
    .seed = -1, .replicas = -1                                                                     \
  }

typedef struct ToolParse {
  const char *arguments; /* "MODEL [OPTION...]" behind the verb's name */
  const char *summary;
  const char *description; /* below the options: examples */
  const GOptionEntry *own; /* NULL-terminated, may be NULL */
  ToolOptions *options;
  unsigned has; /* TOOL_HAS_* */
  int min, max; /* how many arguments beside options */
} ToolParse;

/* Takes the options out of argv; argv[1] ... are the arguments. False: *status says how to end. */
gboolean tool_parse (const ToolParse *parse, int *argc, char ***argv, int *status);

/* Prints "lamina VERB: message" to standard error and returns the exit status; frees the error. */
int tool_fail (GError *error);
int tool_usage (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* A context with the plugins of the options; NULL and an error when one is refused. */
LaminaContext *tool_context (const ToolOptions *options, GError **error);

/* Opens a model by the options; weights may be NULL. */
LaminaModel *tool_open_model (LaminaContext *context, const char *path, const ToolOptions *options,
                              const char *weights, GError **error);

/* Shortest text that reads back to the same double, without the locale; in JSON, numbers that it does
 * not have are the strings "nan", "inf", "-inf". */
void tool_append_number (GString *out, double value);
void tool_append_json_number (GString *out, double value);
void tool_append_json_string (GString *out, const char *text);
/* Text of a plugin or a file: control characters but the newline are shown, not obeyed. */
void tool_append_shown (GString *out, const char *text);

/* Prints text (taken) to standard output and returns TOOL_OK, or reports the error when it is NULL. */
int tool_print (char *text, GError *error);

/* Prints the decisions of legalisation to standard error when asked for. */
void tool_explain (const LaminaModel *model, const ToolOptions *options);

/* "accuracy 0.9917  error 0.0083  loss 0.0312" and the same as members of a JSON object. */
void tool_append_metrics (GString *out, const LaminaMetrics *metrics);
void tool_append_json_metrics (GString *out, const LaminaMetrics *metrics);

#endif
