"""Processes that multiprocessing starts have the names restored, by whatever restored them."""

import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = HERE / "children_program.py"
SQUARES = "[(0, True), (1, True), (4, True)]"
EXPECTED = {
    "pool": SQUARES,
    "executor": SQUARES,
    "process": "(4, True)",
    "manager": "{0: (0, True), 1: (1, True), 2: (4, True)}",
    "nested": "(9, True)",
    "executable": SQUARES,
    "preload": SQUARES,
}
# How, by what method, and from where callbridge.resurrect comes.
SAMPLED = {
    ("executor", "spawn", "command"),
    ("nested", "spawn", "beside"),
    ("preload", "forkserver", "main"),
}
ROWS = [
    (how, method, where)
    for how in EXPECTED
    for method in ("spawn", "forkserver", "fork")
    for where in ("command", "module", "main", "beside")
    if (how, method) not in {("preload", "spawn"), ("preload", "fork"), ("nested", "fork")}
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Modules that no child, or only the fork server, imports."""
    folder = tmp_path_factory.mktemp("beside")
    (folder / "children_beside.py").write_text("import callbridge.resurrect\n")
    (folder / "children_preloaded.py").write_text(
        "from jax.lib.xla_client import register_custom_call_target\n"
    )
    return folder


@pytest.mark.parametrize("how, method, where", ROWS)
def test_has_the_names(run, folder, how, method, where):
    if (how, method, where) not in SAMPLED and "CALLBRIDGE_THOROUGH" not in os.environ:
        pytest.skip("make matrix")
    arguments = [how, method, "command" if where == "module" else where]
    started = {
        "command": ["-m", "callbridge.resurrect", PROGRAM],
        "module": ["-m", "callbridge.resurrect", "-m", "children_program"],
    }.get(where, [PROGRAM])
    printed = run(*started, *arguments, pythonpath=[folder, HERE])
    assert printed == EXPECTED[how] + "\n"


def test_another_program_begins_without(run, tmp_path):
    """A Python that `subprocess` starts has what it would have by itself."""
    program = tmp_path / "program.py"
    program.write_text(
        "import subprocess, sys\n"
        "child = 'import sys; print(\"callbridge\" in sys.modules)'\n"
        "print(subprocess.check_output([sys.executable, '-c', child], text=True), end='')\n"
    )
    assert run("-m", "callbridge.resurrect", program) == "False\n"


def test_a_block_ends_for_children(run, tmp_path):
    """Children that are started after revived() are JAX's own again."""
    program = tmp_path / "program.py"
    program.write_text(
        "import multiprocessing\n"
        "def has(_):\n"
        "    import sys\n"
        "    return 'callbridge.resurrect' in sys.modules\n"
        "if __name__ == '__main__':\n"
        "    import callbridge.resurrect\n"
        "    spawn = multiprocessing.get_context('spawn')\n"
        "    for block in (callbridge.resurrect.revived(), None):\n"
        "        if block: block.__enter__()\n"
        "        with spawn.Pool(1) as pool: print(pool.map(has, [0]))\n"
        "        if block: block.__exit__(None, None, None)\n"
    )
    assert run(program) == "[True]\n[False]\n"


def test_what_a_child_gets_is_a_list():
    """sys.path there is Python's own, by pickle and by its text."""
    program = (
        "import pickle, sys, callbridge.resurrect; from multiprocessing import spawn;"
        "path = spawn.get_preparation_data('x')['sys_path'];"
        "assert type(path) is not list and eval(repr(path)) == list(path) == sys.path;"
        "assert pickle.loads(pickle.dumps(path)) == list(path);"
        "assert type(pickle.loads(pickle.dumps(path))) is list"
    )
    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[1] / "python")}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)


def test_copies_of_multiprocessing(run, tmp_path):
    """Those of loky and others carry the names, whenever they are imported, until the end."""
    for folder in ("loky/backend", "joblib/externals/loky/backend", "multiprocess", "billiard"):
        made = tmp_path / folder
        made.mkdir(parents=True)
        (made / "spawn.py").write_text(
            "def get_preparation_data(name, init_main_module=True):\n"
            "    return dict(name=name, init=init_main_module, sys_path=['a', 1])\n"
        )
    program = tmp_path / "program.py"
    program.write_text(
        "import importlib, inspect, sys, multiprocess.spawn\n"
        "import callbridge.resurrect\n"
        "from callbridge.resurrect import _children\n"
        "with callbridge.resurrect.revived():\n"
        "    for path in _children._SPAWNS[1:]:\n"
        "        get = importlib.import_module(path).get_preparation_data\n"
        "        data = get('n', init_main_module=False)\n"
        "        assert list(data) == ['sys_path', 'name', 'init'], data\n"
        "        assert 'callbridge' in repr(data['sys_path']) and not data['init']\n"
        "        assert str(inspect.signature(get)) == '(name, init_main_module=True)'\n"
        "        print(path)\n"
        "for path in _children._SPAWNS:\n"
        "    get = importlib.import_module(path).get_preparation_data\n"
        "    assert type(get('n')['sys_path']) is list\n"
    )
    printed = run(program, pythonpath=[tmp_path]).split()
    assert len(printed) == 4 and "joblib.externals.loky.backend.spawn" in printed
