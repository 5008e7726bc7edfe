// The rule ReluOfRelu as PDL, and one without a name.
pdl.pattern @ReluOfRelu : benefit(1) {
  %x = operand
  %type = type
  %inner = operation "fxgraph.relu"(%x : !pdl.value) -> (%type : !pdl.type)
  %value = result 0 of %inner
  %root = operation "fxgraph.relu"(%value : !pdl.value) -> (%type : !pdl.type)
  rewrite %root {
    replace %root with %inner
  }
}
pdl.pattern : benefit(1) {
  %x = operand
  %type = type
  %inner = operation "fxgraph.neg"(%x : !pdl.value) -> (%type : !pdl.type)
  %value = result 0 of %inner
  %root = operation "fxgraph.abs"(%value : !pdl.value) -> (%type : !pdl.type)
  rewrite %root {
    %new = operation "fxgraph.abs"(%x : !pdl.value)
    replace %root with %new
  }
}
