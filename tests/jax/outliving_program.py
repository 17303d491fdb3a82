"""Programs that outlive their process: makes them the first time, and reads them back later.

    outliving_program.py FACE WAY FOLDER LIBRARY OPERATORS

FACE is "callbridge.jax" or "resurrect": who lowers the calls. WAY is how programs survive in
FOLDER; LIBRARY has the targets of targets/outliving.c, OPERATORS those of MindSpore. Prints a JSON
object: by call, the values of its results, or the name of an error; and the number of hits of XLA's
compilation cache.
"""

import ctypes
import json
import pathlib
import pickle
import sys
import warnings

warnings.simplefilter("ignore")
FACE, WAY, FOLDER, LIBRARY, OPERATORS = sys.argv[1:]
FOLDER = pathlib.Path(FOLDER)
if FACE == "resurrect":
    import callbridge.resurrect
import callbridge.jax  # noqa: E402
import jax  # noqa: E402
import jax._src.monitoring  # noqa: E402
import numpy as np  # noqa: E402

symbols = ctypes.CDLL(LIBRARY)
X = np.arange(4, dtype=np.float32)
hits = []
jax._src.monitoring.register_event_listener(lambda e, **_: "cache_hits" in e and hits.append(e))


def keep_in_cache():
    options = {
        "jax_compilation_cache_dir": str(FOLDER),
        "jax_persistent_cache_min_compile_time_secs": 0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    for name, value in options.items():
        if name in jax.config.values:
            jax.config.update(name, value)


# ---- Calls: a function of X each


def by_callbridge():
    shape = jax.ShapeDtypeStruct((4,), np.float32)

    def call(name, abi, result=shape, **options):
        callbridge.jax.register(name, getattr(symbols, name), abi=abi)
        return callbridge.jax.custom_call(name, result, **options)

    def operator():
        made = callbridge.jax.custom_call(f"{OPERATORS}:Add", shape)
        return lambda x: made(x, x)

    row = jax.ShapeDtypeStruct((1, 4), np.float32)
    rows = call("original", "original", row, batch_dims=1)
    of_each = call("original", "original", row, batch_dims=1, vmap_method="broadcast_all")
    one_by_one = call("original", "original", vmap_method="sequential")
    pair = call("pair", "original", (shape, (shape,)))
    one = call("one_of_one", "original", (shape,))
    return {
        "original": call("original", "original"),
        "status_returning": call("status_returning", "status_returning"),
        "unified": call("unified", "status_returning_unified"),
        "opaque": call("with_opaque", "status_returning_unified", opaque=b"\0\xff{"),
        "tuples": lambda x: pair((x, (x + 1,))),
        "a tuple of one": lambda x: one(x),
        "batch_dims": lambda x: rows(x.reshape(1, 4)).reshape(4),
        "vmap of batch_dims": lambda x: jax.vmap(of_each)(x.reshape(1, 1, 4)).reshape(4),
        "vmap": lambda x: jax.vmap(one_by_one)(x.reshape(1, 4)).reshape(4),
        "operator": operator(),
    }


def by_a_package():
    """As packages of 2022 to 2024 do, on a JAX that callbridge.resurrect has revived."""
    from jax.core import Primitive, ShapedArray
    from jax.interpreters import mlir
    from jax.lib import xla_client
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    def capsule(function):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        address = ctypes.cast(function, ctypes.c_void_p).value
        return new(address, b"xla._CUSTOM_CALL_TARGET", None)

    def primitive(name, lower):
        p = Primitive(name)
        p.def_abstract_eval(lambda x: ShapedArray(x.shape, x.dtype))
        mlir.register_lowering(p, lower, platform="cpu")
        return p.bind

    def by_helper(target, version):
        from jaxlib.hlo_helpers import custom_call

        return primitive(
            target,
            lambda ctx, x: (
                custom_call(
                    target,
                    result_types=[x.type],
                    operands=[x],
                    api_version=version,
                    backend_config="" if version < 3 else "opaque",
                    operand_layouts=[(0,)],
                    result_layouts=[(0,)],
                ).results
            ),
        )

    def by_operation(target, version):
        def lower(ctx, x):
            return stablehlo.CustomCallOp(
                [x.type],
                [x],
                call_target_name=ir.StringAttr.get(target),
                api_version=ir.IntegerAttr.get(ir.IntegerType.get_signless(32), version),
                has_side_effect=ir.BoolAttr.get(False),
                backend_config=ir.StringAttr.get("" if version < 3 else "opaque"),
            ).results

        return primitive(target, lower)

    versions = {"original": 1, "status_returning": 2, "with_opaque": 3}
    for target in versions:
        # A name of bytes goes to callbridge, one of str to XLA, by a function that JAX still has.
        for name in (target.encode(), f"{target} built".encode(), f"{target} of XLA"):
            function = capsule(getattr(symbols, target))
            xla_client.register_custom_call_target(name, function, platform="cpu")
    return {
        **{target: by_helper(target, version) for target, version in versions.items()},
        **{
            f"{target} {what}": by_operation(f"{target} {what}", version)
            for what in ("built", "of XLA")
            for target, version in versions.items()
        },
    }


# ---- Ways to survive: the values of a function of X, which is at hand or in a file


def by_cache(function, file):
    return jax.jit(function)(X)


def by_serialized_executable(function, file):
    from jax.experimental import serialize_executable

    if not file.exists():
        compiled = jax.jit(function).lower(X).compile()
        file.write_bytes(pickle.dumps(serialize_executable.serialize(compiled)))
        return compiled(X)
    return serialize_executable.deserialize_and_load(*pickle.loads(file.read_bytes()))(X)


def by_export(function, file):
    from jax import export

    if not file.exists():
        unchecked = [export.DisabledSafetyCheck.custom_call(name) for name in targets()]
        exported = export.export(jax.jit(function), disabled_checks=unchecked)(X)
        file.write_bytes(exported.serialize())
    # As it was made, by other means than a file.
    return export.deserialize(bytearray(file.read_bytes())).call(X)


def by_client(function, file):
    """By XLA's own functions, which releases have in several places."""
    client = jax.devices()[0].client
    if not file.exists():
        made = jax.jit(function).lower(X).compile().runtime_executable()
        own = getattr(client, "serialize_executable", None)
        file.write_bytes(made.serialize() if own is None else own(made))
    else:
        made = read_by_client(client, file.read_bytes())
    (operand,) = jax.device_put((X,))
    executed = made.execute_sharded([operand]).disassemble_into_single_device_arrays()
    return [leaf for (leaf,) in executed]


def read_by_client(client, serialized):
    from jax._src import compiler
    from jaxlib import xla_client

    options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
    devices = getattr(xla_client, "DeviceList", tuple)(tuple(jax.devices()[:1]))
    for arguments in ((devices, options), (options,)):
        try:
            return client.deserialize_executable(serialized, *arguments)
        except TypeError:
            continue
    raise AssertionError("deserialize_executable takes other arguments")


def targets():
    names = ["original", "status_returning", "unified", "with_opaque", "pair", "one_of_one"]
    names += [f"{name} {what}" for name in names for what in ("built", "of XLA")]
    return [*names, *(f"{name} by callbridge" for name in names), f"{OPERATORS}:Add"]


WAYS = {
    "cache": by_cache,
    "serialized executable": by_serialized_executable,
    "export": by_export,
    "client": by_client,
}

if WAY == "cache":
    keep_in_cache()
calls = by_callbridge() if FACE == "callbridge.jax" else by_a_package()
printed = {}
for name, call in calls.items():
    # XLA may fuse what is around a call, and not what is in it.
    function = lambda x, call=call: jax.tree_util.tree_map(lambda y: y + 1, call(x))  # noqa: E731
    try:
        results = WAYS[WAY](function, FOLDER / name)
        printed[name] = [np.asarray(leaf).tolist() for leaf in jax.tree_util.tree_leaves(results)]
    except Exception as error:
        printed[name] = f"{type(error).__name__}: {error}"
print(json.dumps({"values": printed, "hits": len(hits)}))
