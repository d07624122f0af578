/* SPDX-License-Identifier: Apache-2.0 */
/* The golden cases of test-optimizers.c: upstream's configuration as ours. */
#ifndef LM_TESTS_PLUGINS_OPTIMIZERS_H
#define LM_TESTS_PLUGINS_OPTIMIZERS_H

/* slack: factor on the case's tolerance. praxis and optax compute 1 - beta^n in f32 from beta
 * rounded to f32, which is off by 1.3e-5 at first; the same 20 steps in f64 are up to 3
 * tolerances away from their numbers. Adabelief divides by a smaller moment; Radam's length of
 * the average, 1999 - 1994, is off by 0.02 there. In f64 (group optimizers_f64) all agree to
 * 1e-11. */
typedef struct LmOptimizerRow {
  const char *group, *id, *learner, *optimizer;
  double slack;
  const char *skip_lp, *prefixed; /* a variable in SKIP_LP_REGULARIZATION, one with a repeat dim */
} LmOptimizerRow;

/* Cases that no optimizer or learner of ours covers, and why. */
typedef struct LmOptimizerLater {
  const char *group, *id, *why;
} LmOptimizerLater;

#define PRAXIS "optimizers_praxis"
#define OPTAX  "optimizers_optax"
#define F64    "optimizers_f64"

#define LR      ", 'learning_rate': 0.1"
#define SGD     "'type': 'lamina.sgd'" LR
#define ADAM    "'type': 'lamina.adam'" LR
#define ADAMW   "'type': 'lamina.adamw'" LR
#define LION    "'type': 'lamina.lion'" LR
#define SHARDED "'type': 'lamina.sharded_adafactor'" LR
#define RAMPUP                                                                                     \
  ", 'lr_schedule': {'type': 'lamina.linear_rampup_cosine_decay', 'warmup_steps': 4, "             \
  "'decay_start': 6, 'decay_end': 16, 'min_ratio': 0.1, 'max': 1.0}"
/* optax.warmup_cosine_decay_schedule (0, lr, 4, 15, lr / 10) */
#define WARMUP                                                                                     \
  ", 'lr_schedule': {'type': 'lamina.linear_rampup_cosine_decay', 'warmup_steps': 4, "             \
  "'decay_start': 4, 'decay_end': 15, 'min_ratio': 0.1, 'max': 1.0}"
#define TRANSFORMER                                                                                \
  ", 'lr_schedule': {'type': 'lamina.transformer', 'warmup_steps': 8, 'model_dim': 16}"
/* The rate of optimizers_f64: 0.1, from step 4 on 0.04. */
#define STEPS                                                                                      \
  LR ", 'lr_schedule': {'type': 'lamina.piecewise_constant', 'boundaries': [4], "                  \
     "'values': [1.0, 0.4]}"
#define NO_SKIP   ", 'enable_skip_step_on_gradient_anomalies': false"
#define CLIP(v)   ", 'clip_gradient_norm_to_value': " #v
#define SINGLE(v) ", 'clip_gradient_single_norm_to_value': " #v
#define AUX(regex)                                                                                 \
  CLIP (1.0)                                                                                       \
  ", 'auxiliary_optimizers': [{'type': 'lamina.sgd', 'learning_rate': 0.3, 'momentum': 0.5}], "    \
  "'auxiliary_regex': ['" regex "'], 'auxiliary_names': ['aux']"

static const LmOptimizerRow lm_optimizer_rows[] = {
    {PRAXIS, "sgd", "", SGD, 1, 0, 0},
    {PRAXIS, "sgd.momentum", "", SGD ", 'momentum': 0.9", 1, 0, 0},
    {PRAXIS, "sgd.nesterov", "", SGD ", 'momentum': 0.9, 'nesterov': true", 1, 0, 0},
    {PRAXIS, "sharded_sgd", "", SGD, 1, 0, 0},
    {PRAXIS, "sharded_sgd.momentum", "", SGD ", 'momentum': 0.9", 1, 0, 0},
    {PRAXIS, "sharded_sgd.nesterov", "", SGD ", 'momentum': 0.9, 'nesterov': true", 1, 0, 0},
    {PRAXIS, "sgd.l2_skip1d", "", SGD ", 'l2_regularizer_weight': 0.3, 'skip_lp_1d_vectors': true",
     1, 0, 0},
    {PRAXIS, "sgd.l1", "", SGD ", 'l1_regularizer_weight': 0.2", 1, 0, 0},
    {PRAXIS, "sgd.transformer_schedule", "", SGD TRANSFORMER ", 'momentum': 0.9", 1, 0, 0},
    {PRAXIS, "adam", "", ADAM, 4, 0, 0},
    {PRAXIS, "adam.clip_binding", "", ADAM ", 'clip_threshold': 0.4", 4, 0, 0},
    {PRAXIS, "adam.noclip", "", ADAM ", 'clip_threshold': 0", 4, 0, 0},
    {PRAXIS, "adam.ranges", "", ADAM ", 'epsilon': 1e-8", 4, 0, 0},
    {PRAXIS, "adam.eps_root", "",
     ADAM ", 'epsilon': 1e-5, 'epsilon_root': 0.001, 'clip_threshold': 0.5", 4, 0, 0},
    {PRAXIS, "adam.optax", "", ADAM ", 'sharded_adam': false", 4, 0, 0},
    {PRAXIS, "adam.weight_decay", "", ADAM ", 'weight_decay': 0.1", 4, 0, 0},
    {PRAXIS, "adam.decoupled", "", ADAM ", 'decoupled_weight_decay': 0.1", 4, 0, 0},
    {PRAXIS, "adam.decoupled_skip", "", ADAM ", 'decoupled_weight_decay': 0.1", 4, "b", 0},
    {PRAXIS, "adam.l2", "", ADAM ", 'l2_regularizer_weight': 0.05", 4, 0, 0},
    {PRAXIS, "adam.l1", "", ADAM ", 'l1_regularizer_weight': 0.05", 4, 0, 0},
    {PRAXIS, "adam.hparamsb", "", ADAM ", 'beta2': 0.98, 'epsilon': 1e-9", 4, 0, 0},
    {PRAXIS, "adam.schedule", "", ADAM RAMPUP ", 'decoupled_weight_decay': 0.1", 4, 0, 0},
    {PRAXIS, "lion", "", LION, 1, 0, 0},
    {PRAXIS, "lion.f32", "", LION ", 'm_dtype': 'f32', 'weight_decay': 0.1", 1, 0, 0},
    {PRAXIS, "adagrad", "", "'type': 'lamina.adagrad', 'epsilon': 1e-10" LR, 1, 0, 0},
    {PRAXIS, "sharded_adagrad", "",
     "'type': 'lamina.adagrad', 'initial_accumulator_value': 1e-12, 'epsilon': 1e-12" LR, 1, 0, 0},
    {PRAXIS, "sharded_adagrad.init", "",
     "'type': 'lamina.adagrad', 'initial_accumulator_value': 0.1, 'epsilon': 0.001" LR, 1, 0, 0},
    {PRAXIS, "lamb", "", "'type': 'lamina.lamb', 'weight_decay': 0.02" LR, 4, 0, 0},
    {PRAXIS, "lars", "", "'type': 'lamina.lars', 'weight_decay': 0.01" LR, 1, 0, 0},
    {PRAXIS, "lars.nesterov", "",
     "'type': 'lamina.lars', 'nesterov': true, 'trust_coefficient': 0.02" LR, 1, 0, 0},
    {PRAXIS, "adafactor", "", "'type': 'lamina.adafactor', 'min_dim_size_to_factor': 3" LR, 1, 0,
     0},
    {PRAXIS, "adafactor.momentum", "",
     "'type': 'lamina.adafactor', 'min_dim_size_to_factor': 4, 'momentum': 0.9, "
     "'weight_decay_rate': 0.01, 'multiply_by_parameter_scale': false" LR,
     1, 0, 0},
    {PRAXIS, "sharded_adafactor.adamb", "", SHARDED ", 'decay_adam': 0.98, 'beta1': 0.9", 1, 0, 0},
    {PRAXIS, "sharded_adafactor.int16", "",
     SHARDED ", 'decay_adam': 0.98, 'beta1': 0.9, 'quantized_dtype': 'i16'", 1, 0, 0},
    {PRAXIS, "sharded_adafactor.f32", "",
     SHARDED ", 'decay_adam': 0.999, 'beta1': 0.9, 'quantized_dtype': 'f32'", 4, 0, 0},
    {PRAXIS, "sharded_adafactor.bf16", "",
     SHARDED ", 'decay_method': 'pow', 'decay_pow': 0.8, 'beta1': 0.9, 'quantized_dtype': 'bf16'",
     1, 0, 0},
    {PRAXIS, "sharded_adafactor.pow", "",
     SHARDED ", 'decay_method': 'pow', 'decay_pow': 0.8, 'quantized_dtype': 'f32', "
             "'multiply_by_parameter_scale': true",
     1, 0, 0},
    {PRAXIS, "sharded_adafactor.unfactored", "",
     SHARDED ", 'decay_adam': 0.99, 'beta1': 0.9, 'factored': false, 'quantized_dtype': 'f32', "
             "'weight_decay': 0.01",
     1, 0, 0},
    {PRAXIS, "sharded_adafactor.sorted", "",
     SHARDED ", 'decay_adam': 0.99, 'sort_factored_second_moment_dims': true, "
             "'min_dim_size_to_factor': 4, 'quantized_dtype': 'f32', 'clip_threshold': 0.7",
     1, 0, 0},
    {PRAXIS, "sharded_adafactor.layerwise", "",
     SHARDED ", 'decay_adam': 0.99, 'beta1': 0.9, 'layerwise_adaptation': true, 'quantized_dtype': "
             "'f32', 'weight_decay': 0.01",
     1, 0, 0},
    {PRAXIS, "static_accumulator", "", ADAM ", 'num_sub_batches': 4", 4, 0, 0},
    {PRAXIS, "static_accumulator.clip", CLIP (1.0), ADAM ", 'num_sub_batches': 4", 4, 0, 0},
    {PRAXIS, "ema", "", SGD ", 'momentum': 0.9, 'ema_decay': 0.9", 1, 0, 0},
    {PRAXIS, "ema.slow", "", ADAM ", 'ema_decay': 0.9999", 4, 0, 0},
    {PRAXIS, "ewc", "", SGD ", 'momentum': 0.9, 'ewc_regularizer_weight': 0.5", 1, 0, 0},
    {PRAXIS, "clip_global", CLIP (1.0), ADAM, 4, 0, 0},
    {PRAXIS, "clip_global.sgd", CLIP (0.5), SGD, 1, 0, 0},
    {PRAXIS, "clip_single", SINGLE (0.4), SGD, 1, 0, 0},
    {PRAXIS, "clip_single.adam", SINGLE (1.5), ADAM, 4, 0, 0},
    {PRAXIS, "nonfinite_skip", "", ADAM, 4, 0, 0},
    {PRAXIS, "nonfinite_skip.schedule", "", SGD ", 'momentum': 0.9" RAMPUP, 1, 0, 0},
    {PRAXIS, "nonfinite_noskip", NO_SKIP, ADAM, 4, 0, 0},
    {PRAXIS, "nonfinite_noskip.sgd", NO_SKIP, SGD, 1, 0, 0},
    {PRAXIS, "nonfinite_noskip.rawadam", NO_SKIP, ADAM ", 'maybe_inf_to_nan': false", 4, 0, 0},
    {PRAXIS, "skip_threshold", ", 'skip_step_gradient_norm_value': 5.0", SGD ", 'momentum': 0.9", 1,
     0, 0},
    {PRAXIS, "nonfinite_ema", "", SGD ", 'momentum': 0.9, 'ema_decay': 0.9", 1, 0, 0},
    {PRAXIS, "nonfinite_lion", NO_SKIP, LION ", 'm_dtype': 'f32'", 1, 0, 0},
    {PRAXIS, "repeat_prefix.adafactor", "",
     SHARDED ", 'decay_adam': 0.98, 'beta1': 0.9, 'quantized_dtype': 'f32'", 1, 0, "k"},
    {PRAXIS, "repeat_prefix.adam", "", ADAM ", 'clip_threshold': 0.8", 4, 0, "k"},
    {PRAXIS, "norepeat_prefix.adam", "", ADAM ", 'clip_threshold': 0.8", 4, 0, 0},
    {PRAXIS, "norepeat_prefix.adam", "",
     ADAM ", 'clip_threshold': 0.8, 'vectorize_on_repeat_prefix': false", 4, 0, "k"},
    {PRAXIS, "repeat_prefix.clip_single", SINGLE (0.4), SGD, 1, 0, "k"},
    {PRAXIS, "optax_wrapped.rmsprop", "",
     "'type': 'lamina.rmsprop', 'centered': true, 'decoupled_weight_decay': 0.1" LR, 1, 0, 0},
    {PRAXIS, "multi.one", AUX ("b"), ADAM, 4, 0, 0},
    {PRAXIS, "multi.kw", AUX ("k|w"), ADAM, 4, 0, 0},
    {OPTAX, "sgd", "", SGD, 1, 0, 0},
    {OPTAX, "sgd.momentum", "", SGD ", 'momentum': 0.9", 1, 0, 0},
    {OPTAX, "sgd.nesterov", "", SGD ", 'momentum': 0.9, 'nesterov': true", 1, 0, 0},
    {OPTAX, "adam", "", ADAMW, 4, 0, 0},
    {OPTAX, "adam.eps_root", "", ADAMW ", 'epsilon': 1e-5, 'epsilon_root': 0.001", 4, 0, 0},
    {OPTAX, "adam.ranges", "", ADAMW, 4, 0, 0},
    {OPTAX, "adam.nesterov", "", ADAMW ", 'nesterov': true", 4, 0, 0},
    {OPTAX, "adamw", "", ADAMW ", 'decoupled_weight_decay': 0.01", 4, 0, 0},
    {OPTAX, "adamw.ranges", "", ADAMW ", 'decoupled_weight_decay': 0.05", 4, 0, 0},
    {OPTAX, "lion", "", LION ", 'm_dtype': 'f32', 'clip_threshold': 0, 'weight_decay': 0.001", 1, 0,
     0},
    {OPTAX, "lion.ranges", "",
     LION ", 'm_dtype': 'f32', 'clip_threshold': 0, 'weight_decay': 0.1, 'beta2': 0.98", 1, 0, 0},
    {OPTAX, "adagrad", "", "'type': 'lamina.adagrad'" LR, 1, 0, 0},
    {OPTAX, "adagrad.init", "",
     "'type': 'lamina.adagrad', 'initial_accumulator_value': 0, 'epsilon': 1e-5" LR, 1, 0, 0},
    {OPTAX, "rmsprop", "", "'type': 'lamina.rmsprop'" LR, 1, 0, 0},
    {OPTAX, "rmsprop.centered", "", "'type': 'lamina.rmsprop', 'centered': true" LR, 1, 0, 0},
    {OPTAX, "rmsprop.momentum", "",
     "'type': 'lamina.rmsprop', 'decay': 0.95, 'momentum': 0.7, 'initial_scale': 0.1" LR, 1, 0, 0},
    {OPTAX, "rmsprop.nesterov", "",
     "'type': 'lamina.rmsprop', 'decay': 0.95, 'momentum': 0.7, 'nesterov': true, 'centered': "
     "true, 'eps': 1e-4" LR,
     1, 0, 0},
    {OPTAX, "rmsprop.eps_outside", "",
     "'type': 'lamina.rmsprop', 'eps': 0.001, 'eps_in_sqrt': false" LR, 1, 0, 0},
    {OPTAX, "rmsprop.bias_correction", "", "'type': 'lamina.rmsprop', 'bias_correction': true" LR,
     1, 0, 0},
    {OPTAX, "adafactor", "", "'type': 'lamina.adafactor', 'min_dim_size_to_factor': 3" LR, 1, 0, 0},
    {OPTAX, "adafactor.defaults", "", "'type': 'lamina.adafactor'" LR, 1, 0, 0},
    {OPTAX, "adafactor.momentum", "",
     "'type': 'lamina.adafactor', 'min_dim_size_to_factor': 4, 'momentum': 0.9, "
     "'weight_decay_rate': 0.01, 'multiply_by_parameter_scale': false" LR,
     1, 0, 0},
    {OPTAX, "adafactor.noclip", "",
     "'type': 'lamina.adafactor', 'min_dim_size_to_factor': 2, 'clipping_threshold': 0, "
     "'decay_rate': 0.7, 'eps': 1e-20" LR,
     1, 0, 0},
    {OPTAX, "lamb", "", "'type': 'lamina.lamb', 'weight_decay': 0.02" LR, 4, 0, 0},
    {OPTAX, "lamb.plain", "", "'type': 'lamina.lamb'" LR, 4, 0, 0},
    {OPTAX, "lars", "", "'type': 'lamina.lars', 'weight_decay': 0.01" LR, 1, 0, 0},
    {OPTAX, "lars.nesterov", "",
     "'type': 'lamina.lars', 'nesterov': true, 'trust_coefficient': 0.02, 'eps': 1e-4" LR, 1, 0, 0},
    {OPTAX, "nadam", "", ADAMW ", 'nesterov': true", 4, 0, 0},
    {OPTAX, "adamax", "", "'type': 'lamina.adamax'" LR, 4, 0, 0},
    {OPTAX, "adabelief", "", "'type': 'lamina.adabelief'" LR, 8, 0, 0},
    {OPTAX, "amsgrad", "", "'type': 'lamina.amsgrad'" LR, 4, 0, 0},
    {OPTAX, "radam", "", "'type': 'lamina.radam'" LR, 20, 0, 0},
    {OPTAX, "yogi", "", "'type': 'lamina.yogi'" LR, 4, 0, 0},
    {OPTAX, "novograd", "", "'type': 'lamina.novograd'" LR, 1, 0, 0},
    {OPTAX, "adadelta", "", "'type': 'lamina.adadelta'" LR, 1, 0, 0},
    {OPTAX, "sm3", "", "'type': 'lamina.sm3'" LR, 1, 0, 0},
    {OPTAX, "chain.adamw.schedule", "", ADAMW WARMUP ", 'decoupled_weight_decay': 0.1", 4, "b", 0},
    {OPTAX, "chain.clip_global.adam", CLIP (1.0), ADAMW, 4, 0, 0},
    {OPTAX, "chain.clip_global.sgd", CLIP (0.5), SGD, 1, 0, 0},
    {OPTAX, "chain.l2.sgd", "", SGD ", 'momentum': 0.9, 'l2_regularizer_weight': 0.1", 1, 0, 0},
    {OPTAX, "chain.decoupled.sgd", "", SGD ", 'momentum': 0.9, 'decoupled_weight_decay': 0.1", 1, 0,
     0},
    {OPTAX, "chain.apply_if_finite", "", ADAMW, 4, 0, 0},
    {OPTAX, "chain.multi_steps", "", ADAMW ", 'num_sub_batches': 4", 4, 0, 0},
    {F64, "sgd", "", "'type': 'lamina.sgd', 'momentum': 0.9, 'nesterov': true" STEPS, 1, 0, 0},
    {F64, "adam", "",
     "'type': 'lamina.adam', 'sharded_adam': false, 'beta1': 0.8, 'beta2': 0.99, 'epsilon': 1e-5, "
     "'epsilon_root': 1e-4" STEPS,
     1, 0, 0},
    {F64, "nadam", "", "'type': 'lamina.adamw', 'nesterov': true" STEPS, 1, 0, 0},
    {F64, "adamw", "", "'type': 'lamina.adamw', 'decoupled_weight_decay': 0.05" STEPS, 1, 0, 0},
    {F64, "adagrad", "",
     "'type': 'lamina.adagrad', 'initial_accumulator_value': 0.2, 'epsilon': 1e-3" STEPS, 1, 0, 0},
    {F64, "rmsprop", "",
     "'type': 'lamina.rmsprop', 'momentum': 0.7, 'nesterov': true, 'centered': true, 'eps': 1e-4, "
     "'eps_in_sqrt': false" STEPS,
     1, 0, 0},
    {F64, "rmsprop.bias_correction", "",
     "'type': 'lamina.rmsprop', 'momentum': 0.7, 'bias_correction': true, 'decay': 0.95" STEPS, 1,
     0, 0},
    {F64, "lion", "",
     "'type': 'lamina.lion', 'm_dtype': 'f64', 'clip_threshold': 0, 'beta2': 0.98, 'weight_decay': "
     "0.1" STEPS,
     1, 0, 0},
    {F64, "lamb", "", "'type': 'lamina.lamb', 'weight_decay': 0.02" STEPS, 1, 0, 0},
    {F64, "lamb.mask", "", "'type': 'lamina.lamb', 'weight_decay': 0.5, 'mask': ['k', 'w$']" STEPS,
     1, 0, 0},
    {F64, "lars", "",
     "'type': 'lamina.lars', 'weight_decay': 0.01, 'nesterov': true, 'eps': 1e-3, "
     "'trust_coefficient': 0.1" STEPS,
     1, 0, 0},
    {F64, "lars.masks", "",
     "'type': 'lamina.lars', 'weight_decay': 0.2, 'weight_decay_mask': ['k|w'], "
     "'trust_ratio_mask': ['b', 'w']" STEPS,
     1, 0, 0},
    {F64, "adafactor", "",
     "'type': 'lamina.adafactor', 'min_dim_size_to_factor': 3, 'momentum': 0.9, "
     "'weight_decay_rate': 0.01" STEPS,
     1, 0, 0},
    {F64, "adamax", "", "'type': 'lamina.adamax', 'eps': 1e-4" STEPS, 1, 0, 0},
    {F64, "adabelief", "",
     "'type': 'lamina.adabelief', 'eps': 1e-8, 'eps_root': 1e-6, 'nesterov': true" STEPS, 1, 0, 0},
    {F64, "amsgrad", "", "'type': 'lamina.amsgrad', 'b2': 0.9" STEPS, 1, 0, 0},
    {F64, "radam", "",
     "'type': 'lamina.radam', 'b2': 0.9, 'threshold': 4.5, 'nesterov': true" STEPS, 1, 0, 0},
    {F64, "yogi", "", "'type': 'lamina.yogi'" STEPS, 1, 0, 0},
    {F64, "novograd", "", "'type': 'lamina.novograd', 'weight_decay': 0.1" STEPS, 1, 0, 0},
    {F64, "adadelta", "", "'type': 'lamina.adadelta', 'weight_decay': 0.1, 'eps': 1e-4" STEPS, 1, 0,
     0},
    {F64, "sm3", "", "'type': 'lamina.sm3'" LR, 1, 0, 0},
    {0, 0, 0, 0, 0, 0, 0}};

static const LmOptimizerLater lm_optimizers_later[] = {
    {PRAXIS, "bprop_exclusion",
     "shows that upstream applies the mask elsewhere; ours: test-learners"},
    {OPTAX, "chain.clip_value.sgd", "clipping by value"},
    {OPTAX, "chain.clip_block_rms.sgd", "clipping each gradient by its rms"},
    {OPTAX, "chain.agc.sgd", "adaptive clipping"},
    {OPTAX, "chain.zero_nans", "zeroing of NaN gradients, then clipping by value"},
    {OPTAX, "chain.lookahead_free.adamw", "a decay that the count scales"},
    {OPTAX, "chain.ema_of_grads", "averages of gradients"},
    {OPTAX, "chain.centralize", "centred gradients"},
    {0, 0, 0}};

#endif
