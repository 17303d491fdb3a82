"""What help(), typing and pickle see of functions whose signatures and texts are derived."""

import inspect
import pickle

import pytest

torch = pytest.importorskip("torch", reason="make test-frameworks has PyTorch")

import callbridge.torch  # noqa: E402
from callbridge import typing as types  # noqa: E402
from callbridge._core import _options  # noqa: E402
from described import check_help, check_hints, check_public, options_of, types_of  # noqa: E402

NAMES = """abi platform opaque attributes tuple_layout operator_info has_side_effect vmap_method
    input_output_aliases mutated_operands backward setup_context""".split()


def test_options_have_their_order_and_defaults():
    parameters = inspect.signature(callbridge.torch.custom_call).parameters
    assert [*parameters] == ["target", "result", *NAMES, "others"]
    assert {
        name: p.default for name, p in parameters.items() if p.default not in (None, p.empty)
    } == {
        "opaque": b"",
        "tuple_layout": "nested",
        "has_side_effect": False,
        "mutated_operands": (),
    }
    assert types_of(types.TorchCallOptions) == options_of(callbridge.torch.custom_call)


@pytest.mark.parametrize("name", ["custom_call", "register", "register_type"])
def test_help_shows_each_argument(name):
    check_help(getattr(callbridge.torch, name))


@pytest.mark.parametrize("name", ["custom_call", "load", "register", "register_type"])
def test_a_derived_function_is_its_modules(name):
    function = getattr(callbridge.torch, name)
    check_public(function, callbridge.torch)
    assert pickle.loads(pickle.dumps(function)) is function


def test_typing_knows_the_annotations():
    check_hints(callbridge.torch.custom_call)


@pytest.mark.parametrize("name", [n for n, o in _options.OPTIONS.items() if o.elsewhere])
def test_options_of_jax_say_why_they_are_of_no_use(name):
    if name in NAMES:
        return
    reason = _options.OPTIONS[name].elsewhere.format("tensors")
    with pytest.raises(TypeError) as raised:
        callbridge.torch.custom_call("example", "f32[]", **{name: None})
    assert str(raised.value) == f"{name}= is for callbridge.jax: {reason}; leave it out"


def test_unknown_options():
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'device'"):
        callbridge.torch.custom_call("example", "f32[]", device=0)
