//===- Error.h - The runtime's exception and its last-error text -*- C++
//-*-===//
//
// Part of the fxgraph project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inside the library a failure is an Error (a status and a text). The C API
// catches it at its border and stores the text per thread, in a fixed buffer so
// that reporting cannot fail itself.
//
//===----------------------------------------------------------------------===//

#ifndef FXGRAPH_LIB_RUNTIME_ERROR_H
#define FXGRAPH_LIB_RUNTIME_ERROR_H

#include "fxgraph/Runtime/FxGraphRuntime.h"

#include <exception>
#include <new>
#include <string>
#include <utility>

namespace fxgraph {
namespace runtime {

class Error : public std::exception {
public:
  Error(FxrtStatus status, std::string message) : status(status), message(std::move(message)) {}

  FxrtStatus getStatus() const { return status; }
  const char *what() const noexcept override { return message.c_str(); }

private:
  FxrtStatus status;
  std::string message;
};

/// Stores `message` (cut at 4095 bytes) as this thread's last error.
void setLastError(const char *message) noexcept;
const char *getLastError() noexcept;

/// Runs `body`; every exception becomes a status and a last-error text that
/// begins with the name of the C function.
template <class Body>
int guarded(const char *function, Body body) noexcept {
  try {
    body();
    return FXRT_OK;
  } catch (const Error &error) {
    try {
      setLastError((std::string(function) + ": " + error.what()).c_str());
    } catch (...) {
      setLastError(error.what());
    }
    return error.getStatus();
  } catch (const std::bad_alloc &) {
    setLastError("out of host memory");
    return FXRT_OUT_OF_MEMORY;
  } catch (const std::exception &error) {
    setLastError(error.what());
    return FXRT_INTERNAL_ERROR;
  } catch (...) {
    setLastError("unknown exception");
    return FXRT_INTERNAL_ERROR;
  }
}

} // namespace runtime
} // namespace fxgraph

#endif // FXGRAPH_LIB_RUNTIME_ERROR_H
