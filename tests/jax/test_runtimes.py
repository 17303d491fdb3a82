"""What differs between the releases of JAX, and that all of it is silent."""

import os
import pathlib
import subprocess
import sys

import jax
import numpy as np
import pytest
from callbridge.jax import CallbridgeError, _frozen_attributes, _runtimes
from callbridge.jax._runtimes import RUNTIMES, fastest_path, parse_release, runtime_of
from this_jax import PREFERS_TYPED, needs
from this_platform import ON_GPU

SILENT_PROGRAM = pathlib.Path(__file__).parent / "silent_program.py"
# Of jax 0.4.13, that it found no accelerator; of a GPU plugin over the driver's stand-in.
NOT_A_WARNING = ("No GPU/TPU found", "Skipped CUDA versions constraints check")


def test_versions():
    for version, release in [
        ("0.4.13", (0, 4, 13)),
        ("0.12.0.1", (0, 12, 0, 1)),
        ("0.5.3.dev20250401+abc", (0, 5, 3)),
        ("1.0rc1", (1, 0)),
    ]:
        assert parse_release(version) == release


def test_rows_are_in_order():
    releases = [row.release for row in RUNTIMES]
    assert releases == sorted(set(releases))


@pytest.mark.parametrize(
    "release, row",
    [
        ((0, 4, 13), (0, 4, 13)),
        ((0, 4, 15), (0, 4, 13)),
        ((0, 4, 29), (0, 4, 16)),
        ((0, 4, 30), (0, 4, 30)),
        ((0, 4, 33), (0, 4, 32)),
        ((0, 4, 37), (0, 4, 34)),
        ((0, 4, 39), (0, 4, 38)),
        ((0, 5, 2), (0, 5, 1)),
        ((0, 5, 3), (0, 5, 3)),
        ((0, 6, 1), (0, 6, 0)),
        ((0, 6, 3), (0, 6, 2)),
        ((0, 12, 0, 1), (0, 10, 0)),
        ((99,), (0, 10, 0)),
    ],
    ids=str,
)
def test_a_release_between_two_rows_takes_the_one_below(release, row):
    assert runtime_of(release).release == row


def test_a_jaxlib_that_is_older_than_jax():
    """As jax 0.4.31 takes jaxlib 0.4.30, whose XLA has no INSTANTIATE."""
    for versions, release, text in [
        (("0.4.31", "0.4.30"), (0, 4, 30), "jax 0.4.31 with jaxlib 0.4.30"),
        (("0.4.30", "0.4.27"), (0, 4, 27), "jax 0.4.30 with jaxlib 0.4.27"),
        (("0.4.13", "0.4.11"), (0, 4, 13), "jax 0.4.13 with jaxlib 0.4.11"),
        (("0.12.0.1", "0.12.0.1"), (0, 12, 0, 1), "jax 0.12.0.1"),
        (("0.6.2.dev2025+abc", "0.6.2"), (0, 6, 2), "jax 0.6.2.dev2025+abc"),
    ]:
        assert _runtimes.release_of_xla(*versions) == release
        assert _runtimes.this_jax(*versions) == text
    assert not runtime_of((0, 4, 30)).has_instantiate and runtime_of((0, 4, 31)).has_instantiate


def test_releases_before_the_first():
    with pytest.raises(CallbridgeError, match=r"^UNIMPLEMENTED: .*0\.4\.13 .*0\.4\.12: pip"):
        runtime_of((0, 4, 12))


@pytest.mark.parametrize("module", ["callbridge.jax", "callbridge.resurrect"])
def test_an_import_on_a_release_before_the_first(module, tmp_path):
    """Of a JAX that has its version alone."""
    (tmp_path / "jax").mkdir()
    (tmp_path / "jax/__init__.py").write_text("__version__ = '0.4.12'\n")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ["PYTHONPATH"]]),
    }
    done = subprocess.run(
        [sys.executable, "-c", f"import {module}"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stderr.splitlines()[-1].endswith(
        "UNIMPLEMENTED: callbridge.jax runs on jax 0.4.13 and newer; this is jax 0.4.12: pip "
        "install 'jax>=0.4.13'"
    )


# The first release that has it, as JAX's and jaxlib's own sources and `make matrix` say.
FIRST = {
    "registers_by_api_version": (0, 4, 30),
    "has_typed_ffi": (0, 4, 30),
    "lists_targets": (0, 4, 30),
    "has_instantiate": (0, 4, 31),
    "reads_typed_calls": (0, 4, 31),
    "takes_same_handler_again": (0, 4, 31),
    "asks_handlers": (0, 4, 32),
    "keeps_state": (0, 4, 34),
    "has_dictionary_attributes": (0, 4, 34),
    "records_typed_calls": (0, 4, 38),
    "marks_sharding_rules": (0, 6, 0),
    "upgrades_artifacts": (0, 6, 2),
}
SUB_BYTE = {"int2", "uint2", "int4", "uint4"}
FLOAT8 = {f"float8_{kind}" for kind in ("e4m3fn", "e4m3b11fnuz", "e4m3fnuz", "e5m2", "e5m2fnuz")}
SIGNED = {"int8", "int16", "int32", "int64", "float32", "float64"}
UNSIGNED = {"uint8", "uint16", "uint32", "uint64"}
# By the first release, what holds from there on.
CHANGES = {
    "typeof": {(0, 4, 13): "jax.api_util.shaped_abstractify", (0, 5, 3): "jax.typeof"},
    "register": {
        (0, 4, 13): "jaxlib.xla_client.register_custom_call_target",
        (0, 5, 3): "jax.ffi.register_ffi_target",
    },
    "ffi_call": {(0, 4, 13): _runtimes.OWN_FFI_CALL, (0, 6, 0): "jax.ffi.ffi_call"},
    "ffi_lowering": {
        (0, 4, 13): "callbridge.jax._ffi_call.ffi_lowering",
        (0, 6, 0): "jax.ffi.ffi_lowering",
    },
    "primitive": {
        (0, 4, 13): "jax._src.core.Primitive",
        (0, 5, 3): "jax.extend.core.Primitive",
    },
    "register_batch_partitionable": {
        (0, 4, 13): None,
        (0, 5, 1): "jax.ffi.register_ffi_target_as_batch_partitionable",
    },
    "shard_map_rules": {
        (0, 4, 13): {"register_standard"},
        (0, 4, 16): {"register_check", "register_standard_rewrite"},
        (0, 6, 0): set(),
    },
    "typed_takes_tokens": {(0, 4, 13): False, (0, 5, 0): True},
    "reads_back_untyped_calls": {(0, 4, 13): True, (0, 5, 1): False, (0, 10, 0): True},
    "varying_axes": {(0, 4, 13): None, (0, 6, 0): "vma", (0, 10, 0): "manual_axis_type"},
    "vary": {
        (0, 4, 13): None,
        (0, 6, 0): {"jax.lax.pvary", ()},
        (0, 8, 2): {"jax.lax.pcast", (("to", "varying"),)},
    },
    "jvp_takes_none": {(0, 4, 13): True, (0, 5, 0): False, (0, 7, 0): True},
    "lacks_types": {(0, 4, 13): SUB_BYTE, (0, 4, 38): set()},
    "typed_lacks_types": {
        (0, 4, 13): set(),
        (0, 4, 30): FLOAT8,
        (0, 4, 31): set(),
        (0, 4, 38): SUB_BYTE,
        (0, 6, 2): set(),
    },
    "array_attributes": {
        (0, 4, 13): set(),
        (0, 4, 30): SIGNED,
        (0, 4, 38): SIGNED | UNSIGNED,
    },
}


@pytest.mark.parametrize("row", RUNTIMES, ids=lambda row: ".".join(map(str, row.release)))
def test_what_a_release_has(row):
    """Of the releases between those that these tests run on, only `make matrix` sees more."""
    fields = set(row._fields)
    assert fields == {"release", *FIRST, *CHANGES}
    for name, first in FIRST.items():
        assert getattr(row, name) == (row.release >= first), name
    for name, changes in CHANGES.items():
        expected = changes[max(release for release in changes if release <= row.release)]
        value = getattr(row, name)
        assert (set(value) if isinstance(value, tuple) else value) == expected, name


def test_what_a_release_lacks_is_in_the_next_that_has_it():
    def fails(can):
        return str(_runtimes.unimplemented("it", can))

    version = jax.__version__
    expected = f"UNIMPLEMENTED: it needs jax 0.4.34 or newer; this is jax {version}"
    assert fails(lambda row: row.has_dictionary_attributes) == expected


def test_names_that_a_jax_may_lack():
    default = object()
    assert _runtimes.jax_function_or("jax.jit", default) is jax.jit
    for name in ("jax.no_such_name", "jax.no_such_module.name"):
        assert _runtimes.jax_function_or(name, default) is default


@pytest.mark.parametrize(
    "release, platform, path",
    [
        ((0, 4, 13), "Host", "version_3"),
        ((0, 5, 0), "Host", "version_3"),
        ((0, 5, 1), "Host", "typed"),
        ((0, 9, 2), "Host", "typed"),
        ((0, 10, 0), "Host", "version_3"),
        ((0, 10, 2), "Host", "version_3"),
        ((0, 12, 0, 1), "Host", "version_3"),
        ((0, 12, 0, 2), "Host", "typed"),
        ((0, 12, 1), "Host", "typed"),
        ((1,), "Host", "typed"),
        ((0, 10, 2), "CUDA", "typed"),
        ((0, 10, 2), "ROCM", "typed"),
    ],
    ids=str,
)
def test_fastest_path(release, platform, path):
    assert fastest_path(release, platform) == path


def test_this_jax():
    assert _runtimes.RUNTIME == runtime_of(parse_release(jax.__version__))
    for name in (_runtimes.RUNTIME.ffi_call, _runtimes.RUNTIME.register):
        assert callable(_runtimes.jax_function(name))


def python(*arguments):
    environment = dict(os.environ)
    environment.pop("TF_CPP_MIN_LOG_LEVEL", None)  # which hides what XLA warns of
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)


@needs("jax.ffi")
@pytest.mark.parametrize(
    "version, told",
    [
        ("99.0.1", "mhlo.backend_config"),
        (None, "mhlo.backend_config" if ON_GPU else "api_version = 3"),
    ],
)
def test_a_newer_jax_gets_the_typed_path(modules, version, told):
    code = (
        f"import jax\njax.__version__ = {version or jax.__version__!r}\n"
        f"import callbridge.jax, numpy as np\n"
        f"callbridge.jax.load({str(modules / 'targets.so')!r})\n"
        "call = callbridge.jax.custom_call('single_result', 'f32[]')\n"
        "print(jax.jit(call).lower(np.float32(1)).as_text())\n"
        "size = np.uint64(4).tobytes()\n"
        "call = callbridge.jax.custom_call('copy_bytes', 'f32[]', opaque=size)\n"
        "assert call(np.float32(1)) == 1\n"
    )
    done = python("-c", code)
    assert done.returncode == 0, done.stderr
    assert ("mhlo.backend_config" if PREFERS_TYPED else told) in done.stdout


def logged(*arguments):
    done = python("-W", "error", SILENT_PROGRAM, *arguments)
    printed, errors = (
        [line for line in text.splitlines() if not any(what in line for what in NOT_A_WARNING)]
        for text in (done.stdout, done.stderr)
    )
    assert (done.returncode, printed) == (0, ["done"]), done.stderr
    return errors


def test_nothing_is_logged(modules):
    assert logged(modules) == []


@needs("a warning of version 1")
def test_what_would_be_logged(modules):
    assert "API_VERSION_ORIGINAL" in "\n".join(logged(modules, "native"))


def test_attributes_are_the_same_by_their_bits():
    """A program is found by its attributes: one NaN's is not another's, by sign or by payload."""
    bits = (0x7FF8000000000000, 0xFFF8000000000000, 0x7FF8000000000001, 0, 1 << 63)
    values = [np.array(b, np.uint64).view(np.float64).item() for b in bits]
    frozen = [_frozen_attributes.freeze({"a": {"b": value}})["a"] for value in values]
    assert len(set(frozen)) == len(bits)
    assert frozen == [_frozen_attributes.freeze({"a": {"b": value}})["a"] for value in values]
