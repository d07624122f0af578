/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers, SC 2011). */
#include "reference.h"

static uint32_t
rotate (uint32_t x, int by)
{
  return x << by | x >> (32 - by);
}

static void
threefry (const uint32_t key[2], uint32_t x[2])
{
  static const int rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t ks[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1bd11bdau};

  x[0] += ks[0];
  x[1] += ks[1];
  for (uint32_t group = 0; group < 5; group++) {
    for (int r = 0; r < 4; r++) {
      x[0] += x[1];
      x[1] = rotate (x[1], rotations[group % 2][r]) ^ x[0];
    }
    x[0] += ks[(group + 1) % 3];
    x[1] += ks[(group + 2) % 3] + group + 1;
  }
}

static void
run_threefry (const ref_step *s)
{
  const uint32_t *k0 = ref_in (s, 0), *k1 = ref_in (s, 1);
  const uint32_t *x0 = ref_in (s, 2), *x1 = ref_in (s, 3);
  uint32_t *y0 = ref_out (s, 0), *y1 = ref_out (s, 1);
  int64_t n = lam_type_elements (ref_out_type (s));

  for (int64_t i = 0; i < n; i++) {
    const uint32_t key[2] = {k0[i], k1[i]};
    uint32_t x[2] = {x0[i], x1[i]};
    threefry (key, x);
    y0[i] = x[0];
    y1[i] = x[1];
  }
}

lam_status
ref_prepare_random (ref_step *s, const lam_function *f, const lam_equation *e)
{
  (void)f;
  if (e->op != LAM_OP_threefry2x32)
    return LAM_E_UNSUPPORTED;
  s->run = run_threefry;
  return LAM_OK;
}
