"""Checks that each public member in the C and C++ references has a text.

  doxygen_texts.py build/docs/doxygen/xml

Reads what Doxygen found, in the groups that docs/reference lists. Prints a line for each member
without a text; exits 1 if there is one. Standard library alone.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

import references

# The first field of the structs of the C API: callbridge.h's rules say what it is.
SIZE = "struct_size"


def text_of(node):
    texts = (node.find(kind) for kind in ("briefdescription", "detaileddescription"))
    return "".join("".join(text.itertext()) for text in texts if text is not None).strip()


def needs_none(member, owner):
    """Whether a member is one that all classes have, unnamed, or the size of a struct."""
    name, parameters = member.findtext("name"), member.findtext("argsstring") or ""
    if name.startswith(("~", "@")) or name == SIZE or member.get("kind") == "friend":
        return True
    own = owner.rpartition("::")[2].partition("<")[0].strip()
    if name not in (own, "operator="):
        return False
    copied = rf"\((const )?{re.escape(own)}\b[^,]*&&?\s*\w*\)"
    return parameters.endswith(("=default", "=delete")) or bool(re.match(copied, parameters))


def without_text(folder, groups):
    """Each public class, member and enumerator of those groups that has no text, with its place."""
    index = ElementTree.parse(folder / "index.xml").getroot()
    ids = {c.findtext("name"): c.get("refid") for c in index if c.get("kind") == "group"}
    waiting, seen, found = [ids[name] for name in groups], 0, set()
    while waiting:
        compound = ElementTree.parse(folder / f"{waiting.pop()}.xml").getroot().find("compounddef")
        owner = compound.findtext("compoundname")
        kinds = ("innerclass", "innergroup")
        inner = [c for kind in kinds for c in compound.findall(kind)]
        waiting += [c.get("refid") for c in inner if c.get("prot", "public") == "public"]
        members = [m for m in compound.findall("sectiondef/memberdef") if m.get("prot") == "public"]
        seen += len(members)
        lacking = [m for m in members if not text_of(m) and not needs_none(m, owner)]
        names = [(m, f"{owner}::{m.findtext('name')}{m.findtext('argsstring')}") for m in lacking]
        if compound.get("kind") != "group" and not text_of(compound):
            names.append((compound, owner))
        for member in members:
            values = member.findall("enumvalue")
            # The names of some enumerations say all; where one value needs a text, all do.
            if any(text_of(value) for value in values):
                names += [(member, v.findtext("name")) for v in values if not text_of(v)]
        for node, name in names:
            found.add(f"{node.find('location').get('file')}: {name} has no comment")
    return seen, sorted(found)


def main():
    seen, found = without_text(pathlib.Path(sys.argv[1]), references.listed_groups())
    print(*found, sep="\n")
    print(f"{seen} members, {len(found)} without a text")
    sys.exit(1 if found or not seen else 0)


if __name__ == "__main__":
    main()
