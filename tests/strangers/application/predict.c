/* SPDX-License-Identifier: Apache-2.0 */
/* A whole application: opens a model archive and names the class of each image in a file.
 *
 *   cc predict.c $(pkg-config --cflags --libs lamina) -o predict
 *   ./predict trained.lam images.npz        images.npz: "inputs", (N, 8, 8, 1), 0 ... 1
 */
#include <lamina.h>
#include <stdio.h>

/* Prints one line an image: the class, and how sure the model is. */
static gboolean
print_classes (GHashTable *outputs)
{
  const LaminaTensor *classes = g_hash_table_lookup (outputs, "predictions");         /* (N) */
  const LaminaTensor *probabilities = g_hash_table_lookup (outputs, "probabilities"); /* (N, V) */
  if (classes == NULL || probabilities == NULL || lamina_tensor_rank (probabilities) != 2)
    return FALSE;
  gint64 n = lamina_tensor_elements (classes), v = lamina_tensor_dim (probabilities, 1);
  for (gint64 i = 0; i < n; i++) {
    gint64 class = (gint64)lamina_tensor_get (classes, i);
    double p = lamina_tensor_get (probabilities, i * v + class);
    printf ("image %d: %d (%.1f %%)\n", (int)i, (int)class, 100 * p);
  }
  return TRUE;
}

static gboolean
predict (const char *archive, const char *images, GError **error)
{
  g_autoptr (LaminaContext) context = lamina_context_new ();
  g_autoptr (LaminaModel) model = lamina_model_open (context, archive, NULL, error);
  if (model == NULL)
    return FALSE;
  g_autoptr (GHashTable) batch = lamina_tensors_load (images, error);
  if (batch == NULL)
    return FALSE;
  g_autoptr (GHashTable) outputs = lamina_model_predict (model, batch, error);
  if (outputs == NULL)
    return FALSE;
  if (print_classes (outputs))
    return TRUE;
  g_set_error (error, LAMINA_ERROR, LAMINA_ERROR_UNSUPPORTED,
               "%s: the model gives no predictions with probabilities", archive);
  return FALSE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  if (argc != 3) {
    fprintf (stderr, "usage: predict ARCHIVE IMAGES.npz\n");
    return 1;
  }
  if (predict (argv[1], argv[2], &error))
    return 0;
  fprintf (stderr, "predict: %s\n", error->message);
  return error->code + 1;
}
