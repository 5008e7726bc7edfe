// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect, its type constraints and the base classes of its ops.

#ifndef FXGRAPH_BASE_TD
#define FXGRAPH_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "fxgraph/Dialect/IR/FxGraphInterfaces.td"

def FxGraph_Dialect : Dialect {
  let name = "fxgraph";
  let cppNamespace = "::fxgraph";
  let summary = "PyTorch's FX graphs, before and after autodiff";
  let description = [{
    A graph is a `func.func` over builtin ranked tensors. Each op means what the
    ATen op of the same name means; ops that PyTorch users write (`chunk`,
    `stack`, `linear`, …) and ops that its decompositions produce (`addmm`, …)
    live side by side. Values are immutable; a write to an argument is an
    explicit `fxgraph.copy_`.

    **Types.** The element type is the dtype (integers signless, `ui8` for
    uint8, `i1` for bool). Symbolic extents and a device other than the module's
    live in the tensor's encoding, `#fxgraph.meta`.

    **Scalars.** A Python number in an operand position is a rank-0
    `fxgraph.constant` of type `f64` or `i64` (a *wrapped number*). Like in
    PyTorch it does not take part in promotion within its category: the result
    has the other operand's dtype and the number is used unrounded.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
  let extraClassDeclaration = [{
    /// Argument attributes of a graph: what the argument is and its name in the
    /// PyTorch program.
    static constexpr ::llvm::StringLiteral kKindAttr = "fxgraph.kind";
    static constexpr ::llvm::StringLiteral kNameAttr = "fxgraph.name";
    /// Function attribute: the example the graph was captured from.
    static constexpr ::llvm::StringLiteral kLevelAttr = "fxgraph.level";

    void registerAttributes();
    /// One function an op group, defined in Ops<Group>.cpp.
    void registerPointwiseOps();
    void registerViewOps();
    void registerSplitCatOps();
    void registerContractionOps();
    void registerConvNormOps();
    void registerReductionOps();
    void registerIndexingOps();
    void registerStructuralOps();
    void registerControlFlowOps();
    void registerCollectiveOps();
    void registerPackedOps();
  }];
}

//===----------------------------------------------------------------------===//
// Type constraints
//===----------------------------------------------------------------------===//

def FxGraph_Tensor : RankedTensorOf<[AnyType], [], "ranked tensor">;
def FxGraph_FloatTensor : RankedTensorOf<[AnyFloat], [], "floating-point tensor">;
def FxGraph_Float8Tensor : RankedTensorOf<[F8E4M3FN, F8E5M2], [], "tensor of 8-bit floats">;
def FxGraph_Float32Tensor : RankedTensorOf<[F32], [], "tensor of f32">;
/// What products of 8-bit floats give.
def FxGraph_ScaledProductTensor : RankedTensorOf<[F16, BF16, F32], [], "tensor of f16, bf16 or f32">;
def FxGraph_QuantizableTensor : RankedTensorOf<[F16, BF16, F32], [], "f16, bf16 or f32 tensor">;
def FxGraph_Int8Tensor : RankedTensorOf<[I8], [], "int8 tensor">;
def FxGraph_ByteTensor : RankedTensorOf<[UI8], [], "ui8 tensor">;
def FxGraph_BoolTensor : RankedTensorOf<[I1], [], "bool tensor">;
def FxGraph_IndexTensor : RankedTensorOf<[I1, UI8, I8, I16, I32, I64], [], "integer tensor">;
def FxGraph_IntOrBoolTensor : RankedTensorOf<[I1, UI8, I8, I16, I32, I64], [], "integer or bool tensor">;

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

/// Result types from operands and attributes. An op's declared result may be
/// less or more precise than the inferred one in its extents (`?`), never
/// different in rank, element type or a known extent.
def FxGraph_InferTypes : InferTypeOpAdaptorBase<[{
  static bool isCompatibleReturnTypes(::mlir::TypeRange lhs, ::mlir::TypeRange rhs) {
    return ::fxgraph::areCompatibleTypes(lhs, rhs);
  }
}]>;

/// The op is this in a fused kernel (KernelForm.h).
class FxGraph_HasKernelForm<string form> : ParamNativeOpTrait<"HasKernelForm", "::fxgraph::KernelForm::" # form> {
  let cppNamespace = "::fxgraph";
}
class FxGraph_KernelForm<string form> : TraitList<[KernelFormOpInterface, FxGraph_HasKernelForm<form>]>;
def FxGraph_LoopMethods : DeclareOpInterfaceMethods<KernelLoopOpInterface, ["getLoopExtents", "getLoopRows", "getLoopTerms"]>;
def FxGraph_FewInstructions : NativeOpTrait<"FewInstructions"> { let cppNamespace = "::fxgraph"; }
def FxGraph_Jumps : NativeOpTrait<"Jumps"> { let cppNamespace = "::fxgraph"; }

/// … and each of its elements is computed in a loop: of its rows, or as the op says.
def FxGraph_RowLoop : TraitList<[FxGraph_KernelForm<"Reduction">, KernelLoopOpInterface]>;
def FxGraph_OwnLoop : TraitList<[FxGraph_KernelForm<"Reduction">,
  DeclareOpInterfaceMethods<KernelLoopOpInterface, ["getLoopExtents", "getLoopRows", "getLoopTerms", "buildFormula"]>]>;
/// In the declarations of an op with a loop: how it combines the terms.
class FxGraph_Combines<string kind> {
  string text = "std::optional<::fxgraph::ReduceKind> getReduceKind() { return ::fxgraph::ReduceKind::" # kind # "; }\n";
}

/// In the declarations of an op with a loop that does more than combine them (lib/Dialect/IR/KernelFormulas.cpp).
def FxGraph_Formula {
  string text = "::fxgraph::FormulaBuilder::Node buildFormula(::fxgraph::FormulaBuilder &builder, unsigned result);\n";
}

/// A contraction of others than the last dimension of operand 0: ContractionOpInterface, with a count of its own in C++.
def FxGraph_CountsProducts : DeclareOpInterfaceMethods<ContractionOpInterface, ["countProducts"]>;

/// May draw random numbers: neither merged, dropped nor reordered with others.
def FxGraph_RandomState : Resource<"::fxgraph::RandomState">;
/// Asserts and other effects that nothing may drop.
def FxGraph_HostState : Resource<"::fxgraph::HostState">;

//===----------------------------------------------------------------------===//
// Op base classes
//===----------------------------------------------------------------------===//

/// How the importer makes operand dtypes agree before the op is built (the
/// dtype rules of torch._prims_common.elementwise_dtypes).
class Promotion<string kind> { string value = kind; }
def PromoteNone : Promotion<"none">;       // operands taken as they are
def PromoteDefault : Promotion<"default">; // type promotion
def PromoteIntToFloat : Promotion<"int_to_float">; // … and integers to the default float
def PromoteCompare : Promotion<"compare">; // operands as default, the result is bool
def PromoteResult : Promotion<"result">;   // tensor operands cast to the result's dtype
def PromoteContraction : Promotion<"contraction">; // … floating-point ones to a floating-point result's (what autocast does)
def PromoteAccumulate : Promotion<"accumulate">; // operands taken as they are, the result of integers and bools is i64

/// Where PyTorch makes a result a view of operand 0: the operand after a write
/// of `new` to the whole result.
class Inverse<string kind> { string value = kind; }
def NoInverse : Inverse<"none">;               // never a view
def InverseIdentity : Inverse<"identity">;     // `new`
def InverseReshape : Inverse<"reshape">;       // `new` in the operand's shape
def InverseUnexpand : Inverse<"unexpand">;     // the last of the elements of `new` that are one of the base
def InverseSelf : Inverse<"self">;             // the op on `new`
def InversePermutation : Inverse<"permutation">; // the op on `new`, with the inverse of its `dims`
def InversePieces : Inverse<"pieces">;         // each result as a `slice`, or a `select` if it has not the dimension
/// `op` on the operand and `new`, with the attributes of this one.
class InverseScatter<string op> : Inverse<op>;

/// Which operands of the right types make a run fail.
class Failure<string kind> { string value = kind; }
def NeverFails : Failure<"never">;
def FailsOnValues : Failure<"values">;     // an index that is out of range
def FailsOnIntegers : Failure<"integers">; // some integers: a divisor of 0

class FxGraph_Op<string mnemonic, list<Trait> traits = []>
    : Op<FxGraph_Dialect, mnemonic, traits> {
  /// The PyTorch callables that this op models, each a Python-like signature
  /// whose parameter names are the op's operand and attribute names:
  ///   "aten.add.Tensor(input, other, *, alpha=1)", "operator.add(input, other)",
  ///   "torch.add(input, other, *, alpha=1)", "torch.pow(input, exponent: other)"
  /// `exponent: other` is `other` under another name. A parameter that starts with
  /// `_` is not part of the op: the importer leaves it to a handler, or takes no
  /// value but a harmless one. The exporter calls the first overload of ATen's (or
  /// of another namespace of torch.ops) that takes what the op has; it fills
  /// `_result_dtype`, `_input_dtype` and `_size` (the result's shape), and any other
  /// `_name` that PyTorch wants a value for with the signature's default.
  list<string> torchOverloads = [];
  /// Second names of the callables: ATen's `greater` is `gt` in all its overloads,
  /// as a method and as a function of torch; `special_` and `linalg_` begin those of
  /// torch.special and torch.linalg. `second: first` where the first name is not the op's.
  list<string> torchAliases = [];
  /// What the verifier demands beyond the types of operands and attributes, each
  /// "<label>: <text>". The label stands beside the check in lib/Dialect/IR and
  /// begins the name of a test in test/Dialect/IR/*-invalid.mlir;
  /// utils/check-spec-labels.py compares the three. Classes give theirs in the
  /// first list, ops in the second.
  list<string> classConstraints = [];
  list<string> constraints = [];
  /// How the importer promotes the tensor operands.
  Promotion promotion = PromoteNone;
  /// How a write through the result, which may be a view, is put back.
  Inverse inverse = NoInverse;
  /// When a run fails: what must not run unless its result is wanted.
  Failure failure = NeverFails;
}

/// Op with a type inference function `inferReturnTypes` in Ops<Group>.cpp.
class FxGraph_InferredOp<string mnemonic, list<Trait> traits = []>
    : FxGraph_Op<mnemonic, !listconcat([FxGraph_InferTypes], traits)> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // FXGRAPH_BASE_TD
