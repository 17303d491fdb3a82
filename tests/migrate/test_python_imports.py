"""The ways in which programs import what JAX removed."""

import pytest
from migrated_program import migrated


@pytest.mark.parametrize(
    "imported, called",
    [
        ("from jax.lib import xla_client as xc", "xc.register_custom_call_target"),
        ("from jaxlib import xla_client", "xla_client.register_custom_call_target"),
        ("import jaxlib.xla_client as xc", "xc.register_cpu_custom_call_target"),
        ("import jax", "jax.lib.xla_client.register_custom_call_target"),
        (
            "from jax.lib.xla_client import register_custom_call_target as r",
            "r",
        ),
    ],
)
@pytest.mark.parametrize(
    "name, text",
    [('b"f"', '"f"'), ('rb"f"', 'r"f"'), ('f"f{n}".encode()', 'f"f{n}"'), ("name", "name")],
)
def test_registrations(tmp_path, imported, called, name, text):
    program = f'{imported}\n\n{called}({name}, c, platform="cpu")\n'
    after, decisions = migrated(tmp_path, program, None)
    assert f'jax.ffi.register_ffi_target({text}, c, platform="cpu")' in after
    assert decisions == [] and "xla_client" not in after and "import jax\n" in after


def test_the_last_of_several_names_moves(tmp_path):
    after, decisions = migrated(tmp_path, "from jax.core import ShapedArray, Primitive\n", None)
    assert after == ("from jax.core import ShapedArray\nfrom jax.extend.core import Primitive\n")
    assert decisions == []


def test_a_fallback_of_imports(tmp_path):
    after, decisions = migrated(
        tmp_path,
        "try:\n    from jax.extend import ffi\nexcept ImportError:\n    ffi = None\n"
        "try:\n    from jax.core import Primitive\nexcept ImportError:\n"
        "    from jax.extend.core import Primitive\nfrom jax.config import config\n",
        None,
    )
    assert after == (
        "try:\n    from jax import ffi\nexcept ImportError:\n    ffi = None\n"
        "try:\n    from jax.extend.core import Primitive\nexcept ImportError:\n"
        "    from jax.extend.core import Primitive\nfrom jax import config\n"
    )
    assert decisions == []


def test_options_of_a_custom_call(tmp_path):
    after, decisions = migrated(
        tmp_path,
        "from jax.interpreters import mlir\n\n\n"
        "def rule(ctx, x):\n"
        '    return mlir.custom_call("f", result_types=[x.type], operands=[x], '
        "backend_config=config(), operand_output_aliases={0: 0}, has_side_effect=True, "
        "api_version=2).results\n",
        None,
    )
    call = " ".join(after.partition("return ")[2].split())
    assert call == (
        'jax.ffi.build_ffi_lowering_function( "f", result_types=[x.type], '
        "operand_output_aliases={0: 0}, has_side_effect=True, )"
        "(ctx, x, opaque=numpy.frombuffer(config(), numpy.uint8)).results"
    )
    assert "import numpy\n" in after and decisions == []
