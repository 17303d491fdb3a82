"""The site of docs/, which `make docs` makes.

The tree is its source folder, so that the pages' links to README.md, headers and examples lead
there as they do in the tree.
"""

import ctypes
import importlib
import os
import pathlib

import callbridge

ROOT = pathlib.Path(__file__).resolve().parent.parent


class LibraryThatIsNotBuilt:
    """Stands for libcallbridge.so: modules look functions up in it, and call few of them, when they
    are imported. The texts and signatures of the reference are Python's own."""

    def __getattr__(self, name):
        version = callbridge.__version__.encode()
        return lambda *arguments: version if name == "callbridge_version" else 0


def import_without_the_library():
    genuine, library = ctypes.CDLL, str(ROOT / "docs/conf.py")  # any file that is there
    os.environ["CALLBRIDGE_LIBRARY"] = library
    ctypes.CDLL = lambda path, *more: (
        LibraryThatIsNotBuilt() if path == library else genuine(path, *more)
    )
    try:
        importlib.import_module("callbridge._core._c_api")
    finally:
        ctypes.CDLL = genuine


import_without_the_library()

project = "callbridge"
author = "the authors of callbridge"
version = release = callbridge.__version__
root_doc = "docs/index"
include_patterns = [
    "README.md",
    "MIGRATION.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "docs/**.md",
]

extensions = [
    "breathe",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
html_theme = "furo"
html_title = f"callbridge {version}"
html_show_copyright = False
html_static_path = ["site"]
html_css_files = ["site.css"]
# The first page is in a folder, as in the tree; a site begins at its root.
html_extra_path = ["redirect"]
# Quotes alone: dashes are of options, and dots of C++.
smartquotes_action = "q"
# A block of code without a language is text.
highlight_language = "none"

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

breathe_projects = {"callbridge": str(ROOT / "build/docs/doxygen/xml")}
breathe_default_project = "callbridge"
# It would name inner headers, without their folders.
breathe_show_include = False
breathe_domain_by_extension = {"h": "cpp", "hpp": "cpp"}
breathe_domain_by_file_pattern = {
    "*c_api/callbridge*.h": "c",
    "*client/callbridge_module.h": "c",
    "*custom_call_status.h": "c",
}

# PyTorch is not there where the site is made, nor what is built on it.
autodoc_mock_imports = ["torch", "torch_xla"] + [
    f"callbridge.torch.{path.stem}"
    for path in (ROOT / "python/callbridge/torch").glob("_[a-z]*.py")
]
autodoc_typehints = "description"
autodoc_member_order = "bysource"


def mark_code(app, what, name, obj, options, lines):
    """Shows indented lines below a paragraph as they are: they are code, or a table."""
    shown, in_code = [], False
    for i, line in enumerate(lines):
        paragraph = next((text for text in reversed(lines[:i]) if text), " ")
        if line.startswith("  ") and not lines[i - 1] and paragraph[0] != " " and not in_code:
            shown += [".. code-block:: python" if line.startswith("    ") else "::", ""]
            in_code = True
        in_code = in_code and (not line or line.startswith("  "))
        shown.append(f"  {line}" if in_code and line else line)
    lines[:] = shown


def setup(app):
    app.connect("autodoc-process-docstring", mark_code, priority=100)
