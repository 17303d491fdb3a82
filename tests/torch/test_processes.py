"""Threads, forks, copies, and calls while the interpreter ends."""

import copy
import os
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

import callbridge.torch  # noqa: E402
from at_once import at_once  # noqa: E402
from callbridge.torch import custom_call  # noqa: E402

PROGRAM = pathlib.Path(__file__).with_name("last_calls.py")
STATUS = {"return": 0, "exit": 7, "raise": 1}
FACTOR = {"factor": np.float32(3)}


@pytest.mark.parametrize("kind", ["function", "operator", "compiled"])
def test_targets_run_without_the_gil(kind):
    """Four calls that wait for one another."""
    call = custom_call("torch_meet", "pred[]", attributes={"others": np.int32(4)})
    call = {
        "function": call,
        "operator": call.operator(),
        "compiled": torch.compile(call, backend="eager", fullgraph=True),
    }[kind]
    met = []
    if kind == "compiled":
        assert call()  # since four have met before, one need not wait
    at_once(*[lambda: met.append(bool(call()))] * 4)
    assert met == [True] * 4


def test_many_threads_call_and_bind():
    call = custom_call("torch_add", lambda a, b: a)

    def work(seed):
        random = np.random.default_rng(seed)
        for _ in range(200):
            size = int(random.integers(0, 40))
            a, b = (random.standard_normal(size).astype(np.float32) for _ in range(2))
            found = call(torch.from_numpy(a), torch.from_numpy(b))
            assert found.numpy().tobytes() == (a + b).tobytes()

    at_once(*[lambda seed=seed: work(seed) for seed in range(8)])


def test_functions_of_one_name_are_told_apart_by_what_they_do():
    """torch.compile keeps programs for other processes by the names of the operators in them."""
    named = callbridge.torch._functions._named
    codes = ["a + b", "a - b", "a + 1", "a + 2", "a.b", "a.c", "(lambda: a)()", "(lambda: 1)()"]
    functions = []
    for code in (*codes, codes[0]):
        scope = {"__name__": "module"}
        exec(f"def f(a, b=None):\n    return {code}", scope)
        functions.append(scope["f"])
    *others, again = map(named, functions)
    assert again == others[0]
    assert len(set(map(repr, others))) == len(codes)
    assert (named(None), named("f32[]")) == (None, "f32[]")


def test_calls_of_this_process_are_told_apart_by_their_functions():
    """torch.compile calls a traced call's programs for another call of the same identity."""

    def result(a, b):
        return a

    def again(a, b):
        return a

    again.__qualname__ = result.__qualname__
    calls = [custom_call("torch_add", function) for function in (result, result, again)]
    one, same, other = [call._identity for call in calls]
    assert one == same != other
    assert custom_call("torch_add", result, vmap_method="sequential")._identity != one


def test_many_threads_make_one_operator():
    results = [lambda a, b, i=i: a for i in range(20)]
    x = torch.ones(2)
    names = []

    def work():
        for result in results:
            names.append(custom_call("torch_add", result).operator(x, x).name())

    at_once(*[work] * 6)
    assert len(set(names)) == len(results)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forks():
    call = custom_call("torch_halve", lambda x: x)  # which uses callbridge's threads
    x = torch.ones(4)
    assert call(x).tolist() == [0.5] * 4
    child = os.fork()
    if child == 0:
        right = call(x).tolist() == [0.5] * 4
        other = custom_call("torch_add", "f32[4]")(x, x).tolist() == [2] * 4
        os._exit(0 if right and other else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert call(x).tolist() == [0.5] * 4


def test_copies():
    call = custom_call("torch_scale", lambda x: x, attributes=FACTOR)
    for again in (copy.copy(call), copy.deepcopy(call)):
        assert again(torch.ones(1)) == 3
    with pytest.raises(TypeError, match="cannot be pickled: it calls an address of this process"):
        pickle.dumps(call)
    assert repr(call) == "<callbridge.torch.custom_call('torch_scale', ...)>"


def test_attributes_are_copied():
    array = np.arange(3, dtype=np.int32)
    attributes = {"n": 3, "array": array, "inner": {"x": 0.5}, "text": "abc"}
    call = custom_call("attributes", "f32[4]", attributes=attributes)
    array[:] = 100
    attributes["inner"]["x"] = 9.0
    attributes["n"] = 7
    assert call().tolist() == [3, 3, 0.5, 3]


def test_a_library_can_be_pickled(built):
    library = callbridge.torch.load(built / "python/targets.so")
    assert pickle.loads(pickle.dumps(library)).targets


def test_memory_is_freed():
    import weakref

    call = custom_call("torch_add", lambda a, b: a)
    x = torch.ones(3)
    found = call(x, x)
    gone = weakref.ref(found)
    del found
    assert gone() is None
    operator = call.operator(x, x)
    before = sys.getrefcount(x), sys.getrefcount(torch.float32)
    for _ in range(1000):
        call(x, x)
        operator(x, x)
        call(x.view(3, 1), x.view(3, 1))
        with pytest.raises(ValueError):
            call(x, x.double())
    assert sys.getrefcount(x) == before[0]
    assert sys.getrefcount(torch.float32) < before[1] + 500


def run(built, how):
    done = subprocess.run(
        [sys.executable, PROGRAM, built, how], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == STATUS[how], (done.returncode, done.stderr)
    assert "Exception ignored" not in done.stderr, done.stderr
    return done.stdout.splitlines()


# Not by daemon threads: in those torch.add() itself ends the process then, by abort().
@pytest.mark.parametrize("how", STATUS)
def test_calls_while_the_interpreter_ends(built, how):
    assert run(built, how) == ["called 6"]
