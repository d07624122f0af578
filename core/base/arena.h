/* SPDX-License-Identifier: Apache-2.0 */
/* Bump allocator: many small pieces of one owner, freed together. Not thread-safe. */
#ifndef LM_BASE_ARENA_H
#define LM_BASE_ARENA_H

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

typedef struct LmArena LmArena;

LmArena *lm_arena_new (void);
void lm_arena_free (LmArena *arena); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LmArena, lm_arena_free)

/* Zeroed, 16-byte aligned memory (lm_arena_alloc_aligned: align a power of two, <= 4096), valid
 * until lm_arena_free. Never NULL: small metadata only, as g_malloc. */
void *lm_arena_alloc (LmArena *arena, size_t bytes);
void *lm_arena_alloc_aligned (LmArena *arena, size_t bytes, size_t align);

/* Copies; lm_arena_intern returns one pointer for equal strings. */
void *lm_arena_memdup (LmArena *arena, const void *data, size_t bytes, size_t align);
char *lm_arena_strdup (LmArena *arena, const char *text);
char *lm_arena_strndup (LmArena *arena, const char *text, size_t n);
const char *lm_arena_intern (LmArena *arena, const char *text);

/* Bytes handed out so far. */
size_t lm_arena_bytes (const LmArena *arena);

#define lm_arena_new0(arena, T, n) ((T *)lm_arena_alloc ((arena), sizeof (T) * (size_t)(n)))

#endif
