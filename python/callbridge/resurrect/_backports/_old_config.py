"""Methods of jax.config by which packages made options of their own, until JAX moved them to a
private module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jax._src import config as _config

Config: Any = _config.Config


def _maker(name: str) -> Callable:
    """JAX's function, by its name now, or by the one before it."""
    return getattr(_config, name, None) or getattr(_config, f"define_{name}")


def _state(kind: str) -> Callable:
    def define(self: Any, name: str, *args: Any, **keywords: Any) -> Any:
        # Read by its name, as a property of the class, and entered: `with state(value):`.
        return _maker(f"{kind}_state")(name, *args, **keywords)

    return define


define_bool_state = _state("bool")
define_enum_state = _state("enum")
define_int_state = _state("int")
define_float_state = _state("float")
define_string_state = _state("string")
define_string_or_object_state = _state("string_or_object")


def _flag(kind: str, before: str) -> Callable:
    def define(
        self: Any, name: str, default: Any, *args: Any, update_hook: Any = None, **keywords: Any
    ) -> None:
        make = getattr(_config, f"{kind}_flag", None) or getattr(_config, before)
        make(name, default, *args, update_hook=update_hook, **keywords)

    return define


DEFINE_bool = _flag("bool", "DEFINE_bool")
DEFINE_integer = _flag("int", "DEFINE_integer")
DEFINE_float = _flag("float", "DEFINE_float")
DEFINE_string = _flag("string", "DEFINE_string")
DEFINE_enum = _flag("enum", "DEFINE_enum")


def check_exists(self: Any, name: str) -> None:
    """Raises AttributeError unless there is an option of that name."""
    if name not in self.values:
        raise AttributeError(f"Unrecognized config option: {name}")


class _Flags:
    """The options as attributes, which may be set."""

    def __getattr__(self, name: str) -> Any:
        return jax.config.read(name)

    def __setattr__(self, name: str, value: Any) -> None:
        jax.config.update(name, value)


FLAGS = _Flags()
