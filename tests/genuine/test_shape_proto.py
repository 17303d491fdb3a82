"""An old binary that uses xla::ShapeProto: on callbridge's protobuf it writes the same bytes as on
that of genuine TensorFlow 2.13.1, which it was compiled for.
"""

import json
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
TENSORFLOW = pathlib.Path(os.environ["CALLBRIDGE_TENSORFLOW"])
NEWER = pathlib.Path(os.environ["CALLBRIDGE_TENSORFLOW_2_21_0_PYTHON"]).parent.parent
BUILD = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"]).parent
TARGETS = BUILD / "tests/targets"
SOURCE = HERE.parent / "targets/shape_proto.cc"

STATUS_FUNCTIONS = """
#include <stddef.h>
static int failed;
void XlaCustomCallStatusSetFailure(void* status, const char* text, size_t size) { failed = 1; }
int take_failure(void) { int f = failed; failed = 0; return f; }
"""


def lines_of(*arguments):
    done = subprocess.run(
        [sys.executable, HERE / "shape_proto_caller.py", *arguments],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def genuine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("status")
    (folder / "status.c").write_text(STATUS_FUNCTIONS)
    library = folder / "status.so"
    command = ["cc", "-shared", "-fPIC", "-o", library, folder / "status.c"]
    subprocess.run(command, check=True)
    return lines_of("genuine", TENSORFLOW, library)


def newer_libraries():
    return sorted(NEWER.glob("lib/python3.*/site-packages/tensorflow/libtensorflow_*.so.2"))


@pytest.mark.parametrize("scope", ["nothing", "TensorFlow 2.13.1", "TensorFlow 2.21.0"])
def test_the_same_bytes(genuine, scope):
    libraries = {
        "nothing": [],
        "TensorFlow 2.13.1": [
            TENSORFLOW / "libtensorflow_framework.so.2",
            TENSORFLOW / "libtensorflow_cc.so.2",
        ],
        "TensorFlow 2.21.0": newer_libraries()[::-1],
    }[scope]
    assert scope == "nothing" or len(libraries) == 2
    ours = lines_of("callbridge", *libraries)
    assert len(ours) == len(genuine) == 604
    assert [i for i, line in enumerate(ours) if line != genuine[i]] == []
    failures = genuine.count("failed")
    assert 100 < failures < 300, "most damaged messages are refused, and all others read"


def test_headers_of_another_protobuf(tmp_path):
    """TensorFlow 2.21.0 has protobuf 6.31."""
    import callbridge.library

    include = newer_libraries()[0].parent / "include"
    binary = tmp_path / "newer.so"
    source = tmp_path / "newer.cc"
    text = SOURCE.read_text().replace("tensorflow/compiler/xla/", "xla/")
    source.write_text(text)
    compiler = ["g++", "-std=c++17", "-shared", "-fPIC", "-w", f"-I{include}"]
    subprocess.run([*compiler, "-o", binary, source], check=True)
    with pytest.raises(callbridge.library.CallbridgeError) as error:
        callbridge.library.load(binary)
    assert f"FAILED_PRECONDITION: {binary}: was compiled for protobuf 25 or newer (it" in str(
        error.value
    )
    command = BUILD / "callbridge"
    done = subprocess.run([command, "inspect", binary], capture_output=True, text=True)
    assert "the object layout of protobuf 25 or newer; callbridge has only that of" in done.stdout
    assert "callbridge cannot load it: it was compiled for protobuf 25 or newer" in done.stdout
    done = subprocess.run(
        [command, "inspect", "--json", binary, TARGETS / "shape_proto_linked.so"],
        capture_output=True,
    )
    newer, ours = json.loads(done.stdout)
    assert newer["protobuf"] == {"layout": "protobuf 25 or newer", "served": False}
    assert ours["protobuf"] == {"layout": "protobuf 3.21", "served": True}
    assert ours["verdict"]["outcome"] == "loads"
