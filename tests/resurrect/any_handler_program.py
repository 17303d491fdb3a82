"""Registers typed handlers of one library by every function of JAX, and calls them in every way.

any_handler_program.py LIBRARY: of the handler suite, built with any headers.
"""

import sys

import jax
import numpy as np
import registering
from registering import like

library = registering.Library(sys.argv[1])
has_queue = hasattr(registering.xla_client, "_custom_callback")
if has_queue:  # before the import too, as `import package` may come first
    registering.bound_before("pended before", library.handler("add"), "cpu", 1)

import callbridge.resurrect  # noqa: E402, F401
from callbridge.resurrect._registration import _typed  # noqa: E402

has_state = library.has("state_execute")
registered = ["pended before"] * has_queue
states = []


def register_all(when):
    for name, register in registering.registrars().items():
        register(f"add by {name} {when}", library.handler("add"))
        registered.append(f"add by {name} {when}")
        if has_state:
            register(f"state by {name} {when}", library.state())
            states.append(f"state by {name} {when}")


if has_state:
    library.register_counter(
        registering.xla_client.register_custom_type,
        registering.xla_client.register_custom_type_id,
    )
register_all("before the backend")
jax.devices()
register_all("after it")
if has_queue:
    # The backend has the same address for good.
    for name in registering.xla_client.custom_call_targets("Host"):
        if name in registered:
            registering.bound_before(name, library.handler("add"), "cpu", 1)

x = like(1, 2, 3)
calls = 0
for how, lowering in registering.lowerings().items():
    for target in registered:
        add = registering.caller(lowering, target, x)
        np.testing.assert_array_equal(add(x, 2 * x), 3 * x, f"{target} by {how}")
        calls += 1
    for target in states:
        # By version 3, calls of equal shapes and attributes share one state.
        start = 10 * calls
        count = registering.caller(
            lowering, target, np.zeros(1, np.int32), registering.start_of(start)
        )
        assert [count().item() - start for _ in range(3)] == [0, 1, 2], (target, how)
        other = registering.caller(
            lowering, target, np.zeros(1, np.int32), registering.start_of(-1)
        )
        try:
            other()
        except Exception as error:
            assert "a counter starts at 0 or more" in str(error), error
        else:
            raise AssertionError(f"{target} by {how}: no error")
        calls += 4
if hasattr(registering.ffi(), "ffi_call"):
    for target in registered:
        function = registering.ffi().ffi_call
        try:
            called = function(target, jax.ShapeDtypeStruct(x.shape, x.dtype))(x, x)
        except TypeError:  # operands were inline once
            called = function(target, jax.ShapeDtypeStruct(x.shape, x.dtype), x, x)
        np.testing.assert_array_equal(called, 2 * x)
        calls += 1

# What XLA has is a wrapper, or the handler itself where both agree.
given = {"itself": 0, "wrapped": 0}
if has_queue:
    for name, handler in registering.xla_client.custom_call_targets("Host").items():
        if name in registered:
            execute = handler["execute"] if isinstance(handler, dict) else handler
            address = registering.address_in(execute)
            is_itself = address == library.address("add")
            assert is_itself or _typed.is_jaxs_or_ours(address), name
            given["itself" if is_itself else "wrapped"] += 1
    assert 0 in given.values() and sum(given.values()) == len(registered), given
kind = "none" if not has_queue else "itself" if given["itself"] else "wrapped"
print(f"{calls} calls, handlers {kind}: ok")
