/* SPDX-License-Identifier: Apache-2.0 */
/* Models of the layer of tests/strangers/life.c, from configs with single quotes. */
#ifndef LM_TEST_MODEL_LIFE_H
#define LM_TEST_MODEL_LIFE_H

#include "tests/lib/layer_fn.h"

/* Everything that a test with such models holds. */
typedef struct Life {
  LmRegistry *registry;
  LmBackend *backend;
} Life;

static inline void
life_set_up (Life *f, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (g_getenv ("LAMINA_STRANGER_DIR"), "life.so", NULL);
  f->registry = lm_test_registry ();
  f->backend = lm_test_backend (f->registry, "reference");
  lm_registry_add_file (f->registry, path, NULL, &error);
  g_assert_no_error (error);
}

static inline void
life_tear_down (Life *f, gconstpointer unused)
{
  lm_backend_unref (f->backend);
  lm_registry_free (f->registry);
}

static inline JsonObject *
life_json (const char *text)
{
  g_autofree char *quoted = g_strdelimit (g_strdup (text), "'", '"');
  return lm_test_json (quoted);
}

/* config: the whole, or only the model's object when it starts with {'type'. */
static inline LmModel *
life_try (Life *f, const char *text, GError **error)
{
  bool whole = !g_str_has_prefix (text, "{'type'");
  g_autofree char *all = whole ? g_strdup (text) : g_strdup_printf ("{'model': %s}", text);
  g_autoptr (JsonObject) config = life_json (all);
  return lm_model_new (f->registry, lm_host_tables (), config, error);
}

static inline LmModel *
life_new (Life *f, const char *text)
{
  g_autoptr (GError) error = NULL;
  LmModel *model = life_try (f, text, &error);
  g_assert_no_error (error);
  return model;
}

/* Place of a variable in the order of creation. */
static inline guint
life_var (const LmModel *model, const char *path)
{
  for (guint i = 0; i < lm_model_n_vars (model); i++)
    if (g_str_equal (lm_model_var (model, i)->path, path))
      return i;
  g_error ("no variable %s", path);
}

/* fprop of x = 0 with every variable at the given constant or its start value. */
static inline LmLayerFn *
life_fn (Life *f, const char *text, GError **error)
{
  LmLayerFn *fn = lm_layer_fn_new (f->registry, life_json (text), "f64", NULL);
  lam_type scalar = lm_scalar_type (LAM_F64);
  lm_layer_fn_init (fn, f->backend);
  lm_layer_fn_add (fn, "in:x", lm_test_array (&scalar, (double[]) {0}));
  if (lm_layer_fn_trace (fn, false, error))
    return fn;
  lm_layer_fn_free (fn);
  return NULL;
}

#define LIFE_CASE(name, fn) g_test_add (name, Life, NULL, life_set_up, fn, life_tear_down)

#endif
