/* SPDX-License-Identifier: Apache-2.0 */
/* Trains the project of peer_project.py on demand, so that a driver can time it in turn with other frameworks
 * on the same work:
 *
 *   bench-peer FOLDER [--workload NAME] [--threads N]
 *
 * FOLDER/NAME, or FOLDER alone, is the project. Prints one line of JSON {"name", "first_step_s", "losses": of
 * the first 20 steps, "rss_mb"}; then for each line "run N" of standard input trains N steps and
 * prints the seconds they took. End of input or "quit" ends it. Plugins come from where lamina finds them. */
#include "core/api/lamina.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static void G_GNUC_NORETURN
fail (const GError *error)
{
  fprintf (stderr, "bench-peer: %s\n", error->message);
  exit (1);
}

static gboolean
keep_loss (const LaminaStepInfo *info, gpointer user)
{
  *(double *)user = info->loss;
  return TRUE;
}

static double
train (LaminaTrainer *trainer, guint64 steps)
{
  g_autoptr (GError) error = NULL;
  double loss = 0;
  if (!lamina_trainer_run (trainer, lamina_trainer_step (trainer) + steps, keep_loss, &loss,
                           &error))
    fail (error);
  return loss;
}

static LaminaModel *
open_model (LaminaContext *context, const char *folder, const char *workload, int threads)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (folder, workload, NULL);
  g_autofree char *start = g_build_filename (path, "start.safetensors", NULL);
  g_autofree char *backend_options = g_strdup_printf ("{\"threads\": %d}", threads);
  LaminaModelOptions options = LAMINA_MODEL_OPTIONS_INIT;
  options.weights = start;
  options.backend_options = backend_options;
  LaminaModel *model = lamina_model_open (context, path, &options, &error);
  if (model == NULL)
    fail (error);
  return model;
}

/* The first 20 steps, which show that all peers do the same work. */
static void
greet (LaminaTrainer *trainer, gint64 began)
{
  GString *losses = g_string_new (NULL);
  double first = 0;
  for (int i = 0; i < 20; i++) {
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    double loss = train (trainer, 1);
    if (i == 0)
      first = (double)(g_get_monotonic_time () - began) / 1e6;
    g_string_append_printf (losses, "%s%s", i > 0 ? ", " : "",
                            g_ascii_dtostr (number, sizeof number, loss));
  }
  struct rusage usage;
  getrusage (RUSAGE_SELF, &usage);
  printf ("{\"name\": \"lamina\", \"first_step_s\": %.3f, \"losses\": [%s], \"rss_mb\": %ld}\n",
          first, losses->str, usage.ru_maxrss / 1024);
  fflush (stdout);
  g_string_free (losses, TRUE);
}

static void
serve (LaminaTrainer *trainer)
{
  char line[64];
  unsigned steps;
  while (fgets (line, sizeof line, stdin) != NULL && sscanf (line, "run %u", &steps) == 1) {
    gint64 began = g_get_monotonic_time ();
    train (trainer, steps);
    printf ("%.6f\n", (double)(g_get_monotonic_time () - began) / 1e6);
    fflush (stdout);
  }
}

int
main (int argc, char **argv)
{
  gint64 began = g_get_monotonic_time ();
  g_autofree char *workload = NULL;
  int threads = 1;
  const GOptionEntry entries[] = {
      {"workload", 0, 0, G_OPTION_ARG_STRING, &workload, "Folder below FOLDER", "NAME"},
      {"threads", 0, 0, G_OPTION_ARG_INT, &threads, "Threads of the backend", "N"},
      G_OPTION_ENTRY_NULL};
  g_autoptr (GOptionContext) options = g_option_context_new ("FOLDER");
  g_autoptr (GError) error = NULL;
  g_option_context_add_main_entries (options, entries, NULL);
  if (!g_option_context_parse (options, &argc, &argv, &error))
    fail (error);
  if (argc != 2) {
    fprintf (stderr, "bench-peer: wanted one FOLDER\n");
    return 1;
  }
  g_autoptr (LaminaContext) context = lamina_context_new ();
  g_autoptr (LaminaModel) model =
      open_model (context, argv[1], workload != NULL ? workload : "", threads);
  g_autoptr (LaminaTrainer) trainer = lamina_trainer_new (model, &error);
  if (trainer == NULL)
    fail (error);
  greet (trainer, began);
  serve (trainer);
  return 0;
}
