# Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rules as text, applied to captured graphs."""

import pytest
import torch

import fxgraph
from fxgraph.errors import FxGraphError, ToolError

RULES = """#include "fxgraph/Rules.pdll"

// A row of relus is one.
Pattern ReluOfRelu {
  let inner = op<fxgraph.relu>(x: Value);
  let root = op<fxgraph.relu>(inner.0);
  replace root with inner;
}
"""


TWO_RELUS = """
func.func @main(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = fxgraph.relu %x : tensor<3x4xf32>
  %1 = fxgraph.relu %y : tensor<3x4xf32>
  return %0, %1 : tensor<3x4xf32>, tensor<3x4xf32>
}
"""


class Twice(torch.nn.Module):
    def forward(self, x):
        return torch.relu(torch.relu(x)) + torch.relu(x)


def captured():
    return fxgraph.capture(Twice(), torch.randn(3, 4))


def relus(module):
    return module.op_counts().get("fxgraph.relu", 0)


def test_text_and_file(tmp_path):
    path = tmp_path / "a rule, in {braces}.pdll"
    path.write_text(RULES)
    x = torch.randn(3, 4)
    for rules in (RULES, path, str(path)):
        module = captured()
        before = relus(module)
        report = module.apply_patterns(rules, verify=True)
        assert report.counters == {"ReluOfRelu": 1}
        assert relus(module) == before - 1
        assert torch.equal(module.run([x])[0], Twice()(x))


def test_options():
    module = captured()
    assert module.apply_patterns(RULES, counter="mine").counters == {"mine": 1}
    module = captured()
    assert module.apply_patterns(RULES, assume="relaxed", numerics="exact").counters == {}
    with pytest.raises(ToolError, match="expected numerics to be exact, reassociate or relaxed but got sloppy"):
        captured().apply_patterns(RULES, numerics="sloppy")


def test_a_batch_fusion():
    rules = """#include "fxgraph/Rules.pdll"
    Pattern BatchErf {
      let group = op<fxgraph.group>(inputs: ValueRange) {member = attr<"\\"fxgraph.erf\\"">};
      rewrite group with {
        let batched = Member(group, op<fxgraph.stack>(inputs) {dim = attr<"0 : i64">});
        let pieces: ValueRange = op<fxgraph.unbind>(batched) {dim = attr<"0 : i64">};
        replace group with pieces;
      };
    }
    """
    function = lambda x, y, z: torch.erf(x) - torch.erf(y) * torch.erf(z)  # noqa: E731
    inputs = [torch.randn(3, 4) for _ in range(3)]
    module = fxgraph.capture(function, *inputs)
    assert module.apply_patterns(rules, verify=True).counters == {"BatchErf": 1}
    assert module.op_counts()["fxgraph.erf"] == 1
    torch.testing.assert_close(module.run(inputs)[0], function(*inputs))


def test_near_misses():
    report = captured().apply_patterns(RULES)
    missed = [remark for remark in report.remarks if not remark["applied"]]
    assert {remark["pattern"] for remark in missed} == {"ReluOfRelu"}
    assert all(remark["detail"] == "the root, operand #0: expected fxgraph.relu but got an argument" for remark in missed)


def test_errors_have_place_line_and_caret():
    module = captured()
    text = module.asm
    with pytest.raises(ToolError) as caught:
        module.apply_patterns(RULES.replace("op<fxgraph.relu>(x", "op<fxgraph.rellu>(x"))
    assert "rules.pdll:5:15: error: expected the name of an op but got 'fxgraph.rellu'; is it 'fxgraph.relu'?" in str(caught.value)
    assert "\n  let inner = op<fxgraph.rellu>(x: Value);\n" + " " * 14 + "^" in str(caught.value)
    assert module.asm == text


def test_a_wrong_rule_is_found():
    wrong = RULES.replace("replace root with inner;", "replace root with x;")
    with pytest.raises(ToolError, match="rewrite 'ReluOfRelu' of 'fxgraph.relu' is wrong"):
        captured().apply_patterns(wrong, verify=True)


def test_what_cannot_be_verified_is_told():
    own = RULES.replace("replace root with inner;",
                        'replace root with op<fxgraph.opaque>(x) {target = attr<"\\"mylib.relu2.default\\"">, effects = attr<"\\"none\\"">} -> (type);')
    own = own.replace("(inner.0);", "(inner.0) -> (type: Type);")
    told = "rewrite 'ReluOfRelu' of 'fxgraph.relu' is not verified: expected ops that the reference interpreter can run in its place " \
           "but got 'mylib.relu2.default'"
    with pytest.warns(UserWarning, match=told):
        report = captured().apply_patterns(own, verify=True)
    assert report.counters == {"ReluOfRelu": 1} and len(report.warnings) == 1 and told in report.warnings[0]
    assert [remark["detail"] for remark in report.remarks if remark["applied"]] == ["not verified: 'mylib.relu2.default' cannot be run"]
    assert captured().apply_patterns(own, verify=False).warnings == []
    report = captured().apply_patterns(RULES, verify=True)  # what runs is compared, and nothing is told
    assert report.warnings == [] and [remark["verified"] for remark in report.remarks if remark["applied"]] == [1]


def test_no_compiler(monkeypatch):
    monkeypatch.setenv("FXGRAPH_PDLL", "/nowhere/mlir-pdll")
    with pytest.raises(ToolError, match="cannot compile rules: expected a program but got '/nowhere/mlir-pdll'"):
        captured().apply_patterns(RULES)


def test_bad_arguments():
    with pytest.raises(FxGraphError, match="cannot read the file of rules 'nowhere.pdll'"):
        captured().apply_patterns("nowhere.pdll")


def test_a_changed_file_is_read_again(tmp_path):
    """Pipelines are kept for the next module of the context, but for those that read files."""
    path = tmp_path / "rules.pdll"
    for name in ("ReluOfRelu", "Renamed"):
        path.write_text(RULES.replace("ReluOfRelu", name))
        assert captured().apply_patterns(str(path)).counters == {name: 1}


def test_a_changed_configuration_is_read_again(tmp_path):
    path = tmp_path / "options.yaml"
    for size, count in ((2, 1), (9, 0)):
        path.write_text(f"pre_grad_fusion_options:\n  batch_relu: {{min_fuse_set_size: {size}}}\n")
        report = fxgraph.Module(TWO_RELUS).run_passes(f"fxgraph-pre-grad{{config={path}}}")
        assert report.counters.get("batch_relu", 0) == count


def test_a_pipeline_is_kept():
    """Each run reports what it did itself, also behind one that failed and with other settings."""
    pipeline = "fxgraph-pre-grad{mode=best}"
    reports = [captured().run_passes(pipeline) for _ in range(3)]
    assert len({tuple(report.seconds) for report in reports}) == 1 and reports[0].seconds
    assert all(report.counters == reports[0].counters for report in reports)
    assert sum(reports[2].seconds.values()) < sum(reports[0].seconds.values())  # each its own, and nothing is initialised again
    with pytest.raises(FxGraphError):
        fxgraph.Module("func.func @main() { return }").run_passes("fxgraph-pre-grad{mode=none}")
    graphs = captured().run_passes(pipeline, graphs=True).graphs
    assert graphs and captured().run_passes(pipeline, verify=True).counters == reports[0].counters
