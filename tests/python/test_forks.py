"""Processes that are forked from one which has used callbridge, its threads among it."""

import multiprocessing
import os
import pathlib
import pickle
import re
import threading
import time

import callbridge
import numpy as np
import pytest
from callbridge import library
from callbridge import numpy as face
from callbridge._core import _c_api, _fork_lock, _library_files
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


def load_and_call_by_numpy(path):
    face.load(path)
    return call_by_numpy()


def unpickle_and_run(pickled):
    return pickle.loads(pickled).run("halve_on_threads", [X], X)


def load_beside_a_constructor(load_endless, endless, loads, argument):
    """Calls `loads` in a forked process while a thread of this one is in the constructor of
    `endless`, with the lock of loading and outside of ld.so, whose own lock no child survives."""
    threading.Thread(target=load_endless, args=(endless,), daemon=True).start()
    maps = pathlib.Path("/proc/self/maps")
    while "memfd:callbridge" not in maps.read_text():
        time.sleep(0.01)
    time.sleep(1)  # in which ld.so is done with it
    np.testing.assert_array_equal(in_child(loads, argument), X / 2)


class Unpickled:
    """What pickles as the library of a file does that cannot be opened here."""

    def __init__(self, path):
        contents = _library_files.read(str(path))
        self.arguments = str(path), contents.path, contents.digest, False

    def __reduce__(self):
        return library._open_pickled, self.arguments


@pytest.mark.parametrize("how", ["load", "numpy.load", "unpickle"])
def test_children_load_what_a_thread_was_loading(path, how):
    endless = path.with_name("ends_never.so")
    pickled = pickle.dumps(load(path))
    # What the thread and the child call.
    calls = {
        "load": (load, endless, load_and_run, path),
        "numpy.load": (face.load, endless, load_and_call_by_numpy, path),
        "unpickle": (pickle.loads, pickle.dumps(Unpickled(endless)), unpickle_and_run, pickled),
    }
    # A process of its own, since the thread keeps the lock for ever.
    process = multiprocessing.get_context("spawn").Process(
        target=load_beside_a_constructor, args=calls[how]
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


halve = None  # by the parent, as `loaded`


def call_halve():
    return halve(X)


def call_in_child_while_it_is_bound(path):
    """Calls a function in a forked process while a thread of this one binds a call of it."""
    global halve
    face.load(path)
    halve = face.custom_call("halve_on_threads", "f32[64]")
    bind = _c_api.bind
    is_binding = threading.Event()

    def bind_for_ever(*arguments):
        is_binding.set()
        threading.Event().wait()

    _c_api.bind = bind_for_ever
    threading.Thread(target=call_halve, daemon=True).start()
    assert is_binding.wait(60)
    _c_api.bind = bind
    np.testing.assert_array_equal(in_child(call_halve), X / 2)


def test_children_call_what_a_thread_was_binding(path):
    process = multiprocessing.get_context("spawn").Process(
        target=call_in_child_while_it_is_bound, args=(path,)
    )
    process.start()
    process.join(60)
    status = process.exitcode
    process.kill()
    assert status == 0


def test_a_fork_keeps_the_locks_of_its_own_thread():
    lock = _fork_lock.ProcessLock()
    with lock:
        child = os.fork()
        if child == 0:
            with lock:
                pass
    if child == 0:
        is_free = []
        thread = threading.Thread(
            target=lambda: lock.__enter__() or is_free.append(True), daemon=True
        )
        thread.start()
        thread.join(60)
        os._exit(0 if is_free else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_all_locks_are_made_for_forks():
    """A lock of threading stays locked in a child whose parent's thread held it."""
    folder = pathlib.Path(callbridge.__file__).parent
    made = {
        path.name
        for path in folder.rglob("*.py")
        if re.search(r"threading\.(R?Lock|Condition|Semaphore)\(", path.read_text())
    }
    assert made == {"_fork_lock.py"}
