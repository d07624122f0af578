/* SPDX-License-Identifier: Apache-2.0 */
/* What the schedules share: checks of their configs, and the few curves that most are made of. Counts
 * are compared as integers, so that no boundary moves where a count is too large for its float. */
#ifndef LAMINA_SCHEDULES_H
#define LAMINA_SCHEDULES_H

#include <lamina/schedule.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#define SCHEDULE_PI  3.14159265358979323846
#define SCHEDULE_MAX 64 /* parts of a composite */

/* From (x0, y0) to (x1, y1). */
typedef struct {
  double x0, y0, x1, y1;
} schedule_span;

/* --- checks ----------------------------------------------------------------------------------------- */

#if defined(__GNUC__)
__attribute__ ((format (printf, 2, 3)))
#endif
static inline void
schedule_fail (lam_setup *s, const char *format, ...)
{
  char text[256];
  va_list args;
  va_start (args, format);
  vsnprintf (text, sizeof text, format, args);
  va_end (args);
  lam_setup_fail (s, text);
}

/* start = [x0, y0], limit = [x1, y1], x0 < x1. */
static inline schedule_span
schedule_read_span (lam_setup *s, lam_floats start, lam_floats limit)
{
  schedule_span none = {0, 0, 1, 0}, span;
  if (start.n != 2 || limit.n != 2) {
    schedule_fail (s,
                   "start and limit want two numbers, [step, value], got %" PRIu64 " and %" PRIu64,
                   start.n, limit.n);
    return none;
  }
  span.x0 = start.p[0];
  span.y0 = start.p[1];
  span.x1 = limit.p[0];
  span.y1 = limit.p[1];
  if (!(fabs (span.x0) < 0x1p53 && fabs (span.x1) < 0x1p53) || !isfinite (span.y0)
      || !isfinite (span.y1)) {
    schedule_fail (s, "start and limit want finite numbers, steps below 2^53");
    return none;
  }
  if (span.x0 >= span.x1)
    schedule_fail (s, "wanted start[0] < limit[0], got steps %s%" PRId64 " and %s%" PRId64,
                   span.x0 == floor (span.x0) ? "" : "over ", (int64_t)floor (span.x0),
                   span.x1 == floor (span.x1) ? "" : "over ", (int64_t)floor (span.x1));
  return span.x0 < span.x1 ? span : none;
}

/* Boundaries must not fall; the numbers of both lists fit each other. */
static inline bool
schedule_check_boundaries (lam_setup *s, lam_ints boundaries, const char *what, uint64_t got,
                           uint64_t wanted)
{
  if (got != wanted) {
    schedule_fail (s, "%" PRIu64 " boundaries want %" PRIu64 " %s, got %" PRIu64, boundaries.n,
                   wanted, what, got);
    return false;
  }
  for (uint64_t i = 1; i < boundaries.n; i++)
    if (boundaries.p[i] < boundaries.p[i - 1]) {
      schedule_fail (s,
                     "boundaries want increasing steps, got %" PRId64 " after %" PRId64
                     " (boundaries[%" PRIu64 "])",
                     boundaries.p[i], boundaries.p[i - 1], i);
      return false;
    }
  return true;
}

/* Of the three that rise, stay and fall. */
static inline void
schedule_check_rampup (lam_setup *s, int64_t warmup_steps, int64_t decay_start, int64_t decay_end)
{
  if (decay_start < warmup_steps || decay_end <= decay_start)
    schedule_fail (
        s, "wanted warmup_steps <= decay_start < decay_end, got %" PRId64 ", %" PRId64 ", %" PRId64,
        warmup_steps, decay_start, decay_end);
}

/* Children schedules_0, schedules_1 ... of a composite. */
static inline void
schedule_create_parts (lam_setup *s, lam_child_config schedules, lam_child *out)
{
  char name[40];
  if (schedules.count > SCHEDULE_MAX) {
    schedule_fail (s, "wanted at most %d schedules, got %" PRIu32 ": nest them", SCHEDULE_MAX,
                   schedules.count);
    return;
  }
  for (uint32_t i = 0; i < schedules.count; i++) {
    snprintf (name, sizeof name, "schedules_%" PRIu32, i);
    out[i] = lam_create_schedule_at (s, name, schedules, i);
  }
}

static inline void
schedule_check_positive (lam_setup *s, const char *name, double value)
{
  if (!(value > 0) || !isfinite (value))
    schedule_fail (s, "%s wants to be a finite number above 0", name);
}

/* --- curves ------------------------------------------------------------------------------------------- */

/* The count as a real number. */
static inline lam_tensor
schedule_step (lam_trace *t, lam_tensor count)
{
  return lam_cast (t, count, lam_real_dtype (t));
}

static inline lam_tensor
schedule_count (lam_trace *t, int64_t v)
{
  return lam_full_bits (t, LAM_U32, LAM_SCALAR, (uint64_t)v);
}

/* count < boundary */
static inline lam_tensor
schedule_before (lam_trace *t, lam_tensor count, int64_t boundary)
{
  return lam_lt (t, count, schedule_count (t, boundary));
}

/* Steps since `start`; 0 before it. */
static inline lam_tensor
schedule_since (lam_trace *t, lam_tensor count, int64_t start)
{
  lam_tensor from = schedule_count (t, start);
  return start == 0 ? count : lam_sub (t, lam_max (t, count, from), from);
}

/* How much of the span has passed at x: 0 to 1. */
static inline lam_tensor
schedule_part (lam_trace *t, lam_tensor x, double x0, double x1)
{
  return lam_clip (t, lam_div_scalar (t, lam_sub_scalar (t, x, x0), x1 - x0), 0, 1);
}

/* y0 + f * (y1 - y0) inside the span, f of 0 to 1; exactly y0 before it, y1 from its end on. */
static inline lam_tensor
schedule_between (lam_trace *t, lam_tensor x, const schedule_span *span, lam_tensor f)
{
  lam_tensor y0 = lam_real (t, span->y0), y1 = lam_real (t, span->y1);
  lam_tensor y = lam_add (t, y0, lam_mul_scalar (t, f, span->y1 - span->y0));
  y = lam_where (t, lam_ge (t, x, lam_real (t, span->x1)), y1, y);
  return lam_where (t, lam_lt (t, x, lam_real (t, span->x0)), y0, y);
}

static inline lam_tensor
schedule_line (lam_trace *t, lam_tensor x, const schedule_span *span)
{
  return schedule_between (t, x, span, schedule_part (t, x, span->x0, span->x1));
}

/* A line in log space; y0 and y1 above 0. */
static inline lam_tensor
schedule_exponential (lam_trace *t, lam_tensor x, const schedule_span *span)
{
  schedule_span logs = {span->x0, log (span->y0), span->x1, log (span->y1)};
  return lam_exp (t, schedule_line (t, x, &logs));
}

/* low + (high - low) / 2 * (1 + cos (angle)) */
static inline lam_tensor
schedule_cosine (lam_trace *t, lam_tensor angle, double high, double low)
{
  lam_tensor y = lam_add_scalar (t, lam_cos (t, angle), 1);
  return lam_add_scalar (t, lam_mul_scalar (t, y, 0.5 * (high - low)), low);
}

/* Half a cosine from (x0, y0) to (x1, y1). */
static inline lam_tensor
schedule_delayed_cosine (lam_trace *t, lam_tensor x, const schedule_span *span)
{
  schedule_span angle = {span->x0, 0, span->x1, SCHEDULE_PI};
  return schedule_cosine (t, schedule_line (t, x, &angle), span->y0, span->y1);
}

/* y, but before warmup_steps the line from 0 to max. */
static inline lam_tensor
schedule_rampup (lam_trace *t, lam_tensor count, int64_t warmup_steps, double max, lam_tensor y)
{
  schedule_span rise = {0, 0, (double)warmup_steps, max};
  if (warmup_steps == 0)
    return y;
  return lam_where (t, schedule_before (t, count, warmup_steps),
                    schedule_line (t, schedule_step (t, count), &rise), y);
}

/* values[i] before boundaries[i], the last value afterwards. As upstream, a value that is not
 * above 0 counts as none: the next positive one applies, and 0 where none is left. */
static inline lam_tensor
schedule_constants (lam_trace *t, lam_tensor count, lam_ints boundaries, lam_floats values)
{
  uint64_t n = boundaries.n;
  lam_tensor y = lam_real (t, values.p[n]);
  if (n == 0)
    return y;
  y = lam_where (t, schedule_before (t, count, boundaries.p[n - 1]), lam_real (t, 0), y);
  for (uint64_t i = n; i-- > 0;)
    if (values.p[i] > 0)
      y = lam_where (t, schedule_before (t, count, boundaries.p[i]), lam_real (t, values.p[i]), y);
  return y;
}

#endif
