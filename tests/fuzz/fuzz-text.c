/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the text form: what parses must print, parse again and print the same; then every pass
 * must take it, and its result must print and parse too. */
#include "core/ir/text.h"
#include "core/transform/transform.h"

#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* f survives print, parse, print. */
static void
round_trip (const LmFunction *f)
{
  g_autofree char *text = lm_text_print (f);
  g_autoptr (GError) error = NULL;
  g_autoptr (LmFunction) again = lm_text_parse (text, strlen (text), "printed", &error);

  if (again == NULL)
    g_error ("%s\n%s", error->message, text);
  g_autofree char *text_again = lm_text_print (again);
  if (strcmp (text, text_again) != 0)
    g_error ("not the same twice:\n%s\n%s", text, text_again);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const LmClaims none = {0};
  g_autoptr (LmFunction) f = lm_text_parse ((const char *)data, size, "fuzz", NULL);

  if (f == NULL)
    return 0;
  round_trip (f);

  g_autoptr (LmFunction) final = lm_pipeline (f, &none, NULL, NULL, NULL);
  if (final != NULL)
    round_trip (final);

  g_autofree bool *wanted = g_new0 (bool, f->ir.n_params + 1);
  g_autofree bool *given = g_new0 (bool, f->ir.n_results + 1);
  for (uint32_t i = 0; i < f->ir.n_params; i++)
    wanted[i] = lam_dtype_is_float (lm_param_type (f, i)->dtype);
  for (uint32_t j = 0; j < f->ir.n_results; j++)
    given[j] = lam_dtype_is_float (lm_result_type (f, j)->dtype);
  g_autoptr (LmFunction) vjp = lm_vjp (f, wanted, given, NULL);
  if (vjp != NULL)
    round_trip (vjp);
  return 0;
}
