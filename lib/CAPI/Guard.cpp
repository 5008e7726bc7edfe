// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only code here that is compiled with exceptions: std::bad_alloc must not unwind
// into a caller that catches it, past frames of LLVM and of ours that release nothing
// on the way.

#include "Guard.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

using namespace fxgraph;

/// Why LLVM gave up on this thread. No std::string: memory may be what is missing.
static thread_local char fatalReason[512];

/// LLVM would end the process after this.
static void endCall(void *, const char *reason, bool) {
  std::snprintf(fatalReason, sizeof(fatalReason), "%s", reason);
  if (llvm::CrashRecoveryContext *call = llvm::CrashRecoveryContext::GetCurrent())
    call->HandleExit(EXIT_FAILURE);
  std::fprintf(stderr, "LLVM ERROR: %s\n", reason); // as without a handler
}

static void endCallWithoutMemory(void *user, const char *, bool) { endCall(user, "out of memory", false); }

void capi::enableGuard() {
  llvm::CrashRecoveryContext::Enable();
  // On a stack of their own, so that they can say that a stack is used up.
  for (int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP}) {
    struct sigaction action;
    if (sigaction(signal, nullptr, &action) == 0) {
      action.sa_flags |= SA_ONSTACK;
      sigaction(signal, &action, nullptr);
    }
  }
  llvm::install_fatal_error_handler(endCall);
  llvm::install_bad_alloc_error_handler(endCallWithoutMemory);
}

namespace {
/// The stack of a thread's signal handlers, unless it has one already.
class SignalStack {
public:
  SignalStack() {
    stack_t present = {};
    if (sigaltstack(nullptr, &present) != 0 || !(present.ss_flags & SS_DISABLE))
      return;
    memory = std::malloc(kBytes);
    stack_t own = {};
    own.ss_sp = memory;
    own.ss_size = kBytes;
    if (memory)
      sigaltstack(&own, nullptr);
  }
  ~SignalStack() {
    stack_t present = {}, none = {};
    none.ss_flags = SS_DISABLE;
    if (memory && sigaltstack(nullptr, &present) == 0 && present.ss_sp == memory)
      sigaltstack(&none, nullptr);
    std::free(memory);
  }

private:
  static constexpr size_t kBytes = 64 << 10;
  void *memory = nullptr;
};
} // namespace

/// Runs `body`; its exceptions end here.
static void catchExceptions(function_ref<void()> body, std::string &reason) {
  try {
    body();
  } catch (const std::bad_alloc &) {
    reason = "out of memory";
  } catch (const std::exception &exception) {
    reason = exception.what();
  } catch (...) {
    reason = "an unknown exception";
  }
}

bool capi::runGuarded(function_ref<void()> body, std::string &reason) {
  static thread_local SignalStack signalStack;
  (void)signalStack;
  fatalReason[0] = 0;
  reason.clear();
  const void *stackTrace = llvm::SavePrettyStackState();
  llvm::CrashRecoveryContext recovery;
  if (recovery.RunSafely([&] { catchExceptions(body, reason); }) && reason.empty())
    return true;
  // The entries of frames that are left behind.
  llvm::RestorePrettyStackState(stackTrace);
  if (fatalReason[0])
    reason = fatalReason;
  else if (reason.empty())
    reason = recovery.RetCode > 128 ? std::string("the call crashed: ") + strsignal(recovery.RetCode - 128)
                                    : "the call ended with code " + std::to_string(recovery.RetCode);
  return false;
}
