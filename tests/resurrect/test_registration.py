"""What programs register by any function of JAX, and call by any: handlers built with XLA's headers
of each release, on this one; and untyped functions."""

import os
import pathlib
import socket
import subprocess
import sys

import jax
import pytest
from callbridge.jax._runtimes import RUNTIME
from jax_releases import TODAY, numbers
from jaxlib import xla_client

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(
    os.environ.get("CALLBRIDGE_BUILD") or os.path.dirname(os.environ["CALLBRIDGE_LIBRARY"])
)
HEADERS = (BUILD / "tests/ffi_releases.txt").read_text().split()
has_registries = pytest.mark.skipif(
    not hasattr(xla_client, "_custom_callback"),
    reason=f"jax {jax.__version__} keeps no lists of what is registered",
)


@pytest.fixture(params=HEADERS)
def library(request):
    return BUILD / f"tests/typed_ffi/suite/suite_{request.param}.so"


def test_every_way_to_register_and_to_call(run, library):
    assert run(HERE / "any_handler_program.py", library).endswith(": ok\n")


def test_types_that_come_after_their_handlers(run):
    library = BUILD / f"tests/typed_ffi/suite/suite_{HEADERS[-1]}.so"
    assert run(HERE / "late_type_program.py", library) == "late: ok\n"


def test_untyped_functions_as_typed_handlers(run):
    program = HERE / "not_typed_program.py"
    assert run(program, BUILD / "tests/resurrect/old_package.so") == "not typed: ok\n"


@has_registries
def test_handlers_that_answer_in_their_process_alone(run):
    trampoline = BUILD / "tests/resurrect/trampoline.so"
    suite = BUILD / "tests/typed_ffi/suite/suite_ours.so"
    assert run(HERE / "trampoline_program.py", trampoline, suite) == "trampoline: ok\n"


def test_handlers_that_no_file_can_be_asked_about(run):
    libraries = [BUILD / f"tests/resurrect/{name}" for name in ("libneeded.so", "libneeds.so")]
    suite = BUILD / "tests/typed_ffi/suite/suite_ours.so"
    assert run(HERE / "no_file_program.py", *libraries, suite) == "no file: ok\n"


def test_lists_of_releases_between_those_that_are_tested(run):
    program = HERE / "short_entries_program.py"
    assert run(program, BUILD / "tests/resurrect/old_package.so") == "short entries: ok\n"


def test_platforms_of_others(run, library):
    assert run(HERE / "other_platforms_program.py", library) == "other platforms: ok\n"


@has_registries
def test_registering_again(run, library):
    assert run(HERE / "again_program.py", library) == "again: ok\n"


@has_registries
def test_what_a_plugin_is_given(run, library):
    assert run(HERE / "cuda_program.py", library).endswith(" ok\n")


@has_registries
@pytest.mark.parametrize("path", ["", "typed"])
def test_untyped_functions_in_silence(run, tmp_path, path):
    printed = run(HERE / "untyped_program.py", tmp_path / "errors", CALLBRIDGE_PATH=path)
    assert printed.endswith(" ok\n")
    if numbers(jax.__version__) >= numbers(TODAY):
        assert printed == f"{path or 'version 3'} said ok\n"


@pytest.mark.skipif(numbers(jax.__version__) < (0, 4, 30), reason="JAX has no jax.export")
@pytest.mark.parametrize("path", ["", "typed"])
def test_programs_that_are_read_back_in_another_process(run, tmp_path, path):
    for mode in ("write", "read"):
        printed = run(HERE / "read_back_program.py", mode, tmp_path, CALLBRIDGE_PATH=path)
        assert printed == f"{mode} ok\n"


@has_registries
def test_what_is_jaxs_own_stays(run):
    """What jnp.linalg lowers to, exports and returns, byte for byte."""
    program = HERE / "linalg_program.py"
    printed = run(program, "with")
    assert printed == run(program, "without")
    assert len(printed.splitlines()) > 30


def test_another_path_is_refused(run, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "try:\n    import callbridge.resurrect\n"
        "except ValueError as error:\n    print(error.code, error)\n"
        "else:\n    callbridge.resurrect.prefer('typed')\n"
        "    callbridge.resurrect.prefer(None)\n"
        "    try:\n        callbridge.resurrect.prefer('version_2')\n"
        "    except ValueError as error:\n        print(error.code, error)\n"
    )
    wanted = "expected 'typed' or None, got "
    printed = run(program, CALLBRIDGE_PATH="fast")
    assert printed.startswith("INVALID_ARGUMENT") and f"{wanted}'fast'" in printed
    assert "CALLBRIDGE_PATH" in printed
    assert f"{wanted}'version_2'" in run(program, CALLBRIDGE_PATH="typed")


def test_releases_compare_by_their_numbers(run):
    assert run(HERE / "release_program.py") == "release: ok\n"


def test_a_package_that_checks_the_release(run, tmp_path):
    (tmp_path / "strict.py").write_text(
        "import jax\nif jax.__version__ != '0.1.0':\n"
        "    raise ImportError('strict needs jax 0.1.0')\n"
    )
    with pytest.raises(AssertionError, match="ImportError: strict needs jax 0.1.0"):
        run("-m", "callbridge.resurrect", "-m", "strict", cwd=tmp_path)


def test_a_forked_process(run, library, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        f"import os, sys\nsys.path.insert(0, {str(HERE)!r})\n"
        "import callbridge.resurrect, registering\n"
        "from registering import like\n"
        f"library = registering.Library({str(library)!r})\n"
        "def add(name):\n"
        "    registering.xla_client.register_custom_call_target("
        "name, library.handler('add'), 'cpu', 1)\n"
        "    call = registering.caller(registering.by_generic_builder, name, like(1))\n"
        "    assert call(like(1), like(2)) == like(3)\n"
        "registering.xla_client.register_custom_call_target("
        "'before', library.handler('add'), 'cpu', 1)\n"
        "child = os.fork()\n"
        "add('before'), add('after')\n"
        "if child == 0:\n    os._exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\nprint('forked')\n"
    )
    assert run(program) == "forked\n"


def test_two_processes_of_jax_distributed(library):
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = str(listening.getsockname()[1])
    program = [sys.executable, HERE / "distributed_program.py", library, port]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    environment["PYTHONPATH"] = str(HERE.parents[1] / "python")
    started = [
        subprocess.Popen(
            [*program, str(rank), "2"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
        )
        for rank in range(2)
    ]
    try:
        outputs = [process.communicate(timeout=300)[0] for process in started]
    finally:
        for process in started:
            process.kill()
            process.wait()
    for rank, (process, output) in enumerate(zip(started, outputs, strict=True)):
        assert process.returncode == 0 and f"done {rank}" in output, output


def test_a_handler_without_metadata(run, build, tmp_path):
    """Written by hand on XLA's call frame, of a version of its own.

    XLA gets it as it is, and what XLA says of it stands, with what callbridge knows. Where XLA has
    no FFI, callbridge alone says it.
    """
    program = tmp_path / "program.py"
    program.write_text(
        f"import sys\nsys.path.insert(0, {str(HERE)!r})\n"
        "if sys.argv[1] == 'with':\n    import callbridge.resurrect\n"
        "import jax, registering\n"
        f"library = registering.Library({str(build / 'tests/targets/probed.so')!r})\n"
        "jax.devices()\n"
        "try:\n    registering.bound_before("
        "'by hand', library.handler('answers_query'), 'cpu', 1)\n"
        "except Exception as error:\n    print(error)\n"
        "else:\n    targets = registering.xla_client.custom_call_targets('Host')\n"
        "    fn = targets['by hand']\n"
        "    fn = fn['execute'] if isinstance(fn, dict) else fn\n"
        "    print(registering.address_in(fn) == library.address('answers_query'))\n"
    )
    printed = run(program, "with")
    if hasattr(xla_client, "register_custom_call_handler") and not RUNTIME.asks_handlers:
        # XLA takes anything: it gets what passes its calls on, and says it in their errors.
        assert printed == "False\n"
    elif hasattr(xla_client, "register_custom_call_handler"):
        refusal = run(program, "without").rstrip("\n")
        assert printed.startswith(refusal)
        if refusal != "True":  # it was taken
            assert "; XLA was given the handler as it is, since target 'by hand'" in printed
            assert "was built with headers of XLA FFI 0.7" in printed
    else:
        assert printed.startswith("UNIMPLEMENTED: target 'by hand'"), printed
        assert "was built with headers of XLA FFI 0.7" in printed
