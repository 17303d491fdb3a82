"""Names of JAX that packages use, found in their syntax trees without importing them.

    scan.py ARCHIVE...     wheels and sdists; prints "NAME PACKAGE-VERSION..." a line

callbridge._audit._sources reads them. What a package tries (`try: ... except ImportError`) and has
another way for is left out.
"""

import pathlib
import sys
import tarfile
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python"))

from callbridge._audit import _sources  # noqa: E402


def sources(archive):
    """The package's Python files: (path, text). Its tests, examples and documents are left out."""
    if str(archive).endswith((".whl", ".zip")):
        with zipfile.ZipFile(archive) as opened:
            names = [name for name in opened.namelist() if _sources.is_source(name)]
            yield from ((name, opened.read(name)) for name in names)
    else:
        with tarfile.open(archive) as opened:
            for member in opened:
                if member.isfile() and _sources.is_source(member.name):
                    yield member.name, opened.extractfile(member).read()


def scan(archive):
    found = set()
    for _, text in sources(archive):
        try:
            source = _sources.read(text)
        except ValueError:
            continue  # Python 2's, templates
        found |= {use.name for use in source.uses if not use.is_tried}
    return found


def main(archives):
    users = {}
    for archive in archives:
        package = "-".join(pathlib.Path(archive).name.split("-")[:2]).removesuffix(".tar.gz")
        for name in scan(archive):
            users.setdefault(name, set()).add(package)
    for name, packages in sorted(users.items()):
        print(name, *sorted(packages))


if __name__ == "__main__":
    main(sys.argv[1:])
