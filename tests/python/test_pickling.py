"""What travels to other processes, and what says that it cannot."""

import copy
import dataclasses
import multiprocessing
import operator
import os
import pickle
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from callbridge._core import _c_api
from callbridge.library import CallbridgeError, Library, Target, load

B, C = np.arange(128, dtype=np.float32), np.linspace(0, 1, 2048, dtype=np.float32)
READ = "import pickle, sys; print(repr(pickle.load(sys.stdin.buffer)))"


def pool(method):
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method))


def read_elsewhere(value, **options):
    """What another process prints that unpickles `value`."""
    return subprocess.run(
        [sys.executable, "-c", READ], input=pickle.dumps(value), capture_output=True, **options
    )


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_libraries_and_targets_travel(targets, method):
    example = targets.target("example")
    with pool(method) as processes:
        call = processes.submit(targets.run, "example", [B, C], "f32[2048]")
        np.testing.assert_array_equal(call.result(), np.tile(B, 16) + C)
        failure = processes.submit(
            targets.run, "fail", [], "f32[]", abi="status_returning_unified", opaque=b"it fails"
        ).exception()
        assert type(failure) is CallbridgeError
        assert (failure.code, failure.message) == ("INTERNAL", "CustomCall failed: it fails")
        # Opened once in that process.
        addresses = [
            processes.submit(operator.attrgetter("address"), sent).result()
            for sent in [example, example, copy.copy(example)]
        ]
        elsewhere = processes.submit(Library.target, targets, "example").result()
        assert len({*addresses}) == 1
        assert elsewhere is example  # and back


def test_travels_by_path_from_another_folder(modules, tmp_path, monkeypatch):
    shutil.copy(modules / "targets.so", tmp_path)
    monkeypatch.chdir(tmp_path)
    library = load("targets.so", isolate=True)
    assert library.path == "targets.so" and library.__reduce__()[1][-1] is True
    done = read_elsewhere(library, cwd="/")
    assert done.stdout.decode().startswith("<callbridge library 'targets.so'"), done


def test_only_the_same_content_is_opened(modules, tmp_path):
    path = tmp_path / "targets.so"
    shutil.copy(modules / "targets.so", path)
    library = load(path)
    os.utime(path, (1, 1))
    assert read_elsewhere(library).returncode == 0
    with open(path, "ab") as file:
        file.write(b"\0")
    for sent in [library, library.targets[0]]:
        stderr = read_elsewhere(sent).stderr.decode().splitlines()[-1]
        assert "FAILED_PRECONDITION" in stderr and f"{path} has other content" in stderr
    assert pickle.loads(pickle.dumps(library)) is library  # it is open here
    path.unlink()
    assert "NOT_FOUND" in read_elsewhere(library).stderr.decode()


def test_targets_that_have_gone(targets):
    gone = dataclasses.replace(targets.target("example"))
    object.__setattr__(gone, "name", "gone")
    object.__setattr__(gone, "_library", targets)
    with pytest.raises(CallbridgeError, match="^NOT_FOUND: .*'gone'"):
        pickle.loads(pickle.dumps(gone))


def test_functions_do_not_travel():
    target = Target("a function", "Host", None, "", 0x1000)
    with pytest.raises(TypeError, match="'a function' cannot be pickled"):
        pickle.dumps(target)
    assert copy.copy(target) is target


def test_handles_do_not_travel():
    handle = _c_api.make_attributes()
    for copied in [pickle.dumps, copy.copy, copy.deepcopy]:
        with pytest.raises(TypeError, match="address of this process"):
            copied(handle)


def test_copies(targets, modules, tmp_path):
    twins = load(shutil.copy(modules / "twins.so", tmp_path))  # two targets of one name
    for value in [targets, *targets.targets, twins, *twins.targets]:
        assert copy.copy(value) is value
        assert copy.deepcopy([value])[0] is value
        assert pickle.loads(pickle.dumps(value)) is value


def test_of_a_file_that_was_opened_twice_the_first_travels(modules, tmp_path):
    path = shutil.copy(modules / "twins.so", tmp_path)
    first, second = load(path), load(path)
    assert first is not second
    assert pickle.loads(pickle.dumps(second)) is first
    elsewhere = shutil.copy(path, tmp_path / "copied.so")
    third = load(elsewhere)
    assert pickle.loads(pickle.dumps(third)) is third
    assert pickle.loads(pickle.dumps(first)) is first


def test_targets_can_be_in_sets(targets, modules):
    handlers = load(modules.parent / "targets" / "typed_handlers.so")
    every = [*targets.targets, *handlers.targets]
    assert len({*every, *every}) == len(every)


def test_errors_travel():
    with pytest.raises(CallbridgeError) as raised:
        load("/nowhere/old.so")
    error = raised.value
    for again in [pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)]:
        assert type(again) is type(error)
        assert isinstance(again, CallbridgeError) and isinstance(again, LookupError)
        assert (again.code, again.message, str(again)) == (error.code, error.message, str(error))


def test_a_file_that_changes_while_it_is_opened(modules, tmp_path, monkeypatch):
    path = tmp_path / "targets.so"
    shutil.copy(modules / "targets.so", path)
    from callbridge._core import _c_api

    def load_and_change(*arguments):
        library_load(*arguments)
        path.write_bytes(path.read_bytes() + b"\0")

    library_load = _c_api.library_load
    monkeypatch.setattr(_c_api, "library_load", load_and_change)
    with pytest.raises(CallbridgeError, match=f"^ABORTED: {path} changed while it was opened"):
        load(path)


def test_files_that_cannot_be_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.so")
    for path in [tmp_path / "pipe.so", tmp_path, "", "a\0b"]:
        with pytest.raises(CallbridgeError):
            load(path)
