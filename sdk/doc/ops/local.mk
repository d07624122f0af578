# SPDX-License-Identifier: Apache-2.0
# sdk/doc/ops: an example for each op; with ops.def and the rules they make sdk/doc/ops.md.

nobase_dist_lmdata_DATA += \
  %D%/abs.lir \
  %D%/add.lir \
  %D%/all_gather.lir \
  %D%/all_reduce.lir \
  %D%/and.lir \
  %D%/argmax.lir \
  %D%/argmin.lir \
  %D%/atan2.lir \
  %D%/axis_index.lir \
  %D%/bitcast_convert.lir \
  %D%/broadcast_in_dim.lir \
  %D%/cbrt.lir \
  %D%/ceil.lir \
  %D%/clamp.lir \
  %D%/compare.lir \
  %D%/composite.lir \
  %D%/concatenate.lir \
  %D%/constant.lir \
  %D%/convert.lir \
  %D%/convolution.lir \
  %D%/cosine.lir \
  %D%/cumsum.lir \
  %D%/divide.lir \
  %D%/dot_general.lir \
  %D%/dynamic_slice.lir \
  %D%/dynamic_update_slice.lir \
  %D%/erf.lir \
  %D%/erf_inv.lir \
  %D%/exponential.lir \
  %D%/exponential_minus_one.lir \
  %D%/floor.lir \
  %D%/gather.lir \
  %D%/iota.lir \
  %D%/is_finite.lir \
  %D%/log.lir \
  %D%/log_plus_one.lir \
  %D%/logistic.lir \
  %D%/maximum.lir \
  %D%/minimum.lir \
  %D%/multiply.lir \
  %D%/name.lir \
  %D%/negate.lir \
  %D%/not.lir \
  %D%/optimization_barrier.lir \
  %D%/or.lir \
  %D%/pad.lir \
  %D%/population_count.lir \
  %D%/power.lir \
  %D%/reduce.lir \
  %D%/reduce_precision.lir \
  %D%/reduce_window.lir \
  %D%/reduce_window_arg.lir \
  %D%/remainder.lir \
  %D%/reshape.lir \
  %D%/reverse.lir \
  %D%/round_nearest_even.lir \
  %D%/rsqrt.lir \
  %D%/scatter.lir \
  %D%/select.lir \
  %D%/shift_left.lir \
  %D%/shift_right_arithmetic.lir \
  %D%/shift_right_logical.lir \
  %D%/sign.lir \
  %D%/sine.lir \
  %D%/slice.lir \
  %D%/sort.lir \
  %D%/sqrt.lir \
  %D%/stop_gradient.lir \
  %D%/subtract.lir \
  %D%/tan.lir \
  %D%/tanh.lir \
  %D%/threefry2x32.lir \
  %D%/top_k.lir \
  %D%/transpose.lir \
  %D%/xor.lir

EXTRA_DIST += %D%/head.md

# The page is in the tree, so that readers and builds need nothing; a test compares it.
.PHONY: ops-doc
ops-doc: tests/sdk/test-ops_doc$(EXEEXT) plugin-dir/stamp
	LAMINA_SRCDIR='$(abs_top_srcdir)' LAMINA_PLUGIN_DIR='$(abs_top_builddir)/plugin-dir' \
	  tests/sdk/test-ops_doc$(EXEEXT) --write '$(abs_top_srcdir)/sdk/doc/ops.md'
