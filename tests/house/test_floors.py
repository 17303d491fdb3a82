"""The rules of the house: who may include whom. A rule that nobody checks is no rule."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A folder includes itself and folders on lower floors.
FLOORS = {
    "tools": 9,
    "python": 9,
    "client": 8,
    "c_api": 7,
    "mindspore_aot": 6,
    "pjrt": 6,
    "loader": 5,
    "adapters": 4,
    "status_returning": 3,
    "legacy": 2,
    "typed_ffi": 2,
    "cuda": 2,
    "hlo": 2,
    "abi": 1,
}
# Parts of one floor that never include each other.
APART = [("typed_ffi/binding", "typed_ffi/host")]
# They stand beside the house and may include anything.
BESIDE = {"include", "tests", "examples", "benchmarks"}
# The front door's headers lead inside; what they do is done there.
FRONT_DOOR_LINES = 50

SOURCES = {".h", ".hpp", ".c", ".cc", ".cpp", ".cu", ".inc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# "struct Name;" on a line, after "template <...>" or not, in or out of a namespace on that line.
TYPE_DECLARED = re.compile(
    r"\s*(?:namespace [\w:]+ *\{ *)?(?:template *<[^;]*> *)?"
    r"(?:class|struct|union|enum(?: class| struct)?) +(\w+)(?: *: *[\w:]+)?;"
)
# "struct CALLBRIDGE_EXPORTED Name final : Base {", up to what tells a definition.
TYPE_DEFINED = re.compile(
    r"^ *(?:typedef +)?(?:class|struct|union|enum(?: class| struct)?) +(?:[A-Z]+_[A-Z_]+ +)?(\w+)"
    r"(?: +final)?(?: *:[^;{]*)? *\{",
    re.MULTILINE,
)
ALONE = re.compile(r"standard library (?:alone|only)", re.IGNORECASE)
# And cxxabi.h and unwind.h, which both g++ and clang have.
STANDARD = set(
    """
    algorithm any array atomic bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes
    climits clocale cmath codecvt complex condition_variable csetjmp csignal cstdarg cstddef cstdint
    cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem
    forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream
    iterator limits list locale map memory memory_resource mutex new numeric optional ostream queue
    random ratio regex scoped_allocator set shared_mutex sstream stack stdexcept streambuf string
    string_view strstream system_error thread tuple type_traits typeindex typeinfo unordered_map
    unordered_set utility valarray variant vector
    cxxabi.h unwind.h
    assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h
    setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h
    stdnoreturn.h string.h tgmath.h threads.h time.h uchar.h wchar.h wctype.h
    """.split()
)


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in SOURCES and p.is_file())


def includes(path):
    """(line number, whether in quotes, what is included)"""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match[1] == '"', match[2]


def floor_violations(root):
    found = []
    for folder, floor in FLOORS.items():
        for path in sources(root / folder):
            name = path.relative_to(root)

            def violation(number, what, name=name):
                found.append(f"{name}:{number}: {what}")

            for number, quoted, include in includes(path):
                parts = include.split("/")
                if parts[0] in ("xla", "tensorflow") or (
                    parts[0] == "callbridge" and len(parts) == 2
                ):
                    violation(number, f"{include} is the front door, for those outside the house")
                elif parts[0] == "callbridge":
                    other = parts[1]
                    if other not in FLOORS:
                        violation(number, f"{include}: no folder {other} stands on a floor")
                    elif other != folder and FLOORS[other] >= floor:
                        violation(
                            number,
                            f"{folder} (floor {floor}) includes {other} (floor {FLOORS[other]})",
                        )
                elif quoted and ((path.parent / include).exists() or (root / include).exists()):
                    violation(number, f'{include} is spelled "callbridge/<folder>/..."')
                for pair in APART:
                    for one, other in (pair, pair[::-1]):
                        if name.is_relative_to(one) and include.startswith(f"callbridge/{other}/"):
                            violation(number, f"{one} includes {other}")
    return found


def forward_declarations(root):
    """Types that a folder declares, and that only folders on higher floors define. A name that is
    defined nowhere, or that a lower floor defines too, may be a type of others' or a nested one."""
    found = []
    files = {folder: sources(root / folder) for folder in FLOORS}
    defined = {
        folder: {
            name
            for path in paths
            for match in TYPE_DEFINED.finditer(path.read_text())
            for name in match.groups()
        }
        for folder, paths in files.items()
    }
    for folder, floor in FLOORS.items():
        within = set().union(*(defined[other] for other in FLOORS if FLOORS[other] <= floor))
        for path in files[folder]:
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = TYPE_DECLARED.match(line)
                if not match or match[1] in within:
                    continue
                above = [other for other in FLOORS if match[1] in defined[other]]
                if above:
                    found.append(
                        f"{path.relative_to(root)}:{number}: {folder} (floor {floor}) declares "
                        f"{match[1]}, which {above[0]} (floor {FLOORS[above[0]]}) defines"
                    )
    return found


def homeless_folders(root):
    known = FLOORS.keys() | BESIDE
    return [
        folder.name
        for folder in sorted(root.iterdir())
        if folder.is_dir()
        and folder.name not in known | {"build"}
        and not folder.name.startswith(".")
        and sources(folder)
    ]


def front_door_violations(root):
    found = []
    for path in sources(root / "include"):
        # Path.rglob does not follow the links to the floors.
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(), flags=re.DOTALL)
        lines = sum(1 for line in text.splitlines() if line.strip())
        if lines > FRONT_DOOR_LINES:
            found.append(f"{path.relative_to(root)}: {lines} lines, of {FRONT_DOOR_LINES}")
    return found


def alone_violations(root):
    """What headers marked "standard library alone" lead to that is not the standard library, and
    those of the front door: what these declare is inline or exported, so that users can link it."""
    found = set()

    def visit(path, marked, seen):
        for number, _, include in includes(path):
            if include in STANDARD:
                continue
            inner = root / "include" / include
            if include.startswith("callbridge/") and inner.is_file():
                if inner not in seen:
                    visit(inner, marked, seen | {inner})
            else:
                found.add(f"{marked}: {include}, in line {number} of {path.relative_to(root)}")

    for folder in (*FLOORS, "include"):
        for path in sources(root / folder):
            at_the_door = path.parent == root / "include/callbridge"
            if path.suffix in (".h", ".hpp") and (at_the_door or ALONE.search(path.read_text())):
                visit(path, path.relative_to(root), {path})
    return sorted(found)


RULES = [
    floor_violations,
    forward_declarations,
    homeless_folders,
    front_door_violations,
    alone_violations,
]


@pytest.mark.parametrize("rule", RULES)
def test_the_house_keeps(rule):
    assert rule(ROOT) == []


def test_the_house_is_not_empty():
    assert len(sources(ROOT / "abi")) > 10
    assert len(sources(ROOT / "include")) > 5
    assert any(ALONE.search(p.read_text()) for p in sources(ROOT / "legacy"))


# The checkers, checked: each breach in a tree that is otherwise in order.


@pytest.fixture
def tree(tmp_path):
    for folder in ("abi", "legacy", "typed_ffi", "adapters"):
        write(tmp_path, f"{folder}/good.h", "#include <string>")
        (tmp_path / "include/callbridge").mkdir(parents=True, exist_ok=True)
        (tmp_path / "include/callbridge" / folder).symlink_to(f"../../{folder}")
    write(tmp_path, "include/callbridge/door.h", '#include "callbridge/adapters/good.h"')
    write(tmp_path, "adapters/fine.cc", '#include "callbridge/abi/good.h"\n#include "absl/x.h"')
    write(
        tmp_path,
        "adapters/types.h",
        "struct Services : Base {\n};\ntemplate <typename T>\nclass Cache final {\n};\n"
        "enum class Number : int { kOne };\nclass Node {};\nstruct Services;",
    )
    # Of others, of this floor or below, and of both a nested type and one above.
    write(
        tmp_path,
        "legacy/types.h",
        "struct CUstream_st;\nclass Target;\nclass Target {};\nstruct Node;\nstruct Node {};",
    )
    write(
        tmp_path, "legacy/alone.h", '// Standard library alone.\n#include "callbridge/abi/good.h"'
    )
    write(tmp_path, "typed_ffi/binding/b.h", '#include "callbridge/typed_ffi/good.h"')
    return tmp_path


def write(root, path, text):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text + "\n")


def test_an_orderly_tree_passes(tree):
    assert [rule(tree) for rule in RULES] == [[]] * len(RULES)


@pytest.mark.parametrize(
    "path, text, rule, complaint",
    [
        (
            "abi/up.h",
            '#include "callbridge/adapters/good.h"',
            floor_violations,
            "abi/up.h:1: abi (floor 1) includes adapters (floor 4)",
        ),
        (
            "legacy/beside.cc",
            "\n  #  include <callbridge/typed_ffi/good.h>",
            floor_violations,
            "legacy/beside.cc:2: legacy (floor 2) includes typed_ffi (floor 2)",
        ),
        (
            "adapters/door.cc",
            '#include "callbridge/door.h"',
            floor_violations,
            "adapters/door.cc:1: callbridge/door.h is the front door, for those outside the house",
        ),
        (
            "tools/door.cc",
            '#include "xla/service/custom_call_status.h"',
            floor_violations,
            "tools/door.cc:1: xla/service/custom_call_status.h is the front door, "
            "for those outside the house",
        ),
        (
            "tools/unknown.cc",
            '#include "callbridge/nowhere/x.h"',
            floor_violations,
            "tools/unknown.cc:1: callbridge/nowhere/x.h: no folder nowhere stands on a floor",
        ),
        (
            "adapters/near.cc",
            '#include "good.h"',
            floor_violations,
            'adapters/near.cc:1: good.h is spelled "callbridge/<folder>/..."',
        ),
        (
            "abi/around.cc",
            '#include "../adapters/good.h"',
            floor_violations,
            'abi/around.cc:1: ../adapters/good.h is spelled "callbridge/<folder>/..."',
        ),
        (
            "typed_ffi/host/h.h",
            '#include "callbridge/typed_ffi/binding/b.h"',
            floor_violations,
            "typed_ffi/host/h.h:1: typed_ffi/host includes typed_ffi/binding",
        ),
        (
            "typed_ffi/binding/c.h",
            '#include "callbridge/typed_ffi/host/h.h"',
            floor_violations,
            "typed_ffi/binding/c.h:1: typed_ffi/binding includes typed_ffi/host",
        ),
        (
            "abi/names_up.h",
            "namespace callbridge {\nnamespace host {\nstruct Services;  // adapters/\n}\n}",
            forward_declarations,
            "abi/names_up.h:3: abi (floor 1) declares Services, which adapters (floor 4) defines",
        ),
        (
            "legacy/names_up.h",
            "template <typename T> class Cache;",
            forward_declarations,
            "legacy/names_up.h:1: legacy (floor 2) declares Cache, "
            "which adapters (floor 4) defines",
        ),
        (
            "abi/names_up.h",
            "namespace callbridge { enum class Number : int; }",
            forward_declarations,
            "abi/names_up.h:1: abi (floor 1) declares Number, which adapters (floor 4) defines",
        ),
        ("utils/u.h", "", homeless_folders, "utils"),
        (
            "include/callbridge/long.h",
            "int x;\n// y\n" * 51,
            front_door_violations,
            "include/callbridge/long.h: 51 lines, of 50",
        ),
        (
            "legacy/not_alone.h",
            '// Standard library alone.\n#include "absl/x.h"',
            alone_violations,
            "legacy/not_alone.h: absl/x.h, in line 2 of legacy/not_alone.h",
        ),
        (
            "abi/good.h",
            "#include <dlfcn.h>",
            alone_violations,
            "legacy/alone.h: dlfcn.h, in line 1 of include/callbridge/abi/good.h",
        ),
    ],
)
def test_a_breach_is_found(tree, path, text, rule, complaint):
    write(tree, path, text)
    assert rule(tree) == [complaint]
