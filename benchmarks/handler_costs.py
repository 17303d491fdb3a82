"""What a typed handler costs a call: callbridge's headers against XLA's own, CALLBRIDGE_EXPORT and
cross-version handlers, each beside what one would write by hand.

The handlers and the program that calls them are in benchmarks/typed_ffi.
"""

from typing import NamedTuple

import callgrind
import google_benchmark

COMPILERS = ("g++", "clang++")
SIZES = (1, 4, 8, 16)
# Those of handlers.cc, by what was written by hand with the same checks.
BUFFERS = {"AnyBuffer": "Tags", "Buffer": "Dtypes", "RemainingArgs": "Tags"}
ATTRIBUTES = (
    "Scalars_1",
    "Scalars_4",
    "Scalars_8",
    "String_1",
    "Dictionary_8",
    "MixedDictionary_8",
    "AlikeDictionary_8",
    "Struct_4",
)
# As benchmarks/typed_ffi/handler_cost.cc has it.
FEW, MANY = 1_000, 11_000


class Cost(NamedTuple):
    instructions: float
    nanoseconds: float
    allocations: float


def measure(program, folder):
    """The Cost of each case, "LIBRARY-COMPILER: CASE"."""
    stdout, counts = callgrind.dumps([program, "--calls"], folder)
    allocations = dict(line.split("\t") for line in stdout.splitlines())
    # Whatever else runs on the machine only adds to a time.
    rounds = [times(program) for _ in range(2)]
    nanoseconds = {case: min(each[case] for each in rounds) for case in rounds[0]}

    def instructions(case):
        return (counts[f"{case} many"] - counts[f"{case} few"]) / (MANY - FEW)

    # A handler that only returns takes two; the rest of it is the measuring loop's.
    loop = instructions("hand_written-g++: Return") - 2
    return {
        case: Cost(instructions(case) - loop, nanoseconds[case], float(allocations[case]))
        for case in allocations
    }


def times(program):
    # The machine is not as fast in one second as in the next.
    return google_benchmark.times(program, 0.01, ["--benchmark_enable_random_interleaving=true"])


def budgets(costs):
    """What is promised, what is measured: (what, limit, measured)."""
    for compiler in COMPILERS:
        yield from binding_budgets(costs, compiler)
        yield from export_budgets(costs, compiler)
    yield from cross_version_budgets(costs)


def binding_budgets(costs, compiler):
    cases = [(f"{kind}_{n}", f"{hand}_{n}") for kind, hand in BUFFERS.items() for n in SIZES]
    for case, hand in cases + [(case, None) for case in ATTRIBUTES]:
        ours = costs[f"callbridge-{compiler}: {case}"]
        genuine = costs[f"genuine-{compiler}: {case}"]
        limit = 0.5
        if hand:
            by_hand = costs[f"hand_written-{compiler}: {hand}"]
            limit = max(limit, 1.15 * by_hand.instructions / genuine.instructions)
        yield (
            f"{compiler}, {case}, against XLA's headers: instructions, ratio",
            limit,
            ours.instructions / genuine.instructions,
        )
        yield (
            f"{compiler}, {case}, against XLA's headers: time, ratio",
            0.6,
            ours.nanoseconds / genuine.nanoseconds,
        )


def export_budgets(costs, compiler):
    for n in SIZES:
        for case, hand in (("", "AnyNumber"), (" with Shapes", "Shapes")):
            ours = costs[f"exported-{compiler}: Export_{n}{case}"].instructions
            by_hand = costs[f"hand_written-{compiler}: {hand}_{n}"].instructions
            yield (
                f"{compiler}, EXPORT{case}, {n} operands, against by hand: instructions, ratio",
                1.1,
                ours / by_hand,
            )


def cross_version_budgets(costs):
    for n in SIZES:
        native = costs[f"genuine_0.8.3-g++: AnyBuffer_{n}"]
        adapted = costs[f"genuine_0.8.3-g++: AnyBuffer_{n} through callbridge"]
        yield (
            f"cross-version handler, {n} operands, more than on its own runtime: instructions",
            90.0,
            adapted.instructions - native.instructions,
        )
        yield (f"cross-version handler, {n} operands: allocations", 0.0, adapted.allocations)


def draw(costs, compiler, counts, attributes):
    """Two pictures into two axes: calls by their number of operands, and attributes."""
    for kind in BUFFERS:
        for library, line in (("genuine", "--"), ("callbridge", "-")):
            values = [costs[f"{library}-{compiler}: {kind}_{n}"].instructions for n in SIZES]
            label = f"{kind}, {'XLA' if library == 'genuine' else 'callbridge'}"
            counts.plot(
                SIZES, values, line, marker="o", label=label, color=f"C{list(BUFFERS).index(kind)}"
            )
    for name, case in (
        ("by hand, Buffer", "hand_written-{}: Dtypes_{}"),
        ("CALLBRIDGE_EXPORT", "exported-{}: Export_{}"),
    ):
        values = [costs[case.format(compiler, n)].instructions for n in SIZES]
        counts.plot(SIZES, values, ":", marker=".", label=name)
    counts.set(
        title=f"One call of a typed handler, {compiler}",
        xlabel="arguments",
        ylabel="instructions",
        xticks=SIZES,
        ylim=0,
    )
    cases = (*ATTRIBUTES, "Error_1")[::-1]
    for offset, library in ((0.2, "genuine"), (-0.2, "callbridge")):
        values = [costs[f"{library}-{compiler}: {case}"].instructions for case in cases]
        places = [i + offset for i in range(len(cases))]
        bars = attributes.barh(
            places, values, 0.4, label="XLA" if library == "genuine" else library
        )
        attributes.bar_label(bars, fmt="%.0f", padding=3, fontsize=7)
    attributes.set(
        title=f"Attributes and errors, {compiler}",
        xlabel="instructions",
        yticks=range(len(cases)),
        yticklabels=[case.replace("_", " ") for case in cases],
    )
    attributes.margins(x=0.15)
