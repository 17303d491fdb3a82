"""Writes the names that went and came, python/callbridge/_core/_jax_names.py, anew.

The release that a name went in comes from history.py. What stands for it is decided by hand, in
_table.py: without a row there, the tests fail for the name.
"""

import ast
import importlib.util
import pathlib
import textwrap
import types

from history import GONE, History, numbers

PACKAGE = pathlib.Path(__file__).resolve().parents[3] / "python/callbridge"
TABLE = PACKAGE / "_core/_jax_names.py"


def _gone():
    spec = importlib.util.spec_from_file_location("gone", TABLE)
    gone = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gone)
    return gone


LIKE = _gone().LIKE


def read():
    """By (module, name), the release that it is gone in."""
    return {
        (module, name): release
        for module, releases in _gone().GONE.items()
        for release, names in releases.items()
        for name in names.split()
    }


def rows():
    """The rows of _table.py, of which nothing is imported: JAX's own names are looked at here.

    Each has `module`, `names`, `stand_ins`, `at_once` and so on, as far as it states them; of the
    stand-ins, `kind`, `args` and `names`.
    """
    tree = ast.parse((PACKAGE / "resurrect/_names/_table.py").read_text())
    (value,) = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "ROWS"
    ]

    def row(module, names, *stand_ins, at_once=(), **stated):
        now = stand_ins if at_once is True else (at_once,) if at_once else ()
        return types.SimpleNamespace(
            module=module, names=names.split(), stand_ins=stand_ins, at_once=now, **stated
        )

    def stand_in(kind):
        return lambda *args, names={}, **_: types.SimpleNamespace(kind=kind, args=args, names=names)

    kinds = ("origin", "Modules", "Refused", "no_instances")
    known = {"row": row, **{kind: stand_in(kind) for kind in kinds}}
    return eval(compile(ast.Expression(value), "_table.py", "eval"), known)


def merged(table, history):
    """The table with all that is gone. What the walks do not see is kept: private names, which
    moved.py adds, and names that were gone before the oldest release."""
    gone = {}
    for (module, name), release in history.gone().items():
        key = LIKE.get(module, module), name
        gone[key] = min(release, gone.get(key, release), key=numbers)
    return {**table, **gone}


# Elsewhere JAX had names of others, which the walks of older releases do not tell.
CAME_IN = (
    "jax jax.custom_derivatives jax.errors jax.experimental jax.export jax.extend jax.extend.ffi "
    "jax.ffi jax.nn jax.random jax.sharding jax.tree jax.tree_util"
).split()


def came(history):
    """By (module, name), the first release that has it, where the oldest lacks it."""
    return {
        (module, name): changes[0][0]
        for module in CAME_IN
        for name, changes in history.changes[module].items()
        if changes[0][0] != history.releases[0]
    }


def back(history):
    """By (module, name), the release that has again what was gone."""
    found = {}
    for module, names in history.changes.items():
        for name, changes in names.items():
            for (_, before), (release, what) in zip(changes, changes[1:]):
                if before == GONE != what:
                    found[module, name] = release
    return found


# Aliases of typing's, which the walks do not tell from others' names.
UNSEEN = [("jax.interpreters.mlir", "LoweringRule")]


def later(table, history):
    """By (module, name), the release that a program cannot get it in, where the table has another;
    "never" where it still can: the table says one thing of two modules, and nothing of submodules
    that stay where their parents have another thing by the name, or nothing."""
    found = dict.fromkeys(UNSEEN, "never")
    at = {release: history.at(release) for release in history.releases}
    for (module, name), release in table.items():
        for owner in (module, *(one for one, like in LIKE.items() if like == module)):
            has = [
                one
                for one, names in at.items()
                if name in names.get(owner, ()) or f"{owner}.{name}" in names
            ]
            if not has:
                continue
            after = history.releases.index(has[-1]) + 1
            gone = history.releases[after] if after < len(at) else "never"
            if (
                (owner, name) not in found
                and gone != release
                and (owner, name) not in back(history)
            ):
                found[owner, name] = gone
    return found


def text_of(table, history):
    walked = textwrap.wrap(", ".join(map(_literal, history.releases)), 95)
    lines = [HEAD, *(f"    {line}" for line in walked[:-1]), f"    {walked[-1]},", ")"]
    lines += ["", "GONE = {", *_rows_of(table), "}"]
    lines += ["# What a program can get for longer by one path, as from one of the two of LIKE."]
    lines += ["LATER = {", *_rows_of(later(table, history)), "}"]
    lines += ["# Of these, what is there again, by the first release that has it again."]
    lines += ["BACK = {", *_rows_of(back(history)), "}"]
    lines += ["# What the oldest release lacks, by the first that has it, of public modules."]
    lines += ["CAME = {", *_rows_of(came(history)), "}"]
    return "\n".join([*lines, "# fmt: on", ""])


def _rows_of(table):
    rows = {}
    for (module, name), release in table.items():
        rows.setdefault(module, {}).setdefault(release, []).append(name)
    for module, by_release in sorted(rows.items()):
        yield f"    {_literal(module)}: {{"
        for release in sorted(
            by_release, key=lambda one: [] if one == "never" else [*numbers(one)]
        ):
            names = " ".join(sorted(by_release[release]))
            line = f"        {_literal(release)}: {_literal(names)},"
            if len(line) <= 100:
                yield line
                continue
            parts = textwrap.wrap(names, 84, break_on_hyphens=False)
            yield f"        {_literal(release)}:"
            yield from (f"            {_literal(part + ' ')}" for part in parts[:-1])
            yield f"            {_literal(parts[-1])},"
        yield "    },"


def _literal(text):
    assert '"' not in text, text
    return f'"{text}"'


HEAD = '''"""The names of JAX that went, by module, by the first release without them; what came.

scripts/jax_names writes it. resurrect/_names/_table.py says what stands for the names.
"""

# jax.lib had jaxlib's modules under its name: what is said of one is said of both, since a name
# went from either.
LIKE = {
    "jaxlib.xla_client": "jax.lib.xla_client",
    "jaxlib.xla_extension": "jax.lib.xla_extension",
}

# fmt: off
# The releases that were walked.
RELEASES = ('''


def main():
    history = History.read()
    TABLE.write_text(text_of(merged(read(), history), history))


if __name__ == "__main__":
    main()
