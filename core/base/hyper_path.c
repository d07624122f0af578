/* SPDX-License-Identifier: Apache-2.0 */
/* Params at run time by path: "network.layers[1].dim", "table['key']". */
#include "core/base/hyper_private.h"

#include <string.h>

/* Where a path led. */
typedef struct Place {
  LmHyper *owner;           /* the object that has the parameter */
  Param *param;             /* of owner */
  LmHyperValue **slot;      /* the value: param's or a part of it */
  const LmHyperValue *part; /* what slot is an element of; NULL: the path ends with a name */
} Place;

static void
refuse_name (const LmHyper *params, const char *name, const char *path, gsize before,
             GError **error)
{
  g_autofree const char **names = lm_hyper_sorted_names (params);
  g_autofree char *list = g_strjoinv (", ", (char **)names);
  g_autoptr (GString) message = g_string_new (NULL);

  g_string_printf (message, "no parameter \"%s\"; ", path);
  if (before > 0)
    g_string_append_printf (message, "\"%.*s\" has: ", (int)before, path);
  else
    g_string_append (message, "there is: ");
  g_string_append (message, *names != NULL ? list : "nothing");
  lm_append_did_you_mean (message, name, names);
  g_set_error_literal (error, LM_ERROR, LM_ERROR_NOT_FOUND, message->str);
}

static bool
refuse_path (const char *path, const char *why, LmErrorCode code, GError **error)
{
  g_set_error (error, LM_ERROR, (int)code, "no parameter \"%s\": %s", path, why);
  return false;
}

/* A number below the length of a sequence; -1 if it is no such. */
static gint
sequence_index (const LmHyperValue *value, const char *text)
{
  bool digits = *text != '\0' && strlen (text) < 10 && strspn (text, "0123456789") == strlen (text);
  guint64 i = digits ? g_ascii_strtoull (text, NULL, 10) : G_MAXUINT64;

  return i < value->items->len ? (gint)i : -1;
}

/* Steps into "[...]" at *at, which goes behind it. */
static bool
step_index (Place *place, const char *path, const char **at, GError **error)
{
  LmHyperValue *value = *place->slot;
  const char *from = *at + 1, *end;
  bool quoted = *from == '\'' || *from == '"';
  gint i;

  if (quoted) {
    const char *close = strchr (from + 1, *from);
    end = close != NULL && close[1] == ']' ? close + 1 : NULL;
  } else {
    end = strchr (from, ']');
  }
  if (end == NULL)
    return refuse_path (path, "an index reads [3] or ['key']", LM_ERROR_INVALID, error);
  if (quoted ? value->kind != LM_HYPER_DICT : !lm_hyper_is_sequence (value)) {
    g_autofree char *why =
        g_strdup_printf ("%.*s is a %s, which has no such index", (int)(*at - path), path,
                         lm_hyper_type_name (value->kind));
    return refuse_path (path, why, LM_ERROR_INVALID, error);
  }
  g_autofree char *text = quoted ? g_strndup (from + 1, (gsize)(end - from - 2))
                                 : g_strndup (from, (gsize)(end - from));
  i = quoted ? lm_hyper_dict_find (value, text) : sequence_index (value, text);
  if (i < 0) {
    g_autofree char *why = g_strdup_printf ("%.*s has %u elements and no [%s]", (int)(*at - path),
                                            path, value->items->len, text);
    return refuse_path (path, why, LM_ERROR_NOT_FOUND, error);
  }
  place->part = value;
  place->slot = (LmHyperValue **)&value->items->pdata[i];
  *at = end + 1;
  return true;
}

static bool
find_place (const LmHyper *params, const char *path, Place *place, GError **error)
{
  const char *at = path;

  place->owner = (LmHyper *)(uintptr_t)params;
  for (;;) {
    gsize n = strcspn (at, ".[");
    g_autofree char *name = g_strndup (at, n);
    place->param = lm_hyper_find (place->owner, name);
    if (place->param == NULL) {
      refuse_name (place->owner, name, path, at > path ? (gsize)(at - path - 1) : 0, error);
      return false;
    }
    place->slot = &place->param->value;
    place->part = NULL;
    at += n;
    while (*at == '[')
      if (!step_index (place, path, &at, error))
        return false;
    if (*at == '\0')
      return true;
    if (*at != '.' || (*place->slot)->kind != LM_HYPER_PARAMS) {
      g_autofree char *why =
          g_strdup_printf ("%.*s is a %s, which has no parameters", (int)(at - path), path,
                           lm_hyper_type_name ((*place->slot)->kind));
      return refuse_path (path, why, LM_ERROR_INVALID, error);
    }
    place->owner = (*place->slot)->params;
    at++;
  }
}

const LmHyperValue *
lm_hyper_get (const LmHyper *params, const char *path, GError **error)
{
  Place place;

  return find_place (params, path, &place, error) ? *place.slot : NULL;
}

LmHyper *
lm_hyper_get_params (const LmHyper *params, const char *path, GError **error)
{
  const LmHyperValue *value = lm_hyper_get (params, path, error);

  if (value != NULL && value->kind != LM_HYPER_PARAMS)
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID, "%s: wanted nested parameters, got a %s", path,
                 lm_hyper_type_name (value->kind));
  return value != NULL ? value->params : NULL;
}

bool
lm_hyper_set (LmHyper *params, const char *path, LmHyperValue *value, GError **error)
{
  g_autoptr (LmHyperValue) taken = value;
  Place place;

  g_return_val_if_fail (value != NULL, false);
  if (lm_hyper_refuse_frozen (params, path, error) || !find_place (params, path, &place, error)
      || lm_hyper_refuse_frozen (place.owner, path, error))
    return false;
  if (place.part != NULL && place.part->kind == LM_HYPER_TUPLE) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "%s: a tuple is not changed in place; set it as a whole", path);
    return false;
  }
  lm_hyper_value_free (*place.slot);
  *place.slot = g_steal_pointer (&taken);
  return true;
}

bool
lm_hyper_delete (LmHyper *params, const char *path, GError **error)
{
  Place place;

  if (lm_hyper_refuse_frozen (params, path, error) || !find_place (params, path, &place, error)
      || lm_hyper_refuse_frozen (place.owner, path, error))
    return false;
  if (place.part != NULL) {
    g_set_error (error, LM_ERROR, LM_ERROR_INVALID,
                 "%s: an element cannot be deleted, only a parameter", path);
    return false;
  }
  g_ptr_array_remove (place.owner->all, place.param);
  return true;
}

bool
lm_hyper_is_set (const LmHyper *params, const char *path, GError **error)
{
  const LmHyperValue *value = lm_hyper_get (params, path, error);

  return value != NULL && value->kind != LM_HYPER_NONE;
}
