"""A release of JAX is a row of requirements/jax_releases, and of jax/_runtimes.py where it differs.

Nothing else may have to change for the next one but prose, which is compared here. So, in what is
executed (comments and docstrings may say where something was measured):

- no release is named in scripts, CMake, benchmarks, examples and python/callbridge, nor compared in
  the latter, but where ALLOWED says why;
- no test in Python names today's release or the newest;
- three releases on adjacent lines are a list, which TABLES compares with the table.
"""

import ast
import io
import pathlib
import re
import subprocess
import sys
import tokenize

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/matrix"))

from jax_releases import (  # noqa: E402
    IN_DEBIAN_13,
    NEWEST,
    ORACLE,
    ROWS,
    TODAY,
    WITH_HEADERS,
    WITH_PLUGIN,
    numbers,
    used_by,
)
from the_tree import files_of_the_tree  # noqa: E402

# "0.4.30", "0_4_30" in names, "0.12.0.1"; (0, 4, 30). Two numbers alone may be anything.
RELEASE = re.compile(
    r"(?<![\w.])(?:\w+[_-])?0([._])(?:4\1\d+|[5-9]\1\d+|1\d\1\d+(?:\1\d+)?)(?![\w.]*\d)"
)
NUMBERS = re.compile(r"\(0, (?:4, \d+|[5-9], \d+|1\d, \d+(?:, \d+)?)\)")

# What names a release that stays what it is when the next one comes, and why.
ALLOWED = {
    "python/callbridge/_core/_installation.py": "the first and the last of them",
    "python/callbridge/_audit/__init__.py": "examples of a release to use a wheel with",
    "python/callbridge/_audit/_text.py": "what JAX before them does not require, and needs",
    "python/callbridge/jax/_runtimes.py": "the rows",
    "python/callbridge/migrate/_imports.py": "the releases that lack what programs are given",
    "python/callbridge/resurrect/_names/_row.py": "since when there is what programs write instead",
    "python/callbridge/resurrect/_names/_calls.py": "the releases that functions took calls until",
    "python/callbridge/_core/_jax_names.py": "the releases that names went and came in",
    "python/callbridge/resurrect/_names/_lost_attributes.py": "the releases that lost attributes",
    "python/callbridge/resurrect/_names/_members_table.py": "the releases of members",
    "python/callbridge/resurrect/_names/_table.py": "the releases that names came in",
    "python/callbridge/resurrect/_names/_options.py": "the releases that options went and came in",
    "python/callbridge/resurrect/_backports/_core.py": "the release that main traces went in",
    "scripts/environment.sh": "CALLBRIDGE_JAX_0_4_30_PYTHON, the oracle",
    "scripts/old_packages": "packages whose binaries are inspected",
    "benchmarks/typed_ffi/CMakeLists.txt": "headers of a past release, which are measured",
    "benchmarks/typed_ffi/handler_cost.cc": "headers of a past release, which are measured",
    "benchmarks/handler_costs.py": "headers of a past release, which are measured",
}
# Lists of releases: where they are, which releases they must have, and what about.
TABLES = {
    "tests/adapters/cross_version_handler_test.cc": (WITH_HEADERS, "their API versions"),
    "tests/typed_ffi/host/genuine_handlers_test.h": (WITH_HEADERS, "their numbers"),
}
# Facts of past releases, one a line: which have something, and what was told of them. Those that
# need the newest release too fail by themselves, or are in TABLES.
FACTS = {
    "tests/genuine/test_probe.py": "what handlers tell of their headers",
    "tests/resurrect/test_between.py": "which lie between which",
    "tests/gpu/test_cells.py": "since when runtimes have what typed handlers ask for",
    "tests/gpu/test_native.py": "what runtimes do without callbridge",
    "tests/jax/test_runtimes.py": "the rows of jax/_runtimes.py",
    "tests/jax/this_jax.py": "since when JAX has what the tests use",
    "tests/resurrect/releases/classes.txt": "what the classes of JAX were, by release",
    "tests/resurrect/releases/corpus_names.txt": "packages and their versions",
    "tests/resurrect/releases/jax_names.txt": "the names of JAX, by release",
    "tests/resurrect/releases/members.txt": "what values of JAX have, by release",
    "tests/resurrect/releases/submodules.txt": "what an import leaves in place, by release",
    "tests/resurrect/test_releases.py": "since when JAX refuses parameters",
    "tests/resurrect/test_tables.py": "since when functions of JAX take what wrappers of them do",
    "tests/tools/test_audit.py": "the releases that requirements admit",
    "tests/tools/test_audit_sources.py": "the releases that lack names",
    "tests/typed_ffi/host/objects_test.cc": "the rows of runtime_versions.h",
    "tests/typed_ffi/runtime_versions_test.cc": "the rows of runtime_versions.h",
    "tests/typed_ffi/test_layouts.py": "since when XLA's structs are what they are",
    "typed_ffi/runtime_versions.h": "the rows, of XLA's versions",
}
# Packages as others have them require the first JAX with FFI, which stays; and their workflow tests
# releases that tests/author compares with the table.
PACKAGES = "examples/packages/"
NO_NEWEST = ("tests/genuine/test_probe.py", "tests/jax/test_runtimes.py")


def tracked(*suffixes):
    """The files of the tree, of these suffixes, but for this one."""
    for name in files_of_the_tree():
        path = ROOT / name
        if path != pathlib.Path(__file__) and (not suffixes or path.suffix in suffixes):
            yield name


def python_code(text):
    """The text without comments and docstrings, on the same lines."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and lines[token.start[0] - 1]:
            lines[token.start[0] - 1] = token.line[: token.start[1]]
    return lines


def code(name):
    """The lines of a file, those that are not executed being empty."""
    text = (ROOT / name).read_text()
    if name.endswith(".py"):
        return python_code(text)
    if pathlib.Path(name).suffix in (".h", ".c", ".cc", ".cu", ".inc"):
        text = re.sub(r"/\*.*?\*/", lambda found: "\n" * found[0].count("\n"), text, flags=re.S)
        return [re.sub(r"//.*", "", line) for line in text.splitlines()]
    return [re.sub(r"(^|\s)#.*", "", line) for line in text.splitlines()]


def named(line):
    """The releases that a line of code names, as numbers."""
    found = [re.search(r"0[._][\d._]+", match[0])[0] for match in RELEASE.finditer(line)]
    found = [tuple(map(int, re.split("[._]", text))) for text in found]
    return found + [ast.literal_eval(match[0]) for match in NUMBERS.finditer(line)]


def is_in(name, folders):
    return name.startswith(folders) or ("/" not in name and not name.endswith(".md"))


def test_what_is_built_and_run_names_no_release():
    folders = ("scripts/", "cmake/", "benchmarks/", "examples/", "python/", ".ci/")
    lists = ("CMakeLists.txt", ".cmake")
    found = [
        f"{name}:{number}: {line.strip()}"
        for name in tracked()
        if (is_in(name, folders) or name.endswith(lists)) and name not in ALLOWED
        if not name.endswith((".svg", ".json")) and not name.startswith(PACKAGES)
        for number, line in enumerate(code(name), 1)
        if named(line)
    ]
    assert found == []


def compared_releases(text):
    """The line numbers of comparisons with a release of JAX, of whatever kind."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Compare) and not isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            for part in ast.walk(node):
                name = getattr(part, "attr", getattr(part, "id", None))
                is_version = name in ("__version__", "__version_info__", "RELEASE", "release")
                if is_version or (
                    isinstance(part, ast.Tuple)
                    and len(part.elts) > 1
                    and [getattr(e, "value", None) for e in part.elts][0] == 0
                    and all(type(getattr(e, "value", None)) is int for e in part.elts)
                ):
                    yield node.lineno
                    break


def test_python_compares_releases_in_one_place():
    found = [
        f"{name}:{line}"
        for name in tracked(".py")
        if name.startswith("python/") and name not in ALLOWED
        for line in compared_releases((ROOT / name).read_text())
    ]
    assert found == []


def test_python_tests_name_neither_todays_release_nor_the_newest():
    newest = {numbers(TODAY), numbers(NEWEST), numbers(IN_DEBIAN_13)}
    found = [
        f"{name}:{number}: {line.strip()}"
        for name in tracked(".py")
        if name.startswith("tests/") and name not in NO_NEWEST
        for number, line in enumerate(code(name), 1)
        if newest & {*named(line)} and name not in FACTS
    ]
    assert found == []


def lists_of_releases(lines):
    """(line number, releases) where three or more are named on two adjacent lines."""
    per_line = [named(line) for line in lines]
    for number in range(len(per_line)):
        together = {release for line in per_line[number : number + 2] for release in line}
        if len(together) > 2:
            yield number + 1, together


def test_lists_of_releases_are_compared():
    known = {*ALLOWED, *TABLES, *FACTS}
    found = [
        f"{name}:{number}"
        for name in tracked()
        if not name.startswith(("requirements/", "docs/")) and not name.endswith(".md")
        if name not in known and not name.startswith("tests/fuzz/corpus")
        if b"\0" not in (ROOT / name).read_bytes()[:4096]
        if pathlib.Path(name).suffix in (".py", ".h", ".c", ".cc", ".cmake", ".txt", "")
        for number, _ in lists_of_releases(code(name))
    ]
    assert found == []


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_the_releases_that_it_must(name):
    expected, _ = TABLES[name]
    found = [re.findall(r'\{"(0\.[\d.]+)", \d+\}', "\n".join(code(name)))]
    assert found == [expected]


def test_the_probe_is_asked_of_the_newest_headers():
    text = "\n".join(code("tests/genuine/test_probe.py"))
    (versions,) = re.findall(r"^VERSIONS = \{(.*?)^\}", text, flags=re.S | re.M)
    releases = re.findall(r'^    "(0\.[\d.]+)": ', versions, flags=re.M)
    assert releases[-1] == WITH_HEADERS[-1] and {*releases} <= {*WITH_HEADERS}


def test_what_the_tests_use_is_since_a_release_of_the_table():
    text = (ROOT / "tests/jax/this_jax.py").read_text()
    since = {release for line in text.splitlines() for release in named(line)}
    assert since and since <= {numbers(row.release) for row in ROWS}


# ---- The table itself, and what is compared with it ---------------------------------------------


def test_rows_are_in_order_and_of_known_words():
    releases = [numbers(row.release) for row in ROWS]
    assert releases == sorted({*releases})
    heading = (ROOT / "requirements/jax_releases").read_text()
    uses = {*re.findall(r"^# (?:used by)? +([a-z]+)  ", heading, flags=re.M)}
    assert {use for row in ROWS for use in row.uses} == uses
    assert {row.environment for row in ROWS} == {None, "venv", ".venv", "debian-13"}
    assert NEWEST == WITH_HEADERS[-1]
    assert all(row.environment for row in ROWS if {*row.uses} - {"sample"})


def pins(text):
    return {match[1]: match[2] for match in re.finditer(r"^(jax|jaxlib)==(\S+)$", text, re.M)}


def test_each_release_has_its_pinned_packages():
    requirements = ROOT / "requirements"
    lists = {
        row.release: "jax.txt" if row.release == TODAY else f"jax-{row.release}.txt"
        for row in ROWS
        if row.environment
    }
    for release, name in lists.items():
        found = pins((requirements / name).read_text())
        assert found == {"jax": release, "jaxlib": release}, name
    assert {path.name for path in requirements.glob("jax*.txt")} == {*lists.values()}


def test_each_plugin_has_its_pinned_packages():
    requirements = ROOT / "requirements"
    for row in ROWS:
        if row.plugin:
            name = f"jax-cuda{row.plugin.split('.')[0]}"
            text = (requirements / f"cuda-plugin-{row.release}.txt").read_text()
            found = [line for line in text.splitlines() if not line.startswith("#")]
            assert found == [f"{name}-{kind}=={row.release}" for kind in ("pjrt", "plugin")]
    lists = {f"cuda-plugin-{release}.txt" for release in WITH_PLUGIN}
    assert {path.name for path in requirements.glob("cuda-plugin-*")} == lists
    assert {*used_by("gpu")} <= {*WITH_PLUGIN}


def test_typed_calls_alone_are_those_of_releases_that_have_another_default():
    from callbridge.jax._runtimes import parse_release, runtime_of

    rows = {release: runtime_of(parse_release(release)) for release in used_by("revive")}
    other_default = [
        r for r, row in rows.items() if row.has_typed_ffi and row.reads_back_untyped_calls
    ]
    assert used_by("typed") == other_default


def test_words_in_scripts_are_words_of_the_table():
    words = {row.environment for row in ROWS} | {use for row in ROWS for use in row.uses}
    used = {
        word
        for name in tracked()
        if name.startswith(("scripts/", "cmake/", "benchmarks/"))
        for word in re.findall(
            r"scripts/jax_releases ([\w.-]+)\)|callbridge_jax_releases\(\w+ ([\w.-]+)\)",
            (ROOT / name).read_text(),
        )
        for word in word
        if word
    }
    assert {"test", "grid", "venv"} <= used <= words | {"headers", "plugin", "word"}


def test_shell_cmake_and_python_read_the_same(tmp_path):
    def shell(word):
        command = [ROOT / "scripts/jax_releases", word]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()

    words = {"headers": WITH_HEADERS, "plugin": WITH_PLUGIN}
    for word in ("venv", ".venv", "debian-13"):
        words[word] = [row.release for row in ROWS if row.environment == word]
    for word in {use for row in ROWS for use in row.uses}:
        words[word] = used_by(word)
    assert {word: shell(word) for word in words} == words
    lines = [f'callbridge_jax_releases(found {word})\nmessage("${{found}}")' for word in words]
    (tmp_path / "read.cmake").write_text(
        f"cmake_policy(VERSION 3.25)\nset(PROJECT_SOURCE_DIR {ROOT})\n"
        f"include({ROOT}/cmake/jax_releases.cmake)\n" + "\n".join(lines)
    )
    done = subprocess.run(
        ["cmake", "-P", tmp_path / "read.cmake"], check=True, capture_output=True, text=True
    )
    assert done.stderr.splitlines() == [";".join(releases) for releases in words.values()]
    with pytest.raises(subprocess.CalledProcessError):
        shell("no_such_word")


def test_the_face_knows_the_newest_release():
    text = (ROOT / "python/callbridge/_core/_installation.py").read_text()
    assert f"NEWEST = {numbers(NEWEST)}\n" in text


def test_the_tables_of_the_documents():
    lines = (ROOT / "docs/matrix.md").read_text().splitlines()
    grid = [line for line in lines if line.startswith("| target \\ runs on |")]
    assert grid == ["| target \\ runs on | " + " | ".join(["embedded", *used_by("grid")]) + " |"]
    suite = {line for line in lines if line.startswith("| headers \\ runtime |")}
    assert suite == {"| headers \\ runtime | " + " | ".join(used_by("suite")) + " |"}
    rows = [line.split(" | ")[0][2:] for line in lines if re.match(r"\| 0\.", line)]
    # Through callbridge, registered by JAX's own functions, and without callbridge.
    assert rows == [*WITH_HEADERS, *used_by("suite"), *WITH_HEADERS]


RANGE = re.compile(r"jax(?:lib)? (0\.[\d.]*\d) to (0\.[\d.]*\d)")
UP_TO = re.compile(r"(?:up\s+to|until) jax(?:lib)? (0\.[\d.]*\d)")


def promises(text):
    """The last releases of ranges that texts promise something of: "jaxlib 0.4.30 to 0.12.0.1"."""
    text = re.sub(r"\n\s*(?://|#)?\s*", " ", text)
    return [match[2] for match in RANGE.finditer(text)] + UP_TO.findall(text)


def test_promises_go_to_the_newest_release():
    """Or to a release before today's, of which something was true."""
    documents = ["README.md", "MIGRATION.md", "docs/pjrt.md"]
    documents += [f"docs/{name}.md" for name in ("architecture", "internals", "proof", "speed")]
    documents += ["python/callbridge/jax/__init__.py"]
    documents += [
        "c_api/callbridge.h",
        "c_api/callbridge_ffi.h",
        "c_api/callbridge_pjrt.h",
        "adapters/exports/exported_handler.h",
    ]
    found = {name: promises((ROOT / name).read_text()) for name in documents}
    assert sum(map(len, found.values())) > 6
    for name, releases in found.items():
        for release in releases:
            is_past = numbers(release) < numbers(TODAY)
            assert is_past or release in (NEWEST, ".".join(NEWEST.split(".")[:2])), (name, release)


# ---- That the rules find what they are for ------------------------------------------------------


def test_the_rules_find_what_they_are_for(tmp_path):
    for line in ('"0.4.30"', "venv-jax-0.10.2/bin", "for v in 0.4.13 0.5.3; do", "X_0_4_30_PYTHON"):
        assert named(line), line
    assert named("(0, 4, 38) < VERSION") == [(0, 4, 38)]
    assert named("jaxlib 0.12.0.1 here") == [(0, 12, 0, 1)]
    for line in ("0.25 0.5 0.25", "(0, 1, 2)", "0.1.0", "1.0.4.30x", "np.array((0, 4))", "2.0.4.3"):
        assert not named(line), line
    text = '"""Of 0.4.30."""\nx = 1  # 0.4.31\ny = "0.4.34"\n'
    assert [number for number, line in enumerate(python_code(text), 1) if named(line)] == [3]
    for text in ("RELEASE < (0, 5)", "jax.__version__ == x", "if (0, 4, 38) <= v: pass"):
        assert list(compared_releases(text)) == [1], text
    assert not list(compared_releases("f(RELEASE); release is None; 0 <= x < 2**63"))
    assert [n for n, _ in lists_of_releases(['"0.4.30", "0.4.31",', '"0.4.34"'])] == [1]
    assert promises("on jax 0.4.13 to\n    0.12.0.1, up to jax 0.9.2") == ["0.12.0.1", "0.9.2"]
    assert ORACLE in used_by("test")
