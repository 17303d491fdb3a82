"""Runs the scenarios on genuine XLA: jaxlib 0.4.30's XLA:CPU, through StableHLO's custom_call.

  python jaxlib_oracle.py LIBRARY INPUTS OUTPUTS

scenarios.py describes the files. callbridge opens the library and finds its functions, no more:
their own addresses go to jaxlib, and jaxlib calls them.
"""

import ctypes
import pathlib
import sys

import callbridge.library
import jaxlib
import numpy as np
import scenarios
from jaxlib import xla_client

_MLIR_TYPES = {
    "pred": "i1",
    "f8e5m2": "f8E5M2",
    "f8e4m3fn": "f8E4M3FN",
    "c64": "complex<f32>",
    "c128": "complex<f64>",
}


# PyCapsule_New keeps the pointer, so the bytes must live as long as the capsules.
_CAPSULE_NAME = b"xla._CUSTOM_CALL_TARGET"


def register(target):
    new_capsule = ctypes.pythonapi.PyCapsule_New
    new_capsule.restype = ctypes.py_object
    new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    capsule = new_capsule(target.address, _CAPSULE_NAME, None)
    xla_client.register_custom_call_target(target.name, capsule, platform="cpu")


def mlir_type(shape):
    if type(shape) is tuple:
        return f"tuple<{', '.join(map(mlir_type, shape))}>"
    element = shape.element_type
    if element not in _MLIR_TYPES and element[0] in "su":
        element = element.replace("s", "i").replace("u", "ui")
    dimensions = "".join(f"{d}x" for d in shape.shape)
    return f"tensor<{dimensions}{_MLIR_TYPES.get(element, element)}>"


def mlir_string(data):
    return '"' + "".join(f"\\{byte:02X}" for byte in data) + '"'


class Module:
    """A StableHLO module that hands its arguments, tuples made of them, to one custom call."""

    def __init__(self, scenario):
        self._argument_types = []
        self._lines = []
        operands = scenarios.parse_shape(scenario.operands)
        result = scenarios.parse_shape(scenario.result)
        names = [self._operand(shape) for shape in operands]
        attributes = (
            f"call_target_name = {mlir_string(scenario.target.encode())}, "
            f"api_version = {scenario.api_version} : i32, "
            f"backend_config = {mlir_string(scenario.opaque)}"
        )
        call = self._operation("stablehlo.custom_call", names, operands, result, attributes)
        results = self._elements(call, result) if type(result) is tuple else [call]
        types = ", ".join(mlir_type(leaf) for leaf in scenarios.leaves(result))
        self._lines.append(f"return {', '.join(results)} : {types}")

        arguments = ", ".join(f"%arg{i}: {type_}" for i, type_ in enumerate(self._argument_types))
        body = "\n".join(self._lines)
        self.text = f"func.func public @main({arguments}) -> ({types}) {{\n{body}\n}}\n"

    def _operand(self, shape):
        if type(shape) is not tuple:
            self._argument_types.append(mlir_type(shape))
            return f"%arg{len(self._argument_types) - 1}"
        return self._operation("stablehlo.tuple", list(map(self._operand, shape)), shape, shape)

    def _elements(self, value, shape):
        name = "stablehlo.get_tuple_element"
        return [
            self._operation(name, [value], (shape,), element, f"index = {i} : i32")
            for i, element in enumerate(shape)
        ]

    def _operation(self, name, operands, operand_shapes, result, attributes=""):
        value = f"%{len(self._lines)}"
        types = ", ".join(map(mlir_type, operand_shapes))
        self._lines.append(
            f'{value} = "{name}"({", ".join(operands)}) {{{attributes}}} : '
            f"({types}) -> {mlir_type(result)}"
        )
        return value


def run(client, scenario, data):
    """The outcome: the status as text, and the result's bytes or None."""
    operands = scenarios.from_bytes(scenarios.parse_shape(scenario.operands), data)
    executable = client.compile(Module(scenario).text)
    try:
        arguments = [client.buffer_from_pyval(leaf) for leaf in scenarios.leaves(operands)]
        results = executable.execute(arguments)
        return "OK", scenarios.to_bytes(tuple(np.asarray(result) for result in results))
    except xla_client.XlaRuntimeError as error:
        return str(error), None


def main(library, inputs, outputs):
    assert jaxlib.__version__ == "0.4.30", jaxlib.__version__
    for target in callbridge.library.load(library).targets:
        register(target)
    client = xla_client.make_cpu_client()
    for scenario in scenarios.SCENARIOS:
        data = (pathlib.Path(inputs) / f"{scenario.name}.in").read_bytes()
        status, result = run(client, scenario, data)
        scenarios.write_outcome(outputs, scenario.name, status, result)


if __name__ == "__main__":
    main(*sys.argv[1:])
