// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A set of ops as one op, for the patterns that say what the set becomes.

#ifndef FXGRAPH_GROUP_OP_TD
#define FXGRAPH_GROUP_OP_TD

include "fxgraph/Dialect/IR/FxGraphBase.td"

def FxGraph_GroupOp : Op<FxGraph_Dialect, "group", [Pure, AttrSizedOperandSegments]> {
  let summary = "ops of one kind that do not depend on each other";
  let description = [{
    What a group fusion's search has found, while a pattern rewrites it; no graph holds
    one before or behind a pass. `member` is the name of the ops and `common` what
    their attributes have in common. Each range holds one operand of all members, in
    their order: `first` their operands #0, and so on; it is empty where the members do
    not have the operand. There is one result for each member.
  }];
  let arguments = (ins StrAttr:$member, DictionaryAttr:$common, Variadic<FxGraph_Tensor>:$first,
                       Variadic<FxGraph_Tensor>:$second, Variadic<FxGraph_Tensor>:$third, Variadic<FxGraph_Tensor>:$fourth);
  let results = (outs Variadic<FxGraph_Tensor>:$values);
}

#endif // FXGRAPH_GROUP_OP_TD
