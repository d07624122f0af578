/* SPDX-License-Identifier: Apache-2.0 */
/* Params: what a plugin's field table declares, a config that fills it, and the struct it lands in.
 * One table serves the parser, the printer, `lamina params`, docs and did-you-mean. */
#ifndef LM_BASE_PARAMS_H
#define LM_BASE_PARAMS_H

#include "core/base/json.h"
#include <lamina/fields.h>

/* One declared field. */
typedef struct LmField {
  char *name;
  char *doc;
  int32_t kind;    /* LAM_FIELD_* */
  uint64_t offset; /* into the instance */
  uint64_t size;   /* bytes the member has */
  bool required;
  bool has_min, has_max;
  double min, max;
  int64_t default_int;  /* INT, BOOL, DTYPE */
  double default_float; /* FLOAT */
  char *default_text;   /* STRING; JSON text for lists, INIT, CHILD, CHILDREN */
  char **choices;       /* STRING, STRINGS: allowed values, or NULL */
} LmField;

typedef struct LmFieldTable LmFieldTable;

/* Runs the plugin's declaring function and checks it: names unique and valid, offsets + sizes
 * inside instance_size, kinds known. Errors name the plugin type. */
LmFieldTable *lm_field_table_new (const char *type_id, lam_declare_fields_fn declare,
                                  uint64_t instance_size, GError **error);
void lm_field_table_free (LmFieldTable *table);
guint lm_field_table_size (const LmFieldTable *table);
const LmField *lm_field_table_get (const LmFieldTable *table, guint i);
const LmField *lm_field_table_find (const LmFieldTable *table, const char *name);
const char *lm_field_table_type_id (const LmFieldTable *table);

/* A config object checked against a table. Child configs stay JSON: who builds the tree reads them. */
typedef struct LmParams LmParams;

/* `config` is a JSON object; keys in `extra` (NULL-terminated: "type", "name" ...) are allowed
 * beside the table, which must outlive the params. A key whose value is null is not given; a field
 * whose default lies outside its own range is required. All problems (unknown key with did-you-mean,
 * wrong kind, out of range, missing required) come in ONE error, each line with its JSON path below
 * `where`. */
LmParams *lm_params_new (const LmFieldTable *table, JsonObject *config, const char *const *extra,
                         const char *where, GError **error);
void lm_params_free (LmParams *params);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmParams, lm_params_free)

/* Writes every field into the zeroed instance. Strings and lists point into params, which must
 * outlive the instance. CHILD and CHILDREN members get a lam_child_config whose id is 1 + field
 * index (0: absent), the host resolves it through lm_params_child(). */
void lm_params_fill (const LmParams *params, void *instance);

/* Config of a CHILD field (or element i of CHILDREN; -1 for CHILD); NULL if absent. */
JsonObject *lm_params_child (const LmParams *params, guint field, gint i);
guint lm_params_children (const LmParams *params, guint field); /* count of a CHILDREN field */

/* Effective values, defaults included, as JSON (sorted keys) / as "name : value" lines. */
JsonNode *lm_params_to_json (const LmParams *params);

/* The table as text for `lamina params TYPE`, and as JSON. */
char *lm_field_table_to_text (const LmFieldTable *table, const char *summary);
JsonNode *lm_field_table_to_json (const LmFieldTable *table);

#endif
