/* SPDX-License-Identifier: Apache-2.0 */
/* The free ranges of a slab, as a treap. */
#include "holes.h"

static void
update (kit_holes *h, uint32_t i)
{
  kit_hole *n = &h->nodes[i];
  uint64_t largest = n->bytes;

  if (h->nodes[n->left].largest > largest)
    largest = h->nodes[n->left].largest;
  if (h->nodes[n->right].largest > largest)
    largest = h->nodes[n->right].largest;
  n->largest = largest;
}

/* Splits tree i into offsets below `at` and the others. */
static void
split (kit_holes *h, uint32_t i, uint64_t at, uint32_t *out_low, uint32_t *out_high)
{
  if (i == 0) {
    *out_low = *out_high = 0;
    return;
  }
  if (h->nodes[i].offset < at) {
    split (h, h->nodes[i].right, at, &h->nodes[i].right, out_high);
    *out_low = i;
  } else {
    split (h, h->nodes[i].left, at, out_low, &h->nodes[i].left);
    *out_high = i;
  }
  update (h, i);
}

static uint32_t
join (kit_holes *h, uint32_t low, uint32_t high)
{
  if (low == 0 || high == 0)
    return low != 0 ? low : high;
  if (h->nodes[low].priority > h->nodes[high].priority) {
    h->nodes[low].right = join (h, h->nodes[low].right, high);
    update (h, low);
    return low;
  }
  h->nodes[high].left = join (h, low, h->nodes[high].left);
  update (h, high);
  return high;
}

static uint32_t
new_node (kit_holes *h, uint64_t offset, uint64_t bytes)
{
  uint32_t i = h->free_list;

  if (i != 0)
    h->free_list = h->nodes[i].left;
  else
    i = h->n_nodes++;
  h->seed = h->seed * 1664525u + 1013904223u; /* any sequence will do; a fixed one repeats plans */
  h->nodes[i] = (kit_hole) {offset, bytes, bytes, 0, 0, h->seed ^ h->seed >> 16};
  return i;
}

static void
drop_node (kit_holes *h, uint32_t i)
{
  h->nodes[i].left = h->free_list;
  h->free_list = i;
}

void
kit_holes_init (kit_holes *h, kit_hole *nodes)
{
  *h = (kit_holes) {nodes, 1, 0, 0, 1};
  nodes[0] = (kit_hole) {0, 0, 0, 0, 0, 0};
}

void
kit_holes_give (kit_holes *h, uint64_t offset, uint64_t bytes)
{
  uint32_t low, high, last, first;

  split (h, h->root, offset, &low, &high);
  for (last = low; last != 0 && h->nodes[last].right != 0;)
    last = h->nodes[last].right;
  for (first = high; first != 0 && h->nodes[first].left != 0;)
    first = h->nodes[first].left;
  if (last != 0 && h->nodes[last].offset + h->nodes[last].bytes == offset) {
    uint32_t cut;
    offset = h->nodes[last].offset;
    bytes += h->nodes[last].bytes;
    split (h, low, offset, &low, &cut);
    drop_node (h, cut);
  }
  if (first != 0 && offset + bytes == h->nodes[first].offset) {
    uint32_t cut;
    bytes += h->nodes[first].bytes;
    split (h, high, h->nodes[first].offset + 1, &cut, &high);
    drop_node (h, cut);
  }
  h->root = join (h, join (h, low, new_node (h, offset, bytes)), high);
}

bool
kit_holes_take (kit_holes *h, uint64_t bytes, uint64_t *out_offset)
{
  uint32_t i = h->root, low, mid, high;
  uint64_t offset, size;

  if (h->nodes[i].largest < bytes || i == 0)
    return false;
  for (;;) {
    if (h->nodes[h->nodes[i].left].largest >= bytes)
      i = h->nodes[i].left;
    else if (h->nodes[i].bytes >= bytes)
      break;
    else
      i = h->nodes[i].right;
  }
  offset = h->nodes[i].offset;
  size = h->nodes[i].bytes;
  split (h, h->root, offset, &low, &high);
  split (h, high, offset + 1, &mid, &high);
  drop_node (h, mid);
  if (size > bytes)
    high = join (h, new_node (h, offset + bytes, size - bytes), high);
  h->root = join (h, low, high);
  *out_offset = offset;
  return true;
}

uint64_t
kit_holes_take_end (kit_holes *h, uint64_t end)
{
  uint32_t i = h->root, low, cut;
  uint64_t offset;

  while (i != 0 && h->nodes[i].right != 0)
    i = h->nodes[i].right;
  if (i == 0 || h->nodes[i].offset + h->nodes[i].bytes != end)
    return end;
  offset = h->nodes[i].offset;
  split (h, h->root, offset, &low, &cut);
  drop_node (h, cut);
  h->root = low;
  return offset;
}
