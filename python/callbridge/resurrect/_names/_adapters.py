"""How functions of JAX are made to take parameters that they took once.

An adapter changes the keywords of a call of the function that is named, and returns its arguments:
one that the function lost by itself, or an argument that
it takes otherwise. In all else the function stays what it was: its signature shows what it takes.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any

import jax

from callbridge.resurrect._names import _explanation, _row
from callbridge.resurrect._names._row import Adapter


def _showing(adapt: Callable, *parameters: str) -> Adapter:
    adapt.shown = parameters  # type: ignore[attr-defined]
    return adapt


def only(parameter: str, *values: Any, instead: str = "") -> Adapter:
    """Drops the parameter where it has one of these values."""

    def adapt(function: str, args: tuple, keywords: dict) -> tuple:
        if parameter in keywords:
            value = keywords.pop(parameter)
            if not any(value is v or (type(value) is type(v) and value == v) for v in values):
                raise NotImplementedError(
                    f"{function}: callbridge.resurrect cannot restore {parameter}={value!r}; "
                    + (instead or "JAX removed the parameter without another")
                )
        return args

    return adapt


def dropped(*parameters: str) -> Adapter:
    """Of parameters whose values changed nothing but how JAX did it."""

    def adapt(function: str, args: tuple, keywords: dict) -> tuple:
        for parameter in parameters:
            keywords.pop(parameter, None)
        return args

    return _showing(adapt, *parameters)


def renamed(parameter: str, to: str) -> Adapter:
    return becomes(parameter, to, lambda value: value)


def becomes(parameter: str, to: str, value_of: Callable[[Any], Any]) -> Adapter:
    """The parameter is `to` now, with this value; none where that is None."""

    def adapt(function: str, args: tuple, keywords: dict) -> tuple:
        if parameter in keywords:
            value = keywords.pop(parameter)
            if to in keywords and value is None:
                return args  # both are shown, and who passes all that is shown passes None
            if to in keywords:
                raise TypeError(f"{function}() got both {parameter!r} and {to!r}")
            keywords[to] = value_of(value)
        return args

    return _showing(adapt, parameter)


def at_default(**defaults: Any) -> tuple[Adapter, ...]:
    """Drops each parameter where it is what it is without being passed. They are not shown in
    signatures, which programs ask whether they may pass more."""
    return tuple(_at_default(parameter, default) for parameter, default in defaults.items())


def _at_default(parameter: str, default: Any) -> Adapter:
    def adapt(function: str, args: tuple, keywords: dict) -> tuple:
        if parameter in keywords:
            value = keywords.pop(parameter)
            if not (value is default or (type(value) is type(default) and value == default)):
                raise TypeError(
                    f"{function.rpartition('.')[2]}() got an unexpected keyword argument "
                    f"{parameter!r}; jax {jax.__version__} does what {parameter}={default!r} says, "
                    "which callbridge.resurrect takes"
                )
        return args

    adapt.default = parameter, default  # type: ignore[attr-defined]
    return adapt


def by_name(*parameters: str) -> Adapter:
    """Of the first parameters, which are passed by position alone now."""

    def adapt(function: str, args: tuple, keywords: dict) -> tuple:
        for parameter in parameters[len(args) :]:
            if parameter not in keywords:
                break
            args = (*args, keywords.pop(parameter))
        return args

    adapt.positions = parameters, 0  # type: ignore[attr-defined]
    return _showing(adapt, *parameters)


def by_position(count: int, *parameters: str) -> Adapter:
    """Of the parameters after the first `count`, which are passed by keyword alone now."""

    def adapt(function: str, args: tuple, keywords: dict) -> tuple:
        if len(args) <= count:
            return args
        for parameter, value in zip(parameters, args[count:]):
            if parameter in keywords:
                raise TypeError(f"{function}() got multiple values for argument {parameter!r}")
            keywords[parameter] = value
        # What is too much, the function refuses.
        return args[:count] + args[count + len(parameters) :]

    adapt.of_position = True  # type: ignore[attr-defined]
    adapt.positions = parameters, count  # type: ignore[attr-defined]
    return adapt


def where_refused(adapt: Adapter) -> Adapter:
    """The same for those calls alone that the function does not take as they are."""

    @functools.wraps(adapt)
    def adapt_refused(function: str, args: tuple, keywords: dict) -> tuple:
        return adapt(function, args, keywords)

    adapt_refused.where_refused = True  # type: ignore[attr-defined]
    return adapt_refused


class Adapted:
    """A callable of JAX's, no plain function, that takes more; in all else it is that callable."""

    def __init__(self, original: Any, call: Callable, shown: Sequence[str]):
        functools.update_wrapper(self, original)
        self._original, self._call, self._shown = original, call, shown

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self._call(*args, **keywords)

    def __getattr__(self, name: str) -> Any:
        if name == "_original":  # while it is unpickled
            raise AttributeError(name)
        return getattr(self._original, name)

    def __repr__(self) -> str:
        return repr(self._original)

    def __reduce__(self) -> Any:
        return self._original.__reduce__()

    # What isinstance() asks.
    __class__ = property(lambda self: type(self._original))
    __signature__ = property(lambda self: signature(self._original, self._shown))


def signature(original: Any, shown: Sequence[str]) -> inspect.Signature:
    """The function's own, and the parameters that it takes again, by keyword."""
    own = inspect.signature(original)
    known = [*own.parameters.values()]
    rest = [p for p in known if p.kind == p.VAR_KEYWORD]
    by_keyword = inspect.Parameter.KEYWORD_ONLY
    again = [inspect.Parameter(n, by_keyword, default=None) for n in shown]
    again = [p for p in again if p.name not in own.parameters]
    return own.replace(parameters=[*(p for p in known if p not in rest), *again, *rest])


def wrapper_of(original: Any, name: str, adapters: Sequence[Adapter]) -> Any:
    """What takes the place of a function of that name, or of the method, as its class has it."""
    is_static = isinstance(original, staticmethod)  # __new__
    function = original.__func__ if is_static else original
    of_position = any(hasattr(adapt, "of_position") for adapt in adapters)
    for_any = [adapt for adapt in adapters if not hasattr(adapt, "where_refused")]
    is_for_any = len(for_any) == len(adapters)

    def call(*args: Any, **keywords: Any) -> Any:
        if keywords or of_position:
            before = (args, {**keywords}) if _explanation.is_on else None
            takes_it = not is_for_any and _takes(function, args, keywords)
            for adapt in for_any if takes_it else adapters:
                args = adapt(name, args, keywords)
            if before is not None:
                _explanation.called(name, before, (args, keywords))
        return function(*args, **keywords)

    shown = [parameter for adapt in adapters for parameter in getattr(adapt, "shown", ())]
    if not isinstance(function, (types.FunctionType, types.WrapperDescriptorType)):
        return Adapted(function, call, shown)
    wrapper = functools.wraps(function)(call)
    if shown and isinstance(function, types.FunctionType):
        wrapper.__signature__ = signature(function, shown)  # type: ignore[attr-defined]
    return staticmethod(wrapper) if is_static else wrapper


def _takes(function: Any, args: tuple, keywords: dict) -> bool:
    try:
        inspect.signature(function).bind(*args, **keywords)
    except TypeError:
        return False
    except ValueError:
        return True  # a builtin without a signature: the call says it
    return True


def refusing(name: str, reason: str, parameters: str) -> Callable[[Any], Any]:
    """Names the parameters that cannot be restored where JAX says only that it does not take what
    it is given. A function of `original`, which returns None where this JAX has them all."""
    return functools.partial(_refusing, name=name, reason=reason, parameters=parameters.split())


def _refusing(original: Any, name: str, reason: str, parameters: Sequence[str]) -> Any:
    signature = inspect.signature(original)
    lost = [parameter for parameter in parameters if parameter not in signature.parameters]
    if not lost:
        return None

    @functools.wraps(original)
    def wrapper(*args: Any, **keywords: Any) -> Any:
        try:
            return original(*args, **keywords)
        except TypeError:
            passed = [parameter for parameter in lost if parameter in keywords]
            if not passed and not _are_too_many(signature, args):
                raise
            raise NotImplementedError(
                f"{name}: callbridge.resurrect cannot restore {', '.join(passed or lost)}: "
                f"{_row.REASONS[reason]}"
            ) from None

    return wrapper


def _are_too_many(signature: inspect.Signature, args: Sequence[Any]) -> bool:
    try:
        signature.bind_partial(*args)
    except TypeError:
        return True
    return False
