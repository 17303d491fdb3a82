"""Functions whose signature and text are derived: what help(), typing and pickle see of them, and
what they say of options that they do not have."""

import ctypes
import gc
import inspect
import pickle
import sys
import weakref

import callbridge.library
import callbridge.numpy
import numpy as np
import pytest
from callbridge import jax as jax_face
from callbridge import typing as types
from callbridge._core import _options
from described import check_help, check_hints, check_public, options_of, types_of
from refused import refused

FACES = [callbridge.numpy, jax_face]
DERIVED = [
    getattr(face, name)
    for face in FACES
    for name in ("custom_call", "load", "register", "register_type")
]
SHARED = "abi platform opaque attributes tuple_layout operator_info".split()
NAMES = {
    callbridge.numpy: [*SHARED, *"input_output_aliases device sync".split()],
    jax_face: SHARED
    + "prefer has_side_effect vmap_method input_layouts output_layouts input_output_aliases".split()
    + "command_buffer_compatible batch_dims partitioning scratch_bytes".split(),
}
OTHER_DEFAULTS = {
    "opaque": b"",
    "tuple_layout": "nested",
    "has_side_effect": False,
    "sync": False,
    "command_buffer_compatible": False,
}


def name_of(function):
    return f"{function.__module__}.{function.__name__}"


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.__name__)
def test_options_have_their_order_and_defaults(face):
    parameters = inspect.signature(face.custom_call).parameters
    assert [*options_of(face.custom_call)] == NAMES[face]
    assert [*parameters][:2] == ["target", "result"] and parameters["result"].default is None
    assert {name: parameters[name].default for name in NAMES[face]} == {
        name: OTHER_DEFAULTS.get(name) for name in NAMES[face]
    }
    assert ("others" in parameters) == (face is callbridge.numpy)


@pytest.mark.parametrize(
    "function, options",
    [
        (callbridge.library.Library.run, types.RunOptions),
        (callbridge.numpy.custom_call, types.NumpyCallOptions),
        (jax_face.custom_call, types.JaxCallOptions),
    ],
    ids=["library", "numpy", "jax"],
)
def test_overloads_have_the_options_of_the_function(function, options):
    found = {
        name: annotation.replace("AttributeValues", "Attributes")
        for name, annotation in options_of(function).items()
    }
    assert found == types_of(options)


# What load() takes is in its sentences.
@pytest.mark.parametrize("function", [f for f in DERIVED if f.__name__ != "load"], ids=name_of)
def test_help_shows_each_argument(function):
    check_help(function)


def test_help_shows_each_option_of_run():
    run = callbridge.library.Library.run
    doc = inspect.cleandoc(run.__doc__)
    for name in [*inspect.signature(run).parameters][1:]:
        assert f"\n  {name}: " in doc, name
    assert ": ..." not in doc


@pytest.mark.parametrize("function", DERIVED, ids=name_of)
def test_a_derived_function_is_its_modules(function):
    check_public(function, sys.modules[function.__module__])
    assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.skipif(sys.version_info < (3, 10), reason="typing reads no X | Y before")
@pytest.mark.parametrize("function", [face.custom_call for face in FACES], ids=name_of)
def test_typing_knows_the_annotations(function):
    check_hints(function)


def test_load_and_register_begin_alike_in_each_face():
    for name in ("load", "register", "register_type"):
        ours, theirs = (
            inspect.signature(getattr(face, name)).parameters.values() for face in FACES
        )
        assert [*ours] == [*theirs][: len(ours)], name
        assert {p.name for p in theirs} - {p.name for p in ours} <= {"command_buffer_compatible"}


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.__name__)
def test_unknown_options(face):
    words = r"^custom_call\(\) got an unexpected keyword argument 'opake'$"
    with pytest.raises(TypeError, match=words):
        face.custom_call("example", "f32[]", opake=b"")
    with pytest.raises(TypeError, match=r"load\(\) got an unexpected keyword argument 'isolated'"):
        face.load("a.so", isolated=True)
    with pytest.raises(TypeError, match=r"register\(\) missing .* 'function_or_capsule'"):
        face.register("a")


@pytest.mark.parametrize("name", [n for n, o in _options.OPTIONS.items() if o.elsewhere])
def test_options_of_jax_say_why_they_are_of_no_use(name):
    reason = _options.OPTIONS[name].elsewhere.format("arrays")
    with pytest.raises(TypeError) as raised:
        callbridge.numpy.custom_call("example", "f32[]", **{name: None})
    assert str(raised.value) == f"{name}= is for callbridge.jax: {reason}; leave it out"


def test_an_option_that_the_docstring_lists_is_behind_the_declared_text():
    class Options(types.CallOptions, total=False):
        device: "int"

    @_options.describe(Options, others=True)
    def f(target, **options):
        """Does it.

        Args:
          target: A name.
          abi: Its own.
          opaque: ... More of it.
          device: A number.
          others: None.

        Returns:
          Nothing.
        """

    doc = inspect.cleandoc(f.__doc__)
    assert doc.startswith("Does it.\n\nArgs:\n  target: A name.\n  abi: Its own.\n")
    assert doc.endswith("  device: A number.\n  others: None.\n\nReturns:\n  Nothing.")
    assert "  opaque: Any bytes, for untyped targets that take them. More of it.\n" in doc
    assert "  tuple_layout: How untyped targets expect" in doc
    assert [*options_of(f)] == [*SHARED, "input_output_aliases", "device"]


def test_checks_are_those_of_each_face():
    given = _options.completed(types.CallOptions, {"input_output_aliases": {0: 0}})
    checked = _options.Checked("f", given)
    assert (checked.opaque, checked.aliases, checked.tuple_layout) == (b"", {0: 0}, "nested")
    assert checked.declared.handle is None
    for option, error in [
        ({"opaque": "text"}, TypeError),
        ({"operator_info": 1}, TypeError),
        ({"input_output_aliases": [0]}, TypeError),
        ({"tuple_layout": 0}, TypeError),
    ]:
        with pytest.raises(error, match=next(iter(option))):
            _options.Checked("f", {**given, **option})
    with refused("INVALID_ARGUMENT", "tuple_layout"):
        _options.Checked("f", {**given, "tuple_layout": "old"})
    with refused("INVALID_ARGUMENT", "target"):
        _options.Checked("f\0", given)


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.__name__)
def test_what_was_given_is_not_kept(face, modules):
    """Attributes are copied, and may be large."""

    class Attributes(dict):
        pass

    symbols = ctypes.CDLL(str(modules / "typed_targets.so"))
    face.register("typed_scale", symbols.typed_scale, abi="typed_ffi")
    given = Attributes(factor=np.float32(3))
    kept = weakref.ref(given)
    call = face.custom_call("typed_scale", "f32[]", attributes=given)
    del given
    gc.collect()
    assert kept() is None and call(np.float32(2)) == 6
