"""The names of JAX in all releases: written by walks, read by tests.

    history.py TEXT WALK...             writes TEXT from the walks' outputs, oldest release first
    history.py --check TEXT WALK...     fails where it is not what would be written

TEXT is jax_names.txt, of what walk.py prints, or members.txt, of what members.py does. A line is a
name, a release and what it is from that release on, as they say it, or "-": gone.
"""

import itertools
import json
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
GONE = "-"


def numbers(release):
    return tuple(map(int, release.split(".")))


class History:
    """Attributes:
    releases: oldest first.
    changes: by module, by name, a list of (release, what it is since then).
    """

    def __init__(self, releases, changes):
        self.releases = releases
        self.changes = changes

    @classmethod
    def read(cls, text="jax_names.txt"):
        changes, releases = {}, []
        for line in (FOLDER / text).read_text().splitlines():
            if line.startswith("#"):
                continue
            if line.startswith("releases "):
                releases = line.split()[1:]
            elif line.startswith("["):
                names = changes.setdefault(line[1:-1], {})
            else:
                name, release, what = line.split(" ", 2)
                names.setdefault(name, []).append((release, what))
        return cls(releases, changes)

    @classmethod
    def of_walks(cls, walks):
        """`walks` are outputs of walk.py, oldest first."""
        history = cls([walk["release"] for walk in walks], {})
        for walk in walks:
            history.add(walk)
        return history

    def add(self, walk):
        release, found = walk["release"], walk["names"]
        before = self.at(release)
        for path in walk["unknown"]:
            # Nothing says that they are otherwise.
            parent, _, name = path.rpartition(".")
            if path in before:
                found = {**found, path: before[path]}
                if parent:
                    found[parent] = {**found[parent], name: "module"}
        for module in found.keys() | before.keys():
            now, then = found.get(module, {}), before.get(module, {})
            for name in now.keys() | then.keys():
                what = now.get(name, GONE)
                if what != then.get(name, GONE):
                    changes = self.changes.setdefault(module, {}).setdefault(name, [])
                    changes.append((release, what))

    def at(self, release):
        """What that release has, as walk.py says it; a release between two is the older one."""
        found = {}
        for module, names in self.changes.items():
            for name, changes in names.items():
                what = [w for since, w in changes if numbers(since) <= numbers(release)][-1:]
                if what and what != [GONE]:
                    found.setdefault(module, {})[name] = what[0]
        return found

    def gone(self):
        """By (module, name): the first release that it was gone in; some came back since."""
        return {
            (module, name): [release for release, what in changes if what == GONE][0]
            for module, names in sorted(self.changes.items())
            for name, changes in sorted(names.items())
            if GONE in [what for _, what in changes] and not self.is_object(module)
        }

    def is_object(self, module):
        """Whether what was a module is an object by its name."""
        parent, _, name = module.rpartition(".")
        changes = self.changes.get(parent, {}).get(name, [(None, GONE)])
        return changes[-1][1] not in (GONE, "module")

    def lost_parameters(self):
        """By (module, name, parameter): the first release that takes none of that name, of
        functions that stay."""
        return self._lost(lambda what: parts(what)[0])

    def lost_positions(self):
        """By (module, name, parameter): the first release that takes it by keyword alone."""
        return self._lost(positions, stays=True)

    def lost_defaults(self):
        """By (module, name, parameter): the first release that must be given it."""
        return self._lost(defaults, stays=True)

    def lost_attributes(self):
        """Likewise, of classes that stay."""
        return self._lost(lambda what: parts(what)[1])

    def _lost(self, of, stays=False):
        lost = {}
        for module, names in sorted(self.changes.items()):
            for name, changes in sorted(names.items()):
                if changes[-1][1] == GONE:
                    continue
                for (_, before), (release, what) in zip(changes, changes[1:]):
                    now, then = of(what), of(before)
                    if GONE in (what, before) or now is None:
                        continue
                    known = {w.rstrip("=") for w in _words(what) or ()} if stays else None
                    for word in then or ():
                        if word not in now and (known is None or word in known):
                            lost[module, name, word] = release
                    for word in now:
                        lost.pop((module, name, word), None)
        return lost

    def text(self):
        lines = [f"# {__doc__.splitlines()[0]}", "# scripts/jax_names writes it."]
        lines.append(" ".join(["releases", *self.releases]))
        for module, names in sorted(self.changes.items()):
            lines.append(f"[{module}]")
            for name, changes in sorted(names.items()):
                lines += [f"{name} {release} {what}" for release, what in changes]
        return "\n".join(lines) + "\n"


def parts(what):
    """The parameters that may be passed by their names, and the attributes, of what walk.py says;
    None where they are not known."""
    kind, _, rest = what.partition(" ")
    if kind not in ("class", "function"):
        return None, None
    parameters = None
    if rest.startswith("("):
        inside, _, rest = rest[1:].partition(")")
        words = inside.split()
        if "/" in words:
            words = words[words.index("/") + 1 :]
        if not any(word.startswith("**") for word in words):
            parameters = [word.rstrip("=") for word in words if word[0] != "*"]
    return parameters, rest.split() if kind == "class" else None


def _words(what):
    """All of the parameters, None where they are not known or any."""
    kind, _, rest = what.partition(" ")
    if kind not in ("class", "function") or not rest.startswith("("):
        return None
    words = rest[1:].partition(")")[0].split()
    return None if any(len(word) > 1 and word[0] == "*" for word in words) else words


def positions(what):
    """Each parameter that may be passed by position, and nothing of those that are gone."""
    words = _words(what)
    if words is None:
        return None
    known = [word.rstrip("=") for word in words if word not in ("/", "*")]
    return [*known[: words.index("*") - words.count("/")]] if "*" in words else known


def places(what):
    """The parameters that may be passed by position, in order; none where they are unknown."""
    kind, _, rest = what.partition(" ")
    if kind not in ("class", "function") or not rest.startswith("("):
        return []
    words = [word for word in rest[1:].partition(")")[0].split() if word != "/"]
    return [word.rstrip("=") for word in itertools.takewhile(lambda w: w[0] != "*", words)]


def defaults(what):
    words = _words(what)
    return None if words is None else [word.rstrip("=") for word in words if word[-1] == "="]


def main(arguments):
    is_check = arguments[:1] == ["--check"]
    name, *paths = arguments[is_check:]
    walks = [json.loads(pathlib.Path(path).read_text()) for path in paths]
    file, text = FOLDER / name, History.of_walks(walks).text()
    if not is_check:
        file.write_text(text)
    elif text != file.read_text():
        was, now = set(file.read_text().splitlines()), set(text.splitlines())
        sys.exit("\n".join([f"{name} is out of date:", *sorted(was ^ now)]))


if __name__ == "__main__":
    main(sys.argv[1:])
