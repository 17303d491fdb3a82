"""`callbridge inspect` on the modules of real packages, against what these hand out when they run.

What a module registers is asked of the module itself, imported in a process of its own: names,
addresses, and whether a capsule is XLA's of an untyped function.
"""

import json
import math
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", pathlib.Path.home() / ".cache/callbridge"))
PACKAGES = CACHE / "old-packages"
TENSORFLOW = CACHE / "tensorflow-2.13.1/tensorflow/libtensorflow_cc.so.2"

# What each module's functions are, and how many of custom calls' type it has that it registers not.
MODULES = {
    "jaxlib-0.4.13/jaxlib/cpu/_lapack.so": ("status_returning", 44, 0),
    "jaxlib-0.4.13/jaxlib/cpu/_ducc_fft.so": ("status_returning", 2, 0),
    "exoplanet-core-0.2.0/exoplanet_core/jax/cpu_driver.*.so": ("original", 3, 0),
    "exoplanet-core-0.3.1/exoplanet_core/jax/cpu_driver.*.so": ("stripped", 3, 0),
    "celerite2-0.3.0/celerite2/jax/xla_ops.*.so": ("original", 12, 0),
    "jax-cuda12-plugin-0.4.30/jax_cuda12_plugin/_blas.so": ("gpu", 2, 0),
    "jax-cuda12-plugin-0.4.30/jax_cuda12_plugin/_linalg.so": ("gpu", 2, 0),
    "jax-cuda12-plugin-0.4.30/jax_cuda12_plugin/_prng.so": ("gpu", 1, 0),
    "jax-cuda12-plugin-0.4.30/jax_cuda12_plugin/_rnn.so": ("gpu", 2, 0),
    # Syevj_ does Syevj's work.
    "jax-cuda12-plugin-0.4.30/jax_cuda12_plugin/_solver.so": ("gpu", 9, 1),
    "jax-cuda12-plugin-0.4.30/jax_cuda12_plugin/_sparse.so": ("gpu", 10, 0),
    "jax-cuda12-plugin-0.4.30/jax_cuda12_plugin/_triton.so": ("gpu", 1, 0),
}

# Imports a module and prints its targets: {name: [offset in the file, the capsule's name]}.
IMPORT = r"""
import ctypes, importlib.util, json, sys

path, name = sys.argv[1:]
spec = importlib.util.spec_from_file_location(name, path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)

get_name = ctypes.pythonapi.PyCapsule_GetName
get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype = ctypes.c_void_p
get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]

def capsules():
    if hasattr(module, "registrations"):
        return module.registrations()
    if hasattr(module, "get_custom_call"):
        return {"custom_call": module.get_custom_call()}
    functions = {name: getattr(module, name) for name in dir(module) if name[0] != "_"}
    return {name: function() for name, function in functions.items()}

base = min(int(line.split("-")[0], 16) for line in open("/proc/self/maps") if path in line)
targets = {}
for target, capsule in capsules().items():
    kind = get_name(capsule)
    targets[target] = [get_pointer(capsule, kind) - base, kind and kind.decode()]
print("\n" + json.dumps(targets))
"""


def module_path(pattern):
    found = sorted(PACKAGES.glob(pattern))
    assert found, (
        f"{PACKAGES / pattern} is not there: scripts/old_packages, or `make test`, gets it"
    )
    return found[0]


def registered(path):
    name = path.name.partition(".")[0]
    done = subprocess.run(
        [sys.executable, "-c", IMPORT, path, name], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def inspected(path, *options):
    done = subprocess.run(
        [BUILD / "callbridge", "inspect", "--json", *options, path],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, ""), done
    (found,) = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("pattern", MODULES)
def test_what_it_says_is_what_the_module_registers(pattern):
    abi, count, others = MODULES[pattern]
    path = module_path(pattern)
    found, targets = inspected(path), registered(path)
    assert len(targets) == count
    assert found["verdict"]["outcome"] == "python_module"
    assert found["python_modules"] == [path.name.partition(".")[0]]
    assert found["has_capsules"]
    assert not [u for u in found["unresolved"] if u["provider"] == "none"]
    functions = {function["address"]: function for function in found["functions"]}
    if abi == "stripped":
        assert found["stripped"] and not functions
        return
    addresses = {address for address, _ in targets.values()}
    assert addresses <= functions.keys(), "registered, but not seen by inspect"
    assert len(functions.keys() - addresses) == others, "seen by inspect, but not registered"
    for address, capsule_name in targets.values():
        expected = {"Host": abi, "gpu": None}
        if capsule_name is None:
            expected = {"Host": "typed_ffi", "gpu": "typed_ffi"}
        elif abi == "gpu":
            expected = {"Host": None, "gpu": "status_returning"}
        assert functions[address]["abi"] == expected


def test_cuda():
    folder = "jax-cuda12-plugin-0.4.30/jax_cuda12_plugin"
    prng = inspected(module_path(f"{folder}/_prng.so"))
    assert prng["gpu_architectures"] == ["compute_90", "sm_50", "sm_60", "sm_70", "sm_80", "sm_90"]
    assert prng["gpu"][0] == "libcudart, linked statically"
    assert prng["status"] == [{"name": "XlaCustomCallStatusSetFailure", "place": "a private copy"}]
    assert inspected(module_path(f"{folder}/_rnn.so"))["gpu_architectures"] == []
    assert inspected(module_path("jaxlib-0.4.13/jaxlib/cpu/_lapack.so"))["gpu"] == []


def test_probe_finds_the_typed_handler():
    path = module_path("jax-cuda12-plugin-0.4.30/jax_cuda12_plugin/_linalg.so")
    (probed,) = inspected(path, "--probe")["probed"]
    assert probed["symbol"] == "_ZN3jax4cuda21LuPivotsToPermutationEP17XLA_FFI_CallFrame"
    assert probed["verdict"] == "typed"
    assert probed["evidence"] == "makes its errors through the API table of jaxlib 0.4.30"


def test_string_abi_is_that_of_the_names():
    for pattern in MODULES:
        path = module_path(pattern)
        names = subprocess.run(
            ["nm", "-DC", "--undefined-only", path], check=True, capture_output=True, text=True
        ).stdout
        new = "std::__cxx11::" in names
        old = bool(re.search(r"std::string|std::basic_string<char", names))
        expected = {(1, 1): "both", (1, 0): "new", (0, 1): "old", (0, 0): "not_seen"}[new, old]
        assert inspected(path)["string_abi"] == expected, path


def test_tensorflow_takes_little_more_time_than_nm():
    """At most twice as much where the compiler optimised; else as much again is the compiler's."""
    assert TENSORFLOW.is_file(), f"{TENSORFLOW} is not there: scripts/tensorflow gets it"

    def seconds(*command):
        """Of the program's own processor time.

        The kernel's, for half a gigabyte of memory, was 0.2 to 1.2 s for one and the same program,
        by what else the machine did.
        """
        process = subprocess.Popen([*command, TENSORFLOW], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        assert os.waitstatus_to_exitcode(status) == 0, command
        return usage.ru_utime

    is_optimised = ":STRING=Debug" not in (BUILD / "CMakeCache.txt").read_text()
    most = 2 if is_optimised else 4
    # Alternately, the least of each counting, until it is shown.
    inspect = nm = math.inf
    for _ in range(4):
        inspect = min(inspect, seconds(BUILD / "callbridge", "inspect"))
        nm = min(nm, seconds("nm", "-D"))
        if inspect <= most * nm:
            return
    raise AssertionError(f"inspect {inspect:.2f} s, nm -D {nm:.2f} s")


def test_tensorflow_itself():
    found = inspected(TENSORFLOW)
    assert found["verdict"]["text"] == "it is TensorFlow itself, which callbridge replaces"
    places = {entry["name"]: entry["place"] for entry in found["registry"]}
    assert places["xla::CustomCallTargetRegistry::Global()"] == "exported"
