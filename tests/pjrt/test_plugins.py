"""Targets registered with the genuine CUDA plugins that are in the cache, and run there.

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
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = LIBRARY.parent
CACHE = pathlib.Path(os.environ.get("CALLBRIDGE_CACHE", pathlib.Path.home() / ".cache/callbridge"))
PLUGINS = sorted(CACHE.glob("cuda-plugin-*/jax_plugins/xla_cuda*/xla_cuda_plugin.so"))

needs_plugins = pytest.mark.skipif(not PLUGINS, reason=f"no CUDA plugin in {CACHE}/cuda-plugin-*")
all_plugins = pytest.mark.parametrize(
    "plugin", PLUGINS or [None], ids=lambda path: path and path.parts[-4]
)


def run(plugin, *command, device=True):
    """Returns what the command prints. Without a device, without the stand-in too."""
    cuda = plugin.parent.name.removeprefix("xla_")
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "0"}
    if device:
        environment["LD_LIBRARY_PATH"] = str(BUILD / "tests/gpu" / cuda)
        environment["XLA_FLAGS"] = "--xla_gpu_autotune_level=0"
        environment["CALLBRIDGE_STANDIN_VERSION"] = {"cuda12": "12090", "cuda13": "13000"}[cuda]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr[-3000:])
    return done.stdout


@functools.cache
def oracle(plugin):
    """What the plugin itself says, by oracle.py."""
    script = pathlib.Path(__file__).with_name("oracle.py")
    return json.loads(run(plugin, sys.executable, script, plugin, device=False))


def fastest(plugin):
    return 4 if oracle(plugin)["arguments"] == 64 else 3


def lines_of(plugin, *arguments, device=False):
    text = run(plugin, BUILD / "tests/pjrt_genuine_plugin", plugin, *arguments, device=device)
    return dict(line.split(": ", 1) for line in text.splitlines())


EXISTS = (
    'ALREADY_EXISTS: custom call "untyped": the plugin has another target of that name, which '
    "callbridge registered, and keeps one for each name until the process ends; use another name"
)


@needs_plugins
@all_plugins
def test_registering_takes_no_device(plugin):
    lines = lines_of(plugin)
    path = str(fastest(plugin))
    assert lines["library"] == lines["library again"] == path
    assert lines["library untyped"] == "3"
    assert lines["library for ROCM"] == (
        'NOT_FOUND: the library has no target for ROCM; it has "both" for CUDA, "data" for CUDA, '
        '"state" for CUDA, "untyped" for CUDA'
    )
    assert lines["other"] == lines["other untyped"] == EXISTS, "and the process goes on"
    assert lines["on the host"] == (
        'INVALID_ARGUMENT: custom call "untyped": the target is for Host, but the plugin runs '
        "programs on a GPU"
    )
    major, minor = oracle(plugin)["version"]
    if path == "4":
        assert lines["library typed"] == "4"
    else:
        assert lines["library typed"].startswith(
            f"UNIMPLEMENTED: the plugin (PJRT API {major}.{minor}) does not take all stages"
        )
    if oracle(plugin)["takes_type_ids"]:
        assert lines["type"] == "OK"
    else:
        assert lines["type"].startswith(
            f'UNIMPLEMENTED: type "pjrt_test.Data": the plugin (PJRT API {major}.{minor}) assigns '
            "ids itself"
        )
    assert lines["new type"] == "OK"


@needs_plugins
@all_plugins
def test_programs_run(plugin):
    lines = lines_of(plugin, "run", device=True)
    path = fastest(plugin)
    if path == 4:
        assert lines["run untyped by 4"] == (
            "CustomCall failed: untyped sees 3 bytes, the last is b"
        )
    assert lines["run untyped by 3"].endswith("untyped sees 3 bytes, the last is b")
    assert lines["run untyped by 3, plain"].endswith("untyped sees 5 bytes, the last is n")
    assert lines["run state"].endswith("state is 42")
    if oracle(plugin)["takes_type_ids"]:
        assert lines["context"] == lines["user data"] == ""
        assert lines["run data"] == "data is 7"
        assert lines["run both"] == "both are 49"


@needs_plugins
@all_plugins
def test_the_example_runs(plugin):
    example = BUILD / "examples/example_pjrt"
    text = run(plugin, example, plugin, BUILD / "examples/example_rotate.so")
    assert text == f"registered: 1, api_version {fastest(plugin)}\nrotated: 3 4 5 6 7 0 1 2\n"


@needs_plugins
@all_plugins
def test_the_table_of_versions_is_right(plugin):
    """plugin_versions.h against what the plugin does."""
    text = (ROOT / "pjrt/plugin_versions.h").read_text()
    rows = [
        (int(minor), *(flag == "true" for flag in flags.split(", ")))
        for minor, flags in re.findall(r'\{(\d+), "[\d.]+", ((?:\w+, ){2}\w+)\}', text)
    ]
    assert len(rows) > 5
    answers = oracle(plugin)
    major, minor = answers["version"]
    assert major == 0
    _, takes_type_ids, ambiguous, reports_refusals = max(row for row in rows if row[0] <= minor)
    assert answers["takes_type_ids"] == takes_type_ids
    assert ("0.99" in answers["version_error"]) == reports_refusals
    assert answers["first_error"] == ""
    assert answers["arguments"] == 64 or ambiguous


@needs_plugins
@all_plugins
def test_the_documents_table_is_right(plugin):
    """docs/pjrt.md against what the plugin does."""
    text = (ROOT / "docs/pjrt.md").read_text()
    table = [line.strip("|").split("|") for line in re.findall(r"^\|.*\|$", text, re.MULTILINE)]
    cells = [[cell.strip() for cell in row] for row in table]
    (first,) = [i for i, row in enumerate(cells) if row[0] == "" and len(row) > 4]
    release = plugin.parts[-4].removeprefix("cuda-plugin-")
    column = cells[first].index(release)
    said = {row[0]: row[column] for row in cells[first + 2 :]}
    answers = oracle(plugin)
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
    script = pathlib.Path(__file__).with_name("oracle.py")
    ended = subprocess.run(
        [sys.executable, script, plugin, "two functions"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.stdout, ended.returncode) == ("one\n", 1)
    assert "Duplicate custom call registration" in ended.stderr
