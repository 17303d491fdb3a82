"""HLO modules with custom calls as operators."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

import callbridge.library  # noqa: E402
import callbridge.torch  # noqa: E402
from callbridge.torch import CallbridgeError, hlo_module  # noqa: E402

BACKENDS = [None, "eager", "aot_eager", "inductor"]
ADD = """HloModule add
ENTRY main {
  b = f32[128]{0} parameter(0)
  c = f32[2048]{0} parameter(1)
  a = f32[2048]{0} custom-call(b, c), custom_call_target="example"
  ROOT r = f32[2048]{0} add(a, c)
}
"""
TUPLES = """HloModule tuples
ENTRY main {
  p = (f32[4], (f32[4], f32[4])) parameter(0)
  d = f32[4] parameter(1)
  both = (f32[4], f32[4]) custom-call(p, d), custom_call_target="nested"
  first = f32[4] get-tuple-element(both), index=0
  second = f32[4] get-tuple-element(both), index=1
  sum = f32[4] add(first, second)
  inner = (f32[4], f32[4]) tuple(first, second)
  ROOT r = (f32[4], (f32[4], f32[4])) tuple(sum, inner)
}
"""
HALF = """HloModule half
ENTRY main {
  x = f32[2,3]{1,0} parameter(0)
  h = f32[] constant(0.5)
  hs = f32[2,3]{1,0} broadcast(h), dimensions={}
  ROOT r = f32[2,3]{1,0} multiply(x, hs)
}
"""
REFUSE = """HloModule refuse
ENTRY main {
  x = f32[] parameter(0)
  ROOT r = f32[] custom-call(x), custom_call_target="refuse_negative"
}
"""


@pytest.fixture(autouse=True)
def no_cached_programs():
    torch._dynamo.reset()


@pytest.fixture(scope="module")
def library(built):
    return callbridge.torch.load(built / "python/targets.so")


def of(backend, function):
    if backend is None:
        return function
    return torch.compile(function, backend=backend, fullgraph=True)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_module(library, backend):
    call = of(backend, hlo_module(ADD, libraries=[library]))
    random = np.random.default_rng(0)
    for _ in range(2):
        b, c = (random.standard_normal(n).astype(np.float32) for n in (128, 2048))
        found = call(torch.from_numpy(b), torch.from_numpy(c))
        assert found.numpy().tobytes() == (np.tile(b, 16) + c + c).tobytes()


def test_one_module_with_two_libraries(library, built):
    """Its calls are those of the library that it was given, which has the same name for another."""
    other = callbridge.library.load(built / "python/other_example.so")
    calls = [hlo_module(ADD, libraries=[each]) for each in (library, other, library)]
    found = [float(call(torch.ones(128), torch.full((2048,), 3.0))[0]) for call in calls]
    assert found == [1 + 3 + 3, 0 + 3, 1 + 3 + 3]


@pytest.mark.parametrize("backend", BACKENDS[:3])
def test_tuples(library, backend):
    call = of(backend, hlo_module(TUPLES, libraries=[library]))
    a, b, c, d = (torch.full((4,), float(i)) for i in (1, 3, 7, 20))
    total, (first, second) = call((a, (b, c)), d)
    assert (first[0], second[0], total[0]) == (-2, -13, -15)


def test_paths_and_bytes(tmp_path):
    (tmp_path / "half.hlo").write_text(HALF)
    x = torch.ones(3, 2).t()
    for module in (HALF, HALF.encode(), bytearray(HALF.encode()), tmp_path / "half.hlo"):
        assert torch.equal(hlo_module(module)(x), x * 0.5)


def test_checks_of_torch():
    call = hlo_module(HALF)
    x = torch.ones(2, 3)
    checked = torch.library.opcheck(call.operator(x), (x,))
    assert set(checked.values()) == {"SUCCESS"}
    assert call(torch.empty(2, 3, device="meta")).device.type == "meta"


def test_subnormals_are_zeros_as_in_xla():
    x = torch.full((2, 3), float(np.finfo(np.float32).tiny))
    torch.set_flush_denormal(False)
    assert (hlo_module(HALF)(x) == 0).all()
    assert (x * 0.5 > 0).all()


def test_rules():
    def backward(ctx, gradient):
        return gradient * 0.5

    call = hlo_module(HALF, backward=backward, vmap_method="sequential")
    x = torch.ones(2, 3, requires_grad=True)
    call(x).sum().backward()
    assert x.grad.unique().tolist() == [0.5]
    assert torch.vmap(call)(torch.ones(4, 2, 3)).shape == (4, 2, 3)
    with pytest.raises(RuntimeError, match="has no rule for gradients"):
        hlo_module(HALF)(x)
    with pytest.raises(NotImplementedError, match="has no rule for torch.vmap"):
        torch.vmap(hlo_module(HALF))(torch.ones(4, 2, 3))
    with pytest.raises(ValueError, match="vmap_method: expected one of 'sequential'"):
        hlo_module(HALF, vmap_method="expand_dims")


def test_calls_that_fail(library):
    call = hlo_module(REFUSE, libraries=[library], threads=2)
    for _ in range(2):
        with pytest.raises(CallbridgeError, match="negative operand"):
            call(torch.tensor(-1.0))
        assert call(torch.tensor(4.0)) == 4


@pytest.mark.parametrize(
    "operands, error, message",
    [
        ((), ValueError, r"got \(\), but the HLO module has the parameters \(None,\)"),
        ((torch.ones(2, 3),) * 2, ValueError, "has the parameters"),
        (((torch.ones(2, 3),),), ValueError, "has the parameters"),
        ((torch.ones(3, 2),), ValueError, r"operands\[0\] is torch.float32 \[3, 2\], but that"),
        ((torch.ones(2, 3).double(),), ValueError, "is torch.float64"),
        ((torch.ones(2, 3, device="meta").int(),), ValueError, "is torch.int32"),
        ((np.ones((2, 3), np.float32),), TypeError, "is a NumPy array"),
        ((torch.ones(2, 3).to_sparse(),), NotImplementedError, "layout torch.sparse_coo"),
    ],
)
def test_operands(operands, error, message):
    call = hlo_module(HALF)
    for _ in range(2):
        with pytest.raises(error, match=message):
            call(*operands)
    assert call(torch.ones(2, 3)).sum() == 3
    with pytest.raises(error, match=message):
        call(*operands)


@pytest.mark.parametrize(
    "module, options, error, message",
    [
        ("", {}, ValueError, "INVALID_ARGUMENT"),
        ("HloModule m\nENTRY main {", {}, ValueError, "INVALID_ARGUMENT"),
        (b"\0\1", {}, ValueError, "INVALID_ARGUMENT"),
        (3, {}, TypeError, "module: expected HLO text"),
        (None, {}, TypeError, "module: expected HLO text"),
        (REFUSE.replace("refuse_negative", "nothing"), {}, LookupError, 'no target "nothing"'),
        (HALF.replace("multiply", "tangle"), {}, (ValueError, NotImplementedError), "tangle"),
        (HALF.replace("{1,0}", "{0,1}"), {}, NotImplementedError, "has the layout {0,1}"),
        (HALF, {"libraries": 3}, TypeError, "libraries: expected"),
        (HALF, {"libraries": ["x"]}, TypeError, "libraries: expected what"),
        (HALF, {"threads": 0}, TypeError, "threads: expected a positive int"),
        (HALF, {"backward": 3}, TypeError, "backward: expected a function"),
    ],
)
def test_what_is_no_module(module, options, error, message):
    for _ in range(2):
        with pytest.raises(error, match=message):
            hlo_module(module, **options)


def test_no_file(tmp_path):
    with pytest.raises(LookupError, match="none.hlo cannot be read"):
        hlo_module(tmp_path / "none.hlo")
