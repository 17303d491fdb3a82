"""Python programs, migrated alone: what they call stays as it was called."""

import types
from unittest import mock

import migrate_command
import pytest


def migrated(folder, text):
    (folder / "a.py").write_text(text)
    done = migrate_command.here(folder, "--write", "a.py")
    assert done.returncode == 0, done.stderr
    after = (folder / "a.py").read_text()
    assert migrate_command.here(folder, "--write", "a.py").stdout == ""
    return after, done.stderr.splitlines()


def test_operands_of_ffi_call(tmp_path):
    text, decisions = migrated(
        tmp_path,
        "from jax.extend import ffi\n\n"
        'y = ffi.ffi_call("f", t, x, *xs, vectorized=True, n=3)\n'
        'z = ffi.ffi_call("f", t, vmap_method="sequential")(x, n=3)\n',
    )
    assert text == (
        "try:\n    from jax import ffi\nexcept ImportError:  # JAX before 0.5\n"
        "    from jax.extend import ffi\n\n"
        'y = ffi.ffi_call("f", t, vmap_method="broadcast_all")(x, *xs, n=3)\n'
        'z = ffi.ffi_call("f", t, vmap_method="sequential")(x, n=3)\n'
    )
    assert decisions == [
        "a.py:3: ffi_call takes its operands like this since JAX 0.4.35: require jax>=0.4.35, "
        "which callbridge audit reads"
    ]


def test_a_translation_rule(tmp_path):
    text, decisions = migrated(
        tmp_path,
        "from jax.interpreters import xla\nfrom jax.lib import xla_client\n\n"
        "xops = xla_client.ops\n\n\n"
        "def rule(c, x):\n"
        "    shape = c.get_shape(x)\n"
        "    s = xla_client.Shape.array_shape(shape.element_type(), shape.dimensions(), (0,))\n"
        '    return xops.CustomCallWithLayout(c, b"f", operands=(x,), '
        "shape_with_layout=s, operand_shapes_with_layout=(s,))\n\n\n"
        'xla.backend_specific_translations["cpu"][p] = rule\n',
    )
    assert "xops" not in text and "xla_client" not in text and decisions == []
    assert "def rule(ctx, x):\n    shape = ctx.avals_in[0]\n    s = (0,)\n" in text
    assert 'mlir.register_lowering(p, rule, platform="cpu")\n' in text
    assert "result_layouts=[s]" in text and ")(ctx, x).results\n" in text


@pytest.mark.parametrize(
    "text, says",
    [
        (
            "import jaxlib.hlo_helpers as h\nh.custom_call('f', operands=[])\n",
            "a.py:2: this custom",
        ),
        ("from jax.lib import xla_client as x\nx.register_custom_call_target(*a)\n", "a.py:2: "),
        ("from jax.lib import xla_client as x\nx.register_custom_call_target('f', c)\n", "untyped"),
    ],
)
def test_what_a_human_must_decide(tmp_path, text, says):
    _, decisions = migrated(tmp_path, text)
    assert len(decisions) == 1 and says in decisions[0]


def test_what_does_not_parse(tmp_path):
    (tmp_path / "a.py").write_text("def f(:\n")
    done = migrate_command.migrate(tmp_path, "--write", "a.py")
    assert done.returncode == 1 and "INVALID_ARGUMENT: a.py:1:" in done.stderr
    assert (tmp_path / "a.py").read_text() == "def f(:\n"


def test_why_targets_stay_untyped(tmp_path):
    """What one command must have of them: all of their C++, settled, for each platform."""
    pytest.importorskip("clang")
    from callbridge import migrate
    from callbridge.migrate._sources import Decision

    program = tmp_path / "a.py"
    program.write_text(
        "from jax.lib import xla_client as x\n"
        "x.register_custom_call_target('f', c, platform='CUDA')\n"
        "x.register_custom_call_target('f', c)\n"
        "x.register_custom_call_target('f', c, platform=name)\n"
    )
    (tmp_path / "no.py").write_text("def f(:\n")

    def source(*platforms, decisions=()):
        uses = [
            types.SimpleNamespace(kind="registration", signature=mock.Mock(platform=one))
            for one in platforms
        ]
        handlers = [types.SimpleNamespace(use=use) for use in uses]
        return types.SimpleNamespace(handlers=handlers, decisions=list(decisions))

    def why(*read, programs=(program,)):
        return migrate._why_untyped(list(programs), list(read))

    assert why() == "migrate its C++ in the same command"
    unsettled = source("host", decisions=[Decision("b.cc", 3, "a"), Decision("b.cc", 2, "b")])
    assert why(source("host"), unsettled) == "settle b.cc:3 first"
    assert why(source("host")) == 'migrate the C++ of its "CUDA" targets in the same command'
    assert why(source("gpu")) == 'migrate the C++ of its "cpu" targets in the same command'
    assert why(source("gpu"), source("host")) is None and why(source("gpu", "host")) is None
    assert why(source("host"), programs=[tmp_path / "no.py"]) is None
