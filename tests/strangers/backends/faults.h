/* SPDX-License-Identifier: Apache-2.0 */
/* Faults for the backend stranger.faults: each prepares one kind of equation wrongly. */
#ifndef STRANGER_FAULTS_H
#define STRANGER_FAULTS_H

#include "plugins/backends/reference/exec.h"

/* Like the families of the reference backend: LAM_E_UNSUPPORTED leaves the equation to them. */
lam_status fault_tie (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status fault_dot_axes (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status fault_nan (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status fault_padding (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status fault_scatter (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status fault_sort (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status fault_convert (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status fault_shift (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status fault_clamp (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status fault_f16 (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status fault_empty (ref_step *s, const lam_function *f, const lam_equation *e);

/* Ends the process or never returns, in cbrt. */
lam_status fault_crash (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status fault_hang (ref_step *s, const lam_function *f, const lam_equation *e);
lam_status fault_exit (ref_step *s, const lam_function *f, const lam_equation *e);

#endif
