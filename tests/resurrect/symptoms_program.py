"""Does what each row of MIGRATION.md's first table is about, and says how it ended, as JSON.

symptoms_program.py BUILD HANDLERS [revived]: HANDLERS were built with the newest headers. Text by
text, what this JAX wrote; with callbridge.resurrect if "revived". Each row has a process of its
own, forked before JAX starts a backend.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile

import jax
import numpy as np

build, handlers = sys.argv[1:3]
x = np.ones(3, np.float32)


def newer_handler():
    """Registered and called as a package of today does."""
    library = ctypes.CDLL(handlers)
    ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
    capsule = ctypes.pythonapi.PyCapsule_New(
        ctypes.cast(library.add, ctypes.c_void_p), b"xla._CUSTOM_CALL_TARGET", None
    )
    if hasattr(jax, "ffi"):
        jax.ffi.register_ffi_target("newer", capsule, platform="cpu")
    else:
        from jaxlib import xla_extension

        xla_extension.register_custom_call_target("newer", capsule, "Host", api_version=1)
    jax.devices()


def untyped_call():
    """By the lowered module itself, which all releases of JAX take."""
    from jax.interpreters import mlir
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    try:
        from jax.extend.core import Primitive
    except ImportError:
        from jax.core import Primitive
    nobody = Primitive("nobody")
    nobody.def_abstract_eval(lambda x: x)

    def lower(context, x):
        version = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 3)
        name = ir.StringAttr.get("nobody")
        call = stablehlo.CustomCallOp([x.type], [x], call_target_name=name, api_version=version)
        return call.results

    mlir.register_lowering(nobody, lower)
    jax.jit(nobody.bind)(x)


def unregistered_handler():
    try:
        import jax.ffi as ffi
    except ImportError:
        import jax.extend.ffi as ffi
    result = jax.ShapeDtypeStruct(x.shape, x.dtype)
    jax.jit(lambda x: ffi.ffi_call("nobody", result)(x))(x)


def one_name_twice():
    """Two functions of one name, as two copies of a library register."""
    ctypes.pythonapi.PyCapsule_New.restype = ctypes.py_object
    for function in (ctypes.pythonapi.Py_IncRef, ctypes.pythonapi.Py_DecRef):
        capsule = ctypes.pythonapi.PyCapsule_New(
            ctypes.cast(function, ctypes.c_void_p), b"xla._CUSTOM_CALL_TARGET", None
        )
        if hasattr(jax, "ffi"):
            jax.ffi.register_ffi_target("twice", capsule, platform="cpu", api_version=0)
        else:
            from jaxlib import xla_extension

            xla_extension.register_custom_call_target("twice", capsule, "Host")
    jax.devices()


def nested_tuple():
    """The old target's function, called natively: XLA passes it flat tuples."""
    library = f"{build}/examples/first_light.so"
    script = os.path.join(os.path.dirname(__file__), "../../examples/first_light/native_crash.py")
    ended = subprocess.run([sys.executable, script, library]).returncode
    # As a shell says it.
    print(signal.strsignal(-ended) if ended < 0 else f"exit status {ended}", file=sys.stderr)


def old_source():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "old.cc")
        with open(path, "w") as file:
            file.write('#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"\n')
        subprocess.run(["g++", "-c", path, "-o", os.path.join(folder, "old.o")], check=True)


def code(text):
    return lambda: exec(text, {"jax": jax, "x": x})


XLA_CLIENT = "from jax.lib import xla_client\n"
DOES = {
    "is incompatible with the framework's API version": newer_handler,
    "module 'jax' has no attribute 'ffi'": code("jax.ffi.ffi_call"),
    "No module named 'jax.extend.ffi'": code("import jax.extend.ffi"),
    "ffi_call() takes 2 positional arguments but 3 were given": code(
        "result = jax.ShapeDtypeStruct(x.shape, x.dtype)\n"
        "jax.eval_shape(lambda x: jax.ffi.ffi_call('nobody', result, x), x)"
    ),
    "cannot import name 'xla_client' from 'jax.lib'": code(XLA_CLIENT),
    "register_custom_call_target has been removed in JAX v0.6.0": code(
        XLA_CLIENT + "xla_client.register_custom_call_target"
    ),
    "module 'jax.lib.xla_client' has no attribute 'register_custom_call_target'": code(
        XLA_CLIENT + "xla_client.register_custom_call_target"
    ),
    "module 'jax.lib' has no attribute 'xla_client'": code("import jax.lib\njax.lib.xla_client"),
    "No module named 'jaxlib.hlo_helpers'": code("import jaxlib.hlo_helpers"),
    "cannot import name 'custom_call' from 'jax.interpreters.mlir'": code(
        "from jax.interpreters.mlir import custom_call"
    ),
    "jax.core.Primitive was removed in JAX v0.6.0": code("jax.core.Primitive"),
    "module 'jax.core' has no attribute 'Primitive'": code("jax.core.Primitive"),
    "No module named 'jax.config'": code("from jax.config import config"),
    "backend_specific_translations": code(
        "from jax.interpreters import xla\nxla.backend_specific_translations"
    ),
    "module 'jax.lib.xla_client' has no attribute 'ops'": code(XLA_CLIENT + "xla_client.ops.Add"),
    "No registered implementation for untyped custom call to": untyped_call,
    "Unable to resolve runtime symbol": untyped_call,
    "No registered implementation for FFI custom call to": unregistered_handler,
    "No FFI handler registered for": unregistered_handler,
    "Duplicate custom call registration detected for symbol": one_name_twice,
    "libtensorflow_cc.so.2: cannot open shared object file": code(
        f"import ctypes; ctypes.CDLL({build + '/examples/first_light.so'!r})"
    ),
    "undefined symbol: _ZN3xla24CustomCallTargetRegistry": code(
        f"import ctypes, os\n"
        f"ctypes.CDLL({build + '/tests/targets/original_unlinked.so'!r}, os.RTLD_NOW)"
    ),
    "undefined symbol: XlaCustomCallStatusSet": code(
        f"import ctypes, os\n"
        f"ctypes.CDLL({build + '/tests/targets/status_unlinked.so'!r}, os.RTLD_NOW)"
    ),
    "custom_call_target_registry.h: No such file or directory": old_source,
    "Segmentation fault": nested_tuple,
}


def how_it_ends(does):
    """Whether a process that does it ends well, and what it writes to standard error."""
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if child == 0:
            os.dup2(said.fileno(), 2)
            status = 1
            try:
                if sys.argv[3:] == ["revived"]:
                    import callbridge.resurrect  # noqa: F401
                does()
                status = 0
            except BaseException as error:
                print(f"{type(error).__name__}: {error}", file=sys.stderr)
            os._exit(status)
        _, status = os.waitpid(child, 0)
        said.seek(0)
        return status == 0, said.read().decode(errors="replace")


print(json.dumps({text: how_it_ends(does) for text, does in DOES.items()}))
