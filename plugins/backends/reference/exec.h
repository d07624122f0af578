/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled function of the reference backend, and its life. */
#ifndef REFERENCE_EXEC_H
#define REFERENCE_EXEC_H

#include "reference.h"

struct lam_exec {
  const lam_host *host;
  kit_plan plan;
  uint32_t n_steps, n_in, n_out;
  ref_step *steps;
  uint32_t *values; /* operands and results of all steps, in order */
  lam_type *types;
  void **at;
  void **in, **out; /* addresses of the bindings of a call */
  void *slab, *scratch;
  ref_run_state state;
};

/* `custom` may take an equation before the families do (LAM_E_UNSUPPORTED: not it); NULL: nobody. */
typedef lam_status (*ref_prepare) (ref_step *s, const lam_function *f, const lam_equation *e);

lam_status ref_compile (const lam_host *host, const lam_function *f,
                        const lam_compile_options *options, ref_prepare custom, lam_exec **out,
                        lam_error *error);
void ref_exec_free (lam_exec *exec);
uint64_t ref_exec_layout (const lam_exec *exec, bool output, uint32_t i);
uint64_t ref_exec_plan (const lam_exec *exec,
                        void (*each) (void *ctx, const lam_plan_buffer *buffer), void *ctx);
lam_status ref_execute (lam_exec *exec, const lam_exec_call *call, lam_error *error);

#endif
