"""Command buffers (CUDA graphs) in genuine XLA:GPU: executed, captured, replayed without a call."""

import functools
import json

import pytest
from jax_releases import numbers
from xla_gpu import BUILD, ON_DEVICE, TARGETS, is_standin, missing, releases, run

# Of one command on, and calls too; by default XLA captures five commands or more.
FLAGS = "--xla_gpu_enable_command_buffer=CUSTOM_CALL,FUSION --xla_gpu_graph_min_graph_size=1"
LEGACY_FLAG = "--legacy_command_buffer_custom_call_targets=add_one"
PROGRAM = "command_buffers_program.py"
UNTYPED = ["capturing.so"]
WITHOUT_TRAITS = ("_0.4.30.so", "_0.4.31.so")  # libraries of headers that have none

# The program's checks.
PLAIN = ("add_one", "add_size", "copy", "fail", "swap", "in place")
CHAINS = ("chain on 0",) if ON_DEVICE else ("chain on 0", "chain on 1")
FORBIDDEN = ("waits", "waits_and_reports", "allocates")
EVADING = ("uses_default_stream", "copies_synchronously")

# [calls of the target, those while its stream was capturing, graphs launched, the result is right]
LAUNCHED = 1 if is_standin(releases()[0]) else 0
EXECUTED = [1, 0, 0, True]
CAPTURED = [1, 1, LAUNCHED, True]
REPLAYED = [0, 0, LAUNCHED, True]

OF_A_CAPTURE = "CUDA_ERROR_STREAM_CAPTURE_"
RECORDED_NOTHING = "recorded nothing into the CUDA graph that XLA is capturing"
# After a capture that failed, XLA of 0.4.38 launches a graph on the same buffers that is not there.
NO_GRAPH = "Failed to launch CUDA graph: CUDA_ERROR_INVALID_VALUE"


@pytest.fixture(params=releases(), ids=str)
def release(request):
    why = missing(request.param)
    if why:
        pytest.skip(why)
    return request.param


def says_why(release):
    """Whether XLA passes on why a target ended a capture; others say only that it is over."""
    return release is None or numbers(release) >= (0, 10)


def records(release):
    """Whether XLA captures typed calls."""
    return release is None or numbers(release) >= (0, 4, 38)


@functools.cache
def checks(release, part, flags=FLAGS):
    """What a process found, by check: "on", "off", or "typed"."""
    libraries = [TARGETS / name for name in (typed_libraries() if part == "typed" else UNTYPED)]
    outcome = run(release, PROGRAM, part, *libraries, flags=flags)
    assert outcome.status == 0, outcome
    found = {}
    for line in outcome.output.splitlines():
        if line.startswith("{"):
            check = json.loads(line)
            found[check["check"]] = check["runs"]
    assert set(found) >= (set() if part == "typed" else {*PLAIN, *CHAINS, *FORBIDDEN, *EVADING})
    return found


def typed_libraries():
    built = (BUILD / "tests/ffi_releases.txt").read_text().split()
    return ["capturing_exported.so", *(f"capturing_typed_{headers}.so" for headers in built)]


def executed(runs):
    return all(run in (EXECUTED, [4, 0, 0, True]) for run in runs)


# ---- What may be captured -----------------------------------------------------------------------


def test_off(release):
    """Nothing is captured unless the user says so, whatever XLA's flags."""
    found = checks(release, "off")
    assert all(executed(found[name]) for name in (*PLAIN, *CHAINS, *FORBIDDEN)), found
    assert not any(captured for runs in found.values() for _, captured, *_ in runs)


def test_flags_off(release):
    """Nor by the option alone."""
    found = checks(release, "on", flags="--xla_gpu_enable_command_buffer=")
    assert all(executed(found[name]) for name in (*PLAIN, *CHAINS, *FORBIDDEN)), found


def test_on(release):
    found = checks(release, "on")
    if not records(release):
        assert all(executed(found[name]) for name in (*PLAIN, *CHAINS, *FORBIDDEN)), found
        return
    for name in ("add_one", "add_size", "copy", "fail", "swap"):
        # Some releases execute the first run. Then each has other buffers, and captures.
        first, *more = found[name]
        assert first in (EXECUTED, CAPTURED) and more == [CAPTURED] * len(more), name


def test_a_graph_is_replayed_on_the_same_buffers(release):
    runs = checks(release, "on")["in place"]
    assert len(runs) == 8
    if not records(release):
        assert executed(runs)
        return
    if runs[0] == EXECUTED:
        del runs[0]
    assert runs == [CAPTURED] + [REPLAYED] * (len(runs) - 1)


def test_several_calls_on_each_device(release):
    found = checks(release, "on")
    for name in CHAINS:
        first, *more = found[name]
        captured = [4, 4, LAUNCHED, True]
        if records(release):
            assert first in ([4, 0, 0, True], captured) and more == [captured] * 3, name
        else:
            assert executed(found[name])


def test_typed_handlers(release):
    """By a trait of their own or their user's word, whatever headers they were built with."""
    if not records(release):
        pytest.skip(f"jax {release} captures no typed calls")
    found = checks(release, "typed")
    for library in typed_libraries():
        own = found.get(f"{library}: with, False")
        assert own is not None or library.endswith(WITHOUT_TRAITS), library
        assert own is None or own[1:] == [[LAUNCHED, True]] * 2, library
        assert found[f"{library}: without, True"][1:] == [[LAUNCHED, True]] * 2, library
        assert found[f"{library}: without, False"] == [[0, True]] * 3, library


def test_typed_handlers_that_record_nothing(release):
    """An error names the handler and its library, if its trait is its user's word, or it runs by a
    cross-version wrapper. What XLA calls itself goes unseen."""
    if not records(release):
        pytest.skip(f"jax {release} captures no typed calls")
    found = checks(release, "typed")
    seen = 0
    for library in typed_libraries():
        names = f"the typed handler elsewhere of {TARGETS / library} {RECORDED_NOTHING}"
        for _, right in found[f"{library}: elsewhere, True"][1:]:
            assert names in right, library
        own = found.get(f"{library}: elsewhere_with, False", [])
        seen += any(
            f"elsewhere_with of {TARGETS / library} {RECORDED_NOTHING}" in str(right)
            for _, right in own
        )
    # Those of other releases' headers that do not run natively.
    assert seen >= 1


def test_version_three(release):
    """XLA's own flag has untyped calls captured, on the releases that have both."""
    if release is None or not (0, 4, 34) <= numbers(release) <= (0, 6, 2):
        pytest.skip("this XLA has no flag that lists untyped targets to capture")
    assert executed(checks(release, "off")["version 3"])
    runs = checks(release, "off", flags=f"{FLAGS} {LEGACY_FLAG}")["version 3"]
    assert all(right is True for *_, right in runs)
    assert any(captured for _, captured, *_ in runs)


# ---- What goes wrong ----------------------------------------------------------------------------


def test_what_a_capture_forbids(release):
    """The error names the driver's, and where XLA says why, the target; the process goes on, and
    captures others."""
    found = checks(release, "on")
    for name in FORBIDDEN:
        for calls, captured, _, right in found[name]:
            assert calls == 1
            if captured:
                assert OF_A_CAPTURE in str(right), name
                if name == "waits" and says_why(release):
                    assert 'custom call "waits" did what is forbidden' in right
            else:
                assert right is True, name
        assert any(captured for _, captured, *_ in found[name]) == records(release)
        if records(release):
            first, *more = found[f"after {name}"]
            assert first in (EXECUTED, CAPTURED), name
            assert all(run in (CAPTURED, REPLAYED) for run in more), name


def test_what_evades_a_capture(release):
    """No driver refuses it, and a replay would leave it out: it is an error, never a replay."""
    if not records(release):
        pytest.skip(f"jax {release} captures no typed calls")
    for name in EVADING:
        runs = checks(release, "on")[name]
        assert any(captured for _, captured, *_ in runs), name
        for calls, captured, _, right in runs:
            if captured:
                assert f'custom call "{name}" {RECORDED_NOTHING}' in str(right), name
                assert "register it without command_buffer_compatible" in right
            elif calls:  # and nothing orders what reads the result behind its work
                assert isinstance(right, bool), name
            else:
                assert numbers(release) < (0, 5) and NO_GRAPH in right, name


def test_a_failure_of_the_targets_own(release):
    found = checks(release, "on")
    for calls, _, launched, error in found["its own failure"]:
        assert calls == 1 and launched == 0
        assert "CustomCall failed: no convergence" in error
    assert all(right is True for *_, right in found["after its own failure"])


@pytest.mark.skipif(ON_DEVICE, reason="counts the graphs that the stand-in launches")
def test_traits_that_plugins_refuse(release):
    """Plugins up to jax 0.10 raise; callbridge.resurrect passes them on by the handler."""
    if not records(release):
        pytest.skip(f"jax {release} captures no typed calls")
    library = TARGETS / "capturing_exported.so"
    native = run(release, "traits_program.py", "native", library, flags=FLAGS)
    if numbers(release) < (0, 11):
        assert "The plugin does not support custom call traits" in native.output, native
    else:
        assert int(native.output.split()[-1]) >= 2, native
    ours = run(release, "traits_program.py", "resurrect", library, flags=FLAGS)
    assert ours.status == 0 and int(ours.output.split()[-1]) >= 2, ours
