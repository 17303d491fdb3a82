"""Targets registered with genuine CUDA plugins and run there, as tests/gpu does, but without JAX.

They run on the stand-in for a CUDA driver. Registering takes no device.
"""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/gpu"))

import xla_gpu  # noqa: E402

ORACLE = pathlib.Path(__file__).with_name("oracle.py")
PLUGIN = "jax_plugins/xla_cuda*/xla_cuda_plugin.so"


@functools.cache
def plugin_of(release):
    """The plugin's file; on a device, without a release, that of this Python's JAX."""
    folders = [xla_gpu.plugin_folder(release)] if release else map(pathlib.Path, sys.path)
    for folder in folders:
        for found in folder.glob(PLUGIN):
            return found
    pytest.skip(f"no CUDA plugin for jax {release or 'of this Python'}: scripts/cuda_plugin")


@pytest.fixture(params=xla_gpu.releases(), ids=lambda release: release or "device")
def release(request):
    plugin_of(request.param)
    return request.param


def run(release, *command, device=True, flags=""):
    """Returns what the command prints. Without a device, without the stand-in too."""
    variables = xla_gpu.environment(release) if release and device else {}
    variables["XLA_FLAGS"] = f"{variables.get('XLA_FLAGS', '')} {flags}".strip()
    done = subprocess.run(
        command,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr[-3000:])
    return done.stdout


@functools.cache
def oracle(release):
    """What the plugin itself says, by oracle.py."""
    return json.loads(run(release, sys.executable, ORACLE, plugin_of(release), device=False))


def fastest(release):
    return 4 if oracle(release)["arguments"] == 64 else 3


def lines_of(release, *arguments, device=False, flags=""):
    program = xla_gpu.BUILD / "tests/pjrt_genuine_plugin"
    text = run(release, program, plugin_of(release), *arguments, device=device, flags=flags)
    return dict(line.split(": ", 1) for line in text.splitlines())


EXISTS = (
    'ALREADY_EXISTS: custom call "untyped": the plugin has another target of that name, which '
    "callbridge registered, and keeps one for each name until the process ends; use another name"
)


def test_registering_takes_no_device(release):
    lines = lines_of(release)
    path = str(fastest(release))
    assert lines["library"] == lines["library again"] == path
    assert lines["library untyped"] == "3"
    assert lines["library for ROCM"] == (
        'NOT_FOUND: the library has no target for ROCM; it has "both" for CUDA, "data" for CUDA, '
        '"state" for CUDA, "untyped" for CUDA'
    )
    assert lines["other"] == lines["other untyped"] == EXISTS, "and the process goes on"
    if oracle(release)["has_register_handler"]:
        assert lines["by FFI"] == "4"
    else:
        assert lines["by FFI"].startswith("UNIMPLEMENTED: the plugin (PJRT API")
        assert "nor register_handler in an FFI extension" in lines["by FFI"]
    assert lines["on the host"] == (
        'INVALID_ARGUMENT: custom call "untyped": the target is for Host, but the plugin runs '
        "programs on a GPU"
    )
    major, minor = oracle(release)["version"]
    if path == "4":
        assert lines["library typed"] == "4"
    else:
        assert lines["library typed"].startswith(
            f"UNIMPLEMENTED: the plugin (PJRT API {major}.{minor}) does not take all stages"
        )
    if oracle(release)["takes_type_ids"]:
        assert lines["type"] == "OK"
    else:
        assert lines["type"].startswith(
            f'UNIMPLEMENTED: type "pjrt_test.Data": the plugin (PJRT API {major}.{minor}) assigns '
            "ids itself"
        )
    assert lines["new type"] == "OK"


def test_programs_run(release):
    lines = lines_of(release, "run", device=True)
    path = fastest(release)
    if path == 4:
        assert lines["run untyped by 4"] == (
            "CustomCall failed: untyped sees 3 bytes, the last is b"
        )
    if oracle(release)["has_register_handler"]:
        assert lines["run by FFI"] == lines["run untyped by 4"]
    assert lines["run untyped by 3"].endswith("untyped sees 3 bytes, the last is b")
    assert lines["run untyped by 3, plain"].endswith("untyped sees 5 bytes, the last is n")
    assert lines["run state"].endswith("state is 42")
    if oracle(release)["takes_type_ids"]:
        assert lines["context"] == lines["user data"] == ""
        assert lines["run data"] == "data is 7"
        assert lines["run both"] == "both are 49"


def test_command_buffers(release):
    """XLA records what is declared compatible, when it is told to, and nothing else."""
    all_called = "1 2 3 4 5, calls 5, graphs 0"
    lines = lines_of(release, "run", device=True, flags="--xla_gpu_enable_command_buffer=")
    assert lines["run recorded"] == lines["run not_recorded"] == all_called
    flags = "--xla_gpu_enable_command_buffer=CUSTOM_CALL --xla_gpu_graph_min_graph_size=1"
    lines = lines_of(release, "run", device=True, flags=flags)
    assert lines["run not_recorded"] == all_called
    if fastest(release) == 3:
        assert lines["run recorded"] == all_called, "version 3 has no traits"
        return
    results, calls, graphs = re.fullmatch(
        r"([\d ]+), calls (\d+), graphs (\d+)", lines["run recorded"]
    ).groups()
    # A graph that is replayed writes the number of the call that recorded it.
    assert int(graphs) > 0 or xla_gpu.ON_DEVICE
    assert sorted({*results.split()}, key=int) == [str(i + 1) for i in range(int(calls))]


def test_the_example_runs(release):
    examples = xla_gpu.BUILD / "examples"
    text = run(
        release, examples / "example_pjrt", plugin_of(release), examples / "example_rotate.so"
    )
    assert text == f"registered: 1, api_version {fastest(release)}\nrotated: 3 4 5 6 7 0 1 2\n"


def test_the_table_of_versions_is_right(release):
    """plugin_versions.h against what the plugin does."""
    text = (ROOT / "pjrt/plugin_versions.h").read_text()
    rows = [
        (int(minor), *(flag == "true" for flag in flags.split(", ")))
        for minor, flags in re.findall(r'\{(\d+), "[\d.]+", ((?:\w+, ){2}\w+)\}', text)
    ]
    assert len(rows) > 5
    answers = oracle(release)
    major, minor = answers["version"]
    assert major == 0
    _, takes_type_ids, ambiguous, reports_refusals = max(row for row in rows if row[0] <= minor)
    assert answers["takes_type_ids"] == takes_type_ids
    assert ("0.99" in answers["version_error"]) == reports_refusals
    assert answers["first_error"] == ""
    assert answers["arguments"] == 64 or ambiguous


def test_the_documents_table_is_right(release):
    """docs/pjrt.md against what the plugin does."""
    text = (ROOT / "docs/pjrt.md").read_text()
    table = [line.strip("|").split("|") for line in re.findall(r"^\|.*\|$", text, re.MULTILINE)]
    cells = [[cell.strip() for cell in row] for row in table]
    (first,) = [i for i, row in enumerate(cells) if row[0] == "" and len(row) > 4]
    if release is None:
        pytest.skip("the release of the plugin of this Python's JAX is not in the table")
    column = cells[first].index(release)
    said = {row[0]: row[column] for row in cells[first + 2 :]}
    answers = oracle(release)
    assert said["PJRT API"] == ".".join(map(str, answers["version"]))
    typed = said["typed handlers with all stages, and untyped targets by typed FFI"]
    assert typed == ("yes" if answers["arguments"] == 64 else "no: version 3")
    assert said["types of user data with an id of callbridge's"] == (
        "yes" if answers["takes_type_ids"] else "no"
    )
    for row, error in (
        ("a typed handler of an unsupported version", answers["version_error"]),
        ("another typed handler under a registered name", answers["other_error"]),
    ):
        assert said[row] == ("an error" if error else "reports success")
    assert said["another untyped function under a registered name"] == "ends the process"
    ended = subprocess.run(
        [sys.executable, ORACLE, plugin_of(release), "two functions"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.stdout, ended.returncode) == ("one\n", 1)
    assert "Duplicate custom call registration" in ended.stderr
