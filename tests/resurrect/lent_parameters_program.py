"""Passes each parameter that is lent at its default: at that it is taken, and else a TypeError."""

import ast
import importlib
import inspect
import warnings

warnings.simplefilter("ignore")
from callbridge.jax._runtimes import is_since  # noqa: E402
from callbridge.resurrect._names import _newer_parameters  # noqa: E402

passed = 0
for path, release, functions, parameters in _newer_parameters.AT_DEFAULT:
    if is_since(release):
        continue
    module = importlib.import_module(path)
    for name in functions.split():
        function = getattr(module, name, None)
        if function is None:
            continue  # which is not lent
        own = inspect.signature(getattr(function, "__wrapped__", function)).parameters
        for entry in parameters.split():
            parameter, _, default = entry.partition("=")
            if parameter in own or any(p.kind == p.VAR_KEYWORD for p in own.values()):
                continue
            assert parameter not in inspect.signature(function).parameters, (path, name, parameter)
            for value in (ast.literal_eval(default), object()):
                text = ""
                try:
                    function(**{parameter: value})  # without what else it needs
                except TypeError as error:
                    text = str(error)
                except Exception as error:
                    text = type(error).__name__
                is_refused = f"unexpected keyword argument {parameter!r}" in text
                is_default = value == ast.literal_eval(default)
                assert is_refused != is_default, (path, name, parameter, value, text)
                passed += 1
print(f"{passed} passed")
