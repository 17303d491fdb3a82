"""What a custom call costs in the embedded runtime (client/), beside the direct call.

Both are of a target with two operands that does next to nothing; a call in the runtime is one more
in a chain of them in a module.
"""

from typing import NamedTuple

import callgrind
import google_benchmark

CHAINS, REPEAT = (64, 512), 20
# Of one length: a longer argument shifts the stack, which changes what starting the program takes.
COUNTS = (11_000, 21_000)


class Cost(NamedTuple):
    instructions: float
    nanoseconds: float


def slope(by_length):
    """What one call more takes."""
    few, many = (by_length(length) for length in CHAINS)
    return (many - few) / (CHAINS[1] - CHAINS[0])


def measure(program):
    """The Cost of a "direct" call and of one in the "runtime"."""
    few, many = (callgrind.instructions([program, "--direct", count]) for count in COUNTS)
    direct = (many - few) / (COUNTS[1] - COUNTS[0])

    def instructions(length):
        # Compiling the module is the same in both.
        once, more = (
            callgrind.instructions([program, "--calls", length, count]) for count in (1, 1 + REPEAT)
        )
        return (more - once) / REPEAT

    nanoseconds = google_benchmark.times(program)
    return {
        "direct": Cost(direct, nanoseconds["direct call"]),
        "runtime": Cost(slope(instructions), slope(lambda length: nanoseconds[f"chain/{length}"])),
    }
