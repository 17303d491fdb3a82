"""Registers targets for platforms that callbridge does not know, by every function of JAX.

other_platforms_program.py LIBRARY: of the handler suite, built with any headers.
"""

import functools
import sys

import jax
import numpy as np
import registering
from jax.interpreters import mlir
from registering import Primitive, xla_client

library = registering.Library(sys.argv[1])
has_registries = hasattr(xla_client, "_custom_callback")
if has_registries:
    COMPATIBLE = xla_client.CustomCallTargetTraits.COMMAND_BUFFER_COMPATIBLE

import callbridge.resurrect  # noqa: E402, F401
from callbridge.resurrect._registration import _untyped  # noqa: E402
from jax.lib import xla_client as old_xla_client  # noqa: E402


def untyped_registrars():
    """JAX's functions that register an untyped function, by name."""
    found = {
        "xla_client": xla_client.register_custom_call_target,
        "jax.lib": old_xla_client.register_custom_call_target,
        "cpu's": old_xla_client.register_cpu_custom_call_target,
    }
    if hasattr(registering.ffi(), "register_ffi_target"):
        found["ffi"] = lambda name, fn, platform: registering.ffi().register_ffi_target(
            name, fn, platform, api_version=0
        )
    return found


def register_all(platform):
    """Yields what JAX is to be given, once each is registered."""
    untyped = registering.capsule(library.address("add"), b"xla._CUSTOM_CALL_TARGET")
    for how, register in untyped_registrars().items():
        register(f"by {how}", untyped, platform=platform)
        yield f"by {how}", untyped, platform, 0, 0
        register(f"bytes by {how}".encode(), untyped, platform=platform)
        yield f"bytes by {how}", untyped, platform, 0, 0
    handler = library.handler("add")
    for how, register in registering.registrars().items():
        if how == "extension module":
            continue  # it is CPU's alone
        for form in (handler, {"execute": handler}, "what only its plugin knows"):
            register(f"typed by {how}", form, platform=platform)
            yield f"typed by {how}", form, platform, 1, 0
    if not has_registries:
        return
    for module in (xla_client, old_xla_client):
        for version, traits in ((0, COMPATIBLE), (1, COMPATIBLE), (7, COMPATIBLE)):
            module.register_custom_call_target(
                "any", handler, platform, api_version=version, traits=traits
            )
            yield "any", handler, platform, version, int(COMPATIBLE)


def take(given, *entry):
    given.append(entry)


def check(given, wanted):
    assert len(given) == len(wanted), (given, wanted)
    for got, (name, fn, *others) in zip(given, wanted, strict=True):
        got_name, got_fn, platform, version, traits = got
        # JAX keeps the names of its own functions as they come.
        got_name = got_name.decode() if isinstance(got_name, bytes) else got_name
        assert [got_name, platform, version, int(traits)] == [name, *others], (got, name, others)
        assert got_fn is fn, (got, fn)


for platform in ("tpu", "METAL", "abacus"):
    waiting = list(register_all(platform))
    if has_registries:
        given = []
        xla_client.register_custom_call_handler(platform, functools.partial(take, given))
        check(given, waiting)
        given.clear()
        check(given, list(register_all(platform)))

# A function for this CPU and for others is called here, whichever came last.
for name in ("others last", "others first") if has_registries else ():
    platforms = ("cpu", "tpu") if name == "others last" else ("tpu", "cpu")
    function = registering.capsule(library.address("add"), b"xla._CUSTOM_CALL_TARGET")
    for platform in platforms:
        old_xla_client.register_custom_call_target(name, function, platform=platform)
    assert _untyped.callbridge_name(name) is not None, name
# A rule for a platform that nobody has is kept (jax._src.xla_bridge.is_known_platform is true of
# it), and the rule for this one is used.
twice_p = Primitive("twice for two platforms")
twice_p.def_abstract_eval(lambda x: x)
for platform, factor in (("abacus", 3), ("cpu", 2)):
    rule = mlir.lower_fun(lambda x, factor=factor: factor * x, multiple_results=False)
    mlir.register_lowering(twice_p, rule, platform=platform)
x = registering.like(1, 2)
np.testing.assert_array_equal(jax.jit(twice_p.bind)(x), 2 * x)
print("other platforms: ok")
