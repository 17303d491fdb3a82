"""Which public modules of each release a program reaches as attributes after one bare import, in
submodules.txt: as after `import jax.scipy`.

    submodules.py                     prints what this JAX leaves in place, as one section
    submodules.py write SECTION...    writes the text from those, oldest release first
    submodules.py check SECTION...    fails where it is not what would be written

A line is the modules after whose import, of each alone, the same others are there, and these; but
for "jax", only what `import jax` does not leave in place.
"""

import importlib
import json
import os
import pathlib
import sys
import types
import warnings

FILE = pathlib.Path(__file__).resolve().with_name("submodules.txt")


def in_a_fork(function, *arguments):
    """What the function returns in a process that has imported jax alone."""
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        try:
            with os.fdopen(write, "w") as out:
                json.dump(function(*arguments), out)
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as result:
        text = result.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def reached(known, bare):
    """Those of the modules `known` that are attributes of each other, after the import."""
    try:
        importlib.import_module(bare)
    except ImportError:
        return []
    found = {"jax"}
    for path in known:  # a package comes before what is in it
        parent, _, name = path.rpartition(".")
        owner = sys.modules.get(parent)
        # A module may load others when it is asked for them, and says so.
        if parent in found and name in {*vars(owner), *dir(owner)}:
            if isinstance(getattr(owner, name, None), types.ModuleType):
                found.add(path)
    return sorted(found)


def section():
    import jax  # before all forks, and nothing of it
    import walk

    # LLVM's dialects are as LLVM has them.
    known = [path for path in in_a_fork(walk.modules) if ".dialects" not in path]
    by_jax = reached(known, "jax")
    lines = {tuple(by_jax): ["jax"]}
    for bare in known:
        if more := tuple(sorted({*in_a_fork(reached, known, bare)} - {*by_jax, bare})):
            lines.setdefault(tuple(sorted({*more, bare})), []).append(bare)
    print(f"[{jax.__version__}]")
    for paths, bares in sorted(lines.items(), key=lambda line: line[1]):
        print(*bares, ":", *paths)


def read():
    """By release, by the module that is imported, all that is there then."""
    found = {}
    for line in FILE.read_text().splitlines():
        if line.startswith("["):
            by_bare = found[line[1:-1]] = {}
        elif not line.startswith("#"):
            bares, _, paths = line.partition(" : ")
            by_bare.update(dict.fromkeys(bares.split(), paths.split()))
    return found


def unnamed():
    """The modules that an import on some release leaves in place and does not name, by package."""
    found = {}
    for by_bare in read().values():
        for bare, paths in by_bare.items():
            for path in paths:
                parent, _, name = path.rpartition(".")
                if parent and not f"{bare}.".startswith(f"{path}."):
                    found.setdefault(parent, set()).add(name)
    return found


def main(word, *sections):
    text = f"# {__doc__.splitlines()[0]}\n# {__doc__.splitlines()[1]}\n"
    text += "# scripts/jax_names writes it.\n"
    text += "".join(pathlib.Path(path).read_text() for path in sections)
    if word == "write":
        FILE.write_text(text)
    elif text != FILE.read_text():
        was, now = set(FILE.read_text().splitlines()), set(text.splitlines())
        sys.exit("\n".join(["submodules.txt is out of date:", *sorted(was ^ now)]))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*sys.argv[1:]) if sys.argv[1:] else section()
