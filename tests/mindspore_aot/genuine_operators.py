"""Runs the operators of operators.cc in genuine MindSpore on CPU, and keeps what they return.

  genuine_operators.py LIBRARY FOLDER

FOLDER has <case>.operand<i>.npy and sources, which test_genuine.py writes; <case>.result<i>.npy
are written, or <case>.error.txt with what MindSpore says. Run by a Python that has MindSpore.
"""

import json
import pathlib
import sys

import mindspore
import numpy as np
from mindspore.ops import Custom, CustomRegOp, DataType

LIBRARY, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
mindspore.set_device(device_target="CPU")
mindspore.set_context(mode=mindspore.GRAPH_MODE)


def information(name, operands, results, attributes):
    info = CustomRegOp(name)
    for i in range(operands):
        info = info.input(i, f"x{i}")
    for i in range(results):
        info = info.output(i, f"y{i}")
    info = info.dtype_format(*[DataType.None_None] * (operands + results))
    for attribute, value in attributes.items():
        info = info.attr(attribute, "required", "all", value=value)
    return info.target("CPU").get_op_info()


class Called(mindspore.nn.Cell):
    def __init__(self, name, case, operands):
        super().__init__()
        shapes = [tuple(shape) for shape in case["shapes"]]
        types = [getattr(mindspore, dtype) for dtype in case["dtypes"]]
        one = len(shapes) == 1
        self.call = Custom(
            f"{FOLDER / case['source'] if case['source'] else LIBRARY}:{case['function']}",
            None if case["infers"] else (shapes[0] if one else tuple(shapes)),
            types[0] if one else tuple(types),
            "aot",
            reg_info=information(name, operands, len(shapes), case["attributes"]),
        )

    def construct(self, *operands):
        return self.call(*operands)


def main():
    for name, case in json.loads((FOLDER / "cases.json").read_text()).items():
        files = sorted(FOLDER.glob(f"{name}.operand*.npy"))
        operands = [mindspore.Tensor(np.load(file)) for file in files]
        try:
            results = Called(name, case, len(operands))(*operands)
            results = results if isinstance(results, tuple) else (results,)
            for i, result in enumerate(results):
                # A scalar comes as Python's float.
                is_tensor = isinstance(result, mindspore.Tensor)
                array = result.asnumpy() if is_tensor else np.float32(result)
                np.save(FOLDER / f"{name}.result{i}.npy", array)
        except Exception as error:  # whatever MindSpore raises is what is compared
            (FOLDER / f"{name}.error.txt").write_text(str(error))


main()
