/* SPDX-License-Identifier: Apache-2.0 */
/* Picks the build of the loops for this processor and finds a loop in the tables. */
#include "kernels.h"

#include <stddef.h>
#include <string.h>

const cpu_isa *
cpu_isa_pick (const char *name)
{
  bool any = strcmp (name, "auto") == 0;
#if defined(__x86_64__)
  __builtin_cpu_init ();
  if ((any || strcmp (name, "avx512") == 0) && __builtin_cpu_supports ("avx512f")
      && __builtin_cpu_supports ("avx512bw") && __builtin_cpu_supports ("avx512dq")
      && __builtin_cpu_supports ("avx512vl"))
    return &cpu_isa_avx512;
  if ((any || strcmp (name, "avx2") == 0) && __builtin_cpu_supports ("avx2")
      && __builtin_cpu_supports ("fma"))
    return &cpu_isa_avx2;
#endif
  return any || strcmp (name, "baseline") == 0 ? &cpu_isa_base : NULL;
}

static cpu_loop
find (const cpu_loop_entry *rows, uint32_t n, int32_t op, lam_dtype dtype, int32_t variant)
{
  for (uint32_t i = 0; i < n; i++)
    if (rows[i].op == op && rows[i].dtype == dtype && rows[i].variant == variant)
      return rows[i].loop;
  return NULL;
}

cpu_loop
cpu_find_loop (const cpu_isa *isa, int32_t op, lam_dtype dtype, int32_t variant)
{
  cpu_loop loop = find (isa->loops, isa->n_loops, op, dtype, variant);
  if (loop == NULL)
    loop = find (cpu_loops_f64, cpu_n_loops_f64, op, dtype, variant);
  if (loop == NULL)
    loop = find (cpu_loops_int, cpu_n_loops_int, op, dtype, variant);
  if (loop == NULL && op == LAM_OP_convert)
    loop = find (cpu_loops_convert, cpu_n_loops_convert, op, dtype, variant);
  return loop;
}

const cpu_reducer *
cpu_find_reducer (const cpu_isa *isa, int32_t combine, lam_dtype dtype)
{
  for (uint32_t i = 0; i < isa->n_reducers; i++)
    if (isa->reducers[i].combine == combine && isa->reducers[i].dtype == dtype)
      return &isa->reducers[i];
  for (uint32_t i = 0; i < cpu_n_reducers_int; i++)
    if (cpu_reducers_int[i].combine == combine && cpu_reducers_int[i].dtype == dtype)
      return &cpu_reducers_int[i];
  return NULL;
}
