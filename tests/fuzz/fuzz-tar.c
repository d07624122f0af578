/* SPDX-License-Identifier: Apache-2.0 */
/* The tar profile with its manifest: members lie inside the file, and never overlap. */
#include "core/archive/profile.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) map = g_bytes_new (data, size);
  g_autoptr (GPtrArray) members = lm_tar_members (map, "fuzz", NULL), plugins = NULL;
  g_autoptr (JsonNode) manifest = NULL;
  const LmMember *first;
  uint64_t end = 0;

  if (members == NULL)
    return 0;
  for (guint i = 0; i < members->len; i++) {
    const LmMember *member = members->pdata[i];
    g_assert_cmpuint (member->offset, >=, end + 512);
    g_assert_null (lm_profile_name_fault (member->name));
    end = member->offset + member->size;
    g_assert_cmpuint (end, <=, size);
  }
  first = members->pdata[0];
  manifest =
      lm_json_parse ((const char *)data + first->offset, first->size, LM_JSON_STRICT, "fuzz", NULL);
  if (manifest != NULL && JSON_NODE_HOLDS_OBJECT (manifest))
    plugins = lm_manifest_check (json_node_get_object (manifest), members, "fuzz", NULL);
  return 0;
}
