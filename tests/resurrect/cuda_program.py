"""Registers typed handlers for CUDA, without a device: what a plugin is given.

cuda_program.py LIBRARY
"""

import ctypes
import sys

import registering
from registering import xla_client

library = registering.Library(sys.argv[1])
traits = xla_client.CustomCallTargetTraits
COMPATIBLE = traits.COMMAND_BUFFER_COMPATIBLE
registering.bound_before("pended before", library.handler("add"), "CUDA", 1, COMPATIBLE)

import callbridge.resurrect  # noqa: E402, F401
from callbridge._core import _c_api  # noqa: E402
from callbridge.jax import _registry  # noqa: E402
from callbridge.jax._runtimes import RUNTIME  # noqa: E402
from callbridge.resurrect._registration import _typed  # noqa: E402

given = {}


def plugins(name, fn, platform, api_version, traits):
    assert platform == "CUDA" and name not in given
    given[name] = fn, api_version, int(traits)


def register(name, fn, given_traits=traits.DEFAULT, platform="CUDA"):
    xla_client.register_custom_call_target(name, fn, platform, 1, given_traits)


def address(name, stage="execute"):
    fn = given[name][0]
    return registering.address_in(fn[stage] if isinstance(fn, dict) else fn)


if library.has("state_execute"):
    # Handlers before the type that they need, which plugins take in either order.
    register("state", library.state())
    number = ctypes.c_int64.from_address(registering.address_in(library._result("counter_type_id")))
    library.register_counter(
        lambda name, entry: xla_client.register_custom_type(name, entry, "CUDA"),
        lambda name, entry: xla_client.register_custom_type_id(name, entry, "CUDA"),
    )
    assert number.value >= 1 << 40, number  # an id that no XLA assigns
register("plain", library.handler("add"))
register("by gpu", library.handler("add"), platform="gpu")
register("compatible", library.handler("add"), COMPATIBLE)
xla_client.register_custom_call_handler("CUDA", plugins)
register("later", library.handler("add"))
register("later and compatible", {"execute": library.handler("add")}, COMPATIBLE)

itself = library.address("add")
is_native = address("plain") == itself
for name in ("plain", "by gpu", "later"):
    assert given[name][1:] == (1, 0) and address(name) == address("plain"), name
    assert is_native or _typed.is_jaxs_or_ours(address(name)), name
for name in ("pended before", "compatible", "later and compatible"):
    assert given[name][1:] == (1, 0), given[name]  # plugins refuse traits here
    if RUNTIME.records_typed_calls:
        assert _typed.is_jaxs_or_ours(address(name)), name
        # What is given reports the trait by itself, as what callbridge.jax.register() gives.
        trait = _c_api.TRAIT_COMMAND_BUFFER_COMPATIBLE
        made, _ = _registry.adapt(name, "CUDA", {"execute": itself}, trait)
        assert address(name) == registering.address_in(made["execute"]) != address("plain")
assert isinstance(given["later and compatible"][0], dict)
if "state" in given:
    stages = given["state"][0]
    assert set(stages) == {"instantiate", "execute"}
    if RUNTIME.has_instantiate and library.has("counter_type_info"):
        assert all(map(_typed.is_jaxs_or_ours, map(registering.address_in, stages.values())))
elif library.has("state_execute"):
    assert not RUNTIME.has_instantiate
# A type that has an id, XLA's on CPU, is given to the plugin too.
has_info = library.has("note_type_info")
handles = vars(xla_client).get(f"register_custom_type{'' if has_info else '_id'}_handler")
if handles is not None and library.has("note_type_id"):
    types = []
    handles("CUDA", lambda name, entry: types.append(name))
    for platform in ("cpu", "CUDA"):
        by = xla_client.register_custom_type, xla_client.register_custom_type_id
        library.register_type("note", *by, platform=platform)
    assert types == ["note"], types
# Platforms that callbridge does not know are JAX's.
others = []
xla_client.register_custom_call_handler("abacus", lambda *arguments: others.append(arguments))
fn = library.handler("add")
register("other", fn, COMPATIBLE, "abacus")
assert others == [("other", fn, "abacus", 1, COMPATIBLE)] and others[0][1] is fn
print("cuda:", "itself" if is_native else "wrapped", "ok")
