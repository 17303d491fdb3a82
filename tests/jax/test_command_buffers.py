"""What XLA is told of targets that may be recorded into command buffers.

XLA:GPU asks a typed handler for its traits when it is registered. These tests ask what JAX was
given in the same way; tests/gpu shows that XLA:GPU then records calls, and XLA:CPU ignores it.
"""

import ctypes
import itertools
import os
import pickle
import shutil
import subprocess
import sys

import callbridge.jax
import callbridge.library
import callbridge.numpy
import jax
import numpy as np
import pytest
from callbridge._core._native_functions import make_capsule
from callbridge.jax import _registry
from refused import refused
from this_jax import PATHS, PREFERS_TYPED, has, needs

ONE = np.float32(1)
numbers = itertools.count(1)

asks = needs("the typed path of untyped targets")


class Version(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("next", ctypes.c_void_p), ("numbers", ctypes.c_int * 2)]


class Metadata(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("version", Version),
        ("traits", ctypes.c_uint32),
        ("state_type", ctypes.c_int64),
    ]


class Query(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("type", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("metadata", ctypes.POINTER(Metadata)),
    ]


class Frame(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("query", ctypes.POINTER(Query)),
        ("api", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        ("rest", ctypes.c_char * 144),
    ]


def traits(name, platform):
    """What XLA learns of the handler that JAX registers by that name."""
    handler = _registry.registered(name, platform)[1]["execute"]
    metadata = Metadata(ctypes.sizeof(Metadata), Version(ctypes.sizeof(Version)), 77)
    query = Query(ctypes.sizeof(Query), 1, None, ctypes.pointer(metadata))
    frame = Frame(ctypes.sizeof(Frame), ctypes.pointer(query))
    function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(Frame))(handler)
    assert function(ctypes.byref(frame)) is None
    assert tuple(metadata.version.numbers) == (0, 1)
    return metadata.traits


@pytest.fixture
def new_library(uses, tmp_path):
    """Makes a library that no test has loaded, of other content and names; with its number."""

    def make():
        number = next(numbers)
        content = uses.with_name("capturable.so").read_bytes()
        path = tmp_path / f"capturable_{number}.so"
        path.write_bytes(content.replace(b"_000\0", f"_{number:03}\0".encode()))
        return path, number

    return make


def numbered(name, number):
    return f"{name}_{number:03}"


ON_CUDA = ("submit", "wait_for_stream", "typed_without", "typed_with", "typed_registered_with")


class Loaded:
    """A library, loaded with or without the option."""

    def __init__(self, path, number, compatible):
        self.path, self.number = path, number
        options = {}
        if compatible is not None:
            is_list = not isinstance(compatible, bool)
            names = [self.name(name) for name in compatible] if is_list else compatible
            options["command_buffer_compatible"] = names
        self.library = callbridge.jax.load(path, **options)

    def name(self, name):
        return numbered(name, self.number)

    def traits(self, name, platform="CUDA"):
        return traits(self.name(name), platform)

    def custom_call(self, name, **options):
        return callbridge.jax.custom_call(self.name(name), "f32[]", **options)


@pytest.fixture
def load(new_library):
    return lambda compatible=None: Loaded(*new_library(), compatible)


@pytest.fixture
def function():
    """A GPU function that is never called."""
    return ctypes.CFUNCTYPE(None)(lambda: None)


@pytest.fixture
def a_name():
    return f"a target {next(numbers)} of test_command_buffers"


# ---- What load() says ---------------------------------------------------------------------------


@asks
def test_off_by_default(load):
    """A typed handler's own trait stays, and that of its registration in the library."""
    for compatible in (None, False, []):
        loaded = load(compatible)
        assert {name: loaded.traits(name) for name in ON_CUDA} == {
            "submit": 0,
            "wait_for_stream": 0,
            "typed_without": 0,
            "typed_with": 1,
            "typed_registered_with": 1,
        }


@asks
def test_all_of_a_library(load):
    loaded = load(True)
    assert {loaded.traits(name) for name in ON_CUDA} == {1}
    assert loaded.traits("submit_on_rocm", "ROCM") == 1
    assert loaded.traits("add_one", "Host") == loaded.traits("typed_on_host", "Host") == 1


@asks
def test_some_of_a_library(load):
    loaded = load(("submit", "typed_without"))
    assert [loaded.traits(name) for name in ON_CUDA] == [1, 0, 1, 1, 1]
    assert loaded.traits("add_one", "Host") == 0


def test_names_that_are_no_targets(new_library):
    path, number = new_library()
    with refused("NOT_FOUND", f"capturable_{number}.so has no target 'nothing'; it has '"):
        callbridge.jax.load(path, command_buffer_compatible=["nothing"])
    for wrong in ("submit", b"submit", 1, None):
        with pytest.raises(TypeError, match="command_buffer_compatible: expected a bool or a list"):
            callbridge.jax.load(path, command_buffer_compatible=wrong)
    # Nothing was registered: the library may be loaded in either way.
    library = callbridge.jax.load(path, command_buffer_compatible=[numbered("submit", number)])
    assert library.target(numbered("submit", number), "CUDA")


def test_loading_it_again(load, tmp_path):
    loaded = load(("submit",))
    again = shutil.copy(loaded.path, tmp_path / "again.so")
    same = callbridge.jax.load(again, command_buffer_compatible=(loaded.name("submit"),))
    assert same is loaded.library
    for other in (True, False, (), [loaded.name("wait_for_stream")]):
        with refused("ALREADY_EXISTS", "is registered with.* command_buffer_compatible=True"):
            callbridge.jax.load(again, command_buffer_compatible=other)
    with refused("ALREADY_EXISTS", "with command_buffer_compatible=True in .*, and now without it"):
        callbridge.jax.load(again)


def test_what_a_target_knows_of_itself(new_library):
    path, number = new_library()
    library = callbridge.library.load(path)
    assert {target.name for target in library.targets if target.command_buffer_compatible} == {
        numbered(name, number) for name in ("typed_with", "typed_registered_with")
    }
    target = library.target(numbered("typed_with", number), "CUDA")
    assert pickle.loads(pickle.dumps(target)).command_buffer_compatible


# ---- What register() says -----------------------------------------------------------------------


@asks
@pytest.mark.parametrize("platform", ["CUDA", "gpu", "ROCM", "rocm", "cpu"])
def test_a_function(function, a_name, platform):
    canonical = {"gpu": "CUDA", "rocm": "ROCM", "cpu": "Host"}.get(platform, platform)
    abi = "status_returning"
    callbridge.jax.register(a_name, function, platform, abi, command_buffer_compatible=True)
    assert traits(a_name, canonical) == 1
    other = a_name + " without"
    callbridge.jax.register(other, function, platform, abi)
    assert traits(other, canonical) == 0


def test_the_same_function_under_one_name(function, a_name):
    for first in (True, False):
        name = f"{a_name} {first}"
        for _ in range(2):
            callbridge.jax.register(name, function, "CUDA", command_buffer_compatible=first)
        was, now = ("with", "without") if first else ("without", "with")
        words = f"is registered {was} command_buffer_compatible=True in callbridge.jax.register"
        with refused("ALREADY_EXISTS", words, f"and now {now} it", "under another name"):
            callbridge.jax.register(name, function, "CUDA", command_buffer_compatible=not first)
        callbridge.jax.register(name, function, "CUDA", command_buffer_compatible=first)
        # Of another platform it is another target.
        callbridge.jax.register(name, function, "ROCM", command_buffer_compatible=not first)


def test_what_is_no_bool(function, a_name):
    for wrong in (1, 0, None, "yes", [a_name]):
        with pytest.raises(TypeError, match="command_buffer_compatible: expected a bool, got "):
            callbridge.jax.register(a_name, function, "CUDA", command_buffer_compatible=wrong)
        with pytest.raises(TypeError, match="command_buffer_compatible: expected a bool, got "):
            callbridge.jax.custom_call("example", "f32[]", command_buffer_compatible=wrong)
    with refused("NOT_FOUND"):
        callbridge.jax.custom_call(a_name, "f32[]")


@asks
def test_typed_handlers(new_library, a_name):
    library = callbridge.library.load(new_library()[0])
    for kind, own in (("typed_without", 0), ("typed_with", 1)):
        address = next(t.address for t in library.targets if t.name.startswith(f"{kind}_0"))
        for declared in (True, False):
            name = f"{a_name} {kind} {declared}"
            for _ in range(2):
                callbridge.jax.register(
                    name, address, "CUDA", "typed_ffi", command_buffer_compatible=declared
                )
            assert traits(name, "CUDA") == (own | declared)
            handler = _registry.registered(name, "CUDA")[1]["execute"]
            assert (handler == address) == (own or not declared), "a wrapper only where it is due"
        # Its own trait is as good as a declaration.
        if own:
            callbridge.jax.register(
                name, address, "CUDA", "typed_ffi", command_buffer_compatible=True
            )
            callbridge.jax.custom_call(name, "f32[]", command_buffer_compatible=True)


# ---- What custom_call() says --------------------------------------------------------------------


def test_a_call_of_what_is_registered(load):
    loaded = load(("submit",))
    for name in ("submit", "typed_with"):
        for options in ({}, {"command_buffer_compatible": True}):
            if name == "submit" or has("stages of typed handlers"):
                loaded.custom_call(name, **options)
    with refused("ALREADY_EXISTS", "wait_for_stream", "without command_buffer_compatible=True in "):
        loaded.custom_call("wait_for_stream", command_buffer_compatible=True)
    loaded.custom_call("wait_for_stream")


@asks
def test_a_call_that_declares_the_abi(a_name):
    """Its target is given to XLA then, and so with the trait."""
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(lambda out, operands: None)
    callbridge.jax.register(a_name, function)
    for wrong in ("typed_ffi", None):
        with refused("INVALID_ARGUMENT|FAILED_PRECONDITION"):
            callbridge.jax.custom_call(a_name, "f32[]", abi=wrong, command_buffer_compatible=True)
    callbridge.jax.register(a_name, function)  # what failed has declared nothing
    callbridge.jax.custom_call(a_name, "f32[]", abi="original", command_buffer_compatible=True)
    assert traits(a_name, "Host") == 1
    callbridge.jax.custom_call(a_name, "f32[]", command_buffer_compatible=True)
    with refused("ALREADY_EXISTS"):
        callbridge.jax.register(a_name, function)


@asks
def test_version_three_is_not_recorded(load):
    loaded = load(("submit", "add_one"))
    words = "is declared command_buffer_compatible", "by the path 'version_3'", "leave prefer out"
    for options in ({}, {"command_buffer_compatible": True}):
        with refused("INVALID_ARGUMENT", *words):
            loaded.custom_call("submit", prefer="version_3", **options)
        loaded.custom_call("submit", prefer="typed", **options)
        assert loaded.custom_call("add_one", prefer="version_3", **options)(ONE) == 2
    loaded.custom_call("wait_for_stream", prefer="version_3")


@needs("lowering for another platform")
def test_the_path_is_typed_on_a_gpu(load):
    loaded = load(True)
    lowered = jax.jit(loaded.custom_call("submit")).trace(ONE).lower(lowering_platforms=("cuda",))
    text = lowered.as_text()
    assert loaded.name("submit") in text and "api_version = 3" not in text


# ---- XLA:CPU ignores it -------------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("compatible", [True, False])
def test_on_cpu(load, path, compatible):
    loaded = load(compatible)
    call = loaded.custom_call("add_one", prefer=path, command_buffer_compatible=compatible)
    for one in (call, jax.jit(call)):
        for _ in range(3):
            assert one(ONE) == 2
    stablehlo = jax.jit(call).lower(ONE).as_text()
    assert ("api_version = 3" in stablehlo) == (path == "version_3")


@pytest.mark.parametrize("compatible", [True, False])
def test_a_typed_handler_on_cpu(load, compatible):
    loaded = load(compatible)
    call = jax.jit(loaded.custom_call("typed_on_host", command_buffer_compatible=compatible))
    for _ in range(3):
        assert call(ONE) == 3


def test_the_fastest_path_on_cpu_stays(load):
    loaded = load(True)
    text = jax.jit(loaded.custom_call("add_one")).lower(ONE).as_text()
    assert ("api_version = 3" in text) != PREFERS_TYPED


# ---- AOT operators, and the embedded runtime ----------------------------------------------------


def test_other_modules_record_nothing(new_library):
    path, number = new_library()
    for module in ("numpy", "library"):
        with pytest.raises(TypeError, match="command_buffer_compatible"):
            getattr(callbridge, module).load(path, command_buffer_compatible=True)
    callbridge.numpy.load(path)
    with pytest.raises(TypeError, match="no call is recorded and replayed here"):
        callbridge.numpy.custom_call(
            numbered("add_one", number), "f32[]", command_buffer_compatible=True
        )


# ---- Which GPU ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "backend, version, platform",
    [
        ("gpu", "PJRT C API\\ncuda 13000", "CUDA"),
        ("gpu", "PJRT C API\\nrocm 60200", "ROCM"),
        ("gpu", "ROCM 5.7", "ROCM"),
        ("cpu", "rocm", "Host"),
    ],
)
def test_the_platform_of_a_target_that_several_have(load, monkeypatch, backend, version, platform):
    """JAX says "gpu" of AMD's too. There is none here: its answers are made up."""
    name = load().name("submit")
    entry = _registry.registry.find(name, "CUDA", None)
    for other in ("ROCM", "cpu"):
        function = make_capsule(entry.target.address)
        abi = "original" if other == "cpu" else None
        callbridge.jax.register(name, function, other, abi)
    client = type("Client", (), {"platform_version": version})
    device = type("Device", (), {"client": client})
    monkeypatch.setattr(jax, "default_backend", lambda: backend)
    monkeypatch.setattr(jax, "devices", lambda: [device])
    assert _registry.registry.find(name, None, None).platform == platform


# ---- Another process ----------------------------------------------------------------------------

PROGRAM = """
import sys
import callbridge.jax, jax, numpy as np
callbridge.jax.load(sys.argv[1], command_buffer_compatible=True)
call = callbridge.jax.custom_call(sys.argv[2], "f32[]")
print(jax.jit(call)(np.float32(1)), np.asarray(call(np.float32(2))))
"""


def test_the_process_ends(new_library):
    path, number = new_library()
    command = [sys.executable, "-c", PROGRAM, str(path), numbered("add_one", number)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=os.environ)
    assert (done.returncode, done.stdout) == (0, "2.0 3.0\n"), done.stderr
