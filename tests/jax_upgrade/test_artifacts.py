"""Artifacts of any kind and age: what stays byte for byte, what keeps its name, and the list."""

import os
import subprocess
import sys
import warnings

import callbridge.jax
import jax
import jax.export
import numpy as np
import pytest
from callbridge.jax import upgrade
from callbridge.jax._called_targets import Call, calls_of
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from refused import refused

FORM = jax.ShapeDtypeStruct((), np.float32)
HERE = ["example", "on_cuda", "untold_double", "refuse_negative"]
CHECKS = [jax.export.DisabledSafetyCheck.custom_call(name) for name in HERE]


@pytest.fixture(scope="module", autouse=True)
def library(targets):
    return callbridge.jax.load(targets)


@pytest.fixture
def command(build):
    def run(*words):
        done = subprocess.run(
            [build / "callbridge", "upgrade", *map(str, words)],
            capture_output=True,
            timeout=120,
            env=dict(os.environ, CALLBRIDGE_PYTHON=sys.executable),
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def untyped(name, version=2):
    return jax.ffi.ffi_call(name, FORM, custom_call_api_version=version, legacy_backend_config=b"")


def exported(function, platforms=("cpu",)):
    make = jax.export.export(jax.jit(function), platforms=platforms, disabled_checks=CHECKS)
    return make(FORM)


def portable(text, version=None):
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        return stablehlo.serialize_portable_artifact(
            module, version or stablehlo.get_current_version()
        )


TEXT = """module @m {
  // Written by hand, as no printer would.
  func.func public @main(%x:   tensor<f32>) -> tensor<f32> {
    %r = stablehlo.custom_call @typed_one(%x) {
      api_version = 4 : i32, backend_config = {}} : (tensor<f32>) -> tensor<f32>
    %s = stablehlo.custom_call @Sharding(%r) {mhlo.sharding = "{replicated}"} :
      (tensor<f32>) -> tensor<f32>
    return %s : tensor<f32>
  }
}
"""


# ---- What stays ---------------------------------------------------------------------------------


def test_without_untyped_calls_nothing_changes(command, tmp_path):
    assert upgrade(TEXT) is TEXT
    assert upgrade(TEXT.encode()) == TEXT.encode()
    artifacts = [TEXT.encode(), portable(TEXT)]
    program = exported(jax.numpy.sin)
    assert upgrade(program).mlir_module_serialized == program.mlir_module_serialized
    read = jax.export.deserialize(program.serialize())
    assert upgrade(read) is read
    artifacts += [program.serialize(), program.serialize(vjp_order=2)]
    for artifact in map(bytes, artifacts):
        assert upgrade(artifact) == artifact
        assert upgrade(bytearray(artifact)) == bytearray(artifact)
        (tmp_path / "artifact").write_bytes(artifact)
        assert command(tmp_path / "artifact") == artifact


def test_calls_of_unknown_targets_change_nothing():
    artifact = portable(
        TEXT.replace("api_version = 4 : i32, backend_config = {}", "api_version = 2 : i32")
    )
    with pytest.warns(UserWarning, match="'typed_one' stay as they are"):
        assert upgrade(artifact) == artifact


def test_a_derivative_alone_is_upgraded():
    @jax.custom_vjp
    def f(x):
        return x + 1

    f.defvjp(lambda x: (x + 1, x), lambda x, t: (untyped("untold_double", 1)(x) * t,))
    data = exported(f).serialize(vjp_order=1)
    upgraded = upgrade(data)
    assert upgraded != data
    program = jax.export.deserialize(bytearray(upgraded))
    assert program.mlir_module_serialized == exported(f).mlir_module_serialized
    assert jax.grad(program.call)(np.float32(3)) == 6


def test_the_writer_of_a_portable_artifact_does_not_matter():
    text = TEXT.replace(
        "@typed_one(%x) {\n      api_version = 4 : i32, backend_config = {}}",
        "@untold_double(%x) {api_version = 1 : i32}",
    )
    assert text != TEXT
    for version in (stablehlo.get_current_version(), stablehlo.get_minimum_version()):
        artifact = portable(text, version)
        end = artifact.index(b"\0")
        somebody_elses = artifact[:5] + b"Somebody else's" + artifact[end:]
        calls = {call.target: call.api_version for call in calls_of(somebody_elses)}
        assert calls == {"untold_double": 1, "Sharding": 1}
        upgraded = {c.target: c.api_version for c in calls_of(upgrade(somebody_elses))}
        assert upgraded["untold_double"] in (3, 4)


@pytest.mark.parametrize(
    "convention",
    range(
        jax.export.minimum_supported_calling_convention_version,
        jax.export.maximum_supported_calling_convention_version + 1,
    ),
)
def test_conventions_that_this_jax_writes(convention):
    before = jax.config.jax_export_calling_convention_version
    jax.config.update("jax_export_calling_convention_version", convention)
    try:
        data = exported(untyped("untold_double", 1)).serialize()
    finally:
        jax.config.update("jax_export_calling_convention_version", before)
    program = jax.export.deserialize(bytearray(upgrade(data)))
    assert program.calling_convention_version == convention
    assert program.call(np.float32(4)) == 8


# ---- Platforms ----------------------------------------------------------------------------------


def on_two_platforms(x):
    x = jax.lax.platform_dependent(x, cpu=untyped("untold_double", 1), cuda=untyped("on_cuda"))
    return untyped("refuse_negative")(x)


def test_calls_of_other_platforms_keep_their_names(command, tmp_path):
    program = exported(on_two_platforms, ("cpu", "cuda"))
    with pytest.warns(UserWarning, match="calls of 'on_cuda' stay as they are"):
        upgraded = upgrade(program)
    assert upgraded.call(np.float32(4)) == 8
    with_names = [call.target for call in calls_of(upgraded)]
    assert with_names == [call.target for call in calls_of(program)]
    versions = {call.target: call.api_version for call in calls_of(upgraded)}
    assert versions["on_cuda"] == 2 and versions["untold_double"] in (3, 4)
    (tmp_path / "program").write_bytes(program.serialize())
    by_command = jax.export.deserialize(bytearray(command(tmp_path / "program")))
    calls = calls_of(by_command)
    assert [call.target for call in calls] == with_names
    assert {call.api_version for call in calls if not call.is_xlas_own} == {4}


def test_each_call_says_its_platforms():
    found = {call.target: call for call in calls_of(exported(on_two_platforms, ("cpu", "cuda")))}
    assert found["untold_double"] == Call("untold_double", 1, ("cpu",), False)
    assert found["on_cuda"] == Call("on_cuda", 2, ("cuda",), False)
    assert found["refuse_negative"] == Call("refuse_negative", 2, ("cpu", "cuda"), False)
    # Another order, and a platform that shares a branch.
    order = ("cuda", "rocm", "cpu")

    def function(x):
        return jax.lax.platform_dependent(
            x, cuda=untyped("on_cuda"), default=jax.jit(untyped("untold_double", 1))
        )

    found = {call.target: call for call in calls_of(exported(function, order))}
    assert found["on_cuda"].platforms == ("cuda",)
    assert found["untold_double"].platforms == ("rocm", "cpu")
    (alone,) = calls_of(exported(untyped("on_cuda"), ("cuda",)))
    assert alone.platforms == ("cuda",)


# ---- The list -----------------------------------------------------------------------------------


def rows(text):
    heading, *lines = (line.split() for line in text.decode().splitlines())
    assert heading == ["target", "version", "platform", "registered", "library"]
    return lines


def test_list(command, tmp_path, targets):
    file = tmp_path / "program"
    file.write_bytes(exported(on_two_platforms, ("cpu", "cuda")).serialize())
    told = rows(command(file, "--list", "--library", targets))
    assert ["untold_double", "1", "cpu", "untyped", str(targets)] not in told
    assert ["untold_double", "1", "cpu", "yes", str(targets)] in told
    assert ["on_cuda", "2", "cuda", "no", "-"] in told
    assert ["refuse_negative", "2", "cpu", "yes", str(targets)] in told
    assert ["refuse_negative", "2", "cuda", "no", "-"] in told
    without = rows(command(file, "--list"))
    assert ["untold_double", "1", "cpu", "no", "-"] in without
    assert len(without) == len(told)


def test_list_of_jaxs_own_targets(command, tmp_path):
    file = tmp_path / "program"
    form = jax.ShapeDtypeStruct((3, 3), np.float32)
    program = jax.export.export(jax.jit(jax.numpy.linalg.cholesky), platforms=["cpu"])(form)
    file.write_bytes(program.serialize())
    told = rows(command(file, "--list"))
    assert told
    for target, version, platform, registered, library in told:
        assert target.startswith("lapack_s") and (version, platform) == ("4", "cpu")
        assert registered == "yes" and library.startswith("jaxlib/")


def test_list_of_what_names_no_platform(command, tmp_path, targets):
    file = tmp_path / "text.mlir"
    file.write_text(TEXT.replace("typed_one", "untold_double"))
    told = rows(command(file, "--list", "--library", targets))
    # Called as a typed handler, and an untyped function is there.
    assert told[0] == ["untold_double", "4", "cpu", "untyped", str(targets)]
    assert told[1][:3] == ["Sharding", "1", "-"] and told[1][3:5] == ["XLA's", "own"]
    file.write_text(TEXT)
    assert rows(command(file, "--list"))[0] == ["typed_one", "4", "-", "no", "-"]


HLO = """HloModule m

inner {
  x = f32[] parameter(0)
  ROOT y = f32[] custom-call(x), api_version=API_VERSION_STATUS_RETURNING,
    custom_call_target="refuse_negative"
}

ENTRY e {
  x = f32[] parameter(0)
  a = f32[] custom-call(x), custom_call_target="untold_double"
  b = f32[] call(a), to_apply=inner
  c = f32[] custom-call(b), custom_call_target="untold_double", api_version=API_VERSION_TYPED_FFI
  d = f32[] custom-call(c), custom_call_target="Sharding", sharding={replicated}
  ROOT e = f32[] custom-call(d), api_version=API_VERSION_STATUS_RETURNING_UNIFIED,
    custom_call_target="of \\"nobody\\""
}
"""


@pytest.mark.parametrize("form", ["text", "proto"])
def test_list_of_hlo(command, build, tmp_path, targets, form):
    file = tmp_path / "module"
    file.write_text(HLO)
    if form == "proto":
        show = [build / "callbridge", "show", file, "--form", "proto", "--output", file]
        subprocess.run(show, check=True)
    told = rows(command(file, "--list", "--library", targets))
    assert ["untold_double", "1", "cpu", "yes", str(targets)] in told
    assert ["refuse_negative", "2", "cpu", "yes", str(targets)] in told
    # Called as a typed handler, and an untyped function is there.
    assert ["untold_double", "4", "cpu", "untyped", str(targets)] in told
    assert ["of", '"nobody"', "3", "-", "no", "-"] in told
    assert ["Sharding", "1", "-", "XLA's", "own", "-"] in told
    assert len(told) == 5
    without = rows(command(file, "--list"))
    assert ["refuse_negative", "2", "-", "no", "-"] in without and len(without) == 5


def test_list_of_hlo_of_this_jax(command, tmp_path):
    """Of instructions that callbridge does not know, as XLA's dumps have them."""
    form = jax.ShapeDtypeStruct((3, 3), np.float32)
    lowered = jax.jit(lambda x: jax.numpy.linalg.cholesky(x @ x.T)).lower(form)
    file = tmp_path / "module.pb"
    file.write_bytes(lowered.compiler_ir("hlo").as_serialized_hlo_module_proto())
    told = rows(command(file, "--list"))
    assert [row[:4] for row in told] == [["lapack_spotrf_ffi", "4", "cpu", "yes"]]
    assert told[0][4].startswith("jaxlib/")


def test_list_of_hlo_without_calls(command, tmp_path):
    file = tmp_path / "module.hlo"
    file.write_text("HloModule m\n\nENTRY e {\n  ROOT x = f32[] parameter(0)\n}\n")
    assert command(file, "--list", "--output", tmp_path / "list") == b""
    assert rows((tmp_path / "list").read_bytes()) == []


def test_list_of_hlo_needs_jax(build, tmp_path):
    file = tmp_path / "module.hlo"
    file.write_text(HLO)
    for python, words in [("/usr/bin/python3", "has no jax"), ("/nowhere/python", "be started")]:
        done = subprocess.run(
            [build / "callbridge", "upgrade", file, "--list"],
            capture_output=True,
            text=True,
            env=dict(os.environ, CALLBRIDGE_PYTHON=python),
        )
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(
            "callbridge: FAILED_PRECONDITION: --list asks JAX which targets are registered"
        )
        assert python in done.stderr and words in done.stderr


def test_lists_that_cannot_be(build, tmp_path):
    def message(*words, status=1):
        done = subprocess.run(
            [build / "callbridge", "upgrade", *map(str, words)],
            capture_output=True,
            text=True,
            env=dict(os.environ, CALLBRIDGE_PYTHON=sys.executable),
        )
        assert (done.returncode, done.stdout) == (status, "")
        return done.stderr

    text, hlo = tmp_path / "text.mlir", tmp_path / "module.hlo"
    text.write_text(TEXT)
    hlo.write_text("HloModule m\n\nENTRY e {\n  ROOT x = f32[] parameter(\n}\n")
    assert f"INVALID_ARGUMENT: {hlo}: " in message(hlo, "--list")
    hlo.write_text(HLO)
    assert "nowhere.so" in message(hlo, "--list", "--library", "/nowhere.so")
    assert "nowhere.so" in message(text, "--list", "--library", "/nowhere.so")
    assert "--list" in message(text, "--library", "/nowhere.so", status=2)
    assert "--form" in message(text, "--list", "--form", "stablehlo", status=2)


def test_calls_of_what_is_no_artifact():
    for wrong in (None, 3, ["module {}"]):
        with pytest.raises(TypeError, match="StableHLO text"):
            calls_of(wrong)
    for wrong in (b"module {", b"ML\xefR", b"\0" * 100, ""):
        with refused("INVALID_ARGUMENT"):
            calls_of(wrong)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert calls_of("module {}") == []
