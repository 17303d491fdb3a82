"""Loads that are interrupted or refused midway, and files that change, where registries keep what
they have, as XLA's do.
"""

import linecache
import os
import pathlib
import shutil
import sys
import threading
import time

import callbridge
import callbridge.jax
import numpy as np
import pytest
from callbridge import numpy as face
from callbridge._targets._libraries import Libraries
from callbridge._targets._registry import Registry
from refused import refused

PACKAGE = str(pathlib.Path(callbridge.__file__).parent)


class Process:
    """A face in a process of its own. As XLA, it keeps the first address of a name for good."""

    def __init__(self, refused=()):
        self.kept = {}
        self.refused = list(refused)  # names, of which XLA does not take the first registration
        self.registry = Registry("face", "XLA", self._serve, lambda entry: None, lambda: "Host")
        self.libraries = Libraries(self.registry)

    def load(self, path):
        return self.libraries.load(path, False)

    def _serve(self, entry, abi):
        for path in ["typed", "version_3"]:
            if entry.target.name in self.refused:
                self.refused.remove(entry.target.name)
                raise RuntimeError(f"XLA refuses {entry.target.name}")
            key = entry.target.name, entry.platform, path
            assert self.kept.setdefault(key, entry.target.address) == entry.target.address
        return "typed", "version_3"

    def has_all_of(self, library):
        known = [target for target in library.targets if target.abi or target.platform != "Host"]
        assert len(known) > 10
        for target in known:
            entry = self.registry.find(target.name, target.platform, None)
            assert entry.target is target
        paths = {(t.name, t.platform, p) for t in known for p in ["typed", "version_3"]}
        return paths <= set(self.kept)


@pytest.fixture
def path(built, tmp_path):
    return pathlib.Path(shutil.copy(built / "python" / "targets.so", tmp_path))


# ---- Interrupts ---------------------------------------------------------------------------------


def lines_until_interrupt(count, function):
    """Runs it, with a KeyboardInterrupt before the line of callbridge's that has that number. The
    number of lines that ran."""
    lines = 0

    def trace(frame, event, _argument):
        nonlocal lines
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        # Python handles no signal between the body of a `with` and its end.
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
        if event == "line" and not line.lstrip().startswith("with "):
            lines += 1
            if lines == count:
                raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        function()
    except KeyboardInterrupt:
        assert lines == count
    finally:
        sys.settrace(None)
    return lines


def test_a_second_load_completes_an_interrupted_one(path):
    process = Process()
    total = lines_until_interrupt(None, lambda: process.load(path))
    assert total > 500
    for count in [*range(1, total, total // 40), *range(total - 5, total)]:
        process = Process()
        assert lines_until_interrupt(count, lambda: process.load(path)) == count  # noqa: B023
        library = process.load(path)
        assert process.has_all_of(library), count
        assert process.load(path) is library


# ---- Refusals -----------------------------------------------------------------------------------


def test_what_xla_refuses_keeps_nothing_else_from_being_served(path):
    names = ["example", "refuse_negative"]
    process = Process(refused=names)
    with pytest.raises(RuntimeError, match="XLA refuses example"):
        process.load(path)
    assert {"copy_bytes", "without_result"} <= {name for name, _, _ in process.kept}
    assert not process.refused and not set(names) & {name for name, _, _ in process.kept}
    assert process.has_all_of(process.load(path))


def test_typed_handlers_of_another_macro_wait_to_be_declared(built):
    library = face.load(built / "python" / "partly_served.so")
    assert [target.name for target in library.targets] == ["partly_a", "partly_b", "partly_c"]
    for name in ["partly_a", "partly_c"]:
        assert face.custom_call(name, "f32[]")() == 5
    with refused("INVALID_ARGUMENT", "partly_b", "typed handler"):
        face.custom_call("partly_b", "f32[]")
    assert face.custom_call("partly_b", "f32[]", abi="typed_ffi")() == 6
    assert face.load(built / "python" / "partly_served.so") is library


def test_nothing_is_registered_of_what_is_refused(built, path):
    process = Process()
    process.load(path)
    kept = dict(process.kept)
    for _ in range(2):
        with refused("ALREADY_EXISTS", "'example'", "other_example.so", "another name"):
            process.load(built / "python" / "other_example.so")
    assert process.kept == kept
    with refused("NOT_FOUND", "only_in_other_example"):
        process.registry.find("only_in_other_example", "Host", None)


# ---- Files that change --------------------------------------------------------------------------


def test_a_touched_file_is_the_same_library(path, tmp_path, monkeypatch):
    process = Process()
    library = process.load(path)
    os.utime(path, (1, 1))
    assert process.load(path) is library
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content)
    assert process.load(path) is library
    copied = shutil.copy(path, tmp_path / "copied.so")
    assert process.load(copied) is library
    monkeypatch.chdir(tmp_path)
    assert process.load("targets.so") is library


def test_a_changed_file_is_refused(path):
    process = Process()
    library = process.load(path)
    kept = dict(process.kept)
    content = path.read_bytes()
    path.write_bytes(content + b"\0")
    for _ in range(2):
        with refused("ALREADY_EXISTS", f"content of {path} has changed", "another process"):
            process.load(path)
    assert process.kept == kept
    os.utime(path, (1, 1))
    with refused("ALREADY_EXISTS", "has changed"):
        process.load(path)
    path.write_bytes(content)
    assert process.load(path) is library
    assert np.all(
        library.run("example", [np.zeros(128, "f"), np.ones(2048, "f")], "f32[2048]") == 1
    )


@pytest.mark.parametrize("age", ["just written", "old"])
def test_a_changed_file_of_the_same_size_and_times_is_refused(path, monkeypatch, age):
    """Also where the file is old enough to be known by its times alone."""
    from callbridge._core import _library_files

    if age == "old":
        tomorrow = time.time_ns() + 24 * 3600 * 10**9
        monkeypatch.setattr(_library_files.time, "time_ns", lambda: tomorrow)
    process = Process()
    process.load(path)
    status = path.stat()
    with open(path, "r+b") as file:
        file.seek(-1, os.SEEK_END)
        last = file.read(1)
        file.seek(-1, os.SEEK_END)
        file.write(bytes([last[0] ^ 1]))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    with refused("ALREADY_EXISTS", "has changed"):
        process.load(path)


def test_an_untouched_file_is_not_read_again(path, monkeypatch):
    from callbridge._core import _library_files

    process = Process()
    tomorrow = time.time_ns() + 24 * 3600 * 10**9
    monkeypatch.setattr(_library_files.time, "time_ns", lambda: tomorrow)
    library = process.load(path)
    monkeypatch.delattr(_library_files, "read")
    assert process.load(path) is library


def test_a_file_that_was_just_written_is_read_again(path, monkeypatch):
    """Within a tick of the file system's clock another content leaves no trace."""
    from callbridge._core import _library_files

    state = _library_files.find(path)
    monkeypatch.setattr(_library_files, "find", lambda path: state)
    monkeypatch.setattr(_library_files.time, "time_ns", lambda: state[-1] + 10**9)
    process = Process()
    process.load(path)
    with open(path, "ab") as file:
        file.write(b"\0")
    with refused("ALREADY_EXISTS", "has changed"):
        process.load(path)


# ---- Calls from within, as signal handlers and __del__ methods make them at any moment -----------


def ends(work):
    """Whether `work` is done within a minute, in a thread that is left behind else."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(60)
    return not thread.is_alive()


@pytest.mark.parametrize("module", [face, callbridge.jax])
def test_a_look_up_within_a_look_up(built, module):
    module.load(built / "python" / "targets.so")
    found = []

    class Name(str):
        def __hash__(self):
            found.append(module.custom_call("refuse_negative", "f32[]"))
            return str.__hash__(self)

    assert ends(lambda: found.append(module.custom_call(Name("example"), "f32[2048]")))
    assert len(found) > 1


def test_a_load_within_a_load(built):
    process = Process()
    path = built / "python" / "targets.so"
    libraries, depth = [], 0

    def serve_and_load(entry, abi, serve=process._serve):
        nonlocal depth
        depth += 1
        if depth < 4:
            libraries.append(process.load(path))
        return serve(entry, abi)

    process.registry._serve_target = serve_and_load
    assert ends(lambda: libraries.append(process.load(path)))
    assert len(libraries) == 4 and len(set(map(id, libraries))) == 1


def test_an_interrupt_while_a_result_is_parsed(built):
    face.load(built / "python" / "targets.so")

    def interrupt(frame, event, _argument):
        if frame.f_code.co_name != "visit":
            return None
        if event == "line" and "nodes.append" in linecache.getline(
            frame.f_code.co_filename, frame.f_lineno
        ):
            raise KeyboardInterrupt
        return interrupt

    with pytest.raises(KeyboardInterrupt):
        sys.settrace(interrupt)
        try:
            face.custom_call("nested", "(f32[4],f32[4])")
        finally:
            sys.settrace(None)
