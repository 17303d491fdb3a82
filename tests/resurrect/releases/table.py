"""Writes the table of names that went, python/callbridge/resurrect/_names/_removed.py, anew.

What stands for a name is kept from the table that is there: it is decided by hand. The release that
the name went in comes from history.py. A new name's stand-in is "?", which fails the tests.
"""

import importlib.util
import pathlib
import textwrap

from history import History, numbers

TABLE = (
    pathlib.Path(__file__).resolve().parents[3] / "python/callbridge/resurrect/_names/_removed.py"
)
UNDECIDED = "?"


def _removed():
    spec = importlib.util.spec_from_file_location("removed", TABLE)
    removed = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(removed)
    return removed


LIKE = _removed().LIKE


def read():
    """By (module, name): the release it is gone in, its origins, its name there."""
    found = {}
    for module, origins, names in _removed().ROWS:
        for entry in names.split():
            if entry[0].isdigit():
                gone_in = entry
                continue
            name, _, other = entry.partition("=")
            assert (module, name) not in found, (module, name)
            found[module, name] = gone_in, origins, other or name
    return found


def merged(table, history):
    """The table with all that is gone. What the walks do not see is kept: names of modules that
    they leave out, and names that were gone before the oldest release."""
    new = dict(table)
    gone = {}
    for (module, name), gone_in in history.gone().items():
        key = LIKE.get(module, module), name
        gone[key] = min(gone_in, gone.get(key, gone_in), key=numbers)
    for (module, name), gone_in in gone.items():
        _, *stand_in = table.get((module, name), (None, UNDECIDED, name))
        new[module, name] = (gone_in, *stand_in)
    return new


def text_of(table):
    rows = {}
    for (module, name), (gone_in, origins, other) in table.items():
        entry = name if name == other else f"{name}={other}"
        rows.setdefault((module, origins), {}).setdefault(gone_in, []).append(entry)
    parts = [HEAD]
    for (module, origins), by_release in sorted(rows.items()):
        words = []
        for gone_in in sorted(by_release, key=numbers):
            words += [gone_in, *sorted(by_release[gone_in])]
        row = f"    ({_literal(module)}, {_literal(origins)}, {_literal(' '.join(words))}),\n"
        if len(row) > 101:
            lines = textwrap.wrap(" ".join(words), 86, break_on_hyphens=False)
            pieces = [_literal(line + " ") for line in lines[:-1]] + [_literal(lines[-1])]
            names = "\n".join(f"        {piece}" for piece in pieces)
            first = f"    ({_literal(module)}, {_literal(origins)},\n"
            if len(first) > 101:
                first = f"    ({_literal(module)},\n     {_literal(origins)},\n"
            row = f"{first}{names}),\n"
        parts.append(row)
    return "".join([*parts, "]\n# fmt: on\n"])


def _literal(text):
    assert '"' not in text, text
    return f'"{text}"'


HEAD = '''"""The names of JAX that went, by module, with the first release without them.

scripts/jax_names writes the rows; what stands for the names is decided by hand. A row: module,
origins, and names, each after the release that it was gone in. Origins are modules, which are
looked into in their order, for "name=other" for `other`; "import": `other` is a module;
"not-had:KEY": nothing can stand for the names where no origin before it has them, for the reason
that _not_had.py has by that key; "none-is:KEY": likewise, of a class: one without instances.
(_restored.py has what must be there before it is asked for.)
"""

# jax.lib had jaxlib's modules under its name: a row of one is for both, since it went from either.
LIKE = {
    "jaxlib.xla_client": "jax.lib.xla_client",
    "jaxlib.xla_extension": "jax.lib.xla_extension",
}

# fmt: off
ROWS = [
'''


def main():
    TABLE.write_text(text_of(merged(read(), History.read())))


if __name__ == "__main__":
    main()
