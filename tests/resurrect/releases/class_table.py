"""What the classes that callbridge.resurrect restores or lends are in the releases that have them.

    class_table.py FACTS...            writes classes.txt from outputs of class_facts.py, oldest
                                       release first
    class_table.py --check FACTS...    fails where it is not what would be written

A line of classes.txt is a class, a release and its facts from that release on, or "-": gone. A line
"lacks" has the samples that a release cannot make.
"""

import json
import pathlib
import sys

FILE = pathlib.Path(__file__).resolve().with_name("classes.txt")
GONE = "-"
# Facts that are lists of names, of which a release may lack some.
OF_SAMPLES = ("instances", "dispatched", "caught")
OF_CLASSES = ("bases", "subclasses", "is")
# What else of a class of JAX's own differs, JAX made so.
OF_OURS = ("name", "match_args", "pickled", "as_base", "bases", "subclasses")


def text_of(facts):
    lines = [f"# {__doc__.splitlines()[0]}", "# scripts/jax_names writes it."]
    lines.append(" ".join(["releases", *(found["release"] for found in facts)]))
    every = sorted({sample for found in facts for sample in found["samples"]})
    for found in facts:
        lacks = [sample for sample in every if sample not in found["samples"]]
        lines.append(" ".join(["lacks", found["release"], *lacks]))
    for name in sorted({name for found in facts for name in found["classes"]}):
        before = GONE
        for found in facts:
            now = found["classes"].get(name)
            now = GONE if now is None else json.dumps(now, sort_keys=True)
            if now != before:
                lines.append(f"{name} {found['release']} {now}")
            before = now
    return "\n".join(lines) + "\n"


def read():
    """The releases, the samples that each lacks, and by class, by release, the facts."""
    releases, lacks, classes = [], {}, {}
    for line in FILE.read_text().splitlines():
        if line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        if word == "releases":
            releases = rest.split()
        elif word == "lacks":
            release, *samples = rest.split()
            lacks[release] = set(samples)
        else:
            release, _, text = rest.partition(" ")
            by_release = classes.setdefault(word, {})
            for later in releases[releases.index(release) :]:
                by_release[later] = None if text == GONE else json.loads(text)
    return releases, lacks, {
        name: {release: facts for release, facts in by_release.items() if facts is not None}
        for name, by_release in classes.items()
    }  # fmt: skip


def differences(here, there, samples, classes):
    """By word, what was there and what is here, of facts of a class.

    `samples` and `classes`: those that both releases have, and no others are compared.
    """
    found = {}
    for word in sorted({*here, *there} - {"is_of_jax"}):
        if here.get("is_of_jax") and word in OF_OURS:
            continue
        now, then = here.get(word), there.get(word)
        if word == "made" and isinstance(now, dict) and isinstance(then, dict):
            now, then = differing_parts(now, then)
        elif isinstance(now, list) and isinstance(then, list):
            known = samples if word in OF_SAMPLES else classes if word in OF_CLASSES else None
            if known is not None:
                now, then = ([n for n in names if n in known] for names in (now, then))
        if now != then:
            found[word] = then, now
    return found


def differing_parts(now, then):
    differ = {part for part in then if now[part] != then[part]}
    # What a release refused may work.
    differ -= {part for part in ("hash", "pickled", "copied") if str(then[part])[-5:] == "Error"}
    if " object" in now["text"] and " object" in then["text"]:
        differ.discard("text")
    return {p: now[p] for p in differ}, {p: then[p] for p in differ}


def main(arguments):
    is_check = arguments[:1] == ["--check"]
    facts = [json.loads(pathlib.Path(path).read_text()) for path in arguments[is_check:]]
    text = text_of(facts)
    if not is_check:
        FILE.write_text(text)
    elif text != FILE.read_text():
        was, now = set(FILE.read_text().splitlines()), set(text.splitlines())
        sys.exit("\n".join(["classes.txt is out of date:", *sorted(was ^ now)]))


if __name__ == "__main__":
    main(sys.argv[1:])
