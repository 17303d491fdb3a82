"""Calls in what torch.compile and torch.export make: no graph breaks, the bits of eager calls."""

import io
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

from callbridge.torch import CallbridgeError, custom_call  # noqa: E402

BACKENDS = ["eager", "aot_eager", "inductor"]
FACTOR = {"factor": np.float32(0.3)}
PROGRAM = pathlib.Path(__file__).with_name("exported_program.py")


@pytest.fixture(autouse=True)
def no_cached_programs():
    torch._dynamo.reset()


def compiled(function, backend="aot_eager", **options):
    return torch.compile(function, backend=backend, fullgraph=True, **options)


def equal(found, expected):
    assert type(found) is type(expected)
    if type(expected) is tuple:
        assert len(found) == len(expected)
        for pair in zip(found, expected):
            equal(*pair)
        return
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert found.stride() == expected.stride()
    assert found.numpy().tobytes() == expected.numpy().tobytes()


def rows_of(x):
    return (x[..., 0], (x[..., 0], x[..., 0].to(torch.int64)))


def program():
    """Calls of each kind, on operands of any size n."""
    rows = custom_call("torch_rows", rows_of)
    scale = custom_call("torch_scale", lambda x: x, attributes=FACTOR)
    total = custom_call("torch_sum_all", "f32[2]")
    nested = custom_call("nested", "(f32[4],f32[4])")

    def run(x, four):
        y = scale(x * 2 + 1)
        sums, (largest, places) = rows(torch.stack([y, x]))
        return (
            y,
            nested((four, (four * 3, four)), four - 1),
            (sums - largest, places),
            total((x, (y,)), y),
        )

    return run


@pytest.mark.parametrize("dynamic", [False, True, None])
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_same_bits_without_a_graph_break(backend, dynamic):
    run = program()
    fast = compiled(program(), backend, dynamic=dynamic)  # whose operators nobody has called yet
    for size in (3, 5, 17):
        x, four = torch.randn(size), torch.randn(4)
        # The same operations outside of calls are inductor's, which may round otherwise.
        if backend == "inductor":
            x, four = (x * 8).round(), (four * 8).round()
        equal(fast(x, four), run(x, four))


@pytest.mark.parametrize("backend", BACKENDS)
def test_results_equal_numpys(backend):
    call = custom_call("torch_add", lambda a, b: a)
    fast = compiled(lambda a, b: call(a, b), backend)
    a, b = (np.random.default_rng(i).standard_normal((7, 3)).astype(np.float32) for i in (1, 2))
    found = fast(torch.from_numpy(a), torch.from_numpy(b))
    assert found.numpy().tobytes() == (a + b).tobytes()


def test_one_graph_for_all_sizes():
    call = custom_call("torch_rows", rows_of)
    graphs = []

    def backend(graph, _inputs):
        graphs.append(graph)
        return graph.forward

    fast = compiled(lambda x: call(x)[0] + 1, backend, dynamic=True)
    for shape in ((2, 3), (5, 4), (7, 9)):
        x = torch.ones(shape)
        assert torch.equal(fast(x), x.sum(-1) + 1)
    assert len(graphs) == 1
    called = [node.target for node in graphs[0].graph.nodes if node.op == "call_function"]
    assert sum("callbridge" in str(target) for target in called) == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_each_way_to_say_the_result(backend):
    x = torch.randn(2, 3)
    for result in (
        "f32[2,3]",
        torch.empty(2, 3, device="meta"),
        lambda x: x,
        lambda x: x.new_empty(x.shape[0], 3),
        lambda x: f"f32[{2},3]",
        lambda x: (x,),
        lambda x: "(f32[2,3])",
    ):
        call = custom_call("torch_scale", result, attributes=FACTOR)
        torch._dynamo.reset()
        found = compiled(call, backend)(x)
        equal(found, call(x))


def test_a_second_trace_of_a_function_of_the_shapes():
    """The operator is there then, so that its function is not traced."""
    call = custom_call("torch_rows", rows_of)
    for shape in ((2, 3), (2, 3, 4)):
        torch._dynamo.reset()
        equal(compiled(call)(torch.ones(shape)), call(torch.ones(shape)))


def test_in_modules():
    class Scaled(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(4, 4)
            self.call = custom_call("torch_scale", lambda x: x, attributes=FACTOR)

        def forward(self, x):
            return self.call(self.linear(x))

    module = Scaled()
    x = torch.randn(2, 4)
    with torch.no_grad():
        equal(compiled(module)(x), module(x))
        import copy

        equal(copy.deepcopy(module)(x), module(x))


def test_views_in_compiled_programs():
    call = custom_call("torch_copy", lambda x: (x.new_empty(x.shape), "s32[]"))

    def run(x):
        return call(x.t()), call(x[::2, 1:]), call(x[:0]), call(x[:, :1].expand(-1, 5))

    x = torch.randn(4, 6)
    for backend in BACKENDS:
        equal(compiled(run, backend)(x), run(x))


def test_subnormals_in_compiled_programs():
    call = custom_call("torch_halve", lambda x: x)
    x = torch.full((4,), float(np.finfo(np.float32).tiny))
    for backend in BACKENDS:
        fast = compiled(call, backend)
        fast(x)
        # What inductor of torch 2.4 compiles by -ffast-math sets the mode when it is loaded.
        torch.set_flush_denormal(False)
        assert (fast(x) > 0).all()


def test_what_fails_in_a_compiled_program():
    call = custom_call("refuse_negative", "f32[]")
    fast = compiled(call, "inductor")
    assert fast(torch.tensor(2.0)) == 2
    for _ in range(2):
        with pytest.raises(CallbridgeError, match="negative operand"):
            fast(torch.tensor(-2.0))
    assert fast(torch.tensor(2.0)) == 2


def test_an_unused_call_with_an_effect_stays():
    for has_side_effect, expected in ((True, 2), (False, 0)):
        call = custom_call("torch_address", "s64[2]", has_side_effect=has_side_effect)
        count = custom_call("torch_address", "s64[2]")
        x = torch.ones(2)
        before = int(count(x)[1])
        fast = compiled(lambda x, call=call: (call(x), call(x), x + 1)[2], "inductor")
        assert fast(x).tolist() == [2, 2]
        assert int(count(x)[1]) - before - 1 == expected, has_side_effect
        torch._dynamo.reset()


# ---- torch.export -------------------------------------------------------------------------------


class Exported(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.call = custom_call("torch_rows", rows_of)
        self.scale = custom_call("torch_scale", lambda x: x, attributes=FACTOR)

    def forward(self, x):
        sums, (largest, places) = self.call(self.scale(x))
        return sums + largest, places


@pytest.mark.parametrize("strict", [True, False])
def test_export(strict):
    module = Exported()
    x = torch.randn(4, 3)
    shapes = {"x": {0: torch.export.Dim("rows", min=2)}}
    exported = torch.export.export(module, (x,), dynamic_shapes=shapes, strict=strict)
    text = str(exported.graph)
    assert text.count("torch.ops.callbridge.torch_rows_") == 1
    saved = io.BytesIO()
    torch.export.save(exported, saved)
    saved.seek(0)
    again = torch.export.load(saved)
    for rows in (4, 9):
        x = torch.randn(rows, 3)
        equal(exported.module()(x), module(x))
        equal(again.module()(x), module(x))


def test_an_exported_program_runs_in_another_process(built, tmp_path):
    """Operators are named by what they call, so that the other process has the same."""
    path = tmp_path / "program.pt2"
    for what in ("save", "load"):
        done = subprocess.run(
            [sys.executable, PROGRAM, what, built, path],
            capture_output=True,
            text=True,
            timeout=300,
            env={**os.environ, "PYTHONHASHSEED": "1" if what == "save" else "2"},
        )
        assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout == "the same\n"


def test_make_fx():
    from torch.fx.experimental.proxy_tensor import make_fx

    call = custom_call("torch_rows", rows_of)
    x = torch.randn(4, 3)
    for mode in ("real", "fake", "symbolic"):
        graph = make_fx(lambda x: call(x), tracing_mode=mode)(x)
        assert "torch.ops.callbridge.torch_rows" in graph.code
        equal(tuple(torch.utils._pytree.tree_leaves(graph(x))), (call(x)[0], *call(x)[1]))


def test_functionalize():
    call = custom_call("torch_scale", lambda x: x, attributes=FACTOR)
    x = torch.randn(3)
    equal(torch.func.functionalize(lambda x: call(x.add(1)))(x), call(x + 1))


# ---- torch's own checks -------------------------------------------------------------------------


def operators():
    x = torch.randn(4)
    m = torch.randn(2, 3)
    yield custom_call("torch_add", lambda a, b: a), (m, m)
    yield custom_call("torch_add", lambda a, b: a), (m.t(), m.t())
    yield custom_call("torch_add", "f32[2,3]"), (m, m)
    yield custom_call("nested", "(f32[4],f32[4])"), ((x, (x, x)), x)
    yield custom_call("torch_rows", rows_of), (m,)
    yield custom_call("torch_sum_all", "f32[2]"), (x, m, x)
    yield custom_call("torch_scale", lambda x: x, attributes=FACTOR), (x,)
    yield (
        custom_call("torch_scale", lambda x: x, attributes=FACTOR, input_output_aliases={0: 0}),
        (x.clone(),),
    )
    yield (
        custom_call("torch_add_to", "f32[]", mutated_operands=[0]),
        (m.clone(), m),
    )
    yield (
        custom_call(
            "torch_scale",
            lambda x: x,
            attributes=FACTOR,
            backward=lambda ctx, gradient: gradient * 0.3,
            vmap_method="broadcast_all",
        ),
        (x.clone().requires_grad_(),),
    )
    yield custom_call("torch_sum_all", "f32[2]", vmap_method="sequential"), ()


@pytest.mark.parametrize("number", range(11))
def test_opcheck(number):
    call, operands = list(operators())[number]
    leaves = torch.utils._pytree.tree_leaves(operands)
    checked = torch.library.opcheck(call.operator(*operands), tuple(leaves))
    assert set(checked.values()) == {"SUCCESS"}
