/* SPDX-License-Identifier: Apache-2.0 */
/* Which layer of ours stands for which class of praxis: one row for each class that the golden group layers
 * has. */
#include "tests/lib/layer_golden.h"

#define ACTIVATION(praxis, name)                                                                   \
  {                                                                                                \
    "basic", praxis, "lamina.activation", "\"function\": \"" name "\""                             \
  }

const LmLayerRow lm_layer_rows[] = {
    {"basic", "Linear", "lamina.linear", NULL},
    {"basic", "Bias", "lamina.bias", NULL},
    {"basic", "FeedForward", "lamina.feed_forward", NULL},
    {"basic", "Sequential", "lamina.sequential", NULL},
    {"basic", "MLPBlock", "lamina.mlp_block", NULL},
    {"basic", "Dropout", "lamina.dropout", NULL},
    {"basic", "StochasticResidual", "lamina.stochastic_residual", NULL},
    {"basic", "StackingOverTime", "lamina.stacking_over_time", NULL},
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
    ACTIVATION ("SineReLU", "sine_relu"),
    {"norm", "BatchNorm", "lamina.batch_norm", NULL},
    {"norm", "LayerNorm", "lamina.layer_norm", NULL},
    {"norm", "RmsNorm", "lamina.rms_norm", NULL},
    {"norm", "RmsNormNoScale", "lamina.rms_norm_no_scale", NULL},
    {"norm", "GroupNorm", "lamina.group_norm", NULL},
    {"norm", "WeightNormL2", "lamina.weight_norm_l2", NULL},
    {"norm", "SpectralNorm", "lamina.spectral_norm", NULL},
    {"norm", "IdentityNorm", "lamina.identity_norm", NULL},
    {"conv", "Conv2D", "lamina.conv2d", NULL},
    {"conv", "Conv3D", "lamina.conv3d", NULL},
    {"conv", "ConvBNAct", "lamina.conv_bn_act", NULL},
    {"conv", "DepthwiseConv1D", "lamina.depthwise_conv1d", NULL},
    {"conv", "Pooling", "lamina.pooling", NULL},
    {"conv", "GlobalPooling", "lamina.global_pooling", NULL},
    {"model", "FullSoftmax", "lamina.full_softmax", NULL},
    {"model", "SharedEmbeddingSoftmax", "lamina.shared_embedding_softmax", NULL},
    {"model", "NClassMajorSharedEmbeddingSoftmax", "lamina.nclass_major_shared_embedding_softmax",
     NULL},
    {"model", "GShardSharedEmbeddingSoftmax", "lamina.gshard_shared_embedding_softmax", NULL},
    {"model", "SigmoidCrossEntropy", "lamina.sigmoid_cross_entropy", NULL},
    {"model", "BiTemperedLoss", "lamina.bi_tempered_loss", NULL},
    {"model", "Embedding", "lamina.embedding", NULL},
    {"model", "PositionalEmbedding", "lamina.positional_embedding", NULL},
    {"model", "TrainablePositionalEmbedding", "lamina.trainable_positional_embedding", NULL},
    {"model", "RotaryPositionalEmbedding", "lamina.rotary_positional_embedding", NULL},
    {NULL, NULL, NULL, NULL}};
