"""Calls each wrapped name as JAX has it and as it is wrapped; run in a process of its own."""

import ctypes
import os
import re

import callbridge.resurrect
import jax
import jaxlib.xla_client
import numpy as np
from callbridge._core import _call_site
from callbridge._core._native_functions import make_capsule
from callbridge.jax import _runtimes
from callbridge.resurrect._names import _members_table
from callbridge.resurrect._registration import _untyped_of_xla
from jax import export
from jax.experimental import serialize_executable
from jax.extend.core import Primitive
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

callbridge.resurrect.prefer(None)  # whatever CALLBRIDGE_PATH says: both paths are taken below
wrapped = {
    (name.module, name.name) for name in callbridge.resurrect.names() if name.kind == "wrapped"
}
# parameters_program.py calls these, and lent_parameters_program.py passes what they are lent.
wrapped -= {(r.module, name) for r in _members_table.ROWS if not r.members for name in r.names}
checked = set()
library = ctypes.CDLL(os.environ["OLD_PACKAGE_LIBRARY"])
i32 = ir.IntegerType.get_signless


def attributes(target, version, **more):
    return {
        "call_target_name": ir.StringAttr.get(target),
        "has_side_effect": ir.BoolAttr.get(False),
        "api_version": ir.IntegerAttr.get(i32(32), version),
        **more,
    }


def emit(build):
    """The module that `build`, a function of a value, makes."""
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        array = ir.RankedTensorType.get((3,), ir.F32Type.get())
        value = stablehlo.ConstantOp(
            ir.DenseElementsAttr.get(np.zeros(3, np.float32), type=array.element_type)
        ).result
        build(value)
    return str(module)


def by_class(value):
    layouts = ir.ArrayAttr.get(
        [ir.DenseIntElementsAttr.get(np.zeros(1, np.int64), type=ir.IndexType.get())]
    )
    for version in (1, 2, 3):
        stablehlo.CustomCallOp(
            [value.type],
            [value],
            "somebody_elses",
            api_version=ir.IntegerAttr.get(i32(32), version),
            backend_config=ir.StringAttr.get(b"\0\xff"),
            operand_layouts=layouts,
            result_layouts=layouts,
        )
    stablehlo.custom_call([value.type], [value], "somebody_elses")


def by_generic_builder(value):
    for version in (1, 2, 3, 4):
        config = ir.DictAttr.get({}) if version == 4 else ir.StringAttr.get(b"\0\xff")
        given = attributes("somebody_elses", version, backend_config=config)
        stablehlo.CustomCallOp.build_generic([value.type], [value], given)
        stablehlo.CustomCallOp.build_generic(
            results=[value.type], operands=[value], attributes=given
        )


def by_jax(value):
    from jax._src.interpreters import mlir

    for config in ("", b"\0\xff", {"a": ir.StringAttr.get("b")}, None):
        mlir.custom_call(
            "somebody_elses", result_types=[value.type], operands=[value], backend_config=config
        )


def types(context):
    aval = jax.core.ShapedArray((2, 3), np.dtype(np.float32))
    token = jax.core.abstract_token
    return [mlir.aval_to_ir_type(context, aval), mlir.aval_to_ir_type(context, aval=token)]


def constants(value):
    for constant in (np.arange(3), np.float64(2), np.bool_(True), np.array([True, False])):
        mlir.ir_constant(constant)
        mlir.ir_constants(constant)


def all_of_it():
    made = [emit(build) for build in (by_class, by_generic_builder, by_jax, constants)]
    traced = jax.jit(lambda x: jax.lax.linalg.cholesky(x @ x)).lower(np.eye(2, dtype=np.float32))
    return [*made, traced.as_text()]


class Context:
    """As much of a lowering's module context as aval_to_ir_type() uses."""

    def __init__(self):
        self.aval_to_ir_types_cache = {}


with mlir.make_ir_context(), ir.Location.unknown():
    one_argument = mlir.aval_to_ir_type(jax.core.ShapedArray((2, 3), np.dtype(np.float32)))
    as_wrapped = all_of_it()
    with_context = [str(t) for t in types(Context())]
    for bad in ((), (1,), (Context(), 1, 2)):
        try:
            mlir.aval_to_ir_type(*bad)
        except TypeError:
            continue
        raise AssertionError(bad)
    assert str(one_argument) == with_context[0] == "tensor<2x3xf32>"
    with callbridge.resurrect.revived():
        pass
    assert not callbridge.resurrect.names()
    from jax._src import core

    jax_types = [
        mlir.aval_to_ir_type(Context(), core.ShapedArray((2, 3), np.dtype(np.float32))),
        mlir.aval_to_ir_type(Context(), aval=core.abstract_token),
    ]
    assert [str(t) for t in jax_types] == with_context
    for ours, jaxs in zip(as_wrapped, all_of_it(), strict=True):
        assert ours == jaxs, f"{ours}\n{jaxs}"
checked |= {
    ("jax.interpreters.mlir", "aval_to_ir_type"),
    ("jax.interpreters.mlir", "ir_constant"),
    ("jax.interpreters.mlir", "ir_constants"),
    ("jax._src.interpreters.mlir", "custom_call"),
    ("jaxlib.mlir.dialects.stablehlo.CustomCallOp", "__init__"),
    ("jaxlib.mlir.dialects.stablehlo.CustomCallOp", "build_generic"),
}

# ---- Registration: a str goes to XLA, as ever; bytes, which were refused, to callbridge ----------
with callbridge.resurrect.revived():
    address = ctypes.cast(library.add, ctypes.c_void_p).value
    jaxlib.xla_client.register_custom_call_target("by_str", make_capsule(address), platform="cpu")
    jax.devices()
    from jax._src.interpreters.mlir import custom_call as jax_custom_call

    registered = jaxlib.xla_client.custom_call_targets("Host")
    assert "by_str" in registered
    jaxlib.xla_client.register_custom_call_target(b"by_bytes", make_capsule(address))
    # Once a typed call could not be built, what comes after it is rewritten again.
    with mlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            array = ir.RankedTensorType.get((3,), ir.F32Type.get())
            zeros = ir.DenseElementsAttr.get(np.zeros(3, np.float32), type=array.element_type)
            value = stablehlo.ConstantOp(zeros).result
            try:
                jax_custom_call("by_bytes", result_types=[object()], backend_config={}, operands=[])
            except Exception:
                stablehlo.CustomCallOp.build_generic(
                    [array], [value, value], attributes("by_bytes", 1)
                )
        assert "api_version = 3" in str(module), module
        # Dimensions of the results are no operands of the target's.
        with ir.InsertionPoint(module.body):
            pair = stablehlo.TupleOp.build_generic(
                results=[ir.TupleType.get_tuple([array, array])], operands=[value, value]
            ).result
            sizes = ir.DenseIntElementsAttr.get(np.array([3], np.int64))
            call = stablehlo.CustomCallOp.build_generic(
                results=[array],
                operands=[pair, stablehlo.ConstantOp(sizes).result],
                attributes=attributes(
                    "by_bytes",
                    1,
                    indices_of_shape_operands=ir.DenseIntElementsAttr.get(np.array([1], np.int64)),
                ),
            )
        # As on a JAX that is newer than any known: typed calls, which both ways must say so.
        known_fastest_path = _runtimes.fastest_path
        _runtimes.fastest_path = lambda release, platform: "typed"
        with ir.InsertionPoint(module.body):
            one = ir.IntegerAttr.get(i32(32), 1)
            typed_calls = [
                stablehlo.CustomCallOp([array], [pair], "by_bytes", api_version=one),
                stablehlo.CustomCallOp.build_generic([array], [pair], attributes("by_bytes", 1)),
            ]
        _runtimes.fastest_path = known_fastest_path
        # A program's own frontend attributes stay, beside what says the version of the call.
        theirs = ir.DictAttr.get({"theirs": ir.StringAttr.get("kept")})
        extra = {"mhlo.frontend_attributes": theirs}
        for path in (known_fastest_path, lambda release, platform: "typed"):
            _runtimes.fastest_path = path
            with ir.InsertionPoint(module.body):
                for marked in (
                    stablehlo.CustomCallOp.build_generic(
                        [array], [value, value], attributes("by_bytes", 1, **extra)
                    ),
                    mlir.custom_call(
                        "by_bytes",
                        result_types=[array],
                        operands=[value, value],
                        extra_attributes=extra,
                    ),
                ):
                    found = marked.operation.attributes["mhlo.frontend_attributes"]
                    names = {entry.name for entry in ir.DictAttr(found)}
                    assert names == {"theirs", "callbridge_call"}, marked
            _runtimes.fastest_path = known_fastest_path
        for typed_call in typed_calls:
            config = typed_call.operation.attributes["mhlo.backend_config"]
            assert "callbridge_site" in config, typed_call
    like = jax.ShapeDtypeStruct((3,), np.float32)
    assert ir.StringAttr(call.attributes["backend_config"]).value_bytes == _call_site.descriptor(
        ((like, like),), like, "nested", b""
    )
    # By both paths: JAX writes typed calls as ones of version 1, which must not be taken for such.
    texts = {}
    for prefer in ("version_3", "typed"):
        call = callbridge.jax.custom_call(
            "by_bytes", jax.ShapeDtypeStruct((3,), np.float32), abi="original", prefer=prefer
        )
        x = np.array([1, 2, 3], np.float32)
        np.testing.assert_array_equal(jax.jit(call)(x, x), 2 * x)
        texts[prefer] = jax.jit(call).lower(x, x).as_text()
for prefer, text in texts.items():
    call = callbridge.jax.custom_call(
        "by_bytes", jax.ShapeDtypeStruct((3,), np.float32), abi="original", prefer=prefer
    )
    # But for what says the version of a call, for programs that are read back.
    text = re.sub(r"mhlo.frontend_attributes = \{.*?\}, ", "", text)
    assert jax.jit(call).lower(x, x).as_text() == text
checked.add(("jaxlib.xla_client", "register_custom_call_target"))

# ---- What jaxlib keeps registrations in: the same, and nothing is in a copy of it ----------------
KEPT = (
    "_custom_callback",
    "_custom_callback_handler",
    "_custom_type_id",
    "_custom_type_id_handler",
)
plain = {name: getattr(jaxlib.xla_client, name) for name in KEPT}
assert all(type(registry) is dict for registry in plain.values()), plain
with callbridge.resurrect.revived():
    for name, registry in plain.items():
        wrapping = getattr(jaxlib.xla_client, name)
        assert wrapping is not registry and wrapping.original is registry
        assert list(wrapping) == list(registry) and len(wrapping) == len(registry)
        assert ("Host" in wrapping) == ("Host" in registry) and "abacus" not in wrapping
        wrapping["abacus"] = []
        assert registry.pop("abacus") == []
    # jaxlib's own targets are given to XLA as they are.
    lapack = jaxlib.xla_client.custom_call_targets("Host")["lapack_sgetrf_ffi"]
    given = []
    jaxlib.xla_client.register_custom_call_handler("abacus", lambda *args: given.append(args))
    jaxlib.xla_client.register_custom_call_target("lapack", lapack, "abacus", 1)
    assert given == [("lapack", lapack, "abacus", 1, 0)] and given[0][1] is lapack
    jaxlib.xla_client._xla.register_custom_call_target("lapack_sgetrf_ffi", lapack, "Host", 1)
    number = ctypes.c_int64(0)
    jax.ffi.register_ffi_type_id("by number", make_capsule(ctypes.addressof(number)))
    assert number.value > 0
checked |= {("jaxlib.xla_client", name) for name in KEPT}
checked |= {
    ("jaxlib.xla_client._xla", "register_custom_call_target"),
    ("jax.ffi", "register_ffi_type_id"),
}

# ---- What is lowered, and that it is for this process's CPU --------------------------------------
seen = []
seeing = Primitive("seeing")
seeing.def_abstract_eval(lambda x, inner: x)


def lower_seeing(_, x, inner):
    seen.append(_untyped_of_xla.is_for_this_cpu())
    inner()
    seen.append(_untyped_of_xla.is_for_this_cpu())
    return [x]


def fail():
    raise LookupError("not lowered")


mlir.register_lowering(seeing, lower_seeing)
x = np.float32(1)


def program(inner=lambda: None):
    return jax.jit(lambda x: seeing.bind(x, inner=inner))


def lowered(**options):
    return program().trace(x).lower(**options).as_text()


texts = [lowered()]
assert seen == [False, False]  # outside of revived() nothing is known
with callbridge.resurrect.revived():
    for lower, is_known in (
        (lowered, True),
        (lambda: lowered(lowering_platforms=("cpu",)), True),
        (lambda: lowered(lowering_platforms=("cuda",)), False),
        (lambda: lowered(lowering_platforms=("cpu", "cuda")), False),
        (lambda: export.export(program())(x), False),
        (lambda: program(lambda: export.export(jax.jit(lambda x: x))(x)).lower(x), True),
        (lambda: program(lambda: export.export(program())(x)).lower(x), None),
    ):
        seen.clear()
        lower()
        assert seen == ([True, False, False, True] if is_known is None else [is_known] * 2), seen
        assert not _untyped_of_xla.is_for_this_cpu()
    try:
        program(fail).lower(x)
    except LookupError:
        assert not _untyped_of_xla.is_for_this_cpu()
    else:
        raise AssertionError("no error")
    texts.append(lowered())
assert texts[0] == texts[1]
checked.add(("jax._src.interpreters.mlir", "lower_jaxpr_to_module"))

# The class of tracers is one of arrays, as it was until 0.7, and other classes are what they are.
with callbridge.resurrect.revived():
    tracers = []
    jax.make_jaxpr(lambda a: (tracers.append(a), a)[1])(1.0)
    (tracer,) = map(type, tracers)
    assert issubclass(tracer, jax.Array) and issubclass(type(jax.numpy.ones(1)), jax.Array)
    assert not issubclass(np.ndarray, jax.Array) and not issubclass(tracer, type(jax.numpy.ones(1)))
checked.add(("jaxlib._jax.ArrayMeta", "__subclasscheck__"))

# Programs that are read back, and what is none.
with callbridge.resurrect.revived():
    x = np.arange(3, dtype=np.float32)
    blob = export.export(jax.jit(jax.numpy.sin))(x).serialize()
    np.testing.assert_array_equal(export.deserialize(blob).call(x), jax.numpy.sin(x))
    compiled = jax.jit(jax.numpy.sin).lower(x).compile()
    again = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
    np.testing.assert_array_equal(again(x), jax.numpy.sin(x))
    for read in (export.deserialize, serialize_executable.deserialize_and_load):
        for wrong in ((), (b"",), (None,)):
            errors = []
            for function in (read, read.__wrapped__):
                try:
                    function(*wrong)
                except Exception as error:
                    errors.append(type(error))
            assert len(set(errors)) == 1 or wrong == (), (read, wrong, errors)
checked |= {
    ("jax.export", "deserialize"),
    ("jax.experimental.serialize_executable", "deserialize_and_load"),
}
# What JAX takes and refuses it takes and refuses yet; what else is taken, test_members.py asks.
with callbridge.resurrect.revived():
    before = jax.config.values
    jax.config.update("jax_default_matmul_precision", "highest")
    assert jax.config.read("jax_xla_backend") == ""
    assert jax.config.values == {**before, "jax_default_matmul_precision": "highest"}
    for call in (jax.config.update, type(jax.config).update.__wrapped__.__get__(jax.config)):
        try:
            call("jax_no_such_option", 1)
        except AttributeError as error:
            assert str(error) == "Unrecognized config option: jax_no_such_option"  # noqa: PT017
        else:
            raise AssertionError
    checked |= {("jax._src.config.Config", "read"), ("jax._src.config.Config", "update")}
    array, key = jax.numpy.ones(2), jax.random.key(0)
    assert array.device == key.device == jax.devices()[0] == getattr(array, "device")  # noqa: B009
    assert jax.device_put(array, array.device).device is array.device
    checked |= {
        ("jax._src.array.ArrayImpl", "device"),
        ("jax._src.random.prng.PRNGKeyArray", "device"),
    }
    # other_platforms_program.py registers rules by the one, release_program.py compares the others.
    for platform in ("cpu", "cuda", "abacus"):
        assert jax._src.xla_bridge.is_known_platform(platform)
    checked.add(("jax._src.xla_bridge", "is_known_platform"))
    for module in (jax, jax.version, jaxlib, jaxlib.version):
        assert module.__version__ == jaxlib.version._version
        checked.add((module.__name__, "__version__"))
if ("jax", "ad") in wrapped:
    # What JAX has by the name now, and what it was.
    with callbridge.resurrect.revived():
        assert jax.ad.GradRef is vars(jax.ad)["GradRef"]
        assert jax.ad.deflinear is jax.interpreters.ad.deflinear
    checked.add(("jax", "ad"))
# unhashable_program.py traces and lowers by these, tables_program.py reads and writes the tables.
TABLES = {"primitive_batchers", "axis_primitive_batchers", "canonicalize_dtype_handlers"}
wrapped -= {
    (module, name)
    for module, name in wrapped
    if name in {"default_process_primitive", *TABLES} or module.endswith(".LoweringCacheKey")
}
assert checked == wrapped, checked ^ wrapped
print(f"{len(checked)} wrapped")
