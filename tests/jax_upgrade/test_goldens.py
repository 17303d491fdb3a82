"""JAX's own goldens of jax.export, of 2023 and later, that its wheel holds."""

import importlib
import pkgutil
import random
import re
import warnings

import pytest
from callbridge.jax import CallbridgeError, _artifact, upgrade
from jax._src.internal_test_util import export_back_compat_test_data as data
from jax.interpreters import mlir
from jaxlib.mlir.dialects import stablehlo


def _nested(value):
    if isinstance(value, dict) and "mlir_module_serialized" in value:
        yield value
    elif isinstance(value, (dict, list, tuple)):
        for element in value.values() if isinstance(value, dict) else value:
            yield from _nested(element)


def _goldens():
    for module in pkgutil.walk_packages(data.__path__, data.__name__ + "."):
        if module.ispkg:
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if not name.startswith("__"):
                for i, golden in enumerate(_nested(value)):
                    yield f"{module.name.rpartition('.')[2]}-{name}-{i}", golden


GOLDENS = dict(_goldens())


def text_of(artifact):
    with mlir.make_ir_context() as context:
        return str(stablehlo.deserialize_portable_artifact(context, artifact))


def test_there_are_some():
    conventions = {golden["xla_call_module_version"] for golden in GOLDENS.values()}
    assert len(GOLDENS) > 100 and conventions >= {4, 5, 6, 7, 9}


# Targets that jaxlib's plugins for GPUs register as untyped ones.
PLUGINS = {"hipsolver_syevd", "hipsolver_syevj"}


@pytest.mark.parametrize("name", GOLDENS)
def test_calls_of_typed_handlers_and_xlas_own_stay(name):
    golden = GOLDENS[name]
    artifact = golden["mlir_module_serialized"]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        upgraded = upgrade(artifact)
    assert text_of(upgraded) == text_of(artifact)
    names = {name for warning in told for name in re.findall("'(.*?)'", str(warning.message))}
    assert names == PLUGINS & set(golden["custom_call_targets"])


def test_their_dialects():
    for golden in GOLDENS.values():
        dialects = _artifact.dialects(golden["mlir_module_serialized"])
        assert {b"builtin", b"vhlo"} <= dialects <= {b"builtin", b"vhlo", b"sdy"}


def test_damaged_bytecode_is_an_error():
    """Cut anywhere, and with bytes changed."""
    artifact = GOLDENS["tpu_Qr-data_2023_03_17-0"]["mlir_module_serialized"]
    with pytest.raises(ValueError, match="begins with"):
        _artifact.dialects(b"ML\xefS" + artifact[4:])
    assert not any(_reads(artifact[:n]) for n in range(len(artifact)))
    numbers = random.Random(7)
    outcomes = set()
    for _ in range(3000):
        damaged = bytearray(artifact)
        for _ in range(numbers.randrange(1, 4)):
            damaged[numbers.randrange(4, len(artifact))] = numbers.choice([0, 1, 2, 0x80, 0xFF])
        outcomes.add(_reads(bytes(damaged)))
    assert outcomes == {True, False}


def _reads(data):
    try:
        return isinstance(_artifact.dialects(data), frozenset)
    except ValueError:
        return False


def test_what_mlir_says_may_be_no_text(capfd):
    artifact = GOLDENS["tpu_Qr-data_2023_03_17-0"]["mlir_module_serialized"]
    damaged = artifact.replace(b"custom_call_v1", b"custom_call\xff\xfe1")
    assert damaged != artifact
    with pytest.raises(CallbridgeError, match="INVALID_ARGUMENT: .*not UTF-8"):
        upgrade(damaged)
    assert "handler raised" not in capfd.readouterr().err
