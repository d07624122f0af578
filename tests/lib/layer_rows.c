/* SPDX-License-Identifier: Apache-2.0 */
/* Which layer of ours stands for which class of praxis: one row for each class that the golden group layers
 * has. */
#include "tests/lib/layer_golden.h"

#define ACTIVATION(praxis, name)                                                                   \
  {                                                                                                \
    "basic", praxis, "lamina.activation", "\"function\": \"" name "\""                             \
  }

const LmLayerRow lm_layer_rows[] = {{"basic", "Linear", "lamina.linear", NULL},
                                    {"basic", "Bias", "lamina.bias", NULL},
                                    {"basic", "FeedForward", "lamina.feed_forward", NULL},
                                    {"basic", "Sequential", "lamina.sequential", NULL},
                                    {"basic", "Dropout", "lamina.dropout", NULL},
                                    ACTIVATION ("ReLU", "relu"),
                                    ACTIVATION ("ReLU6", "relu6"),
                                    ACTIVATION ("SquaredReLU", "squared_relu"),
                                    ACTIVATION ("CubedReLU", "cubed_relu"),
                                    ACTIVATION ("LeakyReLU", "leaky_relu"),
                                    ACTIVATION ("ELU", "elu"),
                                    ACTIVATION ("Sigmoid", "sigmoid"),
                                    ACTIVATION ("Tanh", "tanh"),
                                    ACTIVATION ("GELU", "gelu_approximate"),
                                    ACTIVATION ("SiLU", "silu"),
                                    ACTIVATION ("Swish", "swish"),
                                    ACTIVATION ("Softplus", "softplus"),
                                    ACTIVATION ("Exp", "exp"),
                                    ACTIVATION ("Identity", "identity"),
                                    {"norm", "BatchNorm", "lamina.batch_norm", NULL},
                                    {"conv", "Conv2D", "lamina.conv2d", NULL},
                                    {"conv", "Pooling", "lamina.max_pool", NULL},
                                    {"model", "FullSoftmax", "lamina.full_softmax", NULL},
                                    {NULL, NULL, NULL, NULL}};
