"""What XLA:GPU itself does with StableHLO programs, exactly, and with callbridge's entry points in
them: tuples, tokens, binary opaques, each version, failures."""

import functools
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
    "token_in_hlo": [2.5],
    "success": [2.0],
    "binary_opaque": [0.5 + 0xFF + ord("'") + ord('"')],
}
WAYS = {"native": [], "callbridge": ["--through-callbridge"]}


@functools.cache
def outcomes(release, way):
    """What became of each program, by one process; and how the process ended."""
    # Last what ends some processes.
    programs = [*RESULTS, "failure", *(["unknown"] if way == "native" else [])]
    done = started(release, "untyped.so", *WAYS[way], *programs)
    found = {}
    for line in done.output.splitlines():
        if line.startswith("{"):
            found.update(json.loads(line))
    assert found.keys() >= {*RESULTS, "failure"}, done.errors
    return found, done.status


def started(release, library, *arguments):
    if why := xla_gpu.missing(release):
        pytest.skip(why)
    return xla_gpu.run(release, "native_cell.py", xla_gpu.TARGETS / library, *arguments)


def error_of(outcome):
    """XLA's error, without what newer releases say of the program."""
    assert isinstance(outcome, str), outcome
    return outcome.replace(" [executable_name='main']", "")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("release", RELEASES)
def test_programs_have_their_results(release, way):
    found, _ = outcomes(release, way)
    assert {program: found[program] for program in RESULTS} == RESULTS


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("release", RELEASES)
def test_a_failure_is_named_once(release, way):
    found, _ = outcomes(release, way)
    assert error_of(found["failure"]) == "INTERNAL: CustomCall failed: negative operand"


# The code of the error for an unknown untyped target; None: the process dies.
UNKNOWN = {
    "0.4.30": "UNIMPLEMENTED",
    "0.4.38": "UNIMPLEMENTED",
    "0.6.2": "UNIMPLEMENTED",
    "0.8.3": None,
}


@pytest.mark.parametrize("release", RELEASES)
def test_an_unknown_target_natively(release):
    found, status = outcomes(release, "native")
    code = UNKNOWN.get(release or importlib.metadata.version("jaxlib"), "NOT_FOUND")
    if code is None:
        assert status == -signal.SIGSEGV and "unknown" not in found
        return
    message = "No registered implementation for custom call to gpu_unknown for platform CUDA"
    assert status == 0 and error_of(found["unknown"]) == f"{code}: {message}"


@pytest.mark.parametrize("release", [r for r in RELEASES if r])
def test_a_handler_with_newer_headers_natively(release):
    """A runtime that is older than the headers does not know the handler."""
    newest = jax_releases.WITH_HEADERS[-1]
    done = started(release, f"typed_{newest}.so", "typed")
    if release == newest:
        assert json.loads(done.output.splitlines()[-1]) == {"typed": RESULTS["version_1"]}
        return
    # Some refuse the handler when it is registered, others do not know it when it is called.
    text = done.output + done.errors
    assert RESULTS["version_1"] != json.loads((done.output.splitlines() or ["{}"])[-1]).get("typed")
    assert re.search("handler registered|registered implementation|API version", text)
