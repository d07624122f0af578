/* SPDX-License-Identifier: Apache-2.0 */
/* The profile "lam/1": names, order and limits of members, shared by reader and writer; and what the
 * reader keeps of each member. */
#ifndef LM_ARCHIVE_PROFILE_H
#define LM_ARCHIVE_PROFILE_H

#include "core/archive/archive.h"

#define LM_FORMAT         "lam/1"
#define LM_READER_MAJOR   1u
#define LM_READER_MINOR   0u
#define LM_MANIFEST       "manifest.json"
#define LM_SIGNATURE      "manifest.json.minisig"
#define LM_CONFIG         "config/model.json"
#define LM_BARE_CONFIG    "model.json" /* of a hand-made project */
#define LM_MAX_MEMBERS    100000u
#define LM_MAX_MANIFEST   (4u << 20)
#define LM_MAX_JSON       (16u << 20)
#define LM_MAX_CODE       (256u << 20)
#define LM_MAX_CODE_FILES 64u

typedef struct LmMember {
  char *name;
  uint64_t offset, size; /* in the map of a tar; offset 0 in a directory */
  char *sha256;          /* from the manifest, or NULL */
  bool verified;
} LmMember;

void lm_member_free (gpointer member);
LmMember *lm_member_new (const char *name, uint64_t offset, uint64_t size);

/* NULL when the name follows the profile, else what is wrong with it. */
const char *lm_profile_name_fault (const char *name);

/* Order of members: manifest, signature, config/, weights/, state/, plugins/, compiled/, others;
 * bytewise within each. */
int lm_profile_order (const char *a, const char *b);

/* No two names equal without regard to case, and no name that is also a folder of another; one error
 * otherwise. names: of LmMember*. */
bool lm_profile_check_names (const GPtrArray *members, const char *where, GError **error);

bool lm_profile_sha256_ok (const char *text);

/* Members of a tar (whole file in map), in order, checked against the profile. */
GPtrArray *lm_tar_members (GBytes *map, const char *where, GError **error);

/* Members of a directory, in profile order. strict: any link, special file or odd name is an error,
 * else such files are left out. Names that begin with a dot are always left out. */
GPtrArray *lm_tree_members (const char *path, bool strict, GError **error);

/* Maps a member of a directory without following any link below path. */
GBytes *lm_tree_read (const char *path, const char *name, GError **error);

/* Checks a manifest against the members, notes their digests, and returns the plugins it describes
 * (of LmArchivePlugin*). */
GPtrArray *lm_manifest_check (JsonObject *manifest, const GPtrArray *members, const char *where,
                              GError **error);

#endif
