// A size that no tensor tells, and one that a tensor does; both are results.
!s = tensor<?xf32, #fxgraph.meta<dims = [s0]>>
func.func @alone(%n: index) -> (!s, index) {
  %0 = fxgraph.exponential sizes %n : !s
  %1 = fxgraph.neg %0 : !s
  %2 = fxgraph.sub %0, %1 : (!s, !s) -> !s
  return %2, %n : !s, index
}
func.func @beside(%x: !s, %n: index) -> (!s, index) {
  %c0 = arith.constant 0 : index
  %0 = fxgraph.relu %x : !s
  %1 = fxgraph.sub %x, %0 : (!s, !s) -> !s
  %2 = fxgraph.sym_size %x dim 0 : !s
  return %1, %2 : !s, index
}
