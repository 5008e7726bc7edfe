// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FXGRAPH_TRANSFORMS_DECOMPOSE_PASSES_TD
#define FXGRAPH_TRANSFORMS_DECOMPOSE_PASSES_TD

include "fxgraph/Transforms/PassBase.td"

def DecomposePass : FxGraphPDLLPass<"decompose"> {
  let summary = "From the ops that users write to those that inference's decompositions produce";
  let description = [{
    What `torch.export`'s `run_decompositions` does for inference, on the dialect:

    | before | after |
    |---|---|
    | `linear` | `addmm` or `mm` with the weight permuted, reshapes around it for rank != 2 |
    | `matmul` | `mm` or `bmm` by PyTorch's rank rules |
    | `chunk`, `split` | `split_with_sizes` |
    | `stack` | `cat` of `unsqueeze` |
    | `flatten`, `unflatten`, `view` | `reshape` |
    | `transpose` | `permute` |
    | `conv1d`, `conv2d`, `conv3d` | `convolution` |
    | `einsum` of two tensors | `permute`, `reshape`, `bmm` |
    | `scaled_dot_product_attention`, `linear_transpose`, `transpose_linear`, `transpose_matmul`, `dot_compress`, `lce`, `quantize_per_tensor`, `dequantize_per_tensor` | their `decompose` |
    | `dropout` in evaluation, `detach`, `contiguous` | the operand |

    ```mlir
    %0 = fxgraph.linear %x, %w, %b : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6xf32>) -> tensor<4x6xf32>
    ```
    becomes
    ```mlir
    %0 = fxgraph.permute %w dims [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
    %1 = fxgraph.addmm %b, %x, %0 beta 1.0 alpha 1.0 : (…) -> tensor<4x6xf32>
    ```

    An op stays where more than one extent of a reshape would have to be computed
    when run, and a remark says so. A result of the graph that would become an
    argument is cloned. Exact, but for `einsum`, attention and the fused forms,
    whose sums are taken in another order. Linear.
    Documented example: test/Transforms/Decompose/decompose-example.mlir.
  }];
}

#endif // FXGRAPH_TRANSFORMS_DECOMPOSE_PASSES_TD
