"""Runs handlers of any headers on genuine XLA of jaxlib 0.4.30, through StableHLO's custom_call.

  python cross_version_on_0_4_30.py LIBRARY...

Writes a JSON object: by library and case, the first element of the result, or the error.
"""

import ctypes
import json
import sys

import cross_version_cases
import jaxlib
import numpy as np
from callbridge._core import _c_api
from callbridge._core._native_functions import make_capsule
from jaxlib import xla_client


def register(name, address):
    handlers = _c_api.FfiHandlers(execute=address)
    adapted = _c_api.FfiHandlers()
    _c_api.ffi_adapt_handlers(handlers, b"cpu", jaxlib.__version__.encode(), adapted)
    xla_client.register_custom_call_target(
        name, make_capsule(adapted.execute), platform="cpu", api_version=1
    )


def attribute_text(value):
    if isinstance(value, str):
        return f'"{value}"'
    if value.ndim:
        return f"array<i32: {', '.join(map(str, value))}>"
    return f"{value} : {'i32' if value.dtype == np.int32 else 'f32'}"


def call(client, name, operands, attributes):
    arguments = ", ".join(f"%{i}: tensor<8xf32>" for i in range(operands))
    values = ", ".join(f"%{i}" for i in range(operands))
    types = ", ".join(["tensor<8xf32>"] * operands)
    config = ", ".join(f"{key} = {attribute_text(value)}" for key, value in attributes.items())
    # api_version 4 is refused there.
    module = f"""func.func public @main({arguments}) -> tensor<8xf32> {{
      %r = "stablehlo.custom_call"({values}) {{
        call_target_name = "{name}", api_version = 1 : i32, has_side_effect = true,
        mhlo.backend_config = {{{config}}}}} : ({types}) -> tensor<8xf32>
      return %r : tensor<8xf32>
    }}"""
    operand = client.buffer_from_pyval(np.arange(8, dtype=np.float32))
    try:
        executable = client.compile(module)
        (result,) = executable.execute([operand] * operands)
        return np.asarray(result).tolist()
    except xla_client.XlaRuntimeError as error:
        return str(error)


def main(paths):
    assert jaxlib.__version__ == "0.4.30", jaxlib.__version__
    client = xla_client.make_cpu_client()
    outcomes = {}
    for path in paths:
        library = ctypes.CDLL(path)
        cross_version_cases.register_types(library, path)
        registered = set()
        for case in cross_version_cases.CASES:
            handler = getattr(library, case.handler, None)
            # It runs there as it is, and so crashes as it does by itself.
            crashes = "0.4.30" in path and case.name in ("scratch", "user_data")
            if handler is None or crashes:
                continue
            name = f"{path}.{case.handler}"
            if name not in registered:  # twice is an error there
                register(name, ctypes.cast(handler, ctypes.c_void_p).value)
                registered.add(name)
            outcome = call(client, name, case.operands, case.attributes)
            outcomes[f"{path} {case.name}"] = outcome
    json.dump(outcomes, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
