"""A library that the process has bound to genuine TensorFlow before callbridge is asked for it.

Runs under a Python that has TensorFlow; test_import_orders.py runs it.
"""

import ctypes
import os
import pathlib

import callbridge.library
import numpy as np
import tensorflow as tf

TARGETS = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"]).parent / "tests/targets"


def main():
    assert float(tf.reduce_sum(tf.ones(3))) == 3
    path = TARGETS / "every_way_cc_new_none.so"
    genuine = ctypes.CDLL(str(path))  # its constructor registers with TensorFlow
    library = callbridge.library.load(path)
    by_name = {target.name: target for target in library.targets}
    add = by_name["add"]
    address = ctypes.cast(genuine._Z3addPvPPKv, ctypes.c_void_p).value
    assert add.address == address, "it is a second copy"
    assert "registered with " in add.evidence and "libtensorflow_cc.so.2" in add.evidence
    assert library.run("add", [np.int32(20), np.int32(22)], "s32[]") == 42
    # It asks TensorFlow's registry for itself.
    assert library.run("a_name_that_no_string_holds_without_allocation", [], "s32[]") == 1

    # The same source in another file is no library of TensorFlow's.
    other = callbridge.library.load(TARGETS / "every_way_framework_new_none.so")
    assert "registered with" not in other.targets[0].evidence
    print("its targets are taken by name")


if __name__ == "__main__":
    main()
