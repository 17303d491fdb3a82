"""Declares operators in genuine MindSpore on CPU, and calls them.

  genuine_operator_info.py LIBRARY FOLDER

FOLDER has cases.json, which test_genuine_operator_info.py writes. What came of each is written to
results.json, and all members of mindspore.ops.DataType to data_types.json. Run by a Python that has
MindSpore.
"""

import json
import os
import pathlib
import sys

import mindspore
from mindspore.ops import Custom, CustomRegOp, DataType

LIBRARY, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
mindspore.set_device(device_target="CPU")
mindspore.set_context(mode=mindspore.GRAPH_MODE)


def information(name, case):
    info = CustomRegOp(name)
    for value in case["inputs"]:
        info = info.input(**value)
    for value in case["outputs"]:
        info = info.output(**value)
    for combination in case["combinations"]:
        info = info.dtype_format(*(getattr(DataType, name) for name in combination))
    for attribute in case["attributes"]:
        info = info.attr(**attribute)
    return info.target(case["target"]).get_op_info()


def type_of(dtype):
    return mindspore.bool_ if dtype == "bool" else getattr(mindspore, dtype)


class Called(mindspore.nn.Cell):
    def __init__(self, name, case, info):
        super().__init__()
        # MindSpore keeps the attributes of the first operator of each name.
        library = FOLDER / f"{name}.so"
        os.symlink(LIBRARY, library)
        dtype, shape = case["result"]
        self.call = Custom(
            f"{library}:{case['function']}", tuple(shape), type_of(dtype), "aot", reg_info=info
        )

    def construct(self, *operands):
        return self.call(*operands)


def main():
    results = {}
    for name, case in json.loads((FOLDER / "cases.json").read_text()).items():
        info = information(name, case)
        results[name] = result = {"information": json.loads(json.dumps(info))}
        try:
            operands = [
                mindspore.ops.ones(tuple(shape), type_of(dtype))
                for dtype, shape in case["operands"]
            ]
            returned = Called(name, case, info)(*operands)
            result["bytes"] = returned.asnumpy().tobytes().hex()
        except Exception as error:  # whatever MindSpore raises is what is compared
            result["error"] = f"{type(error).__name__}: {error}"
        result["after_use"] = info  # Custom() changes it
    (FOLDER / "results.json").write_text(json.dumps(results))
    members = {name: value for name, value in vars(DataType).items() if not name.startswith("_")}
    (FOLDER / "data_types.json").write_text(json.dumps(members))


main()
