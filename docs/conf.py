"""The site of docs/, which `make docs` makes.

The tree is its source folder, so that the pages' links to README.md, headers and examples lead
there as they do in the tree.
"""

import pathlib

import callbridge

ROOT = pathlib.Path(__file__).resolve().parent.parent

project = "callbridge"
author = "the authors of callbridge"
version = release = callbridge.__version__
root_doc = "docs/index"
include_patterns = ["README.md", "MIGRATION.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**.md"]

extensions = [
    "breathe",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
html_theme = "furo"
html_title = f"callbridge {version}"
html_show_copyright = False
# The first page is in a folder, as in the tree; a site begins at its root.
html_extra_path = ["redirect"]

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

breathe_projects = {"callbridge": str(ROOT / "build/docs/doxygen/xml")}
breathe_default_ROOT = pathlib.Path(__file__).resolve().parent.parent

project = "callbridge"
breathe_domain_by_extension = {"h": "cpp", "hpp": "cpp"}
breathe_domain_by_file_pattern = {"*/callbridge*.h": "c"}
# A struct and its typedef, of one name.
suppress_warnings = ["duplicate_declaration.c"]

breathe_projects = {"callbridge": str(ROOT / "build/docs/doxygen/xml")}
breathe_default_project = "callbridge"
breathe_domain_by_extension = {"h": "cpp", "hpp": "cpp"}
breathe_domain_by_file_pattern = {"*/callbridge*.h": "c"}
# A struct and its typedef, of one name.
suppress_warnings = ["duplicate_declaration.c"]

# PyTorch is not there where the site is made, nor what is built on it.
autodoc_mock_imports = ["torch", "callbridge._tensor_calls"] + [
    f"callbridge.{path.stem}" for path in (ROOT / "python/callbridge").glob("_torch_*.py")
]
autodoc_typehints = "description"
autodoc_member_order = "bysource"
