# Configuration of the lit suite. Features that tests may require:
#   torch    the tests' Python has PyTorch
#   ptxas    NVIDIA's assembler is installed
#   cuda     an NVIDIA driver and GPU are there
#   asserts  our code is compiled without NDEBUG
#   sanitizer, thread-sanitizer   a sanitizer is compiled in; that one
# Tests that require torch run their programs with %torch_python: see utils/warm-python.py.
# FXGRAPH_CHECK_ROUNDTRIP=1 runs every fx-opt with --verify-roundtrip.
import atexit
import os
import shutil
import socket
import subprocess
import tempfile

import lit.formats

config.name = "fxgraph"
config.test_format = lit.formats.ShTest(bool(os.environ.get("FXGRAPH_LIT_EXTERNAL_SHELL")))
config.suffixes = [".mlir", ".test", ".py", ".pdll"]
config.excludes = ["Inputs", "gpu_runtime.py", "Models", "Unit", "lit.cfg.py", "lit.site.cfg.py", "CMakeLists.txt", "lib"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.fxgraph_binary, "test")

bin_dir = os.path.join(config.fxgraph_binary, "bin")
lib_dir = os.path.join(config.fxgraph_binary, "lib")
config.environment["PATH"] = os.pathsep.join([bin_dir, config.llvm_tools, os.environ.get("PATH", "")])
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --allow-unused-prefixes=false"
config.environment["PYTHONPATH"] = os.path.join(config.fxgraph_source, "python")
config.environment["FXGRAPH_BIN_DIR"] = bin_dir
# Every rewrite that a test makes is checked against the reference interpreter.
config.environment["FXGRAPH_VERIFY_REWRITES"] = os.environ.get("FXGRAPH_VERIFY_REWRITES", "1")
# Tests run side by side: PyTorch's threads would wait for each other's processors.
config.environment["OMP_NUM_THREADS"] = "1"
for variable in ("ASAN_OPTIONS", "CUDA_HOME", "CUDA_PATH", "HOME", "LD_LIBRARY_PATH", "UBSAN_OPTIONS"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]

fx_opt = "fx-opt --verify-roundtrip" if os.environ.get("FXGRAPH_CHECK_ROUNDTRIP") else "fx-opt"
# A C compiler's command line for a program of the C interface: warnings are errors. With a
# sanitizer it is the compiler whose run time the library needs.
capi_cc = (f"{config.c_compiler + ' -fsanitize=' + config.sanitize if config.sanitize else 'cc'} -std=c11 -Wall -Wextra -Werror -g"
           f" -I {config.fxgraph_source}/include -isystem {config.mlir_include} -L {lib_dir} -Wl,-rpath,{lib_dir} -pthread")
config.substitutions += [
    ("%capi_cc", capi_cc),
    ("%capi_libs", "-lFxGraphCAPI"),
    ("%python", config.python),
    ("%plugin", os.path.join(lib_dir, "libFxGraphPlugin.so")),
    ("%lib_dir", lib_dir),
    ("%build", config.fxgraph_binary),
    ("%models", os.path.join(config.test_source_root, "Models")),
    ("%source", config.fxgraph_source),
    ("%mlir-opt", os.path.join(config.llvm_tools, "mlir-opt")),
    (r"\bfx-opt\b", fx_opt),
]


def succeeds(*command):
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def warm_python():
    """The command line of a Python in which PyTorch is imported already. Its server ends with lit."""
    folder, program = tempfile.mkdtemp(prefix="fxgraph-lit-"), os.path.join(config.fxgraph_source, "utils", "warm-python.py")
    path = os.path.join(folder, "python")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(os.cpu_count())
        server = subprocess.Popen([config.python, program, "serve"], stdin=listener, env=config.environment)
    owner = os.getpid()

    def stop():
        if os.getpid() == owner:  # not one of lit's workers
            server.terminate()
            server.wait()
            shutil.rmtree(folder)

    atexit.register(stop)
    return f"{config.python} -I -S {program} {path}"


# Neither python nor a stock mlir-opt can load our shared libraries with a sanitizer in them.
if config.sanitize:
    config.available_features.add("sanitizer")
    # LLVM comes without it: what it hands to memcpy or free is seen, how it waits for that is not (the
    # inline load that guards a function-local static, as around ModuleTranslation's tables of attributes).
    if config.sanitize == "thread":
        config.available_features.add("thread-sanitizer")
        config.environment["TSAN_OPTIONS"] = os.environ.get(
            "TSAN_OPTIONS", "ignore_noninstrumented_modules=1:second_deadlock_stack=1:allocator_may_return_null=1")
elif succeeds(config.python, "-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"):
    config.available_features.add("torch")
    config.substitutions.append(("%torch_python", warm_python()))
cuda_home = os.environ.get("CUDA_HOME", os.environ.get("CUDA_PATH", "/usr/local/cuda"))
if shutil.which("ptxas") or os.path.exists(os.path.join(cuda_home, "bin", "ptxas")):
    config.available_features.add("ptxas")
if shutil.which("nvidia-smi") and succeeds("nvidia-smi", "-L"):
    config.available_features.add("cuda")
if config.asserts:
    config.available_features.add("asserts")
