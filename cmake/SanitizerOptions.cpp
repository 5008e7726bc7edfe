// Part of the fxgraph project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of every program of the preset `asan`. The packaged LLVM is built without
// sanitizers: what its code and our copies of its inline code do to one arena or
// container looks like a fault to AddressSanitizer, and its globals like leaks.

extern "C" const char *__asan_default_options();
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_container_overflow=0:alloc_dealloc_mismatch=0:detect_leaks=0";
}

extern "C" const char *__ubsan_default_options();
extern "C" const char *__ubsan_default_options() { return "halt_on_error=1:print_stacktrace=1"; }
