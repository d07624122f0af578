/* SPDX-License-Identifier: Apache-2.0 */
/* plugins/layers/model against praxis. */
#include "tests/lib/layer_check.h"
#include "tests/lib/layer_golden.h"

#include <string.h>

static const char *const later[] = {NULL};

/* Arguments that are no tensors are fields of ours. */
static bool
field (JsonObject *ours, const char *key, JsonNode *value)
{
  if (strcmp (key, "call") != 0)
    return false;
  json_object_set_int_member (
      ours, "seq_length", json_object_get_int_member (json_node_get_object (value), "seq_length"));
  return true;
}

static const LmLayerSuite suite = {.family = "model", .later = later, .field = field};

/* Shapes and options that the golden cases leave out are here too. bi_tempered_loss stops its iteration early, so
 * that differences show its derivative only where t2 is 1. */
static const LmLayerCheck checks[] = {
    LM_CHECK_LOSS ("{'type': 'lamina.full_softmax', 'input_dims': 4, 'num_classes': 7}",
                   "inputs 3,4; class_ids 3 id 7"),
    LM_CHECK_LOSS ("{'type': 'lamina.full_softmax', 'input_dims': 4, 'num_classes': 7, "
                   "'label_smoothing_prob': 0.2, 'soft_cap_logits': 2, 'z_loss_weight': 0.1, "
                   "'scale_before_logits': true, 'bias_init': 0.5}",
                   "inputs 2,5,4; class_ids 2,5,1 id 7; class_weights 2,5,1"),
    LM_CHECK_LOSS ("{'type': 'lamina.full_softmax', 'input_dims': 4, 'num_classes': 7, "
                   "'chunk_size': 2, 'label_smoothing_prob': 0.1}",
                   "inputs 2,5,4; class_ids 2,5,1 id 7; class_weights 2,5,1"),
    LM_CHECK_LOSS ("{'type': 'lamina.full_softmax', 'input_dims': 4, 'num_classes': 7, "
                   "'chunk_size': 5, 'has_bias': false}",
                   "inputs 2,5,4; class_ids 2,5,1 id 7; class_weights 2,5,1"),
    LM_CHECK_LOSS ("{'type': 'lamina.full_softmax', 'input_dims': 7, 'num_classes': 7, "
                   "'has_feed_forward': false}",
                   "inputs 3,7; class_ids 3,1 id 7"),
    LM_CHECK_LOSS (
        "{'type': 'lamina.full_softmax', 'input_dims': 4, 'num_classes': 7, 'feed_forward_tpl': "
        "{'type': 'lamina.feed_forward', 'weight_init': {'method': 'uniform', 'scale': 0.5}}}",
        "inputs 3,4; class_probabilities 3,7; class_weights 3"),
    LM_CHECK_LOSS ("{'type': 'lamina.full_softmax', 'input_dims': 4, 'num_classes': 7, "
                   "'bi_tempered_loss_tpl': {'type': 'lamina.bi_tempered_loss', 't1': 0.7}}",
                   "inputs 3,4; class_ids 3 id 7"),
    LM_CHECK_LOSS ("{'type': 'lamina.shared_embedding_softmax', 'input_dims': 4, 'num_classes': 7, "
                   "'label_smoothing_prob': 0.1}",
                   "inputs 2,5,4; class_ids 2,5,1 id 7; class_weights 2,5,1"),
    LM_CHECK_LOSS ("{'type': 'lamina.nclass_major_shared_embedding_softmax', 'input_dims': 4, "
                   "'num_classes': 7, 'activation': 'tanh', 'z_loss_weight': 0.01}",
                   "inputs 2,5,4; class_ids 2,5,1 id 7; class_weights 2,5,1"),
    LM_CHECK_LOSS ("{'type': 'lamina.nclass_major_shared_embedding_softmax', 'input_dims': 4, "
                   "'num_classes': 7, 'use_bias': false}",
                   "inputs 3,4; class_probabilities 3,7; class_weights 3"),
    LM_CHECK_LOSS ("{'type': 'lamina.gshard_shared_embedding_softmax', 'input_dims': 4, "
                   "'num_classes': 7, 'z_loss_weight': 0.1, 'soft_cap_logits': 1, "
                   "'label_smoothing_prob': 0.1, 'use_tgt_labels_size_as_loss_denominator': false}",
                   "inputs 2,5,4; class_ids 2,5,1 id 7; class_weights 2,5,1"),
    LM_CHECK_LOSS ("{'type': 'lamina.gshard_shared_embedding_softmax', 'input_dims': 4, "
                   "'num_classes': 7, 'logits_abs_max': 0.5}",
                   "inputs 2,5,4; class_ids 2,5,1 id 7; class_weights 2,5,1"),
    LM_CHECK_LOSS ("{'type': 'lamina.sigmoid_cross_entropy', 'input_dims': 4, 'num_classes': 7, "
                   "'soft_cap_logits': 3}",
                   "inputs 2,5,4; class_ids 2,5,1 id 7; class_weights 2,5,1"),
    LM_CHECK_LOSS ("{'type': 'lamina.sigmoid_cross_entropy', 'input_dims': 4, 'num_classes': 7, "
                   "'label_smoothing_prob': 0.2, 'has_bias': false}",
                   "inputs 3,4; class_probabilities 3,7; class_weights 3"),
    LM_CHECK_LOSS ("{'type': 'lamina.sigmoid_cross_entropy', 'input_dims': 4, 'num_classes': 7}",
                   "inputs 3,4; class_probabilities 3,7; class_weights 3,7"),
    LM_CHECK_LOSS ("{'type': 'lamina.sigmoid_cross_entropy', 'input_dims': 1, 'num_classes': 1, "
                   "'has_feed_forward': false}",
                   "inputs 5,1; class_probabilities 5,1 mask; class_weights 5,1"),
    LM_CHECK_LOSS ("{'type': 'lamina.bi_tempered_loss', 't1': 0.6, 'label_smoothing': 0.1}",
                   "logits 3,5; labels 3,5 mask"),
    LM_CHECK_LOSS ("{'type': 'lamina.bi_tempered_loss'}", "logits 2,2,4; labels 2,2,4 mask"),
    LM_CHECK_LOSS ("{'type': 'lamina.bi_tempered_loss', 't1': 1.2, 'start_step': 3, 'end_step': 9}",
                   "logits 3,5; labels 3,5 mask"),
    LM_CHECK_TRAIN ("{'type': 'lamina.squared_error'}", "predictions 2,3; targets 2,3"),
    LM_CHECK_TRAIN ("{'type': 'lamina.absolute_error'}", "predictions 2,3; targets 2,3"),
    LM_CHECK_TRAIN ("{'type': 'lamina.huber_loss', 'delta': 0.8}", "predictions 4,3; targets 4,3"),
    LM_CHECK_TRAIN (
        "{'type': 'lamina.embedding', 'num_classes': 7, 'input_dims': 3, 'scale_sqrt_depth': true}",
        "ids 2,5 id 7"),
    LM_CHECK_TRAIN (
        "{'type': 'lamina.embedding', 'num_classes': 7, 'input_dims': 3, 'lookup_style': 'matmul'}",
        "ids 2,3,2 id 9"),
    LM_CHECK_TRAIN ("{'type': 'lamina.embedding', 'num_classes': 3, 'input_dims': 1}",
                    "ids 1 id 2"),
    LM_CHECK_TRAIN ("{'type': 'lamina.positional_embedding', 'embedding_dims': 5}", "x 2,4,3"),
    LM_CHECK_TRAIN ("{'type': 'lamina.trainable_positional_embedding', 'embedding_dims': 3, "
                    "'max_seq_length': 6}",
                    "position 2,4 id 6"),
    LM_CHECK_TRAIN ("{'type': 'lamina.trainable_positional_embedding', 'embedding_dims': 3, "
                    "'max_seq_length': 6, 'lookup_style': 'index'}",
                    "inputs 2,5,1; position 2,5 id 6"),
    LM_CHECK_TRAIN ("{'type': 'lamina.trainable_positional_embedding', 'embedding_dims': 3, "
                    "'max_seq_length': 6}",
                    "x 2,6,1"),
    LM_CHECK_TRAIN ("{'type': 'lamina.rotary_positional_embedding', 'embedding_dims': 4}",
                    "x 2,3,2,4"),
    LM_CHECK_TRAIN (
        "{'type': 'lamina.rotary_positional_embedding', 'embedding_dims': 2, 'max_timescale': 50}",
        "inputs 1,4,3,2; position 1,4 id 9"),
    LM_CHECK_LOSS (
        "{'type': 'lamina.classification', 'network': {'type': 'lamina.feed_forward', "
        "'input_dims': 3, 'output_dims': 4, 'activation': 'tanh'}, 'softmax': {'type': "
        "'lamina.full_softmax', 'input_dims': 4, 'num_classes': 7, 'label_smoothing_prob': 0.1}}",
        "inputs 4,3; labels 4 id 7; weights 4"),
    LM_CHECK_LOSS (
        "{'type': 'lamina.classification', 'network': {'type': 'lamina.identity'}, 'softmax': "
        "{'type': 'lamina.gshard_shared_embedding_softmax', 'input_dims': 4, 'num_classes': 7}}",
        "inputs 4,4; labels 4 id 7; weights 4 mask"),
    LM_CHECK_LOSS ("{'type': 'lamina.multilabel', 'network': {'type': 'lamina.identity'}, 'head': "
                   "{'type': 'lamina.sigmoid_cross_entropy', 'input_dims': 4, 'num_classes': 7}}",
                   "inputs 3,4; labels 3,7 mask; weights 3"),
    LM_CHECK_LOSS ("{'type': 'lamina.regression', 'network': {'type': 'lamina.feed_forward', "
                   "'input_dims': 3, 'output_dims': 1, 'activation': 'identity'}}",
                   "inputs 4,3; targets 4"),
    LM_CHECK_LOSS ("{'type': 'lamina.regression', 'network': {'type': 'lamina.linear', "
                   "'input_dims': 3, 'output_dims': 2}, 'loss': {'type': 'lamina.huber_loss'}}",
                   "inputs 4,3; targets 4,2; weights 4"),
    LM_CHECK_LOSS ("{'type': 'lamina.regression', 'network': {'type': 'lamina.linear', "
                   "'input_dims': 3, 'output_dims': 2}, 'loss': {'type': 'lamina.absolute_error'}}",
                   "inputs 2,4,3; targets 2,4,2; weights 2; paddings 2,4 mask"),
};

static const LmLayerRefusal refusals[] = {
    {"{'type': 'lamina.full_softmax', 'input_dims': 4, 'num_classes': 1, 'label_smoothing_prob': "
     "0.1}",
     NULL,
     {"label_smoothing_prob", "num_classes"}},
    {"{'type': 'lamina.full_softmax', 'input_dims': 4, 'num_classes': 7, 'label_smoothing_prob': "
     "1.5}",
     NULL,
     {"label_smoothing_prob"}},
    {"{'type': 'lamina.full_softmax', 'input_dims': 4, 'num_classes': 7, 'has_feed_forward': "
     "false}",
     NULL,
     {"input_dims", "num_classes"}},
    {"{'type': 'lamina.full_softmax', 'input_dims': 4, 'num_classes': 7}",
     "inputs 3,4; class_ids 3",
     {"class_ids", "integers"}},
    {"{'type': 'lamina.full_softmax', 'input_dims': 4, 'num_classes': 7}",
     "inputs 3,4; labels 3 id 7",
     {"class_ids"}},
    {"{'type': 'lamina.full_softmax', 'input_dims': 4, 'num_classes': 7}",
     "inputs 3,4; class_ids 3 id 7; class_weights 2",
     {"class_weights", "f32[2]"}},
    {"{'type': 'lamina.full_softmax', 'input_dims': 4, 'num_classes': 7, 'chunk_size': 1}",
     "inputs 1,1025,4; class_ids 1,1025 id 7",
     {"chunk_size", "1024"}},
    {"{'type': 'lamina.sigmoid_cross_entropy', 'input_dims': 4, 'num_classes': 3, "
     "'has_feed_forward': false}",
     NULL,
     {"input_dims"}},
    {"{'type': 'lamina.sigmoid_cross_entropy', 'input_dims': 4, 'num_classes': 1}",
     "inputs 3,4; class_ids 3 id 1",
     {"class_probabilities"}},
    {"{'type': 'lamina.sigmoid_cross_entropy', 'input_dims': 4, 'num_classes': 7}",
     "inputs 3,4; class_probabilities 3,6",
     {"class_probabilities", "f32[3,6]"}},
    {"{'type': 'lamina.bi_tempered_loss', 'start_step': 5, 'end_step': 3}", NULL, {"end_step"}},
    {"{'type': 'lamina.bi_tempered_loss', 't1': 2}", NULL, {"t1"}},
    {"{'type': 'lamina.bi_tempered_loss'}", "logits 3,4; labels 3,5", {"labels", "f32[3,5]"}},
    {"{'type': 'lamina.bi_tempered_loss'}", "logits 3,1; labels 3,1", {"two classes"}},
    {"{'type': 'lamina.squared_error'}", "predictions 3,4; targets 3", {"targets", "f32[3]"}},
    {"{'type': 'lamina.embedding', 'num_classes': 7, 'input_dims': 3, 'lookup_style': 'indx'}",
     NULL,
     {"lookup_style", "index", "matmul"}},
    {"{'type': 'lamina.embedding', 'num_classes': 7, 'input_dims': 3}", "ids 3", {"integers"}},
    {"{'type': 'lamina.positional_embedding', 'embedding_dims': 1}", NULL, {"embedding_dims"}},
    {"{'type': 'lamina.positional_embedding', 'embedding_dims': 4, 'fprop_dtype': 'i32'}",
     NULL,
     {"fprop_dtype"}},
    {"{'type': 'lamina.positional_embedding', 'embedding_dims': 4}",
     "position 4 id 9",
     {"position (B, T)", "seq_length"}},
    {"{'type': 'lamina.positional_embedding', 'embedding_dims': 4}",
     "inputs 2,3,4; position 4 id 9",
     {"position (B, T)", "i32[4]"}},
    {"{'type': 'lamina.trainable_positional_embedding', 'embedding_dims': 3, 'max_seq_length': "
     "6, 'seq_length': 7}",
     NULL,
     {"max_seq_length"}},
    {"{'type': 'lamina.trainable_positional_embedding', 'embedding_dims': 3, 'max_seq_length': "
     "6}",
     "x 2,7,3",
     {"max_seq_length"}},
    {"{'type': 'lamina.rotary_positional_embedding', 'embedding_dims': 3}", NULL, {"even"}},
    {"{'type': 'lamina.rotary_positional_embedding', 'embedding_dims': 4}",
     "x 2,3,4",
     {"(B, S, N, embedding_dims)", "f32[2,3,4]"}},
    {"{'type': 'lamina.regression', 'network': {'type': 'lamina.linear', 'input_dims': 3, "
     "'output_dims': 2}}",
     "inputs 4,3; targets 4",
     {"targets", "f32[4,2]"}},
    {"{'type': 'lamina.regression', 'network': {'type': 'lamina.linear', 'input_dims': 3, "
     "'output_dims': 2}}",
     "inputs 4,3; targets 4,2; weights 3",
     {"weights", "f32[3]"}},
    {"{'type': 'lamina.regression', 'network': {'type': 'lamina.linear', 'input_dims': 3, "
     "'output_dims': 2}}",
     "inputs 4,3; labels 4,2",
     {"targets"}},
};

static void
test_refusals (void)
{
  lm_layer_check_refusals (refusals, G_N_ELEMENTS (refusals));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  lm_layer_golden_add (&suite);
  lm_layer_check_add (checks, G_N_ELEMENTS (checks));
  g_test_add_func ("/plugins/layers/model/refusals", test_refusals);
  return g_test_run ();
}
