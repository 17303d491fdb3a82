"""What callbridge.jax asks of releases that these tests do not run on, with stand-ins for theirs,
and of other platforms."""

import os
import types

import jax
import jax.numpy as jnp
import jaxlib
import numpy as np
import pytest
from callbridge.jax import (
    CallbridgeError,
    _called_targets,
    _partitioned_call,
    _partitioning,
    _registry,
    _transforms,
)
from callbridge.jax._runtimes import RUNTIME, RUNTIMES

# The rows that differ in how values vary over shard_map's axes: none, a set, and a type of its own.
ROWS = {row.varying_axes: row for row in RUNTIMES}


def varies(row, *axes, **further):
    """A type as the row's release has it, whose values vary over these axes."""
    if row.varying_axes == "vma":
        found = frozenset(axes)
    else:
        names = {name: frozenset(value) for name, value in further.items()}
        found = types.SimpleNamespace(varying=frozenset(axes), **names)
    made = types.SimpleNamespace(shape=(2,), dtype=np.dtype(np.float32), sharding=None)
    setattr(made, row.varying_axes or "vma", found)
    return made


@pytest.fixture(params=[row for row in RUNTIMES if row.vary], ids=lambda row: str(row.release))
def row(request, monkeypatch):
    """Each release's row, whose functions tell what they are asked for."""

    def vary(array, axes, **keywords):
        return (array, axes, keywords)

    found = request.param
    monkeypatch.setattr(_transforms, "RUNTIME", found)
    monkeypatch.setattr(_transforms, "_typeof", lambda array: array)
    monkeypatch.setattr(_transforms, "jax_function", lambda name: {found.vary[0]: vary}[name])
    return found


def test_axes_of_types(row):
    axes = _transforms.axes_of
    assert axes() == axes(types.SimpleNamespace()) == axes(varies(row)) == frozenset()
    assert axes(varies(row, "x"), varies(row), varies(row, "y", "x")) == {"x", "y"}
    if row.varying_axes != "vma":
        assert axes(varies(row, "x", unreduced="y", reduced="z")) == {"x", "y"}


def test_results_vary_where_operands_do(row):
    operands = [varies(row), varies(row, "y"), varies(row, "x")]
    results = [varies(row), varies(row, "z"), varies(row, "x", "y")]
    made = [varies(row), varies(row, "x"), varies(row, "y", "x", "w")]
    call = _transforms.varying(lambda *arrays, **_: made, operands, results)
    keywords = dict(row.vary[1])
    one, two, three = call(1, 2, keyword=3)
    assert one == (made[0], ("x", "y"), keywords)
    assert two == (made[1], ("y", "z"), keywords)
    assert three is made[2]


def test_results_that_are_summed_vary_as_they_are(row):
    if row.varying_axes == "vma":
        pytest.skip("its types have no such axes")
    made = [varies(row, "w", reduced="x", unreduced="y")]
    operands = [varies(row, "x", "y", "w")]
    call = _transforms.varying(lambda: made, operands, [varies(row)])
    assert call()[0] is made[0]


def test_a_call_that_varies_nowhere_is_the_call(row):
    def call():
        raise AssertionError

    assert _transforms.varying(call, [varies(row)], [varies(row)]) is call


def test_axes_that_are_not_there(row, monkeypatch):
    def refuses(*_, **__):
        raise NameError("unbound axis name: x")

    monkeypatch.setattr(_transforms, "jax_function", lambda name: refuses)
    call = _transforms.varying(lambda: [varies(row)], [], [varies(row, "y", "x")])
    with pytest.raises(CallbridgeError, match="INVALID_ARGUMENT: .*it varies over 'x', 'y'; "):
        call()


@pytest.mark.skipif(not RUNTIME.vary, reason="this release makes no such results")
def test_results_without_what_they_state(row):
    plain = varies(row)
    assert _transforms.unstated(plain) is plain
    stated = varies(row, "x")
    stated.weak_type = True
    found = _transforms.unstated(stated)
    assert (found.shape, found.dtype, found.weak_type) == ((2,), np.float32, True)
    assert not _transforms.axes_of(found)
    if row.varying_axes != "vma":
        for name in ("reduced", "unreduced"):
            summed = varies(row, "x", **{name: "y"})
            assert _transforms.unstated(summed) is summed


def test_releases_without_such_axes(monkeypatch):
    row = next(row for row in RUNTIMES if row.varying_axes is None)
    monkeypatch.setattr(_transforms, "RUNTIME", row)
    stated = varies(row, "x")
    assert _transforms.axes_of(stated) == frozenset()
    assert _transforms.unstated(stated) is stated


@pytest.mark.parametrize("row", RUNTIMES, ids=lambda row: str(row.release))
def test_rules_of_shard_map(row, monkeypatch):
    """Before jax 0.6, a call's results are the same along the axes along which its operands are."""
    registered = {}

    class Module:
        @staticmethod
        def register_check(primitive):
            return lambda rule: registered.setdefault("register_check", (primitive, rule))

        @staticmethod
        def register_standard(primitive):
            registered["register_standard"] = (primitive, None)

        @staticmethod
        def register_standard_rewrite(primitive):
            registered["register_standard_rewrite"] = (primitive, None)

    monkeypatch.setattr(_transforms, "RUNTIME", row)
    modules = {"jax.experimental.shard_map": Module}
    monkeypatch.setattr(
        _transforms, "importlib", types.SimpleNamespace(import_module=modules.__getitem__)
    )
    _transforms.register_rules("primitive")
    assert set(registered) == set(row.shard_map_rules)
    assert all(primitive == "primitive" for primitive, _ in registered.values())
    rule = registered.get("register_check", (None, None))[1]
    if rule is not None:
        mesh = types.SimpleNamespace(axis_names=("x", "y", "z"))
        assert rule(mesh, {"x", "y"}, None, {"y", "z"}, keyword=1) == {"y"}
        assert rule(mesh) == rule(mesh, None) == {"x", "y", "z"}


@pytest.mark.parametrize("marks", [False, True])
def test_sharding_rules(marks, monkeypatch):
    runtime = RUNTIME._replace(marks_sharding_rules=marks)
    monkeypatch.setattr(_partitioned_call, "RUNTIME", runtime)
    rule, mark = _partitioned_call.sharding_rule, ", custom" if marks else ""
    assert rule(1, [(2,)], [(2,)]) == f"#sdy.op_sharding_rule<([i])->([i]) {{i=2}}{mark}>"
    assert rule(2, [(2, 3, 4), (2, 3)], [(2, 3, 5, 6)]) == (
        "#sdy.op_sharding_rule<([i, j, k], [i, j])->([i, j, l, m]) "
        f"{{i=2, j=3, k=4, l=5, m=6}} need_replication={{k, l, m}}{mark}>"
    )
    many = rule(1, [tuple(range(1, 18))], [(1, 18, 19)])
    assert many == (
        "#sdy.op_sharding_rule<([i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y])->([i, z, z_1])"
        " {i=1, j=2, k=3, l=4, m=5, n=6, o=7, p=8, q=9, r=10, s=11, t=12, u=13, v=14, w=15, x=16, "
        "y=17, z=18, z_1=19} need_replication={j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, "
        f"z_1}}{mark}>"
    )


@pytest.mark.parametrize(
    "backend, version, expected",
    [
        ("cpu", "cpu", "cpu"),
        ("tpu", "ROCM 60000", "tpu"),
        ("gpu", "PJRT C API\nrocm 60000", "ROCM"),
        ("gpu", "PJRT C API\nROCm 70100", "ROCM"),
        ("gpu", "PJRT C API\ncuda 13000", "gpu"),
        ("cuda", "cuda 13000", "cuda"),
    ],
)
def test_the_platform_of_the_default_backend(backend, version, expected, monkeypatch):
    device = types.SimpleNamespace(client=types.SimpleNamespace(platform_version=version))
    monkeypatch.setattr(jax, "default_backend", lambda: backend)
    monkeypatch.setattr(jax, "devices", lambda: [device])
    assert _registry._default_platform() == expected


def test_libraries_of_jax_by_the_package():
    folder = os.path.dirname(os.path.abspath(jaxlib.__file__))
    short = _called_targets._short
    assert short(os.path.join(folder, "a", "b.so")) == os.path.join("jaxlib", "a", "b.so")
    for path in ("/elsewhere/b.so", os.path.dirname(folder) + "-2/b.so"):
        assert short(path) == path


# What each kind of registration answers to a call: of typed handlers, and of untyped targets.
@pytest.mark.parametrize(
    "asked, registered, expected",
    [
        (True, True, "yes"),
        (False, False, "yes"),
        (False, True, "typed"),
        (True, False, "untyped"),
    ],
)
def test_what_is_registered(asked, registered, expected):
    assert _called_targets._answer(asked, registered) == expected


def test_batched_layouts():
    batched = _partitioning._batched_layout
    assert batched(None) is None
    assert (batched(()), batched((1, 0, 2))) == ((0,), (0, 2, 1, 3))


def test_layouts_are_told_by_the_minor_dimension_first():
    arrays = [jax.core.ShapedArray((2, 3, 4), jnp.float32), jax.core.ShapedArray((), jnp.float32)]
    minor = _partitioned_call._minor_to_major
    assert minor(arrays, None) == [(2, 1, 0), ()]
    assert minor(arrays, ((1, 0, 2), None)) == [(2, 0, 1), ()]
