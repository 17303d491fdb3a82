"""Processes that are forked from one which has used callbridge, its threads among it."""

import multiprocessing
import pathlib
import threading
import time

import numpy as np
import pytest
from callbridge import numpy as face
from callbridge.library import load

FORK = multiprocessing.get_context("fork")
X = np.arange(64, dtype=np.float32)


@pytest.fixture(scope="module")
def path(modules):
    return modules.parent / "targets" / "threaded_handlers.so"


def in_child(function, *arguments):
    """What it returns in a forked process; TimeoutError where that hangs."""
    with FORK.Pool(1) as pool:  # ended on the way out
        try:
            return pool.apply_async(function, arguments).get(timeout=30)
        except multiprocessing.TimeoutError:
            raise TimeoutError("the forked process hangs") from None


loaded = None  # by the parent; a child inherits it


def run_loaded():
    return loaded.run("halve_on_threads", [X], X)


def load_and_run(path):
    return load(path).run("halve_on_threads", [X], X)


def call_by_numpy():
    return face.custom_call("halve_on_threads", "f32[64]")(X)


def test_library_in_children(path):
    global loaded
    loaded = load(path)
    np.testing.assert_array_equal(run_loaded(), X / 2)
    np.testing.assert_array_equal(in_child(run_loaded), X / 2)
    np.testing.assert_array_equal(in_child(load_and_run, path), X / 2)
    np.testing.assert_array_equal(run_loaded(), X / 2)


def load_beside_a_constructor(endless, path):
    """Loads `path` in a forked process while a thread of this one is in the constructor of
    `endless`, with the lock of loading and outside of ld.so, whose own lock no child survives."""
    threading.Thread(target=load, args=(endless,), daemon=True).start()
    maps = pathlib.Path("/proc/self/maps")
    while "memfd:callbridge" not in maps.read_text():
        time.sleep(0.01)
    time.sleep(1)  # in which ld.so is done with it
    np.testing.assert_array_equal(in_child(load_and_run, path), X / 2)


def test_children_load_what_a_thread_was_loading(path):
    # A process of its own, since the thread keeps the lock for ever.
    process = multiprocessing.get_context("spawn").Process(
        target=load_beside_a_constructor, args=(path.with_name("ends_never.so"), path)
    )
    process.start()
    process.join(60)
    status = process.exitcode
    process.kill()
    assert status == 0


def test_numpy_in_children(path):
    face.load(path)
    np.testing.assert_array_equal(call_by_numpy(), X / 2)
    np.testing.assert_array_equal(in_child(call_by_numpy), X / 2)
    np.testing.assert_array_equal(call_by_numpy(), X / 2)
