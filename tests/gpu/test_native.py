"""What XLA:GPU itself does with StableHLO programs, exactly, and with callbridge's entry points in
them: tuples, tokens, binary opaques, each version, failures."""

import importlib.metadata
import json
import re
import signal

import jax_releases
import pytest
import xla_gpu

RELEASES = xla_gpu.releases()

# By program: the results.
RESULTS = {
    "version_1": [[1.0, 4.0, 9.0]],
    "version_2": [[1.0, 4.0, 9.0]],
    "version_3": [[1.0, 4.0, 9.0]],
    "tuples": [[2.0, 6.0, 12.0], [0.0, 0.0, 0.0], 0.5],
    "token": [2.5],
    "success": [2.0],
    "binary_opaque": [0.5 + 0xFF + ord("'") + ord('"')],
}
WAYS = {"native": [], "callbridge": ["--through-callbridge"]}


UNTYPED = "untyped.so"


def started(release, library, *arguments):
    if why := xla_gpu.missing(release):
        pytest.skip(why)
    return xla_gpu.run(release, "native_cell.py", xla_gpu.TARGETS / library, *arguments)


def error_of(done):
    """XLA's error, without what newer releases say of the program."""
    assert done.status == 1, done.errors
    (error,) = re.findall(r"^[\w.]*RuntimeError: (.*)$", done.errors, flags=re.M)
    return error.replace(" [executable_name='main']", "")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("release", RELEASES)
def test_programs_have_their_results(release, way):
    done = started(release, UNTYPED, *WAYS[way], *RESULTS)
    assert done.status == 0, done.errors
    assert json.loads(done.output.splitlines()[-1]) == RESULTS


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("release", RELEASES)
def test_a_failure_is_named_once(release, way):
    done = started(release, UNTYPED, *WAYS[way], "failure")
    assert error_of(done) == "INTERNAL: CustomCall failed: negative operand"


# The code of the error for an unknown untyped target; None: the process dies.
UNKNOWN = {
    "0.4.30": "UNIMPLEMENTED",
    "0.4.38": "UNIMPLEMENTED",
    "0.6.2": "UNIMPLEMENTED",
    "0.8.3": None,
}


@pytest.mark.parametrize("release", RELEASES)
def test_an_unknown_target_natively(release):
    done = started(release, UNTYPED, "unknown")
    code = UNKNOWN.get(release or importlib.metadata.version("jaxlib"), "NOT_FOUND")
    if code is None:
        assert done.status == -signal.SIGSEGV
        return
    message = "No registered implementation for custom call to gpu_unknown for platform CUDA"
    assert error_of(done) == f"{code}: {message}"


@pytest.mark.parametrize("release", [r for r in RELEASES if r])
def test_a_handler_with_newer_headers_natively(release):
    """A runtime that is older than the headers does not know the handler."""
    newest = jax_releases.WITH_HEADERS[-1]
    done = started(release, f"typed_{newest}.so", "typed")
    if release == newest:
        assert json.loads(done.output.splitlines()[-1]) == {"typed": RESULTS["version_1"]}
        return
    assert done.status == 1
    assert re.search("handler registered|registered implementation|API version", done.errors)
