# Configuration of the lit tests. See CONTRIBUTING.md for how to run one.

import ctypes
import os
import shutil
import subprocess
import sys
import sysconfig

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import ToolSubst

config.name = "Obsidian"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "lib"]
config.test_source_root = os.path.dirname(__file__)
config.python_executable = sys.executable
config.test_exec_root = os.path.join(config.obs_obj_root, "test")

# Eight times the time of the slowest test alone on two idle cores (70 s). Needs psutil.
if lit_config.maxIndividualTestTimeIsSupported[0]:
    lit_config.maxIndividualTestTime = int(
        lit_config.params.get("test_timeout", 600))

llvm_config.with_system_environment(
    ["HOME", "TMP", "TEMP", "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"])
llvm_config.with_environment(
    "FILECHECK_OPTS", "-enable-var-scope --allow-unused-prefixes=false")
llvm_config.with_environment("LLVM_PREFIX", os.path.dirname(config.llvm_tools_dir))
llvm_config.use_default_substitutions()

tools_dir = os.path.join(config.obs_obj_root, "bin")
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PATH", tools_dir, append_path=True)

# OBS_OPT_CHECK_ROUNDTRIP=1 turns every test of obs-opt into a test that the
# input survives printing and parsing, as text and as bytecode.
obs_opt = ["--verify-roundtrip"] if os.environ.get("OBS_OPT_CHECK_ROUNDTRIP") else []
llvm_config.add_tool_substitutions(
    [
        ToolSubst("obs-opt", extra_args=obs_opt, unresolved="ignore"),
        ToolSubst("obs-translate", unresolved="ignore"),
        ToolSubst("obs-run", unresolved="ignore"),
        ToolSubst("obs-lsp-server", unresolved="ignore"),
        ToolSubst("obs-test", unresolved="ignore"),
    ],
    [tools_dir, config.llvm_tools_dir],
)

config.substitutions.append(("%obs_src_root", config.obs_src_root))
config.substitutions.append(("%obs_obj_root", config.obs_obj_root))
config.substitutions.append(("%obs_lib", os.path.join(config.obs_obj_root, "lib")))
config.substitutions.append(("%llvm_tools", config.llvm_tools_dir))
config.substitutions.append(("%examples", os.path.join(config.obs_src_root, "examples")))
config.substitutions.append(("%scripts", os.path.join(config.obs_src_root, "scripts")))
config.substitutions.append(("%python", config.python_executable))
# FileCheck: the CHECK lines name every barrier, choice, access and loop.
config.substitutions.append((
    "%no_other_code",
    "--implicit-check-not='{{gpu.barrier|warp.sync|arith.select|memref.(load|store)|scf.(for|if|while)}}'"))
# The tests of the Python package, with the library of this build.
config.substitutions.append((
    "%run_pytest",
    (f"env OBS_LIBRARY={os.path.join(config.obs_obj_root, 'lib', 'libobsidian.so')}"
    f" PYTHONPATH={os.path.join(config.obs_src_root, 'python')}"
    f" PYTHONDONTWRITEBYTECODE=1 {config.python_executable} -m pytest -q -p no:cacheprovider"
    f" -c {os.path.join(config.obs_src_root, 'python', 'pyproject.toml')}")))


def has_cuda_device():
    """True when the driver loads and reports a device."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
        count = ctypes.c_int(0)
        return (cuda.cuInit(0) == 0
                and cuda.cuDeviceGetCount(ctypes.byref(count)) == 0
                and count.value > 0)
    except OSError:
        return False


def oracle_check(folder, examples):
    """The command that compares programs of examples/ with the oracle in a folder of tests."""
    words = [config.python_executable, os.path.join(config.test_source_root, folder, "check.py"),
             os.path.join(tools_dir, "obs-run"), os.path.join(config.obs_src_root, examples)]
    return " ".join(words)


# The name of an example or Dag program follows, with options of its run. %check_on_all_devices runs
# the example that the test is named after; options that follow are for the last run, in random order.
check_example = oracle_check("Examples", "examples")
launches = ["--device=cuda"] if has_cuda_device() else []
launches += ["--device=interpret", "--device=emulate", "--every=3 --device=emulate --threads=1 --blocks=3",
             "--every=3 --device=emulate --threads=96 --blocks=1 --schedule=random --seed=5"]
config.substitutions.append((
    "%check_on_all_devices", " && ".join(f"{check_example} %{{s:basename}} {launch}" for launch in launches)))
config.substitutions.append(("%check_example", check_example))
config.substitutions.append(("%check_dag", oracle_check("FrontEnd/Dag", "examples/dag")))

# The emulator checks all that it can in every test; `--param checks=none` shows
# what that costs.
if lit_config.params.get("checks") != "none":
    config.substitutions.append(
        (r"--device=emulate\b", "--device=emulate --check"))

# Programs in Python are compiled in every test, but for those of the cache.
config.environment["OBS_CACHE_DIR"] = ""
# An accelerator that this Python has is not that of the sources.
config.environment["OBS_ACCELERATOR"] = ""

# Features of this machine.


def python_runs(statement):
    """True when the Python that runs the tests' scripts runs a statement without an error."""
    return subprocess.run([config.python_executable, "-c", statement],
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


config.available_features.add("python")
for name in ["numpy", "pytest", "pytest_cov", "ruff", "jax", "torch"]:
    if python_runs("import " + name):
        config.available_features.add(name)
# setuptools comes first: it replaces distutils.
if python_runs("import setuptools, pip, wheel, venv, numpy"):
    config.available_features.add("wheel")
# Older versions, such as that of Debian 12, refuse correct programs.
if python_runs("from mypy.version import __version__ as v; assert [int(p) for p in v.split('.')[:2]] >= [2, 0]"):
    config.available_features.add("mypy")
if os.path.exists(os.path.join(config.llvm_tools_dir, "mlir-opt")):
    config.available_features.add("mlir-opt")
if os.path.exists(os.path.join(tools_dir, "obs-test")):
    config.available_features.add("obs-test")
if config.obs_assertions:
    config.available_features.add("assertions")
if shutil.which("ptxas", path=config.environment["PATH"]):
    config.available_features.add("ptxas")
if has_cuda_device():
    config.available_features.add("cuda")
compiler = next(filter(None, map(shutil.which, ["cc", "clang-22", "clang"])), None)
if compiler:
    config.available_features.add("c-compiler")
    config.substitutions.append(("%cc", compiler))
python_include = sysconfig.get_path("include")
if os.path.exists(os.path.join(python_include, "Python.h")):
    config.available_features.add("python-headers")
    config.substitutions.append(("%include_of_python", python_include))
# Tests that take minutes; `make check-full` asks for them.
if lit_config.params.get("exhaustive"):
    config.available_features.add("exhaustive")

# One test at a time on the device.
lit_config.parallelism_groups["cuda"] = 1
