"""Processes that are forked from one which has used callbridge, its threads among it."""

import multiprocessing
import threading

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


def test_children_load_what_a_thread_was_loading(modules, path):
    """The threads hold the lock of loading at most of the forks."""
    many = modules.parent / "targets" / "many_targets.so"
    over = threading.Event()

    def load_again():
        while not over.is_set():
            load(many)

    threads = [threading.Thread(target=load_again) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(8):
            np.testing.assert_array_equal(in_child(load_and_run, path), X / 2)
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_numpy_in_children(path):
    face.load(path)
    np.testing.assert_array_equal(call_by_numpy(), X / 2)
    np.testing.assert_array_equal(in_child(call_by_numpy), X / 2)
    np.testing.assert_array_equal(call_by_numpy(), X / 2)
