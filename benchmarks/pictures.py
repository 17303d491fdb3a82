"""Draws what `make bench` measured: docs/cost.svg for README; calls and handlers, as .svg
and .png, in build/bench/.

Each legend stands below its axes, where it covers no line, and each title begins at the left edge.
"""

import gpu_costs
import handler_costs
import jax_costs
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

matplotlib.rcParams["axes.titlelocation"] = "left"
# The same figures give the same file.
matplotlib.rcParams["svg.hashsalt"] = "callbridge"

SIZES = (1, 4, 8, 16)
LEAVES = (4, 8, 16, 32, 64)
NATIVE, OURS = "#9aa5b1", "#1f6feb"
# What a reader compares: XLA's own call, and callbridge's in its place.
CPU = ("native_1", "version_3", "raw", "typed")
GPU = ("native", "version_3", "raw", "typed")


def cost(jax, gpu, executor, path):
    """One more call of a target in a chain, beside the call that XLA itself would make."""
    groups = {
        "jax.jit, CPU": {jax_costs.PATHS[key]: jax[key].instructions for key in CPU},
        "jax.jit, XLA:GPU over the stand-in for the driver": {
            gpu_costs.PATHS[key]: gpu[key].instructions for key in GPU
        },
        "without XLA": {"callbridge's own runtime": executor["runtime"].instructions},
    }
    rows = [len(bars) for bars in groups.values()]
    figure, all_axes = plt.subplots(
        len(groups), 1, figsize=(8, 4), sharex=True, height_ratios=rows, layout="constrained"
    )
    for axes, (group, bars) in zip(all_axes, groups.items(), strict=True):
        names = list(bars)[::-1]
        colors = [OURS if "callbridge" in name else NATIVE for name in names]
        drawn = axes.barh(names, [bars[name] for name in names], color=colors)
        axes.bar_label(drawn, fmt="%.0f", padding=4)
        axes.set_title(group, fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(x=0.1)
    all_axes[-1].set_xlabel("instructions of one more call, the runtime's own included")
    save(figure, path)


def calls(counts, folder):
    figure, (flat, tuples) = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
    for name in ("direct", "execute", "execute, version declared only"):
        flat.plot(SIZES, [counts[f"{name}/{n}"] for n in SIZES], marker="o", label=name)
    budget = [2 * counts[f"direct/{n}"] for n in SIZES]
    flat.plot(SIZES, budget, ":", color="gray", label="budget")
    flat.set(title="One call of a version-1 target", xlabel="array operands", xticks=SIZES)
    for name in ("tuple of leaves and a tuple", "documentation's tuple"):
        tuples.plot(LEAVES, [counts[f"{name}/{n}"] for n in LEAVES], marker="o", label=name)
    tuples.set(title="Tuple operands", xlabel="leaves", xticks=LEAVES)
    for axes in (flat, tuples):
        axes.set(ylabel="instructions", ylim=0)
        legend_below(axes, columns=1)
    both(figure, folder, "calls")


def handlers(costs, folder):
    figure, rows = plt.subplots(2, 2, figsize=(13, 11), layout="constrained")
    for compiler, (counts, attributes) in zip(handler_costs.COMPILERS, rows, strict=True):
        handler_costs.draw(costs, compiler, counts, attributes)
        legend_below(counts, columns=3)
        legend_below(attributes, columns=2)
    both(figure, folder, "handlers")


def legend_below(axes, columns):
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=columns, frameon=False)


def both(figure, folder, name):
    for kind in ("svg", "png"):
        save(figure, folder / f"{name}.{kind}")


def save(figure, path):
    # Without the date, so that a run which measures the same writes the same.
    metadata = {"Date": None} if path.suffix == ".svg" else None
    figure.savefig(path, dpi=110, metadata=metadata)
