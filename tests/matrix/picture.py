"""The grid as a picture, for README: rows for CPU and for XLA:GPU, a column for each runtime.

What was measured has a color; a runtime that a block does not have stays white.
"""

import textwrap

OK, LACKS, FAILS = "#8fce8f", "#e3e08a", "#e58a8a"
# In lines of the picture.
TITLE = 1.2
LABEL_WIDTH = 44


def draw(blocks, path):
    """`blocks`: titles, each with {(row, runtime): text}, as the tables have it: "ok (typed)"."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    # The same file for the same grid.
    matplotlib.rcParams["svg.hashsalt"] = "grid"
    runtimes = list(dict.fromkeys(runtime for _, cells in blocks for _, runtime in cells))
    rows = [list(dict.fromkeys(row for row, _ in cells)) for _, cells in blocks]
    height = sum(TITLE + len(block) for block in rows)
    figure, axes = plt.subplots(figsize=(12, 0.4 * height + 0.4))
    y, ticks = 0.0, {}
    for (title, cells), block in zip(blocks, rows, strict=True):
        axes.text(0, y + TITLE - 0.25, title, fontsize=12, fontweight="bold")
        y += TITLE
        for row in block:
            for x, runtime in enumerate(runtimes):
                if text := cells.get((row, runtime)):
                    place = {"edgecolor": "white", "linewidth": 2}
                    axes.add_patch(plt.Rectangle((x, y), 1, 1, facecolor=color(text), **place))
                    axes.text(x + 0.5, y + 0.5, sign(text), ha="center", va="center", fontsize=11)
            ticks[y + 0.5] = textwrap.fill(row, LABEL_WIDTH)
            y += 1
    axes.set(xlim=(0, len(runtimes)), ylim=(height, 0))
    axes.set_xticks([x + 0.5 for x in range(len(runtimes))], runtimes, fontsize=11)
    axes.set_yticks(list(ticks), list(ticks.values()), fontsize=9)
    axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)


def color(text):
    if not text.startswith("ok"):
        return FAILS
    return LACKS if "UNIMPLEMENTED" in text else OK


def sign(text):
    """The least that tells a reader: what is lacking is in docs/matrix.md."""
    return {OK: "ok", LACKS: "in part", FAILS: "error"}[color(text)]
