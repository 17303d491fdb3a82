"""The grid as a picture, for README: rows for CPU and for XLA:GPU, a column for each runtime.

What was measured has a color and a word; what was not is gray. Rows that differ in what a call
does, or in the release of the headers, are one row here: docs/matrix.md has each.
"""

import collections
import textwrap

OK, LACKS, FAILS, NOT_RUN = "#8fce8f", "#f0c75e", "#e58a8a", "#eeeeee"
MEANINGS = {
    OK: "ok: each call gave NumPy's bits",
    LACKS: "in part: what the runtime lacks is UNIMPLEMENTED",
    FAILS: "error",
    NOT_RUN: "not run",
}
# How a row of docs/matrix.md begins, and what it is called here; `rows` is how many begin so.
MERGED = {
    "GPU ORIGINAL": "ORIGINAL: arrays, tuples, aliases, two devices, loops, vmap, export",
    "GPU STATUS_RETURNING": "STATUS_RETURNING, failure and binary opaque",
    "GPU TYPED_FFI handler built with this": "TYPED_FFI handler built with this project's headers",
    "GPU function with": "function with CALLBRIDGE_EXPORT",
    "GPU TYPED_FFI handler built with the": "TYPED_FFI handlers built with the genuine headers of "
    "{rows} releases",
}
# In lines of the picture.
TITLE, LEGEND = 1.2, 0.9
LABEL_WIDTH = 44


def draw(blocks, path):
    """`blocks`: titles, each with {(row, runtime): text}, as the tables have it: "ok (typed)"."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    # The same file for the same grid.
    matplotlib.rcParams["svg.hashsalt"] = "grid"
    blocks = [(title, merged(cells)) for title, cells in blocks]
    runtimes = list(dict.fromkeys(runtime for _, cells in blocks for _, runtime in cells))
    rows = [list(dict.fromkeys(row for row, _ in cells)) for _, cells in blocks]
    height = sum(TITLE + len(block) for block in rows) + LEGEND
    figure, axes = plt.subplots(figsize=(12, 0.4 * height + 0.4))
    y, ticks, used = 0.0, {}, set()
    for (title, cells), block in zip(blocks, rows, strict=True):
        axes.text(0, y + TITLE - 0.25, title, fontsize=12, fontweight="bold")
        y += TITLE
        for row in block:
            for x, runtime in enumerate(runtimes):
                text = cells.get((row, runtime))
                used.add(color(text))
                box(axes, plt, x, y, color(text))
                axes.text(x + 0.5, y + 0.5, word(text), ha="center", va="center", fontsize=11)
            ticks[y + 0.5] = textwrap.fill(row, LABEL_WIDTH)
            y += 1
    x = 0.0
    for shade in filter(used.__contains__, MEANINGS):
        box(axes, plt, x, y + 0.3, shade, 0.5)
        axes.text(x + 0.6, y + 0.6, MEANINGS[shade], va="center", fontsize=9)
        x += 0.9 + 0.09 * len(MEANINGS[shade])
    axes.set(xlim=(0, len(runtimes)), ylim=(height, 0))
    names = [f"jaxlib\n{name}" if name[0].isdigit() else f"callbridge\n{name}" for name in runtimes]
    axes.set_xticks([x + 0.5 for x in range(len(runtimes))], names, fontsize=10)
    axes.set_yticks(list(ticks), list(ticks.values()), fontsize=9)
    axes.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)
    plt.close(figure)


def box(axes, plt, x, y, shade, size=1.0):
    place = {"edgecolor": "white", "linewidth": 2}
    axes.add_patch(plt.Rectangle((x, y), size, 0.6 if size < 1 else 1, facecolor=shade, **place))


def merged(cells):
    """With each row of MERGED in place of those that begin as it says: the worst of their cells."""
    rows = list(dict.fromkeys(row for row, _ in cells))
    names = {row: next(filter(row.startswith, MERGED), None) for row in rows}
    count = collections.Counter(names.values())
    together = {}
    for (row, runtime), text in cells.items():
        name = names[row]
        what = MERGED[name].format(rows=count[name]) if name else row
        together.setdefault((what, runtime), []).append(text)
    severity = list(MEANINGS)
    return {
        cell: max(texts, key=lambda text: severity.index(color(text)))
        for cell, texts in together.items()
    }


def color(text):
    if text is None:
        return NOT_RUN
    if not text.startswith("ok"):
        return FAILS
    return LACKS if "UNIMPLEMENTED" in text else OK


def word(text):
    """The least that tells a reader: what is lacking is in docs/matrix.md."""
    return {OK: "ok", LACKS: "in part", FAILS: "error", NOT_RUN: ""}[color(text)]
