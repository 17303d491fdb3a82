"""One of the processes of test_registration.py under jax.distributed.

distributed_program.py LIBRARY PORT RANK PROCESSES
"""

import sys

import callbridge.resurrect  # noqa: F401
import jax
import numpy as np
import registering
from registering import like

library = registering.Library(sys.argv[1])
port, rank, processes = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
for register in registering.registrars().values():
    register("before", library.handler("add"))
jax.distributed.initialize(f"127.0.0.1:{port}", processes, rank)
assert jax.process_count() in (1, processes)  # old JAX counts no processes of CPUs
registering.xla_client.register_custom_call_target("after", library.handler("add"), "cpu", 1)
x = like(rank, rank + 1)
for target in ("before", "after"):
    for lowering in registering.lowerings().values():
        np.testing.assert_array_equal(registering.caller(lowering, target, x)(x, x), x + x)
print(f"done {rank}")
