"""Checks the site that `make docs` made: its links, and that its references have every name.

  site_check.py build/docs/html

Prints a line for each link inside the site that leads nowhere, and for each public name of C and
Python that no page has; exits 1 if there is one. Standard library alone.
"""

import html.parser
import pathlib
import sys
import urllib.parse

import references


class Page(html.parser.HTMLParser):
    """The links and the ids of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        for name in ("id", "name") if tag == "a" else ("id",):
            self.ids.add(attributes.get(name))
        for name in ("href", "src"):
            if attributes.get(name):
                self.links.append(attributes[name])


def dead_links(pages, folder):
    """Each link to a file that is not there, or to a place that its page does not have."""
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            to = path
            if parts.path:
                to = (path.parent / urllib.parse.unquote(parts.path)).resolve()
            name = path.relative_to(folder)
            if not to.is_file() or not to.is_relative_to(folder):
                yield f"{name}: {link}: no such file"
            elif parts.fragment and to in pages:
                if urllib.parse.unquote(parts.fragment) not in pages[to].ids:
                    yield f"{name}: {link}: no such place in that page"


def missing_names(pages):
    ids = {name for page in pages.values() for name in page.ids}
    for name in sorted(references.exported_in_c()):
        if f"c.{name}" not in ids:
            yield f"the C reference has no {name}"
    for name in sorted(references.names_of_python()):
        if name not in ids:
            yield f"the Python reference has no {name}"


def read(folder):
    return {path: Page(path.read_text()) for path in sorted(folder.rglob("*.html"))}


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    pages = read(folder)
    found = [*dead_links(pages, folder), *missing_names(pages)]
    print(*found, sep="\n")
    links = sum(len(page.links) for page in pages.values())
    print(f"{len(pages)} pages, {links} links, {len(found)} faults")
    sys.exit(1 if found or not pages else 0)


if __name__ == "__main__":
    main()
