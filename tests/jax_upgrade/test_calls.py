"""What becomes of calls of each form: their types, results, aliases and versions, and which target
is meant."""

import ctypes

import callbridge.jax
import ml_dtypes
import numpy as np
import pytest
from callbridge._core import _call_site
from callbridge.jax import _artifact, upgrade
from jax.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from refused import refused
from run_upgraded import compile_and_run

ONE = np.float32(1)


@pytest.fixture(scope="module", autouse=True)
def library(targets):
    return callbridge.jax.load(targets)


def module(body, arguments="", results="()"):
    return f"module @m {{\n  func.func @main({arguments}) -> {results} {{\n{body}  }}\n}}\n"


def call(target, attributes="", of="tensor<f32>"):
    """A module of one call of an argument."""
    return module(
        f"    %0 = stablehlo.custom_call @{target}(%arg0) {{{attributes}}} : ({of}) -> {of}\n"
        f"    return %0 : {of}\n",
        f"%arg0: {of}",
        of,
    )


def opaques(text):
    """Of each call of a module, in order."""
    with mlir.make_ir_context():
        parsed = ir.Module.parse(text)  # owns its operations
        found = []
        for function in parsed.body.operations:
            for operation in function.regions[0].blocks[0].operations:
                if operation.operation.name == "stablehlo.custom_call":
                    config = operation.operation.attributes["backend_config"]
                    found.append(ir.StringAttr(config).value_bytes)
        return found


# ---- Types --------------------------------------------------------------------------------------

# As MLIR writes them, and as NumPy does.
TYPES = {
    "i1": "bool",
    **{f"i{bits}": f"int{bits}" for bits in (2, 4, 8, 16, 32, 64)},
    **{f"ui{bits}": f"uint{bits}" for bits in (2, 4, 8, 16, 32, 64)},
    **{f"f{bits}": f"float{bits}" for bits in (16, 32, 64)},
    "bf16": "bfloat16",
    "complex<f32>": "complex64",
    "complex<f64>": "complex128",
    "f8E4M3FN": "float8_e4m3fn",
    "f8E4M3": "float8_e4m3",
    "f8E4M3B11FNUZ": "float8_e4m3b11fnuz",
    "f8E4M3FNUZ": "float8_e4m3fnuz",
    "f8E3M4": "float8_e3m4",
    "f8E5M2": "float8_e5m2",
    "f8E5M2FNUZ": "float8_e5m2fnuz",
    "f8E8M0FNU": "float8_e8m0fnu",
    "f4E2M1FN": "float4_e2m1fn",
}


@pytest.mark.parametrize("element", TYPES)
def test_types_of_the_arrays_in_tuples(element):
    array, pair = f"tensor<2x3x{element}>", f"tuple<tensor<2x3x{element}>, tensor<f32>>"
    text = module(
        f"""    %0 = stablehlo.tuple %arg0, %arg1 : {pair}
    %1 = stablehlo.custom_call @example(%0) : ({pair}) -> {array}
    return %1 : {array}
""",
        f"%arg0: {array}, %arg1: tensor<f32>",
        array,
    )
    dtype = np.dtype(getattr(ml_dtypes, TYPES[element], TYPES[element]))
    like = np.empty((2, 3), dtype)
    wanted = _call_site.descriptor(((like, ONE),), like, "nested", b"")
    assert opaques(upgrade(text, prefer="version_3")) == [wanted]


def test_tokens_in_tuples():
    pair = "tuple<tensor<f32>, !stablehlo.token>"
    text = module(
        f"""    %0 = stablehlo.create_token : !stablehlo.token
    %1 = stablehlo.tuple %arg0, %0 : {pair}
    %2 = stablehlo.custom_call @example(%1) : ({pair}) -> tensor<f32>
    return %2 : tensor<f32>
""",
        "%arg0: tensor<f32>",
        "tensor<f32>",
    )
    operand, result = ("f32[]", "token[]"), "f32[]"
    wanted = _call_site.descriptor((operand,), result, "nested", b"", lambda leaf, _: leaf)
    assert opaques(upgrade(text, prefer="version_3")) == [wanted]


# ---- Results ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["version_3", "typed"])
def test_several_results_are_a_table(path):
    f32x4 = "tensor<4xf32>"
    text = module(
        f"""    %0 = stablehlo.tuple %arg1, %arg1 : tuple<{f32x4}, {f32x4}>
    %1 = stablehlo.tuple %arg0, %0 : tuple<{f32x4}, tuple<{f32x4}, {f32x4}>>
    %2:2 = stablehlo.custom_call @nested(%1, %arg0) :
      (tuple<{f32x4}, tuple<{f32x4}, {f32x4}>>, {f32x4}) -> ({f32x4}, {f32x4})
    return %2#1, %2#0 : {f32x4}, {f32x4}
""",
        f"%arg0: {f32x4}, %arg1: {f32x4}",
        f"({f32x4}, {f32x4})",
    )
    a, b = np.arange(4, dtype=np.float32), np.full(4, 10, np.float32)
    second, first = compile_and_run(upgrade(text, prefer=path), [a, b])
    assert first.tolist() == (a - b).tolist() and second.tolist() == (b - a).tolist()


@pytest.mark.parametrize("path", ["version_3", "typed"])
def test_no_results_are_a_table_of_none(path, library):
    count = library.run("calls_without_result", [], "s32[]")  # the same copy of the library
    text = module(
        "    stablehlo.custom_call @without_result() {has_side_effect = true} : () -> ()\n"
        "    return %arg0 : tensor<f32>\n",
        "%arg0: tensor<f32>",
        "tensor<f32>",
    )
    assert compile_and_run(upgrade(text, prefer=path), [ONE]) == [1]
    assert library.run("calls_without_result", [], "s32[]") == count + 1


# ---- Aliases ------------------------------------------------------------------------------------


@pytest.mark.parametrize("index, words", [("[1]", r"\[1\]"), ("[]", r"\[\]")])
def test_aliases_are_of_arrays(index, words):
    pair = "tuple<tensor<f32>, tuple<tensor<f32>>>"
    text = module(
        f"""    %0 = stablehlo.tuple %arg0 : tuple<tensor<f32>>
    %1 = stablehlo.tuple %arg0, %0 : {pair}
    %2 = stablehlo.custom_call @tuples_and_opaque(%1) {{api_version = 3 : i32,
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = {index},
        operand_index = 0, operand_tuple_indices = {index}>]}} : ({pair}) -> {pair}
    %3 = stablehlo.get_tuple_element %2[0] : ({pair}) -> tensor<f32>
    return %3 : tensor<f32>
""",
        "%arg0: tensor<f32>",
        "tensor<f32>",
    )
    with refused(
        "INVALID_ARGUMENT", f"an alias of an array, got one of the element {words} of tuple"
    ):
        upgrade(text)


# ---- Which target is meant ----------------------------------------------------------------------


@pytest.mark.parametrize("version", [0, 1])
def test_calls_of_no_version_are_of_version_1(version, library):
    name = f"untold of {version}"
    callbridge.jax.register(name, _function(library, "untold_double"))
    upgraded = upgrade(call(f'"{name}"', f"api_version = {version} : i32"))
    assert compile_and_run(upgraded, [np.float32(4)]) == [8]
    with refused("INVALID_ARGUMENT", "'status_returning_unified'", "'original'"):
        callbridge.jax.custom_call(name, "f32[]", abi="status_returning_unified")


def _function(library, name):
    return ctypes.CFUNCTYPE(None)(library.target(name).address)


def test_an_untyped_call_of_a_typed_handler_is_refused(targets):
    callbridge.jax.load(targets.parents[1] / "targets" / "typed_handlers.so")
    words = "calls target 'scale' by version 2, but it is registered on Host as a typed handler"
    with refused("INVALID_ARGUMENT", words):
        upgrade(call("scale", "api_version = 2 : i32"))
    handler = ctypes.CDLL(str(targets.with_name("typed_targets.so"))).typed_scale
    callbridge.jax.register("undeclared handler", handler)
    with refused("INVALID_ARGUMENT", "'undeclared handler'", "'original'", "is a typed handler"):
        upgrade(call('"undeclared handler"'))


def test_the_platform_is_that_of_the_targets():
    with pytest.warns(UserWarning, match="^calls of 'refuse_negative' stay") as told:
        upgraded = upgrade(call("refuse_negative", "api_version = 2 : i32"), platform="CUDA")
    assert "api_version = 2" in upgraded
    assert [warning.filename for warning in told] == [__file__]
    upgraded = upgrade(call("refuse_negative", "api_version = 2 : i32"), platform="cpu")
    assert "api_version = 3" in upgraded
    with refused("INVALID_ARGUMENT", "'tpu'"):
        upgrade(call("refuse_negative"), platform="tpu")


def test_all_unknown_targets_are_told_of_once():
    text = module(
        "".join(
            f"    %{i} = stablehlo.custom_call @{name}() : () -> tensor<f32>\n"
            for i, name in enumerate(["second", "first", "second"])
        )
        + "    return %0 : tensor<f32>\n",
        results="tensor<f32>",
    )
    with pytest.warns(UserWarning, match="^calls of 'first', 'second' stay as they are") as told:
        upgrade(text)
    assert len(told) == 1


def test_the_path_must_lead_to_the_target(targets):
    callbridge.jax.load(targets.with_name("twins.so"))
    with refused("INVALID_ARGUMENT", "'twin' on Host", "the path 'typed' leads"):
        upgrade(call("twin"), prefer="typed")


# ---- Artifacts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " \n\t", b" \n"])
def test_empty_texts(text):
    with refused("INVALID_ARGUMENT", "expected StableHLO text, got none"):
        upgrade(text)


def test_bytes_that_are_no_utf_8():
    with refused("INVALID_ARGUMENT", "what jax.export serialized"):
        upgrade(b"module \xff {")


def test_portable_artifacts_are_for_runtimes_of_the_last_weeks():
    version = stablehlo.get_version_from_compatibility_requirement(
        stablehlo.StablehloCompatibilityRequirement.WEEK_4
    )
    with mlir.make_ir_context():
        parsed = ir.Module.parse(call("refuse_negative", "api_version = 2 : i32"))
        newest = stablehlo.get_current_version()
        artifact = stablehlo.serialize_portable_artifact(parsed, newest)
    assert newest != version
    assert f"StableHLO_v{newest}\0".encode() in artifact
    assert f"StableHLO_v{version}\0".encode() in upgrade(artifact)


# ---- MLIR's bytecode ----------------------------------------------------------------------------


def number(value, size=1):
    """`value` in `size` bytes, 1 to 9."""
    if size == 9:
        return b"\0" + value.to_bytes(8, "little")
    return (value << size | 1 << (size - 1)).to_bytes(size, "little")


def bytecode(names, dialects, version=1, size=1, alignment=None):
    """Of the strings `names`, some of which are dialects; numbers are of `size` bytes."""
    data = _artifact.MAGIC + number(version) + b"producer\0"
    strings = number(len(names), size)
    strings += b"".join(number(len(name) + 1, size) for name in reversed(names))
    strings += b"".join(name + b"\0" for name in names)
    for identifier, section in (
        (0, strings),
        (1, number(len(dialects), size) + b"".join(dialects)),
    ):
        if alignment is None:
            data += bytes([identifier]) + number(len(section), size)
        else:
            data += bytes([identifier | 0x80]) + number(len(section), size) + number(alignment)
            data += b"\xcb" * (-len(data) % max(alignment, 1))
        data += section
    return data


NAMES = [b"", b"builtin", b"of-a-longer-name", b"vhlo"]


@pytest.mark.parametrize("size", range(1, 10))
def test_numbers_of_each_size(size):
    data = bytecode(NAMES, [number(1 << 1, size), number(3 << 1, size)], size=size)
    assert _artifact.dialects(data) == {b"builtin", b"vhlo"}


@pytest.mark.parametrize("alignment", [1, 2, 8, 32])
def test_sections_that_are_aligned(alignment):
    data = bytecode(NAMES, [number(3 << 1)], alignment=alignment)
    assert _artifact.dialects(data) == {b"vhlo"}


def test_versions_of_dialects():
    versioned = number(3 << 1 | 1) + b"\x81" + number(2) + b"\xff\xff"
    data = bytecode(NAMES, [versioned, number(1 << 1)])
    assert _artifact.dialects(data) == {b"builtin", b"vhlo"}
    # The first version of the format had none.
    assert _artifact.dialects(bytecode(NAMES, [number(3)], version=0)) == {b"vhlo"}


@pytest.mark.parametrize(
    "data, words",
    [
        (bytecode(NAMES, [number(4 << 1)]), "a dialect named by one of 4 strings"),
        (bytecode(NAMES, [])[:-1] + number(9), "9 entries in 1 bytes"),
        (bytecode(NAMES, [], alignment=0), "an alignment within the data, found 0"),
        (_artifact.MAGIC + number(1) + b"producer", "a text that ends with a NUL"),
        (_artifact.MAGIC + number(1) + b"producer\0", "expected section 0, found none"),
        (bytecode(NAMES, [])[:-3], "expected section 1, found none"),
    ],
    ids=range(6),
)
def test_damaged_bytecode(data, words):
    with pytest.raises(ValueError, match=words):
        _artifact.dialects(data)
