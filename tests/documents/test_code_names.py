"""What the documents call by its name in code is there."""

import ast
import re
import subprocess

import page
import pytest

ROOT = page.ROOT
DOCUMENTS = [
    name
    for name in subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    if name != "CHANGELOG.md"  # which tells of what was
]
FILES = subprocess.run(
    ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
).stdout.split()
# Files that a reader has, or that a run writes.
WRITTEN = re.compile(r"RELEASE|^PREFIX|^PATH|^FILE|^DIR")


def python_names(text):
    return re.findall(r"(?<![\w/.-])callbridge\.([a-z_]+(?:\.[A-Za-z_]\w*)*)", text)


def c_names(text):
    text = re.sub(r"^.*doxygen\w+::.*$", "", text, flags=re.MULTILINE)  # names of groups
    return re.findall(r"(?<![\w/.#-])(callbridge_[a-z0-9_]+)\b(?!\.)", text)


def file_names(text):
    return re.findall(r"`((?:[\w.-]+/)*_?[\w-]+\.(?:py|h|cc|c|cu|inc|cmake|txt))`", text)


def is_python(name):
    """Whether a module of the package, or what one defines, has that name."""
    path = ROOT / "python/callbridge"
    if name in ("h", "hpp"):  # the header's
        return True
    parts = name.split(".")
    while parts:
        if (path / parts[0]).is_dir():
            path = path / parts.pop(0)
        elif (path / f"{parts[0]}.py").exists():
            path = path / f"{parts.pop(0)}.py"
            break
        else:
            break
    if not parts:
        return True
    source = path / "__init__.py" if path.is_dir() else path
    return parts[0] in defined(source.read_text())


def defined(source):
    found = set()
    for node in ast.parse(source).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


@pytest.fixture(scope="module")
def c_declared():
    sources = [
        name
        for name in FILES
        if name.startswith(("c_api/", "client/", "include/", "cmake/")) or "CMakeLists" in name
    ]
    return "\n".join((ROOT / name).read_text() for name in sources if (ROOT / name).is_file())


def is_file(name):
    return any(f"/{path}".endswith(f"/{name}") for path in FILES) or bool(WRITTEN.search(name))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_a_document_names_is_there(name, c_declared):
    text = (ROOT / name).read_text()
    assert [name for name in python_names(text) if not is_python(name)] == []
    missing = [name for name in c_names(text) if not re.search(rf"\b{name}\b", c_declared)]
    assert [name for name in missing if name not in FILES] == []
    if name.startswith("docs/") or name in ("CONTRIBUTING.md", "SECURITY.md", "README.md"):
        written = set(re.findall(r"^(?:// |# |/\* )([\w./]+\.\w+)", text, re.MULTILINE))
        assert [f for f in file_names(text) if not is_file(f) and f not in written] == []


def test_the_rules_find_what_they_are_for(c_declared):
    assert is_python("jax.custom_call") and is_python("library.Library") and is_python("typing")
    assert not is_python("library.inspect") and not is_python("load")
    assert re.search(r"\bcallbridge_call_bind\b", c_declared)
    assert c_names("`callbridge_no_such(x)`") == ["callbridge_no_such"]
    assert file_names("`_lowering.py` and `a/b.h`") == ["_lowering.py", "a/b.h"]
    assert not is_file("_no_such.py") and is_file("runtime_versions.h")
