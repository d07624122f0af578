/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the kit: the free ranges of a slab, ordered by offset, each subtree knowing its largest
 * hole (a treap). Every operation is O(log n). */
#ifndef KIT_HOLES_H
#define KIT_HOLES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct kit_hole {
  uint64_t offset, bytes, largest;
  uint32_t left, right, priority; /* node numbers, 0: none */
} kit_hole;

typedef struct kit_holes {
  kit_hole *nodes; /* [0] is "none"; capacity 1 + the most holes there can be */
  uint32_t n_nodes, root, free_list, seed;
} kit_holes;

/* nodes: room for 1 + capacity. */
void kit_holes_init (kit_holes *h, kit_hole *nodes);

/* Adds a range, joined with the holes it touches. */
void kit_holes_give (kit_holes *h, uint64_t offset, uint64_t bytes);

/* Takes `bytes` from the lowest hole that has them; false if none has. */
bool kit_holes_take (kit_holes *h, uint64_t bytes, uint64_t *out_offset);

/* Removes the hole that ends at `end`, if there is one, and tells where it begins; else `end`. */
uint64_t kit_holes_take_end (kit_holes *h, uint64_t end);

#endif
