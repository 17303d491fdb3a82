"""The ways in which programs import what JAX removed."""

import pytest
from callbridge.migrate import _imports
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
    own = _imports.FALLBACKS["register_ffi_target"].lstrip()
    assert after == f'{own}\nregister_ffi_target({text}, c, platform="cpu")\n'
    assert decisions == []


def test_the_last_of_several_names_moves(tmp_path):
    after, decisions = migrated(tmp_path, "from jax.core import ShapedArray, Primitive\n", None)
    assert after == ("from jax.core import ShapedArray\nfrom jax.extend.core import Primitive\n")
    assert decisions == []


def test_a_fallback_of_imports(tmp_path):
    after, decisions = migrated(
        tmp_path,
        "try:\n    from jax.extend import ffi\nexcept ImportError:\n    ffi = None\n"
        "try:\n    from jax.core import Primitive\nexcept ImportError:\n"
        "    from jax.extend.core import Primitive\nfrom jax.config import config\n"
        "try:\n    from jax.core import Primitive as P\nexcept ImportError:\n    P = None\n",
        None,
    )
    assert after == (
        "try:\n    try:\n        from jax import ffi\n    except ImportError:  # JAX before 0.5\n"
        "        from jax.extend import ffi\nexcept ImportError:\n    ffi = None\n"
        # This one has another way on each release.
        "try:\n    from jax.core import Primitive\nexcept ImportError:\n"
        "    from jax.extend.core import Primitive\nfrom jax import config\n"
        "try:\n    from jax.extend.core import Primitive as P\nexcept ImportError:\n    P = None\n"
    )
    assert decisions == []


def test_a_module_that_is_tried(tmp_path):
    program = "try:\n    import jax.extend.ffi\nexcept ImportError:\n    jax = None\n"
    after = program.replace("jax.extend.ffi", "jax")
    assert migrated(tmp_path, program, None) == (after, [])
    program = "import os\nimport jax, jax.extend.ffi\n\njax.extend.ffi.pycapsule(os)\n"
    after = "import os\nimport jax\n\ntry:\n    from jax import ffi\n"
    after += "except ImportError:  # JAX before 0.5\n    from jax.extend import ffi\n\n"
    assert migrated(tmp_path, program, None) == (after + "ffi.pycapsule(os)\n", [])


ANOTHER_WAY = (
    "try:\n    from jax.extend.core import Primitive\n"
    "except ImportError:  # JAX before 0.4.17\n    from jax.core import Primitive\n"
)


@pytest.mark.parametrize(
    "before, after",
    [
        (
            "from jax.core import Primitive, ShapedArray\n\np = Primitive('p')\n",
            f"from jax.core import ShapedArray\n\n{ANOTHER_WAY}\np = Primitive('p')\n",
        ),
        ("import jax\n\np = jax.core.Primitive('p')\n", f"{ANOTHER_WAY}\np = Primitive('p')\n"),
        (
            "import jax\n\n\nclass Primitive:\n    of = jax.core.Primitive('p')\n",
            "import jax.extend.core\n\n\nclass Primitive:\n"
            "    of = jax.extend.core.Primitive('p')\n",
        ),
    ],
)
def test_a_primitive_of_an_untyped_target(tmp_path, before, after):
    """Which runs on jaxlib 0.4.13, too."""
    assert migrated(tmp_path, before) == (after, [])


def test_imports_stand_in_their_groups(tmp_path):
    """What comes takes the place of what goes, and the blank line above it."""
    after, decisions = migrated(
        tmp_path,
        "from functools import partial\n\n"
        "from jax.interpreters import xla\nfrom jax.lib import xla_client\nimport numpy as np\n\n"
        "from . import ours\n\n\n"
        "def rule(c, x, *, n):\n"
        "    return xla_client.ops.CustomCallWithLayout(\n"
        '        c, b"f", operands=(xla_client.ops.Constant(c, np.int32(n)), x),\n'
        "        shape_with_layout=c.get_shape(x),\n"
        "        operand_shapes_with_layout=(c.get_shape(x), c.get_shape(x)))\n\n\n"
        'xla.backend_specific_translations["cpu"][ours.p] = partial(rule)\n',
        None,
    )
    assert after.startswith(
        "from functools import partial\n\n"
        "import jax\nfrom jax.interpreters import mlir\nimport numpy as np\n\n"
        "from . import ours\n\ntry:\n"
    )
    assert decisions == []


def test_imports_where_jax_has_none(tmp_path):
    """Behind the standard library's, and before the package's own."""
    program = "import os\n\nimport numpy as np\n\nfrom .ours import f\n\n\n"
    program += "def rule(ctx, x):\n    from jaxlib.hlo_helpers import custom_call, hlo_const\n"
    program += "    return custom_call('f', result_types=[x.type], operands=[hlo_const(f), x])\n"
    after, _ = migrated(tmp_path, program, None)
    assert after.startswith(
        "import os\n\nimport jax\nimport numpy as np\nfrom jax.interpreters import mlir\n\n"
        "from .ours import f\n\ntry:\n"
    )


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
    call = " ".join(after.rpartition("return ")[2].split())
    assert call == (
        'build_ffi_lowering_function( "f", result_types=[x.type], '
        "operand_output_aliases={0: 0}, has_side_effect=True, )"
        "(ctx, x, opaque=config()).results"
    )
    own = _imports.FALLBACKS["build_ffi_lowering_function"]
    assert after.startswith(f"{own.lstrip()}\n\ndef rule")
    assert decisions == []
