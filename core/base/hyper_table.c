/* SPDX-License-Identifier: Apache-2.0 */
/* Params at run time from field tables. */
#include "core/base/hyper_table.h"

#include "core/base/field.h"
#include "core/base/hyper_text.h"

static LmHyperValue *
default_value (const LmField *field, GError **error)
{
  LmValue value = {0};
  LmHyperValue *out = NULL;

  if (!field->required && lm_value_default (&value, field)) {
    g_autoptr (JsonNode) node = lm_value_to_json (&value, field);
    out = lm_hyper_value_from_json (node, error);
  } else {
    out = lm_hyper_none ();
  }
  lm_value_clear (&value);
  return out;
}

bool
lm_hyper_define_table (LmHyper *params, const LmFieldTable *table, GError **error)
{
  for (guint i = 0; i < lm_field_table_size (table); i++) {
    const LmField *field = lm_field_table_get (table, i);
    if (lm_hyper_has (params, field->name))
      continue;
    LmHyperValue *value = default_value (field, error);
    if (value == NULL || !lm_hyper_define (params, field->name, value, field->doc, error))
      return false;
  }
  return true;
}
