"""Passes each parameter that is lent at its default: at that it is taken, and else a TypeError."""

import importlib
import inspect
import warnings

warnings.simplefilter("ignore")
from callbridge.jax._runtimes import is_since  # noqa: E402
from rows import LENT_PARAMETERS, defaults  # noqa: E402

passed = 0
for row in LENT_PARAMETERS:
    if is_since(row.came):
        continue
    path, module = row.module, importlib.import_module(row.module)
    for name in row.names:
        function = getattr(module, name, None)
        if function is None:
            continue  # which is not lent
        own = inspect.signature(getattr(function, "__wrapped__", function)).parameters
        for parameter, default in filter(None, map(defaults, row.adapters)):
            if parameter in own or any(p.kind == p.VAR_KEYWORD for p in own.values()):
                continue
            assert parameter not in inspect.signature(function).parameters, (path, name, parameter)
            for value in (default, object()):
                text = ""
                try:
                    function(**{parameter: value})  # without what else it needs
                except TypeError as error:
                    text = str(error)
                except Exception as error:
                    text = type(error).__name__
                is_refused = f"unexpected keyword argument {parameter!r}" in text
                is_default = value == default
                assert is_refused != is_default, (path, name, parameter, value, text)
                passed += 1
print(f"{passed} passed")
