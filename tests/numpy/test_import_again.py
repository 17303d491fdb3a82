"""A package that is imported again, as notebooks and test suites do it, beside its first import."""

import subprocess
import sys

PROGRAM = """
import gc, importlib, sys
import numpy as np

def imported():
    for name in [name for name in sys.modules if name.partition(".")[0] == "callbridge"]:
        del sys.modules[name]
    return importlib.import_module("callbridge.numpy")

def works(face, refuse):
    assert refuse(np.float32(2)) == 2
    try:
        refuse(np.float32(-2))
    except face.CallbridgeError as error:
        assert error.code == "INTERNAL"
    else:
        raise AssertionError("no error")

faces = []
for _ in range(3):
    face = imported()
    face.load(sys.argv[1])
    faces.append((face, face.custom_call("refuse_negative", "f32[]")))
for face, refuse in faces * 2:
    works(face, refuse)
# What is dropped takes nothing along that the others need.
del face, refuse, faces[:2]
gc.collect()
works(*faces[0])
print("done")
"""


def test_errors_are_of_the_package_that_was_called(built):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, built / "python" / "targets.so"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_a_reloaded_module_knows_what_it_opened(built):
    program = """
import importlib, sys
import numpy as np
from callbridge import numpy as face
library = face.load(sys.argv[1])
face = importlib.reload(face)
assert face.load(sys.argv[1]) is library
assert face.custom_call("refuse_negative", "f32[]")(np.float32(2)) == 2
"""
    subprocess.run(
        [sys.executable, "-c", program, built / "python" / "targets.so"], check=True, timeout=300
    )
