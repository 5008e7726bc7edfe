// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base classes of the passes with the options `numerics` and `default-device`, or one of
// them: what they were given is checked when the pass is set up.

#ifndef FXGRAPH_TRANSFORMS_UTILS_OPTIONSPASS_H
#define FXGRAPH_TRANSFORMS_UTILS_OPTIONSPASS_H

#include "fxgraph/Transforms/Utils/Devices.h"
#include "fxgraph/Transforms/Utils/Numerics.h"
#include "fxgraph/Transforms/Utils/RewriteSession.h"

namespace fxgraph {

/// `GeneratedBase` is the pass's generated base class.
template <typename GeneratedBase>
class OptionsPass : public GeneratedBase {
public:
  using GeneratedBase::GeneratedBase;

  LogicalResult initialize(MLIRContext *context) override {
    Location loc = mlir::UnknownLoc::get(context);
    return success(succeeded(parseNumericsOf(this, loc, 0)) && succeeded(checkDeviceOf(this, loc, 0)));
  }

protected:
  /// The widest class of rewrites that the user allows: any, of a pass without the option.
  NumericClass getWidest() { return *parseNumericsOf(this, this->getGraph().getLoc(), 0); }

private:
  template <typename Pass>
  static auto parseNumericsOf(Pass *pass, Location loc, int) -> decltype(pass->numerics, FailureOr<NumericClass>()) {
    return parseNumerics(loc, pass->numerics);
  }
  template <typename Pass>
  static FailureOr<NumericClass> parseNumericsOf(Pass *, Location, long) {
    return NumericClass::ChangesPrecision;
  }
  template <typename Pass>
  static auto checkDeviceOf(Pass *pass, Location loc, int) -> decltype(pass->defaultDevice, LogicalResult::success()) {
    return checkDeviceType(loc, pass->defaultDevice, pass->getArgument());
  }
  template <typename Pass>
  static LogicalResult checkDeviceOf(Pass *, Location, long) {
    return success();
  }
};

/// A pass that finds what it rewrites by a search of its own. It does nothing where the user
/// allows no rewrites of the class `needed`.
template <typename GeneratedBase, NumericClass needed = NumericClass::Exact>
class SearchPass : public OptionsPass<GeneratedBase> {
public:
  using OptionsPass<GeneratedBase>::OptionsPass;

  void runOnOperation() final {
    RewriteSession session(*this);
    if (!allows(this->getWidest(), needed))
      return;
    rewrite(session);
    if (!session.isValid())
      this->signalPassFailure();
  }

protected:
  virtual void rewrite(RewriteSession &session) = 0;
};

} // namespace fxgraph

#endif // FXGRAPH_TRANSFORMS_UTILS_OPTIONSPASS_H
