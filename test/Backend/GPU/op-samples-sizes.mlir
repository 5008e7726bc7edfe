// A sample of each op that sizes are for: none is left once they are known.
// RUN: fx-run %s --entry=* --inputs=seed:7 --dim=n=6 --target=gpu-emulator --compare-target=ref --rtol=0 --atol=0

func.func @narrow(%x: tensor<?x2xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?x2xf32> {
  %one = arith.constant 1 : index
  %n = fxgraph.sym_size %x dim 0 : tensor<?x2xf32, #fxgraph.meta<dims = [n]>>
  %length = arith.subi %n, %one : index
  %0 = fxgraph.narrow %x dim 0 from %one length %length : tensor<?x2xf32, #fxgraph.meta<dims = [n]>> -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

func.func @sym_size(%x: tensor<2x?xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?xf32> {
  %0 = fxgraph.sym_size %x dim 1 : tensor<2x?xf32, #fxgraph.meta<dims = [n]>>
  %1 = fxgraph.full 1.0 sizes %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

func.func @assert_scalar(%x: tensor<?xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?xf32, #fxgraph.meta<dims = [n]>> {
  %two = arith.constant 2 : index
  %zero = arith.constant 0 : index
  %n = fxgraph.sym_size %x dim 0 : tensor<?xf32, #fxgraph.meta<dims = [n]>>
  %rest = arith.remsi %n, %two : index
  %even = arith.cmpi eq, %rest, %zero : index
  fxgraph.assert_scalar %even, "expected an even x.shape[0]"
  %0 = fxgraph.neg %x : tensor<?xf32, #fxgraph.meta<dims = [n]>>
  return %0 : tensor<?xf32, #fxgraph.meta<dims = [n]>>
}
