"""Operator information as MindSpore's CustomRegOp(...).get_op_info() returns it, and targets of
every ABI that the tests of it call."""

import ctypes

import callbridge.jax
import callbridge.numpy


def information(*combinations, inputs=("x",), outputs=("y",), attr=(), target="CPU", **others):
    """What CustomRegOp("op")... .get_op_info() returns; its dtype_format() makes tuples."""
    values = [
        [{"index": i, "name": name, "paramType": "required"} for i, name in enumerate(names)]
        for names in (inputs, outputs)
    ]
    return {
        "op_name": "op",
        "inputs": values[0],
        "outputs": values[1],
        "attr": list(attr),
        "fusion_type": "",
        "dtype_format": [tuple(form(text) for text in texts) for texts in combinations],
        "target": target,
        **others,
    }


def form(text):
    """ "float32 NCHW" as mindspore.ops.DataType has it; "float32" has DefaultFormat, "" nothing."""
    type_, space, format_ = text.partition(" ")
    return (type_, format_ if space or not type_ else "DefaultFormat")


def attribute(name, type_, presence="required", **others):
    return {"name": name, "paramType": presence, "type": type_, **others}


def with_factor(**others):
    return information(("float32", "float32"), attr=[attribute("factor", "f32", **others)])


def register(modules, library):
    """Typed handlers, and the untyped targets of `library`, in both registries."""
    symbols = ctypes.CDLL(str(modules / "typed_targets.so"))
    for module in (callbridge.jax, callbridge.numpy):
        for name in ("scale", "scalars", "text"):
            handler = getattr(symbols, f"typed_{name}")
            module.register(f"typed_{name}", handler, abi="typed_ffi")
    callbridge.numpy.load(library.path)


def add_operator(modules):
    """An AOT operator of MindSpore: f32 and f32 to f32."""
    return f"{modules.parent}/mindspore_aot/aot_operators_old.so:Add"
