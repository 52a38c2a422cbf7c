# SPDX-License-Identifier: Apache-2.0
"""Archives of two PyTorch versions compute their recorded outputs, or are refused with node, module and source line."""
import json
import re
import zipfile

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import corten_program  # noqa: E402

# What each archive holds that Corten has no operator for: some of it must be named by every refusal.
REFUSED = {
    "att": (["aten.embedding.default", "aten.scaled_dot_product_attention.default"], "embedding, attention and layer norm"),
    "att_core": (["aten.embedding.default", "aten.bmm.default"], "embedding and attention in pieces: products of two run-time matrices, masks, layer norm"),
    "c1d": (["aten.conv_transpose1d.default", "aten.conv_transpose2d.input"], "transposed convolutions"),
    "c1d_core": (["aten.convolution.default"], "transposed convolutions"),
    "cnn_train": (["aten.batch_norm.default", "aten.dropout.default"], "exported in training mode"),
    "cnn_train_core": (["aten.native_dropout.default"], "exported in training mode"),
    "interp": (["aten.upsample_bilinear2d.vec", "aten.pixel_shuffle.default", "aten.group_norm.default"], "a sample of everything, resizing and group norm among it"),
    "interp_core": (["aten.arange.start_step", "aten.index.Tensor"], "resizing in pieces: computed indices"),
    "misc": (["aten.add_.Tensor"], "changes a buffer of the module at each call"),
    "misc_core": (["aten.add.Tensor"], "changes a buffer of the module at each call"),
    "mlp": (["aten.log_softmax.int"], "log-softmax"),
    "mlp_core": (["aten._log_softmax.default"], "log-softmax"),
    "mlp_dyn": (["aten.log_softmax.int"], "log-softmax"),
    "mlp_dyn_core": (["aten._log_softmax.default"], "log-softmax"),
    "pt2e_cnn_pc_dyn": (["quantized_decomposed.choose_qparams.tensor"], "scales chosen at run time"),
    "pt2e_cnn_pt_dyn": (["quantized_decomposed.choose_qparams.tensor"], "scales chosen at run time"),
    "pt2e_mlp_pc_dyn": (["quantized_decomposed.choose_qparams.tensor"], "scales chosen at run time"),
    "pt2e_mlp_pt_dyn": (["quantized_decomposed.choose_qparams.tensor"], "scales chosen at run time"),
    "rnn": (["aten.lstm.input", "aten.gru.input", "aten.rnn_tanh.input"], "recurrent layers"),
    "rnn_core": (["aten.flip.default"], "recurrent layers in pieces"),
}
# Their graphs hold fake-quantized floats: a difference in the last bit can move a value by a step of its grid.
QUANTIZED = ("pt2e", "ao_pt2e")
FLOAT = dict(rtol=1e-5, atol=1e-6)


def archives():
    folder = corten_program.SHARED / "data" / "pt2"
    return sorted(f"{path.parent.name}/{path.stem}" for path in folder.glob("*/*.pt2")) or ["missing"]


@pytest.fixture(params=archives())
def archive(request):
    return corten_program.shared_data("pt2") / f"{request.param}.pt2"


def as_list(tensors):
    return list(tensors) if isinstance(tensors, (tuple, list)) else [tensors]


def recorded(archive):
    inputs, outputs = torch.load(archive.parent / f"{archive.stem.removesuffix('_core')}.io.pt", weights_only=True)
    return as_list(inputs), as_list(outputs)


def nodes_of(archive):
    """{name: node} as the archive's JSON has it, read without Corten or PyTorch; up to PyTorch 2.8 only results have names."""
    with zipfile.ZipFile(archive) as file:
        name = next(n for n in file.namelist() if n.endswith(("serialized_exported_program.json", "models/model.json")))
        nodes = json.loads(file.read(name))["graph_module"]["graph"]["nodes"]
    return {node.get("name") or first_result(node): node for node in nodes}


def first_result(node):
    first = node["outputs"][0] if node["outputs"] else {}
    tensors = [first["as_tensor"]] if "as_tensor" in first else first.get("as_tensors", [])
    return tensors[0]["name"] if tensors else ""


def module_path(node):
    """"a.0" from "L__self___a_0,L['s'].a[0],torch.nn.Linear" or "L__self__a_0,a.0,torch.nn.Linear"."""
    stack = [entry for entry in node["metadata"].get("nn_module_stack", "").split(";") if entry]
    path = stack[-1].split(",")[1] if stack else ""
    return re.sub(r"^L\['\w+'\]\.", "", path)


def source_line(node):
    """"gen.py:24" of the innermost frame outside PyTorch."""
    frames = re.findall(r'File "([^"]+)", line (\d+)', node["metadata"].get("stack_trace", ""))
    frames = [frame for frame in frames if "/torch/" not in frame[0]]
    return f"{frames[-1][0].split('/')[-1]}:{frames[-1][1]}" if frames else ""


def check_place(diagnostic, nodes):
    """The place a diagnostic names is the one that the archive records."""
    name, target = re.search(r"^  at (\S+) \(([^)]+)\)", diagnostic, re.MULTILINE).groups()
    node = nodes[name]
    assert node["target"] == f"torch.ops.{target}"
    if module_path(node):
        assert f"({target}), module {module_path(node)}" in diagnostic
    assert source_line(node) and f"  from {source_line(node)} in forward" in diagnostic
    return target


def test_computes_recorded_outputs_or_is_refused(archive, tmp_path):
    inputs, outputs = recorded(archive)
    if archive.stem in REFUSED:
        errors = corten_program.run("inspect", archive, expect=1).stderr
        nodes = nodes_of(archive)
        named = [check_place(text, nodes) for text in re.split(rf"^{re.escape(str(archive))}: error: ", errors, flags=re.MULTILINE)[1:]]
        assert set(REFUSED[archive.stem][0]) <= set(named)
        return
    arrays = [tensor.numpy()[None] for tensor in inputs]
    found = corten_program.run_model(archive, arrays, len(outputs), tmp_path, "--stage", "imported", "--io-layout", "model")
    for mine, expected in zip(found, outputs):
        expected = expected.detach().numpy()
        assert mine.shape == (1, *expected.shape)
        if archive.stem.startswith(QUANTIZED):
            step = np.diff(np.unique(expected)).min()
            assert np.abs(mine[0] - expected).max() <= 1.001 * step
        else:
            np.testing.assert_allclose(mine[0], expected, **FLOAT)
