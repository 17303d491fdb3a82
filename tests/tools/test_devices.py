"""`callbridge run --device`: GPU targets on a CUDA device, or on the stand-in for its driver."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
COMMAND = BUILD / "callbridge"
TARGETS = BUILD / "tests/targets/gpu_targets.so"
HOST_TARGETS = BUILD / "tests/tools/run_targets.so"
IS_SYSTEM_DRIVER = os.environ.get("CALLBRIDGE_GPU") == "device"

X = np.arange(4, dtype=np.float32)
Y = np.array([0.5, -1, 2.25, 1e-3], np.float32)


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", X)
    np.save("y.npy", Y)
    if not IS_SYSTEM_DRIVER:
        monkeypatch.setenv("LD_LIBRARY_PATH", str(BUILD / "tests/gpu/cuda12"))


def command(*words):
    return subprocess.run(
        [COMMAND, "run", *map(str, words)], capture_output=True, text=True, timeout=60
    )


def succeeds(*words):
    done = command(*words)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def fails(*words, status=1):
    done = command(*words)
    assert (done.returncode, done.stdout) == (status, ""), done
    return done.stderr


ADD = (TARGETS, "gpu_add", "x.npy", "y.npy", "--opaque", "4", "--result", "f32[4]")


@pytest.mark.parametrize("options", [[], ["--sync"], ["--platform", "CUDA"]], ids=str)
def test_an_untyped_target(options):
    succeeds(*ADD, "--device", 0, *options, "--output", "z.npy")
    np.testing.assert_array_equal(np.load("z.npy"), X + Y)


def test_a_typed_one_gets_the_device():
    options = ("--attribute", "bytes=16:i64", "--attribute", "alignment=256:i64", "--output")
    for device in range(2):
        done = command(
            TARGETS, "gpu_ordinal", "--result", "s32[4]", "--device", device, *options, "out.npy"
        )
        if device == 1 and "there is no CUDA device 1" in done.stderr:
            pytest.skip("this machine has one CUDA device")
        assert done.returncode == 0, done
        np.testing.assert_array_equal(np.load("out.npy"), [device] * 4)


def test_tuples_and_tokens():
    np.save("empty.npy", np.empty(0, np.float32))
    succeeds(
        *(TARGETS, "gpu_swap", "x.npy", "token[]", "(y.npy,empty.npy)", "--opaque", "4"),
        *("--result", "(f32[4],(f32[4]))", "--device", 0),
        *("--output", "first.npy", "--output", "second.npy"),
    )
    np.testing.assert_array_equal(np.load("first.npy"), Y)
    np.testing.assert_array_equal(np.load("second.npy"), X)


# ---- Errors


def test_a_fault_is_the_calls_error():
    fault = (TARGETS, "gpu_fault", "--result", "()", "--device", 0)
    error = fails(*fault, "--sync")
    assert "what this call enqueued on the CUDA stream failed: cuStreamSynchronize failed" in error
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in error
    assert "The CUDA context is lost" in error and "restart the process" in error
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in fails(*fault), "also when the results are fetched"


def test_a_targets_own_error():
    error = fails(TARGETS, "gpu_fail", "--opaque", "no luck", "--result", "()", "--device", 0)
    assert error == "callbridge: INTERNAL: CustomCall failed: no luck\n"


def test_no_such_device():
    error = fails(*ADD, "--device", 1000)
    assert "UNAVAILABLE: there is no CUDA device 1000: this process sees " in error


def test_no_driver(monkeypatch):
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    if IS_SYSTEM_DRIVER:
        pytest.skip("this machine has a CUDA driver")
    error = fails(*ADD, "--device", 0)
    assert "UNAVAILABLE: no CUDA driver: the library libcuda.so.1" in error


@pytest.mark.skipif(IS_SYSTEM_DRIVER, reason="only the stand-in can be told to fail")
@pytest.mark.parametrize(
    "function, result, code, name",
    [
        ("cuMemAllocAsync", 2, "RESOURCE_EXHAUSTED", "CUDA_ERROR_OUT_OF_MEMORY"),
        ("cuMemcpyDtoHAsync_v2", 999, "INTERNAL", "CUDA_ERROR_UNKNOWN"),
        ("cuStreamCreate", 999, "INTERNAL", "CUDA_ERROR_UNKNOWN"),
        ("cuInit", 100, "UNAVAILABLE", "CUDA_ERROR_NO_DEVICE"),
    ],
)
def test_a_failing_driver(monkeypatch, function, result, code, name):
    monkeypatch.setenv("CALLBRIDGE_STANDIN_FAIL", f"callbridge:{function}:1:{result}")
    error = fails(*ADD, "--device", 0)
    assert error.startswith(f"callbridge: {code}: ")
    assert f"{function} failed: {name}" in error


@pytest.mark.skipif(IS_SYSTEM_DRIVER, reason="only the stand-in has a ledger")
@pytest.mark.parametrize("target", ["gpu_add", "gpu_fail"])
def test_nothing_leaks(monkeypatch, tmp_path, target):
    ledger = tmp_path / "ledger"
    monkeypatch.setenv("CALLBRIDGE_STANDIN_LEDGER", str(ledger))
    command(TARGETS, target, *ADD[2:], "--device", 0)
    assert "taken by callbridge" not in (ledger.read_text() if ledger.exists() else "")


@pytest.mark.parametrize(
    "options, complaint",
    [
        (["--device", 0, "--platform", "Host"], "--device: expected no --platform but CUDA"),
        (["--device", 0, "--platform", "ROCM"], "--device: expected no --platform but CUDA"),
        (["--device", -1], "--device"),
        (["--device", "first"], "--device"),
        (["--sync"], "--sync requires --device"),
    ],
)
def test_wrong_options(options, complaint):
    assert complaint in fails(*ADD, *options, status=2)


def test_a_target_for_the_host_is_not_found():
    error = fails(HOST_TARGETS, "do_custom_call", "--result", "f32[1]", "--device", 0)
    assert "NOT_FOUND" in error and "CUDA" in error


# ---- Modules

MODULE = """HloModule m

ENTRY main {
  x = f32[4]{0} parameter(0)
  y = f32[4]{0} parameter(1)
  sum = f32[4]{0} custom-call(x, y), custom_call_target="gpu_add", backend_config="4"
  twice = f32[4]{0} add(sum, sum)
  again = f32[4]{0} custom-call(twice, y), custom_call_target="gpu_add", backend_config="4"
  in_place = f32[4]{0} custom-call(again), custom_call_target="gpu_double_in_place",
    output_to_operand_aliasing={{}: (0, {})}, API, backend_config="4"
  ordinals = s32[2]{0} custom-call(), custom_call_target="gpu_ordinal",
    api_version=API_VERSION_TYPED_FFI, backend_config="{bytes = 8 : i64, alignment = 16 : i64}"
  ROOT out = (f32[4]{0}, f32[4]{0}, s32[2]{0}) tuple(twice, in_place, ordinals)
}
""".replace("API,", "api_version=API_VERSION_STATUS_RETURNING,")


@pytest.mark.parametrize("options", [[], ["--sync"]], ids=str)
def test_a_module(options):
    pathlib.Path("m.hlo").write_text(MODULE)
    outputs = ("--output", "a.npy", "--output", "b.npy", "--output", "c.npy")
    succeeds(*("m.hlo", "x.npy", "y.npy", "--library", TARGETS, "--device", 0, *options, *outputs))
    twice = (X + Y) + (X + Y)
    np.testing.assert_array_equal(np.load("a.npy"), twice)
    np.testing.assert_array_equal(np.load("b.npy"), (twice + Y) + (twice + Y))
    np.testing.assert_array_equal(np.load("c.npy"), [0, 0])


def test_a_modules_fault_names_the_instruction():
    pathlib.Path("m.hlo").write_text(
        'HloModule m\nENTRY main {\n  ROOT bad = () custom-call(), custom_call_target="gpu_fault",'
        " custom_call_has_side_effect=true, api_version=API_VERSION_STATUS_RETURNING\n}\n"
    )
    error = fails("m.hlo", "--library", TARGETS, "--device", 0, "--sync")
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in error
    assert '(instruction "bad", target "gpu_fault")' in error


def test_a_module_without_a_device_finds_no_gpu_target():
    pathlib.Path("m.hlo").write_text(MODULE)
    error = fails("m.hlo", "x.npy", "y.npy", "--library", TARGETS)
    assert 'no target "gpu_add" is registered for Host' in error


def test_a_module_on_no_device():
    pathlib.Path("m.hlo").write_text(MODULE)
    error = fails("m.hlo", "x.npy", "y.npy", "--library", TARGETS, "--device", 1000)
    assert "UNAVAILABLE: there is no CUDA device 1000" in error
