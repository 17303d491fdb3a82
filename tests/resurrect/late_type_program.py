"""Registers stateful handlers before their type, by every function of JAX, and calls them after it.

late_type_program.py LIBRARY: of the handler suite, built with headers that tell of state.
"""

import sys

import callbridge.resurrect  # noqa: F401
import jax
import numpy as np
import registering
from callbridge.resurrect._registration import _ffi

library = registering.Library(sys.argv[1])
zero = np.zeros(1, np.int32)
targets, notes = [], []


def register_all(when):
    for name, register in registering.registrars().items():
        register(f"state by {name} {when}", library.state())
        targets.append(f"state by {name} {when}")
        register(f"note by {name} {when}", library.state("note"))
        notes.append(f"note by {name} {when}")


def register_type(name, **options):
    of_jax = registering.xla_client
    functions = of_jax.register_custom_type, of_jax.register_custom_type_id
    library.register_type(name, *functions, **options)


def check_refused(targets):
    for lowering in lowerings.values():
        for target in targets:
            count = registering.caller(lowering, target, zero, registering.start_of(0))
            try:
                count()
            except Exception as error:
                text = str(error)
                assert repr(target) in text and "type that is not registered" in text, error
            else:
                raise AssertionError(f"{target}: its type has not come")


register_all("before the backend")
jax.devices()
register_all("after it")
lowerings = registering.lowerings()
check_refused([*targets, *notes])
# A type for another platform is none for this one, where JAX's own function keeps it until that
# platform's plugin asks. (callbridge's has one table of types.)
held = getattr(registering.xla_client, "_custom_type_id", None)
if held is not None and not _ffi.is_here(registering.xla_client, "register_custom_type"):
    register_type("counter", platform="tpu")
    ((name, _),) = held["tpu"]
    assert name == "counter", held
    check_refused([*targets, *notes])
register_type("counter")
check_refused(notes)
starts = iter(range(10, 10**6, 10))
for how, lowering in lowerings.items():
    for target in targets:
        start = next(starts)
        count = registering.caller(lowering, target, zero, registering.start_of(start))
        assert [count().item() - start for _ in range(2)] == [0, 1], (target, how)
register_type("note")
for how, lowering in lowerings.items():
    for target in notes:
        start = next(starts)
        read = registering.caller(lowering, target, zero, registering.start_of(start))
        assert [read().item() for _ in range(2)] == [start] * 2, (target, how)
print("late: ok")
