/* SPDX-License-Identifier: Apache-2.0 */
/* Bump allocator over a list of blocks; a large piece gets a block of its own. */
#include "core/base/arena.h"

#include <string.h>

#define BLOCK_BYTES 16384
#define MAX_ALIGN   4096

typedef struct Block {
  struct Block *next;
  size_t used, size; /* of the bytes that follow */
} Block;

struct LmArena {
  Block *blocks; /* the first one is filled, the others are full */
  GHashTable *interned;
  size_t bytes;
};

LmArena *
lm_arena_new (void)
{
  return g_new0 (LmArena, 1);
}

void
lm_arena_free (LmArena *arena)
{
  if (arena == NULL)
    return;
  for (Block *block = arena->blocks; block != NULL;) {
    Block *next = block->next;
    g_free (block);
    block = next;
  }
  g_clear_pointer (&arena->interned, g_hash_table_unref);
  g_free (arena);
}

/* The piece inside block, or NULL when it does not fit. */
static void *
take (Block *block, size_t bytes, size_t align)
{
  uintptr_t base = (uintptr_t)(block + 1);
  size_t start = (size_t)(((base + block->used + align - 1) & ~(uintptr_t)(align - 1)) - base);

  if (start > block->size || bytes > block->size - start)
    return NULL;
  block->used = start + bytes;
  return (char *)(block + 1) + start;
}

void *
lm_arena_alloc_aligned (LmArena *arena, size_t bytes, size_t align)
{
  Block *block = arena->blocks;
  void *piece;
  size_t size;

  g_return_val_if_fail (align > 0 && align <= MAX_ALIGN && (align & (align - 1)) == 0, NULL);
  bytes = MAX (bytes, 1); /* distinct pointers for empty pieces */
  arena->bytes += bytes;
  if (block != NULL && (piece = take (block, bytes, align)) != NULL)
    return piece;

  if (bytes > G_MAXSIZE - MAX_ALIGN - sizeof (Block))
    g_error ("lm_arena_alloc: %" G_GSIZE_FORMAT " bytes", bytes); /* as g_malloc does */
  size = MAX (bytes + align, BLOCK_BYTES);
  block = g_malloc0 (sizeof (Block) + size);
  block->size = size;
  piece = take (block, bytes, align);
  if (arena->blocks != NULL && size > BLOCK_BYTES) {
    /* A large piece goes behind the block in use, which may still have room. */
    block->next = arena->blocks->next;
    arena->blocks->next = block;
  } else {
    block->next = arena->blocks;
    arena->blocks = block;
  }
  return piece;
}

void *
lm_arena_alloc (LmArena *arena, size_t bytes)
{
  return lm_arena_alloc_aligned (arena, bytes, 16);
}

void *
lm_arena_memdup (LmArena *arena, const void *data, size_t bytes, size_t align)
{
  void *copy = lm_arena_alloc_aligned (arena, bytes, align);

  if (bytes > 0)
    memcpy (copy, data, bytes);
  return copy;
}

char *
lm_arena_strndup (LmArena *arena, const char *text, size_t n)
{
  char *copy;

  n = strnlen (text, n);
  copy = lm_arena_alloc_aligned (arena, n + 1, 1);
  memcpy (copy, text, n); /* the byte after is zero */
  return copy;
}

char *
lm_arena_strdup (LmArena *arena, const char *text)
{
  return lm_arena_strndup (arena, text, strlen (text));
}

const char *
lm_arena_intern (LmArena *arena, const char *text)
{
  char *known;

  if (arena->interned == NULL)
    arena->interned = g_hash_table_new (g_str_hash, g_str_equal);
  known = g_hash_table_lookup (arena->interned, text);
  if (known == NULL) {
    known = lm_arena_strdup (arena, text);
    g_hash_table_add (arena->interned, known);
  }
  return known;
}

size_t
lm_arena_bytes (const LmArena *arena)
{
  return arena->bytes;
}
