/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics, one shared object. */
#include <lamina/metric.h>

LAM_DECLARE (mean)
LAM_DECLARE (top_k_accuracy)

LAM_PLUGIN ("lamina.metrics", "0.1.0", "Apache-2.0", LAM_PROVIDES (mean, top_k_accuracy))
