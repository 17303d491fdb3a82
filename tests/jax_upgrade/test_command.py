"""`callbridge upgrade` on what an older JAX wrote: the real executable, and a Python with JAX."""

import os
import pathlib
import subprocess
import sys
import threading

import callbridge.jax
import jax
import pytest
from jaxlib import _hlo, xla_client


@pytest.fixture(scope="module", autouse=True)
def library(targets):
    return callbridge.jax.load(targets)


@pytest.fixture
def command(build):
    def run(*words, stdin=None, **environment):
        return subprocess.run(
            [build / "callbridge", "upgrade", *map(str, words)],
            input=stdin,
            capture_output=True,
            timeout=120,
            env=dict(os.environ, **{"CALLBRIDGE_PYTHON": sys.executable, **environment}),
        )

    return run


TOLD = f"callbridge: upgraded by jax {jax.__version__} of {sys.executable}\n".encode()


@pytest.mark.parametrize("kind", ["mlir", "vhlo", "exported"])
def test_does_what_callbridge_jax_upgrade_does(old, command, tmp_path, kind):
    file = old / f"tuples_1.{kind}"
    wanted = callbridge.jax.upgrade(file.read_bytes(), prefer="typed")
    done = command(file)
    assert (done.returncode, done.stderr, done.stdout) == (0, TOLD, wanted)
    output = tmp_path / "new"
    done = command(file, "--output", output)
    assert (done.returncode, done.stderr, done.stdout) == (0, TOLD, b"")
    assert output.read_bytes() == wanted
    text = command(file, "--form", "stablehlo").stdout.decode()
    assert text.startswith("module @jit_") and "callbridge_site" in text


def hlo(text):
    return xla_client._xla.mlir.mlir_module_to_xla_computation(text, False, False)


def test_hlo_and_stablehlo_become_the_same_calls(old, command, calls, tmp_path):
    compared = 0
    for file in sorted(old.glob("*.mlir")):
        proto = tmp_path / "module.pb"
        proto.write_bytes(hlo(file.read_text()).as_serialized_hlo_module_proto())
        by_hlo = command(proto, "--form", "proto")
        assert (by_hlo.returncode, by_hlo.stderr) == (0, b"")
        module = _hlo.HloModule.from_serialized_hlo_module_proto(by_hlo.stdout)
        by_stablehlo = callbridge.jax.upgrade(file.read_text(), prefer="typed")
        ours, theirs = calls(hlo(by_stablehlo).as_hlo_text()), calls(module.to_string())
        assert ours and ours == theirs, file.name
        compared += len(ours)
    assert compared >= 10


def test_an_output_that_cannot_be_written_is_named(old, command):
    done = command(old / "arrays_1.vhlo", "--output", "/nowhere/new")
    assert (done.returncode, done.stdout) == (1, b"")
    message = done.stderr.decode()
    assert "standard output" not in message and message.count("\n") == 1
    assert "No such file" in message and "/nowhere/new" in message


def test_a_python_without_jax_is_told_of(old, command):
    done = command(old / "arrays_1.mlir", CALLBRIDGE_PYTHON="/usr/bin/python3")
    assert (done.returncode, done.stdout) == (1, b"")
    message = done.stderr.decode()
    assert message.startswith("callbridge: FAILED_PRECONDITION: ") and message.count("\n") == 1
    for words in ["arrays_1.mlir is StableHLO", "/usr/bin/python3", "no jax", "pip install jax"]:
        assert words in message


def test_no_python_is_told_of(old, command):
    done = command(old / "arrays_1.mlir", CALLBRIDGE_PYTHON="/nowhere/python")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"/nowhere/python cannot be started: No such file" in done.stderr
    assert b"CALLBRIDGE_PYTHON" in done.stderr


def test_hlo_protos_are_not_written(old, command):
    done = command(old / "arrays_1.vhlo", "--form", "proto")
    assert done.returncode == 1
    assert done.stderr.startswith(b"callbridge: UNIMPLEMENTED: ")


@pytest.mark.parametrize("content", [b"module {", b"ML\xefR\x07StableHLO_v99.1.3\0"])
def test_damaged_files_are_named(command, tmp_path, content):
    file = tmp_path / "hostile"
    file.write_bytes(content)
    done = command(file)
    assert (done.returncode, done.stdout) == (1, b"")
    message = done.stderr.decode()
    assert message.startswith(f"callbridge: INVALID_ARGUMENT: {file}: ")
    assert message.count("\n") == 1


def test_help_tells_of_python(command):
    text = command("--help").stdout.decode()
    assert "CALLBRIDGE_PYTHON" in text and "jax.export" in text


def test_paths_are_not_options(old, command, tmp_path):
    pathlib.Path(tmp_path / "--form").write_bytes((old / "arrays_1.mlir").read_bytes())
    assert command(tmp_path / "--form").returncode == 0


@pytest.mark.parametrize("name", ["jax.py", "json.py", "numpy.py", "callbridge.py", "pathlib.py"])
def test_modules_of_the_working_folder_are_not_run(old, command, tmp_path, monkeypatch, name):
    (tmp_path / name).write_text("raise SystemExit('the working folder ran')")
    (tmp_path / "old.mlir").write_bytes((old / "arrays_1.mlir").read_bytes())
    monkeypatch.chdir(tmp_path)
    done = command("old.mlir")
    assert (done.returncode, done.stderr) == (0, TOLD)


def test_pythonpath_stays(old, command, tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text("import sys; print('PYTHONPATH', file=sys.stderr)")
    done = command(old / "arrays_1.mlir", PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, b"PYTHONPATH\n" + TOLD)


@pytest.mark.parametrize("kind", ["mlir", "vhlo", "exported"])
def test_files_are_read_once(old, command, tmp_path, kind):
    data = (old / f"arrays_1.{kind}").read_bytes()
    (tmp_path / "file").write_bytes(data)
    wanted = command(tmp_path / "file").stdout
    done = command("/dev/stdin", stdin=data)
    assert (done.returncode, done.stderr, done.stdout) == (0, TOLD, wanted)
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(data))
    writer.start()
    assert command(tmp_path / "pipe").stdout == wanted
    writer.join()


@pytest.mark.parametrize("redirection", [">&-", ">/dev/full"])
def test_what_cannot_be_printed_is_an_error(old, build, redirection):
    done = subprocess.run(
        ["bash", "-c", f"$0 upgrade $1 {redirection}", build / "callbridge", old / "arrays_1.mlir"],
        capture_output=True,
        text=True,
        env=dict(os.environ, CALLBRIDGE_PYTHON=sys.executable),
    )
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("callbridge: FAILED_PRECONDITION: standard output: ")
    assert done.stderr.count("\n") == 1
