"""One library of handlers with XLA's own headers, registered by JAX's own functions on every
jaxlib, with and without callbridge.resurrect: a table of what came of it."""

import collections
import re

from jax_releases import TODAY

HEADERS = TODAY
MODES = {"resurrect": "after `import callbridge.resurrect`", "native": "without it"}
# Names of handlers, which differ from case to case.
_NAMES = re.compile(r"(?<= for )\w+(?= on platform)|0x[0-9a-f]+")


def wanted(runtime):
    return [(mode, HEADERS, runtime) for mode in MODES]


def markdown(cells, runtimes, summary):
    lines = [f"| runtime | {' | '.join(MODES.values())} |", "|---|---|---|"]
    for runtime in runtimes:
        columns = [
            _cell(cells[mode, HEADERS, runtime], summary)
            if (mode, HEADERS, runtime) in cells
            else "-"
            for mode in MODES
        ]
        lines.append(f"| {runtime} | {' | '.join(columns)} |")
    return "\n".join(lines)


def _cell(outcomes, summary):
    """The summary, and what is wrong with most of the calls that are."""
    texts = collections.Counter(
        _NAMES.sub("...", text.split("\n")[0]) or outcome
        for outcome, text in outcomes.values()
        if outcome not in ("ok", "unimplemented")
    )
    if not texts:
        return summary(outcomes)
    ((text, count),) = texts.most_common(1)
    text = text[:200].replace("|", "\\|")
    return f"{summary(outcomes)}; {count} times `{text}`"
