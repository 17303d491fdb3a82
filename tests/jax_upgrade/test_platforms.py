"""For which platforms a call of a module for several is: callbridge.jax._called_targets, on modules
written by hand, and what `--list` makes of it."""

import pytest
from callbridge.jax import _called_targets
from callbridge.jax._called_targets import Call
from jax.interpreters import mlir
from jaxlib.mlir import ir

PLATFORMS = ("cpu", "cuda", "rocm")
INDEX = '%index: tensor<i32> {jax.global_constant = "_platform_index"}'


def chosen(index, names):
    """A case with a branch for each name, which calls the target of that name."""
    regions = ", ".join(
        f"{{ %0 = stablehlo.custom_call @{name}(%x) {{api_version = {version} : i32}} : "
        "(tensor<f32>) -> tensor<f32>\nstablehlo.return %0 : tensor<f32> }"
        for version, name in enumerate(names, 1)
    )
    return f'"stablehlo.case"({index}) ({regions}) : (tensor<i32>) -> tensor<f32>'


def number(value):
    return f"stablehlo.constant dense<{value}> : tensor<i32>"


def mapped(index, *values):
    """A case of two results, of which the second is a number for each branch."""
    regions = ", ".join(
        f"{{ %a = {number(9)}\n%b = {number(value)}\n"
        "stablehlo.return %a, %b : tensor<i32>, tensor<i32> }"
        for value in values
    )
    return f'"stablehlo.case"({index}) ({regions}) : (tensor<i32>) -> (tensor<i32>, tensor<i32>)'


def calls(*body, arguments=INDEX, more="", platforms=PLATFORMS):
    text = (
        f"module @m {{\nfunc.func public @main({arguments}, %x: tensor<f32>) -> tensor<f32> {{\n"
        + "\n".join(body)
        + f"\nreturn %x : tensor<f32>\n}}\n{more}}}\n"
    )
    with mlir.make_ir_context():
        return _called_targets.calls(ir.Module.parse(text), platforms)


def platforms_of(*body, **more):
    return {call.target: call.platforms for call in calls(*body, **more)}


def test_a_branch_is_for_its_platform():
    assert calls(f"%y = {chosen('%index', ['a', 'b', 'c'])}") == [
        Call("a", 1, ("cpu",), False),
        Call("b", 2, ("cuda",), False),
        Call("c", 3, ("rocm",), False),
    ]


def test_the_last_branch_is_for_the_others():
    assert platforms_of(f"%y = {chosen('%index', ['a', 'b'])}") == {
        "a": ("cpu",),
        "b": ("cuda", "rocm"),
    }
    assert platforms_of(f"%y = {chosen('%index', ['a'])}") == {"a": PLATFORMS}


@pytest.mark.parametrize(
    "values, expected",
    [
        ((0, 1, 2), {"a": ("cpu",), "b": ("cuda",), "c": ("rocm",)}),
        ((2, 0, 1), {"a": ("cuda",), "b": ("rocm",), "c": ("cpu",)}),
        ((1, 1), {"a": (), "b": PLATFORMS, "c": ()}),
        ((-1, 0, 3), {"a": ("cuda",), "b": (), "c": ("cpu", "rocm")}),
    ],
)
def test_numbers_that_are_computed(values, expected):
    computed = f"%n:2 = {mapped('%index', *values)}"
    assert platforms_of(computed, f"%y = {chosen('%n#1', ['a', 'b', 'c'])}") == expected
    # As JAX writes it: converted.
    converted = (
        "%w = stablehlo.convert %n#1 : (tensor<i32>) -> tensor<i64>",
        "%i = stablehlo.convert %w : (tensor<i64>) -> tensor<i32>",
    )
    assert platforms_of(computed, *converted, f"%y = {chosen('%i', ['a', 'b', 'c'])}") == expected
    again = f"%m:2 = {mapped('%n#1', 0, 1, 2)}"
    assert platforms_of(computed, again, f"%y = {chosen('%m#1', ['a', 'b', 'c'])}") == expected


def test_a_number_that_is_not_known_may_be_any():
    everywhere = dict.fromkeys("ab", PLATFORMS)
    for arguments in ("%index: tensor<i32>", '%index: tensor<i32> {jax.global_constant = "a"}'):
        call = f"%y = {chosen('%index', ['a', 'b'])}"
        assert platforms_of(call, arguments=arguments) == everywhere
        computed = f"%n:2 = {mapped('%index', 0, 1)}"
        call = f"%y = {chosen('%n#1', ['a', 'b'])}"
        assert platforms_of(computed, call, arguments=arguments) == everywhere
    sum_ = "%n = stablehlo.add %index, %index : tensor<i32>"
    assert platforms_of(sum_, f"%y = {chosen('%n', ['a', 'b'])}") == everywhere
    constant = f"%n = {number(1)}"
    assert platforms_of(constant, f"%y = {chosen('%n', ['a', 'b'])}") == {"a": (), "b": PLATFORMS}


def test_the_index_is_the_argument_that_says_so():
    arguments = f"%other: tensor<i32>, {INDEX}"
    body = f"%y = {chosen('%index', ['a', 'b', 'c'])}"
    assert platforms_of(body, arguments=arguments)["b"] == ("cuda",)
    body = f"%y = {chosen('%other', ['a', 'b', 'c'])}"
    assert platforms_of(body, arguments=arguments)["b"] == PLATFORMS


FUNCTION = """func.func private @{name}(%x: tensor<f32>) -> tensor<f32> {{
  %0 = stablehlo.custom_call @of_{name}(%x) : (tensor<f32>) -> tensor<f32>
  {then}
  return %0 : tensor<f32>
}}
"""


def call_of(name):
    return f"%{name} = func.call @{name}(%x) : (tensor<f32>) -> tensor<f32>"


def test_functions_are_for_those_that_call_them():
    more = FUNCTION.format(name="f", then=call_of("g"))
    more += FUNCTION.format(name="g", then="")
    more += FUNCTION.format(name="h", then=call_of("h"))  # which calls itself
    more += FUNCTION.format(name="nobodys", then="")
    regions = ", ".join(
        f"{{ {call_of(name)}\nstablehlo.return %{name} : tensor<f32> }}" for name in "fhf"
    )
    body = f'%y = "stablehlo.case"(%index) ({regions}) : (tensor<i32>) -> tensor<f32>'
    assert platforms_of(body, more=more) == {
        "of_f": ("cpu", "rocm"),
        "of_g": ("cpu", "rocm"),
        "of_h": ("cuda",),
        "of_nobodys": PLATFORMS,
    }


def test_an_artifact_may_name_no_platform():
    assert platforms_of(f"%y = {chosen('%index', ['a', 'Sharding'])}", platforms=()) == {
        "a": (),
        "Sharding": (),
    }


# ---- The list


def test_the_table_of_a_list(monkeypatch):
    registered = {
        ("known", "cpu", 1): ("yes", "/lib/a.so"),
        ("typed", "cuda", 2): ("typed", "b.so"),
        ("typed", "cuda", 4): ("yes", "-"),
    }

    def registration(call, platform):
        return registered.get((call.target, platform.lower(), call.api_version), ("no", "-"))

    monkeypatch.setattr(_called_targets, "_registration", registration)
    found = [
        Call("known", 1, ("cpu", "cuda"), False),
        Call("known", 1, ("cpu",), False),
        Call("typed", 2, (), False),
        Call("typed", 4, (), False),
        Call("Sharding", 1, ("cpu", "cuda"), True),
        Call("Sharding", 2, (), True),
        Call("nobodys", 3, (), False),
    ]
    assert _called_targets.table(found, []).splitlines() == [
        "target    version  platform  registered  library",
        "known     1        cpu       yes         /lib/a.so",
        "known     1        cuda      no          -",
        "typed     2        cuda      typed       b.so",
        "typed     4        cuda      yes         -",
        "Sharding  1        cpu,cuda  XLA's own   -",
        "Sharding  2        -         XLA's own   -",
        "nobodys   3        -         no          -",
    ]
    assert _called_targets.table([], []) == "target  version  platform  registered  library\n"


@pytest.mark.parametrize(
    "is_typed, is_typed_target, answer",
    [
        (True, True, "yes"),
        (False, False, "yes"),
        (True, False, "untyped"),
        (False, True, "typed"),
    ],
)
def test_what_is_registered(is_typed, is_typed_target, answer):
    assert _called_targets._answer(is_typed, is_typed_target) == answer


def test_platforms_that_callbridge_does_not_know_have_nothing():
    for version in (1, 4):
        call = Call("example", version, ("tpu",), False)
        assert _called_targets._registration(call, "tpu") == ("no", "-")
