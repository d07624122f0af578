/* SPDX-License-Identifier: Apache-2.0 */
/* Names and order of members in the profile "lam/1". */
#include "core/archive/profile.h"

#include <string.h>

#define MAX_NAME  200
#define MAX_DEPTH 8

LmMember *
lm_member_new (const char *name, uint64_t offset, uint64_t size)
{
  LmMember *member = g_new0 (LmMember, 1);

  member->name = g_strdup (name);
  member->offset = offset;
  member->size = size;
  return member;
}

void
lm_member_free (gpointer data)
{
  LmMember *member = data;

  g_free (member->name);
  g_free (member->sha256);
  g_free (member);
}

const char *
lm_profile_name_fault (const char *name)
{
  int depth = 1;
  bool at_start = true;

  if (*name == '\0')
    return "it is empty";
  if (*name == '/')
    return "it is absolute";
  if (strlen (name) > MAX_NAME)
    return "it is longer than 200 bytes";
  for (const char *p = name; *p != '\0'; p++) {
    if (at_start && *p == '.')
      return "a part of it begins with a dot";
    if (*p == '/') {
      if (at_start || p[1] == '\0')
        return "a part of it is empty";
      depth++;
    } else if (!g_ascii_isalnum (*p) && strchr ("._-", *p) == NULL) {
      return "only letters, digits, and . _ - / may stand in it";
    }
    at_start = *p == '/';
  }
  return depth > MAX_DEPTH ? "it is more than 8 folders deep" : NULL;
}

static int
rank (const char *name)
{
  static const char *const folders[] = {"config/", "weights/", "state/", "plugins/", "compiled/"};

  if (strcmp (name, LM_MANIFEST) == 0)
    return 0;
  if (strcmp (name, LM_SIGNATURE) == 0)
    return 1;
  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    if (g_str_has_prefix (name, folders[i]))
      return 2 + (int)i;
  return 2 + (int)G_N_ELEMENTS (folders);
}

int
lm_profile_order (const char *a, const char *b)
{
  int x = rank (a), y = rank (b);

  return x != y ? x - y : strcmp (a, b);
}

static bool
check_folders (GHashTable *seen, const char *folded, const char *name, const char *where,
               GError **error)
{
  for (const char *slash = strchr (folded, '/'); slash != NULL; slash = strchr (slash + 1, '/')) {
    g_autofree char *folder = g_strndup (folded, (gsize)(slash - folded));
    if (g_hash_table_contains (seen, folder)) {
      g_set_error (error, LM_ERROR, LM_ERROR_CORRUPT,
                   "%s: \"%s\" lies in a folder that is also the name of a member", where, name);
      return false;
    }
  }
  return true;
}

bool
lm_profile_check_names (const GPtrArray *members, const char *where, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < members->len; i++) {
    const LmMember *member = members->pdata[i];
    if (!g_hash_table_add (seen, g_ascii_strdown (member->name, -1))) {
      g_set_error (error, LM_ERROR, LM_ERROR_CORRUPT,
                   "%s: \"%s\" is there twice, or another name differs from it only in case", where,
                   member->name);
      return false;
    }
  }
  for (guint i = 0; i < members->len; i++) {
    const LmMember *member = members->pdata[i];
    g_autofree char *folded = g_ascii_strdown (member->name, -1);
    if (!check_folders (seen, folded, member->name, where, error))
      return false;
  }
  return true;
}

bool
lm_profile_sha256_ok (const char *text)
{
  size_t n = 0;

  while (g_ascii_isdigit (text[n]) || (text[n] >= 'a' && text[n] <= 'f'))
    n++;
  return n == 64 && text[n] == '\0';
}

const char *
lm_platform (void)
{
#if defined __x86_64__
  return "x86_64-linux-gnu";
#elif defined __aarch64__
  return "aarch64-linux-gnu";
#else
#error "core/archive/profile.c: name this machine's platform here"
#endif
}
