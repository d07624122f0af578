/* SPDX-License-Identifier: Apache-2.0 */
/* Functions in text form and of models: running them, and showing them at each stage. */
#include "core/api/private.h"

#include "core/archive/file.h"
#include "core/ir/text.h"
#include <string.h>

/* --- stages --------------------------------------------------------------------------------------- */

static const char *const stages[] = {"trace",    "simplify", "cse",  "dce",
                                     "legalize", "final",    "plan", NULL};

static bool
check_name (const char *what, const char *name, const char *const *known, GError **error)
{
  if (name != NULL && g_strv_contains (known, name))
    return true;
  g_autoptr (GString) message = g_string_new (NULL);
  g_autofree char *list = g_strjoinv (", ", (char **)(uintptr_t)known);
  g_string_printf (message, "unknown %s \"%s\"; wanted one of %s", what, name ? name : "", list);
  if (name != NULL)
    lm_append_did_you_mean (message, name, known);
  g_set_error_literal (error, LM_ERROR, LM_ERROR_INVALID, message->str);
  return false;
}

/* The wanted stage's text; passes run twice, and the first time is kept. */
typedef struct Dump {
  const char *stage;
  char *text;
} Dump;

static void
dump_stage (const char *stage, const LmFunction *f, gpointer user)
{
  Dump *dump = user;
  if (dump->text == NULL && strcmp (stage, dump->stage) == 0)
    dump->text = lm_text_print (f);
}

static char *
show (LmBackend *backend, const LmFunction *f, const LmCompileArgs *base, const char *stage,
      GError **error)
{
  LmCompileArgs args = *base;
  Dump dump = {stage, NULL};
  if (strcmp (stage, "trace") == 0)
    return lm_text_print (f);
  args.dump = dump_stage;
  args.dump_user = &dump;
  g_autoptr (LmExecutable) exe = lm_compile (backend, f, &args, error);
  if (exe == NULL) {
    g_free (dump.text);
    return NULL;
  }
  if (strcmp (stage, "plan") == 0)
    return lm_executable_plan_text (exe);
  return dump.text != NULL ? dump.text : lm_text_print (lm_executable_function (exe));
}

/* --- of a model ----------------------------------------------------------------------------------- */

LmStep *
lm_model_new_step (LaminaModel *m, const char *which, GError **error)
{
  bool train = strcmp (which, "train") == 0;
  const char *name = train || lm_model_input_config (m->model, "eval") == NULL ? "train" : "eval";
  g_autoptr (LmInput) input = lm_input_open (m->model, name, m->files, error);
  if (input == NULL)
    return NULL;
  const LmBatchSpec *spec = lm_input_spec (input);
  const LmStepOptions options = {.with_summaries = true};
  return train                         ? lm_step_new_train (m->model, spec, &options, error)
         : strcmp (which, "eval") == 0 ? lm_step_new_eval (m->model, spec, &options, error)
                                       : lm_step_new_predict (m->model, spec, error);
}

char *
lamina_model_ir (LaminaModel *m, const char *which, const char *stage, GError **error)
{
  static const char *const functions[] = {"init", "train", "eval", "predict", NULL};
  if (!check_name ("function", which, functions, error)
      || !check_name ("stage", stage, stages, error))
    return NULL;
  if (strcmp (which, "init") == 0) {
    g_autoptr (LmFunction) f = lm_model_init_function (m->model, error);
    LmCompileArgs args = {.explain = m->explain};
    return f != NULL ? show (m->backend, f, &args, stage, error) : NULL;
  }
  g_autoptr (LmStep) step = lm_model_new_step (m, which, error);
  if (step == NULL)
    return NULL;
  guint n = step->kind == LM_STEP_TRAIN ? step->n_vars + step->n_states + 1 : 0;
  g_autofree lam_alias *aliases = g_new0 (lam_alias, n + 1);
  for (guint i = 0; i < n; i++)
    aliases[i] = (lam_alias) {i, i};
  LmCompileArgs args = {.aliases = aliases, .n_aliases = n, .explain = m->explain};
  return show (m->backend, step->function, &args, stage, error);
}

/* --- of a file ------------------------------------------------------------------------------------ */

static LmFunction *
read_function (const char *path, GError **error)
{
  gsize n;
  g_autoptr (GBytes) bytes = lm_map_file (path, true, error);
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &n) : NULL;
  if (bytes == NULL)
    return NULL;
  return lm_text_parse (text != NULL ? text : "", text != NULL ? n : 0, path, error);
}

char *
lamina_ir_file (LaminaContext *context, const char *path, const char *backend, const char *stage,
                GError **error)
{
  LmCompileArgs args = {0};
  if (!check_name ("stage", stage, stages, error))
    return NULL;
  g_autoptr (LmFunction) f = read_function (path, error);
  if (f == NULL)
    return NULL;
  if (strcmp (stage, "trace") == 0)
    return lm_text_print (f);
  g_autoptr (LmBackend) b = lm_backend_open (lm_context_registry (context), backend, NULL, error);
  return b != NULL ? show (b, f, &args, stage, error) : NULL;
}

static gint
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (a, b);
}

static bool
is_number (const char *name)
{
  return *name != '\0' && strspn (name, "0123456789") == strlen (name);
}

/* Numbers by value, else by text: "10" after "9". */
static gint
by_position (gconstpointer a, gconstpointer b)
{
  guint64 x = g_ascii_strtoull (a, NULL, 10), y = g_ascii_strtoull (b, NULL, 10);
  return x != y ? (x > y) - (x < y) : by_text (a, b);
}

/* The parameters' arrays, borrowed; the whole misfit in one error. */
static LmArray **
match_inputs (const LmFunction *f, GHashTable *arrays, GError **error)
{
  g_autoptr (GList) names = g_hash_table_get_keys (arrays);
  bool numbers = true;
  for (GList *l = names; l != NULL; l = l->next)
    numbers = numbers && is_number (l->data);
  names = g_list_sort (names, numbers ? by_position : by_text);
  guint n = f->ir.n_params, got = g_hash_table_size (arrays), i = 0;
  g_autoptr (GString) report = g_string_new (NULL);
  g_autofree LmArray **in = g_new0 (LmArray *, n + 1);
  for (GList *l = names; l != NULL && i < n; l = l->next, i++) {
    in[i] = g_hash_table_lookup (arrays, l->data);
    g_autofree char *wanted = lm_type_to_string (lm_param_type (f, i));
    g_autofree char *has = lm_type_to_string (&in[i]->type);
    if (strcmp (wanted, has) != 0)
      g_string_append_printf (report, "\n  parameter %u: wanted %s, got %s (%s)", i, wanted, has,
                              (const char *)l->data);
  }
  if (got != n || report->len > 0) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "the inputs do not fit @%s: it has %u parameters, %u tensors were given%s",
                 f->ir.name, n, got, report->str);
    return NULL;
  }
  return g_steal_pointer (&in);
}

static GHashTable *
run_function (LmBackend *backend, const LmFunction *f, LmArray *const *in, GString *explain,
              GError **error)
{
  LmCompileArgs args = {.explain = explain};
  guint n = f->ir.n_results;
  g_autofree LmArray **out = g_new0 (LmArray *, n + 1);
  g_autoptr (LmExecutable) exe = lm_compile (backend, f, &args, error);
  if (exe == NULL || !lm_execute_arrays (exe, in, out, error))
    return NULL;
  GHashTable *results = lamina_tensors_new ();
  for (guint i = 0; i < n; i++)
    g_hash_table_insert (results, g_strdup_printf ("%u", i), lm_tensor_wrap (out[i]));
  return results;
}

GHashTable *
lamina_call_file (LaminaContext *context, const char *path, const char *backend, GHashTable *inputs,
                  char **explain, GError **error)
{
  g_autoptr (LmFunction) f = read_function (path, error);
  g_autoptr (GHashTable) arrays = f != NULL ? lm_arrays_from_tensors (inputs) : NULL;
  g_autofree LmArray **in = f != NULL ? match_inputs (f, arrays, error) : NULL;
  if (in == NULL)
    return NULL;
  g_autoptr (LmBackend) b = lm_backend_open (lm_context_registry (context), backend, NULL, error);
  g_autoptr (GString) decisions = g_string_new (NULL);
  GHashTable *results = b != NULL ? run_function (b, f, in, decisions, error) : NULL;
  if (explain != NULL)
    *explain = results != NULL ? g_strdup (decisions->str) : NULL;
  return results;
}
