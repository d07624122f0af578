/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the text of hyper-parameters: a literal that is read must come out and in again the same, and
 * lines into params must leave what goes out and in again. */
#include "core/base/hyper_text.h"

#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
literal (const char *text)
{
  g_autoptr (LmHyperValue) value = lm_hyper_parse (text, "fuzz", NULL), again = NULL;
  if (value == NULL)
    return;
  g_autofree char *out = lm_hyper_repr (value);
  again = lm_hyper_parse (out, "printed", NULL);
  g_autofree char *twice = again != NULL ? lm_hyper_repr (again) : NULL;
  if (g_strcmp0 (out, twice) != 0)
    g_error ("not the same twice:\n%s\n%s", out, twice != NULL ? twice : "(refused)");
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *text = g_strndup ((const char *)data, size);
  g_autoptr (LmHyper) params = lm_hyper_new ("t"), back = NULL;
  lm_hyper_define (params, "n", lm_hyper_int (1), "", NULL);
  lm_hyper_define (params, "x", lm_hyper_float (1), "", NULL);
  lm_hyper_define (params, "list", lm_hyper_sequence (LM_HYPER_LIST), "", NULL);
  lm_hyper_define (params, "table", lm_hyper_dict (), "", NULL);
  lm_hyper_define (params, "none", lm_hyper_none (), "", NULL);
  literal (text);
  lm_hyper_from_text (params, text, true, NULL);
  if (!lm_hyper_from_text (params, text, false, NULL))
    return 0;
  g_autofree char *out = lm_hyper_to_text (params, true);
  back = lm_hyper_copy (params);
  g_autoptr (GError) error = NULL;
  if (!lm_hyper_from_text (back, out, true, &error))
    g_error ("%s\n%s", error->message, out);
  g_autofree char *twice = lm_hyper_to_text (back, true);
  if (strcmp (out, twice) != 0)
    g_error ("not the same twice:\n%s\n%s", out, twice);
  return 0;
}
