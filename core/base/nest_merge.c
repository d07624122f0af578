/* SPDX-License-Identifier: Apache-2.0 */
/* NestedMaps together: compatible, update, union, slice (lingvo's methods of these names). */
#include "core/base/nest.h"

#include <string.h>

bool
lm_nest_is_compatible (const LmNest *a, const LmNest *b)
{
  g_auto (GStrv) x = lm_nest_paths (a), y = lm_nest_paths (b);

  return g_strv_equal ((const char *const *)x, (const char *const *)y);
}

/* Sets every leaf of other, one by one, in flatten order. */
static bool
set_leaves (LmNest *nest, const LmNest *other, GError **error)
{
  g_autoptr (GArray) leaves = lm_nest_flatten (other);
  g_auto (GStrv) paths = lm_nest_paths (other);

  for (guint i = 0; i < leaves->len; i++)
    if (!lm_nest_set (nest, paths[i], lm_nest_new_leaf (g_array_index (leaves, uint64_t, i)),
                      error))
      return false;
  return true;
}

bool
lm_nest_update (LmNest *nest, const LmNest *other, GError **error)
{
  g_autoptr (LmNest) work = lm_nest_copy (nest);

  if (!set_leaves (work, other, error))
    return false;
  lm_nest_become (nest, g_steal_pointer (&work));
  return true;
}

LmNest *
lm_nest_union (const LmNest *a, const LmNest *b, GError **error)
{
  g_autoptr (LmNest) result = lm_nest_new_map ();

  if (!set_leaves (result, a, error) || !set_leaves (result, b, error))
    return NULL;
  return g_steal_pointer (&result);
}

LmNest *
lm_nest_slice (const LmNest *nest, const char *const *paths, GError **error)
{
  g_autoptr (LmNest) result = lm_nest_new_map ();

  for (; *paths != NULL; paths++) {
    const LmNest *item = lm_nest_get_item (nest, *paths, error);
    if (item == NULL || !lm_nest_set (result, *paths, lm_nest_copy (item), error))
      return NULL;
  }
  return g_steal_pointer (&result);
}
