"""The story of PyTorch on XLA: a model is traced, its graph lowered to HLO, and that is run.

PyTorch/XLA traces and lowers a model with custom calls. What it dumps, `callbridge run` runs
without XLA, on the same operands, to the same bits.
"""

import subprocess

import numpy as np
import pytest
from this_torch_xla import needs_instantiate, torch_xla, xla

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

import callbridge.torch  # noqa: E402
import callbridge.torch_xla  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def libraries(uses, typed):
    callbridge.torch.load(uses)
    callbridge.torch.load(typed)


class Model(torch.nn.Module):
    """Multiplies and adds, as the first example of PyTorch/XLA did, around custom calls."""

    def __init__(self, square):
        super().__init__()
        self.square = square

    def forward(self, n, x, y):
        return self.square(n, x * y) + y


def untyped_square():
    return callbridge.torch.custom_call("square", lambda n, x: x)


def typed_square():
    return callbridge.torch.custom_call("square_typed", lambda n, x: x)


CALLS = [untyped_square, typed_square]
RANDOM = np.random.default_rng(4)


@pytest.fixture
def operands():
    """In quarters, so that XLA's product and sum with one rounding is that with two."""
    x, y = (RANDOM.integers(-8, 8, (2, 3, 5)) / 4).astype(np.float32)
    return torch.tensor(15, dtype=torch.int32), torch.from_numpy(x), torch.from_numpy(y)


def run(command, module, operands, libraries, tmp_path):
    """What `callbridge run` returns."""
    files = []
    for i, operand in enumerate(operands):
        files.append(f"operand{i}.npy")
        np.save(tmp_path / files[-1], operand.numpy())
    options = [word for library in libraries for word in ("--library", library)]
    done = subprocess.run(
        [command, "run", module, *files, *options, "--output", "result.npy"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return np.load(tmp_path / "result.npy")


def trace(square, operands):
    """The lazily recorded result of the model, and the operands as parameters of its module."""
    traced = Model(square())(*map(xla, operands))
    _, parameters = torch_xla._XLAC._get_tensors_xla_device_data_node([traced])
    return traced, [parameter.cpu() for parameter in parameters]


@pytest.mark.parametrize("square", CALLS)
def test_hlo_text(command, uses, tmp_path, operands, square):
    traced, parameters = trace(square, operands)
    text = torch_xla._XLAC._get_xla_tensors_hlo([traced])
    assert 'custom_call_target="square' in text
    (tmp_path / "module.hlo").write_text(text)
    found = run(command, "module.hlo", parameters, [uses], tmp_path)
    assert found.tobytes() == traced.cpu().numpy().tobytes()
    n, x, y = operands
    assert found.tobytes() == ((x * y) * (x * y) + y).numpy().tobytes()


@pytest.mark.parametrize("square", CALLS)
def test_serialized_proto(command, uses, tmp_path, operands, square):
    if not hasattr(torch_xla._XLAC, "_get_xla_tensors_hlo_proto"):
        pytest.skip("this PyTorch/XLA writes HLO as text alone")
    traced, parameters = trace(square, operands)
    proto = torch_xla._XLAC._get_xla_tensors_hlo_proto([traced])
    (tmp_path / "module.pb").write_bytes(proto)
    found = run(command, "module.pb", parameters, [uses], tmp_path)
    assert found.tobytes() == traced.cpu().numpy().tobytes()


def test_calls_with_site_descriptors(command, uses, tmp_path):
    trees = callbridge.torch.custom_call("trees", ("f32[3]", ("f32[3]",)))
    opaque = callbridge.torch.custom_call("add_opaque", "f32[]", opaque=b"\1\0\2")
    x, n, one = map(xla, (torch.arange(3.0), torch.tensor(3, dtype=torch.int32), torch.tensor(1.0)))
    total, (difference,) = trees((x, (x, n)), x)
    traced = opaque(one) + total * difference
    _, parameters = torch_xla._XLAC._get_tensors_xla_device_data_node([traced])
    text = torch_xla._XLAC._get_xla_tensors_hlo([traced])
    (tmp_path / "module.hlo").write_text(text)
    parameters = [parameter.cpu() for parameter in parameters]
    found = run(command, "module.hlo", parameters, [uses], tmp_path)
    assert found.tobytes() == traced.cpu().numpy().tobytes()
    assert found.tolist() == [4, 4, 4]


@needs_instantiate
def test_attributes(command, typed, tmp_path):
    attributes = {
        "n": -7,
        "array": np.array([1, -2, 3], np.int32),
        "inner": {"x": 0.1},
        "text": 'ä\0"\\\n',
    }
    call = callbridge.torch.custom_call("attributes", "f32[4]", attributes=attributes)
    traced = call(xla(torch.zeros(1))) * 2
    _, parameters = torch_xla._XLAC._get_tensors_xla_device_data_node([traced])
    text = torch_xla._XLAC._get_xla_tensors_hlo([traced])
    (tmp_path / "module.hlo").write_text(text)
    parameters = [parameter.cpu() for parameter in parameters]
    found = run(command, "module.hlo", parameters, [typed], tmp_path)
    assert found.tobytes() == traced.cpu().numpy().tobytes()
    assert found.tolist() == [-14, 4, 2 * np.float32(0.1), 12]


def test_what_xla_dumps(command, uses, tmp_path, run_program):
    run_program(
        """
load()
square = callbridge.torch.custom_call("square", lambda n, x: x)
n, x, y = map(xla, (SIZE, X, X + 1))
traced = square(n, x * y) + y
_, parameters = torch_xla._XLAC._get_tensors_xla_device_data_node([traced])
for i, tensor in enumerate(parameters):
    np.save(f"parameter{i}.npy", tensor.cpu().numpy())
np.save("expected.npy", traced.cpu().numpy())
""",
        XLA_FLAGS="--xla_dump_to=dump --xla_dump_hlo_as_text --xla_dump_hlo_as_proto",
    )
    expected = np.load(tmp_path / "expected.npy")
    assert expected.tolist() == [6, 39, 148, 405]
    parameters = [torch.from_numpy(np.load(tmp_path / f"parameter{i}.npy")) for i in range(3)]
    dumped = sorted(tmp_path.glob("dump/*before_optimizations*"))
    modules = [path for path in dumped if b"square" in path.read_bytes()]
    assert [path.suffix for path in modules] == [".pb", ".txt"]
    for module in modules:
        found = run(command, module, parameters, [uses], tmp_path)
        assert found.tobytes() == expected.tobytes()
