# SPDX-License-Identifier: Apache-2.0
"""A PT2E quantizer that annotates as Corten's does by default, so that torchao chooses the parameters."""
import operator

import torch
from torchao.quantization.pt2e import HistogramObserver, MinMaxObserver, PerChannelMinMaxObserver
from torchao.quantization.pt2e.quantizer import (
    DerivedQuantizationSpec, FixedQParamsQuantizationSpec, QuantizationAnnotation, QuantizationSpec, Quantizer, SharedQuantizationSpec)

aten = torch.ops.aten
CONVOLUTIONS = {aten.conv1d.default, aten.conv2d.default, aten.conv1d.padding, aten.conv2d.padding}
LINEAR = {aten.linear.default}
CLAMPS = {aten.relu.default, aten.relu_.default, aten.relu6.default, aten.hardtanh.default, aten.clamp.default}
SOFTMAX = {aten.softmax.int}
SHARED = CLAMPS | {
    aten.max_pool2d.default, aten.max_pool1d.default, aten.avg_pool2d.default, aten.adaptive_avg_pool2d.default, aten.cat.default, aten.view.default,
    aten.reshape.default, aten.flatten.using_ints, aten.permute.default, aten.transpose.int, aten.slice.Tensor, aten.select.int, aten.pad.default,
    aten.squeeze.dim, aten.unsqueeze.default, aten.maximum.default, aten.minimum.default, operator.getitem}
SPLITS = {aten.split.Tensor, aten.split_with_sizes.default, aten.chunk.default}

ACTIVATION = QuantizationSpec(torch.int8, HistogramObserver.with_args(eps=2**-23), -128, 127, torch.per_tensor_affine, is_dynamic=False)
PER_TENSOR = QuantizationSpec(torch.int8, MinMaxObserver.with_args(eps=2**-23), -128, 127, torch.per_tensor_symmetric)
PER_CHANNEL = QuantizationSpec(torch.int8, PerChannelMinMaxObserver.with_args(eps=2**-23), -128, 127, torch.per_channel_symmetric, ch_axis=0)
PROBABILITY = FixedQParamsQuantizationSpec(torch.int8, 1 / 256, -128, -128, 127, torch.per_tensor_affine)


def bias_spec(node, per_channel):
    def product(observers):
        (input_scale, _), (weight_scale, _) = (observer.calculate_qparams() for observer in observers)
        scale = input_scale * weight_scale
        return scale, torch.zeros_like(scale, dtype=torch.int64)

    scheme = torch.per_channel_symmetric if per_channel else torch.per_tensor_symmetric
    return DerivedQuantizationSpec([(node.args[0], node), (node.args[1], node)], product, torch.int32, -(2**31), 2**31 - 2, scheme, 0 if per_channel else None)


def is_activation(value):
    return isinstance(value, torch.fx.Node) and isinstance(value.meta.get("val"), torch.Tensor) and value.meta["val"].dtype == torch.float32


def activations(node):
    flat = [item for argument in node.args for item in (argument if isinstance(argument, (list, tuple)) else [argument])]
    return [value for value in flat if is_activation(value) or isinstance(value, torch.fx.Node) and value.target in SPLITS]


class AnnotatingQuantizer(Quantizer):
    def annotate(self, model):
        for node in model.graph.nodes:
            if node.op == "call_function" and node.target not in SPLITS:
                self.annotate_node(node)
        return model

    def annotate_node(self, node):
        inputs, output = self.specs(node)
        clamp = next(iter(node.users)) if len(node.users) == 1 else None
        fused = clamp is not None and clamp.target in CLAMPS and node.target not in SHARED | SOFTMAX
        producer = node.args[0]
        if node.target in CLAMPS and producer.meta.get("fused_clamp") is node:
            inputs = {}
            output = ACTIVATION
        if fused:
            node.meta["fused_clamp"] = clamp
            output = None
        node.meta["quantization_annotation"] = QuantizationAnnotation(input_qspec_map=inputs, output_qspec=output, _annotated=True)

    def specs(self, node):
        """(spec by input, spec of the output)"""
        if node.target in CONVOLUTIONS | LINEAR:
            per_channel = node.target in CONVOLUTIONS
            inputs = {node.args[0]: ACTIVATION, node.args[1]: PER_CHANNEL if per_channel else PER_TENSOR}
            if len(node.args) > 2 and node.args[2] is not None:
                inputs[node.args[2]] = bias_spec(node, per_channel)
            return inputs, ACTIVATION
        if node.target in SHARED:
            return self.shared(node)
        return {value: ACTIVATION for value in activations(node)}, PROBABILITY if node.target in SOFTMAX else ACTIVATION

    def shared(self, node):
        first, *others = activations(node)
        if first.target in SPLITS:  # a tuple; its parts are on the grid of what was split
            split = first
            split.meta["quantization_annotation"] = QuantizationAnnotation(input_qspec_map={split.args[0]: ACTIVATION}, output_qspec=None, _annotated=True)
            return {}, SharedQuantizationSpec((split.args[0], split))
        same = SharedQuantizationSpec((first, node))
        return {first: ACTIVATION, **{value: same for value in others if value is not first}}, same

    def validate(self, model):
        pass
