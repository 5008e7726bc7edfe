// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that run other passes: until nothing changes, on some devices only, or
// with the whole graph compared before and after.

#ifndef FXGRAPH_TRANSFORMS_DRIVER_PASSES_TD
#define FXGRAPH_TRANSFORMS_DRIVER_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

defvar pipelineOption = Option<"pipelineText", "pipeline", "::fxgraph::OptionText", "",
                               "The passes to run on each function, as text in braces">;

def FixpointPass : FxGraphPass<"fixpoint"> {
  let summary = "Run passes in rounds until nothing changes, and keep the graph with the fewest ops";
  let description = [{
    Runs `pipeline` on the graph again and again until a round changes nothing, or
    `max-rounds` rounds have run. With `keep-fewest` the graph that had the fewest ops
    after some round, or before the first, is what remains: the result never has more
    ops than the input. Of equal graphs the latest is kept. What counts as an op:
    everything but constants and terminators; with `freezing` also not what is computed
    from parameters alone, which then runs once and not in every run.

    A pass whose rewrites undo those of another would run to the bound: then a warning
    names the number of rounds. The counters and remarks include rounds whose graph was
    not kept.

    Complexity: that of the passes, times the rounds; with `keep-fewest` a copy of the
    graph for each round that made it smaller.

    Example: test/Transforms/Driver/fixpoint-example.mlir
  }];
  let options = [
    pipelineOption,
    Option<"maxRounds", "max-rounds", "unsigned", "8", "Most rounds (1 or more)">,
    Option<"keepFewest", "keep-fewest", "bool", "true", "Keep the graph with the fewest ops, not the last one">,
    Option<"freezing", "freezing", "bool", "false", "Parameters do not change between runs: do not count work on them alone">];
}

def NumericCheckPass : FxGraphPass<"numeric-check"> {
  let summary = "Run passes and compare the whole graph before and after on random inputs";
  let description = [{
    Inductor's `fx_passes_numeric_check` (numeric_utils.py): keeps a copy of the graph,
    runs `pipeline`, and evaluates both in the reference interpreter on the same random
    arguments, `iterations` times with other arguments each time. Results and written
    arguments must have equal types and shapes and satisfy |after - before| <= precision
    + precision * |before|, NaN equal to NaN. Random ops draw from the same seed on both
    sides. Inductor only logs a mismatch; here it is an error unless
    `on-mismatch=warn`. A graph that cannot be evaluated (an opaque op) gives a warning
    that says why, with either setting.

    Gradients and optimizer steps, which Inductor compares as well, have no meaning for
    a graph without autodiff.

    Symbols and unknown extents get one number for each iteration.

    Example: test/Transforms/Driver/numeric-check-example.mlir
  }];
  let options = [
    pipelineOption,
    Option<"precision", "precision", "double", "1e-4", "Absolute and relative tolerance">,
    Option<"iterations", "iterations", "unsigned", "1", "Number of comparisons">,
    Option<"onMismatch", "on-mismatch", "::fxgraph::OptionText", "\"error\"", "error or warn">];
}

def OnDevicesPass : FxGraphPass<"on-devices"> {
  let summary = "Run passes only on graphs with an argument on one of the given devices";
  let description = [{
    The `devices` option of Inductor's fusions: runs `pipeline` if some argument's type
    names a device of one of these types (`cuda` matches `cuda:1`). An argument without a
    device in its type is on the module's device, `default-device`.

    Example: test/Transforms/Driver/on-devices-example.mlir
  }];
  let options = [
    pipelineOption,
    ListOption<"devices", "devices", "::fxgraph::OptionText", "Device types, e.g. cuda,xpu">,
    Option<"defaultDevice", "default-device", "::fxgraph::OptionText", "\"cpu\"", "Device type of arguments that name none">];
}

#endif // FXGRAPH_TRANSFORMS_DRIVER_PASSES_TD
