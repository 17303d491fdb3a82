"""callbridge.jax.upgrade: programs of a genuine older JAX, and modules that are written here."""

import dataclasses
import os
import pathlib
import subprocess
import sys
import warnings

import callbridge.jax
import jax
import jax.export
import jax.numpy as jnp
import numpy as np
import pytest
from callbridge.jax import upgrade
from jax.interpreters import mlir
from jaxlib import xla_client
from jaxlib.mlir import ir
from refused import refused
from run_upgraded import compile_and_run

HERE = pathlib.Path(__file__).parent
PATHS = ["version_3", "typed"]
ONE = np.float32(1)


@pytest.fixture(scope="module", autouse=True)
def library(targets):
    return callbridge.jax.load(targets)


@pytest.fixture(params=PATHS)
def path(request):
    return request.param


def module(body, arguments="", results="tensor<f32>"):
    return (
        f"module @m {{\n  func.func public @main({arguments}) -> ({results}) {{\n{body}  }}\n}}\n"
    )


def hlo(text):
    """What XLA makes of StableHLO text."""
    return xla_client._xla.mlir.mlir_module_to_xla_computation(text, False, False)


# ---- Programs of jax 0.4.30 ---------------------------------------------------------------------


def test_programs_have_the_bits_that_the_old_jax_computed(old, targets):
    command = [sys.executable, HERE / "run_upgraded.py", targets, old]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    same = [line for line in done.stdout.splitlines() if line.endswith(" same bits")]
    assert len(same) == (len(list(old.glob("*.mlir"))) * 3 + 1) * 2
    # Nor does XLA say anything of versions that it will call no more.
    assert "not supported" not in done.stderr


def test_the_kind_stays(old):
    data = (old / "arrays_1.exported").read_bytes()
    assert type(upgrade(bytearray(data))) is bytearray
    text = (old / "arrays_1.mlir").read_text()
    assert type(upgrade(text)) is str
    assert type(upgrade(text.encode())) is bytes
    assert upgrade(text.encode()).decode() == upgrade(text)
    exported = jax.export.deserialize(bytearray(data))
    before = exported.mlir_module_serialized
    upgraded = upgrade(exported)
    assert isinstance(upgraded, jax.export.Exported)
    assert exported.mlir_module_serialized is before != upgraded.mlir_module_serialized
    assert upgraded.in_avals == exported.in_avals and upgraded.fun_name == exported.fun_name


def test_what_is_upgraded_stays(old, path):
    once = upgrade((old / "tuples_1.mlir").read_text(), prefer=path)
    assert upgrade(once, prefer=path) == once


@pytest.mark.parametrize(
    "name, result, operands, opaque",
    [
        ("example", "f32[2048]", (np.zeros(128, np.float32), np.zeros(2048, np.float32)), b""),
        ("digest_opaque", "u64[2]", (), bytes(range(256))),
        ("digest_opaque", "u64[2]", (), b"\xcb\0site\0\1"),
        ("single_result", "(f32[])", (np.float32(1),), b""),
        ("nested", "(f32[4],f32[4])", ((jnp.ones(4), (jnp.ones(4),) * 2), jnp.ones(4)), b""),
    ],
)
def test_xla_is_told_what_custom_call_tells_it(name, result, operands, opaque, path, calls):
    with jax.enable_x64(True):
        ours = callbridge.jax.custom_call(name, result, opaque=opaque, prefer=path)
        wanted = calls(hlo(jax.jit(ours).lower(*operands).as_text()).as_hlo_text())
    types = iter(f"%arg{i}" for i in range(9))
    forms = {"example": ("tensor<128xf32>", "tensor<2048xf32>"), "digest_opaque": ()}
    forms |= {"single_result": ("tensor<f32>",), "nested": ("tensor<4xf32>",) * 4}
    arguments = ", ".join(f"{next(types)}: {form}" for form in forms[name])
    body, given = "", [f"%arg{i}" for i in range(len(forms[name]))]
    shapes = list(forms[name])
    if name == "nested":
        inner = "tuple<tensor<4xf32>, tensor<4xf32>>"
        outer = f"tuple<tensor<4xf32>, {inner}>"
        body += f"    %i = stablehlo.tuple %arg1, %arg2 : {inner}\n"
        body += f"    %o = stablehlo.tuple %arg0, %i : {outer}\n"
        given, shapes = ["%o", "%arg3"], [outer, "tensor<4xf32>"]
    to = {
        "f32[2048]": "tensor<2048xf32>",
        "u64[2]": "tensor<2xui64>",
        "(f32[])": "tuple<tensor<f32>>",
        "(f32[4],f32[4])": "tuple<tensor<4xf32>, tensor<4xf32>>",
    }[result]
    config = "".join(f"\\{byte:02X}" for byte in opaque)
    body += (
        f"    %r = stablehlo.custom_call @{name}({', '.join(given)}) "
        f'{{api_version = 3 : i32, backend_config = "{config}"}} : ({", ".join(shapes)}) -> {to}\n'
    )
    leaf = to
    if to.startswith("tuple<"):
        leaf = "tensor<4xf32>" if "4x" in to else "tensor<f32>"
        body += f"    %s = stablehlo.get_tuple_element %r[0] : ({to}) -> {leaf}\n"
        body += f"    return %s : {leaf}\n"
    else:
        body += f"    return %r : {to}\n"
    if opaque == b"\xcb\0site\0\1":  # of version 3 that would be a descriptor of callbridge's
        body = body.replace("api_version = 3", "api_version = 2")
    told = calls(hlo(upgrade(module(body, arguments, leaf), prefer=path)).as_hlo_text())
    assert told == wanted


# ---- What stays ---------------------------------------------------------------------------------


XLAS_OWN = [
    "Sharding",
    "xla.sdy.FuncResultSharding",
    "shape_assertion",
    "tpu_custom_call",
    "Eigh",
    "Qr",
    "LuDecomposition",
    "ProductOfElementaryHouseholderReflectors",
    "PinToDeviceSram",
    "__gpu$xla.gpu.triton",
    "tf.call_tf_function",
]


@pytest.mark.parametrize("name", XLAS_OWN)
def test_xlas_own_calls_stay(name):
    text = module(
        f'    %0 = stablehlo.custom_call @{name}(%arg0) {{mhlo.sharding = "{{replicated}}"}} : '
        "(tensor<f32>) -> tensor<f32>\n    return %0 : tensor<f32>\n",
        "%arg0: tensor<f32>",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "(%arg0) {mhlo.sharding" in upgrade(text)


def test_unknown_calls_stay_and_are_told():
    text = module(
        "    %0 = stablehlo.custom_call @nobody(%arg0) {api_version = 2 : i32} : "
        "(tensor<f32>) -> tensor<f32>\n    return %0 : tensor<f32>\n",
        "%arg0: tensor<f32>",
    )
    with pytest.warns(UserWarning, match=r"'nobody' stay as they are.*callbridge.jax.load"):
        assert "api_version = 2" in upgrade(text)


def test_typed_calls_stay():
    for config in [
        "backend_config = {n = 1 : i32}, api_version = 4 : i32",
        "mhlo.backend_config = {}",
    ]:
        text = module(
            f"    %0 = stablehlo.custom_call @example(%arg0) {{{config}}} : "
            "(tensor<f32>) -> tensor<f32>\n    return %0 : tensor<f32>\n",
            "%arg0: tensor<f32>",
        )
        upgraded = upgrade(text)
        assert "operand_layouts" not in upgraded and config.split(" = ")[0] in upgraded


def test_attributes_of_typed_calls_keep_the_bits_of_their_nans():
    nans = "0x7FC12345 : f32, 0xFFC00001 : f32, 0x7F812345 : f32, 0x7FF8000000000123 : f64, "
    nans += "0xFFF8000000000001 : f64, 0x7FA1 : bf16, 0xFE01 : f16"
    entries = ", ".join(f"a{i} = {nan}" for i, nan in enumerate(nans.split(", ")))
    entries += ", array = array<f32: 0x7FC00007, 0xFFC00008>"
    text = module(
        "    %0 = stablehlo.custom_call @example(%arg0) "
        f"{{api_version = 4 : i32, backend_config = {{{entries}}}}} : "
        "(tensor<f32>) -> tensor<f32>\n"
        "    %1 = stablehlo.custom_call @untold_double(%0) : (tensor<f32>) -> tensor<f32>\n"
        "    return %1 : tensor<f32>\n",
        "%arg0: tensor<f32>",
    )
    upgraded = upgrade(text)
    assert upgraded != text and entries in upgraded


def test_calls_that_callbridge_made_say_what_their_targets_expect(path, calls):
    """By version 3 on the older JAX; a descriptor in a descriptor would be the user's opaque."""
    call = callbridge.jax.custom_call("tuples_and_opaque", "(f32[],(f32[]))", opaque=b"abc")
    old = jax.jit(call).lower((ONE, (ONE,))).as_text()
    (was,) = calls(hlo(old).as_hlo_text())
    (told,) = calls(hlo(upgrade(old, prefer=path)).as_hlo_text())
    assert (told == was) == (path == "version_3")
    results = run(upgrade(old, prefer=path), ONE, ONE)
    assert [float(x) for x in results] == [2, 3]


# Of a tuple, or of the one array that is in it.
@pytest.mark.parametrize("sharding", ["{{replicated}}", "{replicated}"])
def test_the_sharding_of_a_tuple_of_one_is_that_of_its_element(sharding):
    text = module(
        f"""    %0 = stablehlo.custom_call @single_result(%arg0) {{mhlo.sharding = "{sharding}"}} :
      (tensor<f32>) -> tuple<tensor<f32>>
    %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<f32>>) -> tensor<f32>
    return %1 : tensor<f32>
""",
        "%arg0: tensor<f32>",
    )
    assert 'mhlo.sharding = "{replicated}"' in upgrade(text)
    assert run(upgrade(text), ONE) == [1]


# ---- Calls in all places ------------------------------------------------------------------------


def run(text, *operands):
    return compile_and_run(text, operands)


PAIR = "tuple<tensor<f32>, tuple<tensor<f32>>>"


def test_tuples_through_functions(path):
    """A tuple operand that is an argument, and a tuple result that is returned."""
    text = f"""module @m {{
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {{
    %0 = stablehlo.tuple %arg1 : tuple<tensor<f32>>
    %1 = stablehlo.tuple %arg0, %0 : {PAIR}
    %2 = call @f(%1) : ({PAIR}) -> {PAIR}
    %3 = stablehlo.get_tuple_element %2[0] : ({PAIR}) -> tensor<f32>
    %4 = stablehlo.get_tuple_element %2[1] : ({PAIR}) -> tuple<tensor<f32>>
    %5 = stablehlo.get_tuple_element %4[0] : (tuple<tensor<f32>>) -> tensor<f32>
    return %3, %5 : tensor<f32>, tensor<f32>
  }}
  func.func private @f(%arg0: {PAIR}) -> {PAIR} {{
    %0 = stablehlo.custom_call @tuples_and_opaque(%arg0) {{
      api_version = 3 : i32, backend_config = "abc"}} : ({PAIR}) -> {PAIR}
    return %0 : {PAIR}
  }}
}}
"""
    upgraded = upgrade(text, prefer=path)
    assert [float(x) for x in run(upgraded, ONE, np.float32(2))] == [3, 3]


def test_calls_in_regions(path):
    text = module(
        """    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = "stablehlo.case"(%c) ({
      %1 = stablehlo.custom_call @untold_double(%arg0) : (tensor<f32>) -> tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    return %0 : tensor<f32>
""",
        "%arg0: tensor<f32>",
    )
    assert run(upgrade(text, prefer=path), np.float32(4)) == [8]


def test_failures_arrive(path):
    text = module(
        "    %0 = stablehlo.custom_call @refuse_negative(%arg0) {api_version = 2 : i32} : "
        "(tensor<f32>) -> tensor<f32>\n    return %0 : tensor<f32>\n",
        "%arg0: tensor<f32>",
    )
    upgraded = upgrade(text, prefer=path)
    assert run(upgraded, ONE) == [1]
    with pytest.raises(Exception, match="CustomCall failed: negative operand"):
        run(upgraded, -ONE)


def test_aliases_follow_their_leaves(path, calls):
    text = module(
        f"""    %0 = stablehlo.tuple %arg1 : tuple<tensor<f32>>
    %1 = stablehlo.tuple %arg0, %0 : {PAIR}
    %2 = stablehlo.custom_call @tuples_and_opaque(%arg0, %1) {{api_version = 3 : i32,
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1, 0],
        operand_index = 1, operand_tuple_indices = [1, 0]>]}} : (tensor<f32>, {PAIR}) -> {PAIR}
    %3 = stablehlo.get_tuple_element %2[0] : ({PAIR}) -> tensor<f32>
    return %3 : tensor<f32>
""",
        "%arg0: tensor<f32>, %arg1: tensor<f32>",
    )
    (told,) = calls(hlo(upgrade(text, prefer=path)).as_hlo_text())
    assert "output_to_operand_aliasing={{1}: (2, {})}" in told


def test_operands_that_are_shapes_are_counted_anew():
    text = module(
        f"""    %0 = stablehlo.tuple %arg1 : tuple<tensor<f32>>
    %1 = stablehlo.tuple %arg0, %0 : {PAIR}
    %2 = stablehlo.custom_call @tuples_and_opaque(%1, %arg2) {{api_version = 3 : i32,
      indices_of_shape_operands = dense<1> : tensor<1xi64>}} :
      ({PAIR}, tensor<1xi32>) -> tensor<?xf32>
    return %2 : tensor<?xf32>
""",
        "%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<1xi32>",
        "tensor<?xf32>",
    )
    upgraded = upgrade(text)
    assert "indices_of_shape_operands = dense<2> : tensor<1xi64>" in upgraded
    # The shape is no operand of the target's: its site has the tuple alone.
    wanted = callbridge._core._call_site.descriptor(
        ((ONE, (ONE,)),), np.zeros(1, np.float32), "nested", b""
    )
    escaped = "".join(chr(byte) if 32 <= byte < 127 else f"\\{byte:02X}" for byte in wanted)
    assert escaped in upgraded


def test_the_flat_era_passes_leaves():
    pair = "tuple<tensor<4xf32>, tensor<4xf32>>"
    text = module(
        f"""    %0 = stablehlo.tuple %arg0, %arg0 : {pair}
    %1 = stablehlo.custom_call @nested_flat(%0, %arg1, %arg1) :
      ({pair}, tensor<4xf32>, tensor<4xf32>) -> {pair}
    %2 = stablehlo.get_tuple_element %1[0] : ({pair}) -> tensor<4xf32>
    return %2 : tensor<4xf32>
""",
        "%arg0: tensor<4xf32>, %arg1: tensor<4xf32>",
        "tensor<4xf32>",
    )
    x = np.arange(4, dtype=np.float32)
    upgraded = upgrade(text, tuple_layout="flat")
    assert "\\CB\\00site" not in upgraded  # XLA passes leaves by itself
    (difference,) = run(upgraded, x, x)
    assert difference.tolist() == [0] * 4


def test_derivatives_are_upgraded(path):
    def raw(x):
        call = jax.ffi.ffi_call(
            "refuse_negative", x, custom_call_api_version=2, legacy_backend_config=b""
        )
        return call(x)

    @jax.custom_vjp
    def f(x):
        return raw(x)

    f.defvjp(lambda x: (raw(x), x), lambda x, ct: (raw(x) * ct,))
    checks = [jax.export.DisabledSafetyCheck.custom_call("refuse_negative")]
    form = jax.ShapeDtypeStruct((), np.float32)
    exported = jax.export.export(jax.jit(f), disabled_checks=checks)(form)
    data = exported.serialize(vjp_order=1)
    upgraded = jax.export.deserialize(upgrade(data, prefer=path))
    for module_text in upgraded.mlir_module(), upgraded.vjp().mlir_module():
        assert "@refuse_negative" in module_text and "api_version = 2" not in module_text
    assert jax.grad(upgraded.call)(np.float32(3)) == 3


def test_the_version_says_which_of_two_targets_of_one_name_is_called(targets):
    """Untyped calls, and typed ones, which stay."""
    callbridge.jax.load(targets.with_name("twins.so"))
    text = module(
        """    %0 = stablehlo.custom_call @twin(%arg0) : (tensor<f32>) -> tensor<f32>
    %1 = stablehlo.custom_call @twin(%0) {backend_config = {scale = 3.0 : f32},
      api_version = 4 : i32} : (tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
""",
        "%arg0: tensor<f32>",
    )
    assert run(upgrade(text), np.float32(2)) == [-6]


# ---- Bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize("artifact", [None, 3, ["module {}"], jnp.ones(3)])
def test_what_is_no_artifact(artifact):
    with pytest.raises(TypeError, match="StableHLO text"):
        upgrade(artifact)


@pytest.mark.parametrize(
    "data, words",
    [
        ("module {", "cannot read this text"),
        (b"module {", "cannot read this text"),
        (b"no module", "cannot read this text"),
        (b"", "got none"),
        (b"\0" * 100, "jax.export"),
        (b"ML\xefR", "damaged: expected 1 more bytes, found 0"),
        (b"ML\xefR\x07StableHLO_v1.1.3\0", "damaged: expected section 0"),
    ],
)
def test_damaged_artifacts(data, words):
    with refused("INVALID_ARGUMENT", words):
        upgrade(data)


def test_artifacts_that_end_early(old):
    for kind in ["vhlo", "exported"]:
        data = (old / f"arrays_1.{kind}").read_bytes()
        for size in (8, len(data) // 2, len(data) - 1) if kind == "vhlo" else (3, 8):
            with refused("INVALID_ARGUMENT"):
                upgrade(data[:size])


def test_artifacts_of_a_later_stablehlo(old):
    data = (old / "arrays_1.vhlo").read_bytes()
    assert data.count(b"add_v1") == 1
    with refused("INVALID_ARGUMENT", "damaged or of a later StableHLO"):
        upgrade(data.replace(b"add_v1", b"add_v9"))


def test_bytecode_of_another_jaxlib(old):
    with refused("INVALID_ARGUMENT", "only the jaxlib that wrote it", "portable_artifact"):
        upgrade((old / "arrays_1.mlirbc").read_bytes())


@pytest.mark.parametrize("convention", range(4, 10))
def test_calling_conventions_of_portable_artifacts(old, path, convention):
    """Exported.call of this JAX does not ask for the convention."""
    exported = jax.export.deserialize(bytearray((old / "arrays_1.exported").read_bytes()))
    exported = dataclasses.replace(exported, calling_convention_version=convention)
    with np.load(old / "arrays_1.npz") as saved:
        operands = [saved[name] for name in saved if name.startswith("operand")]
        wanted = [saved[name] for name in saved if name.startswith("result")]
    upgraded = jax.export.deserialize(upgrade(exported.serialize(), prefer=path))
    assert upgraded.calling_convention_version == convention
    results = jax.tree_util.tree_leaves(upgraded.call(*operands))
    assert [np.asarray(x).tobytes() for x in results] == [x.tobytes() for x in wanted]


def test_calling_conventions_before_portable_artifacts(old):
    exported = jax.export.deserialize(bytearray((old / "arrays_1.exported").read_bytes()))
    with refused("UNIMPLEMENTED", "calling convention 3", "expected 4 or later"):
        upgrade(dataclasses.replace(exported, calling_convention_version=3))
    # jax2tf of 0.4.1 to 0.4.6 wrote them, in MHLO or as bytecode that has no StableHLO version.
    data = (old / "arrays_1.mlirbc").read_bytes()
    for convention in (1, 2, 3):
        older = dataclasses.replace(
            exported, calling_convention_version=convention, mlir_module_serialized=data
        )
        with refused("UNIMPLEMENTED", f"calling convention {convention}", "newer JAX"):
            upgrade(older)


def test_why_calling_conventions_before_portable_artifacts_are_refused(old):
    """Their modules are bytecode of the jaxlib that wrote them, which this one does not read."""
    data = (old / "arrays_1.mlirbc").read_bytes()
    with mlir.make_ir_context(), pytest.raises(ir.MLIRError, match="Unable to parse"):
        ir.Module.parse(data)


def test_shardings_of_old_are_upgraded_but_not_serialized(old):
    data = (old / "sharded.with_shardings").read_bytes()
    exported = jax.export.deserialize(bytearray(data))
    one = np.ones(1, np.float32)
    assert upgrade(exported).call(one) == one
    with refused("UNIMPLEMENTED", "is upgraded, but jax .* cannot serialize it again"):
        upgrade(data)


def test_a_jax_that_cannot_upgrade_says_which_can():
    code = "import callbridge.jax; callbridge.jax.upgrade('module {}')"
    old_python = os.environ["CALLBRIDGE_JAX_0_4_30_PYTHON"]
    done = subprocess.run([old_python, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "UNIMPLEMENTED: upgrade needs jax 0.6.2 or newer; this is jax 0.4.30" in done.stderr


def test_options_are_checked():
    with refused("INVALID_ARGUMENT", "'newest'"):
        upgrade("module {}", prefer="newest")
    with refused("INVALID_ARGUMENT", "'middle'"):
        upgrade("module {}", tuple_layout="middle")
