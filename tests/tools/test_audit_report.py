"""The whole report of `callbridge audit`, of libraries and of releases that are made up."""

import pathlib

import pytest

pytest.importorskip("packaging")

from callbridge._audit import _files, _releases, _report, _text  # noqa: E402

# Of each row the headers that it registers, and those whose state it keeps. Headers with metadata
# are from the third on; between the second and the third row are releases that belong to neither.
ROWS = [
    {"minor": minor, "releases": f"jaxlib {releases}", "has_metadata": metadata,
     "accepts": [one == "a" or one == "k" for one in answers],
     "keeps_state": [one == "k" for one in answers]}
    for minor, releases, metadata, answers in [
        (0, "2.0 to 2.9", False, "k----"),
        (0, "3.0 to 3.5", False, "-k---"),
        (1, "5.0 to 5.9", True, "-ak--"),
        (2, "6.0", True, "--aka"),
        (3, "7.0", True, "-a-ak"),
    ]
]  # fmt: skip
TYPED = {"Host": "typed_ffi", "gpu": "typed_ffi"}


def function(name, host=None, gpu=None, **more):
    return {"name": f"{name}()", "symbol": f"_Z{name}", "abi": {"Host": host, "gpu": gpu}, **more}


def answer(symbol, version=None, **more):
    return {
        "symbol": symbol,
        "has_symbol": True,
        "verdict": "typed",
        "evidence": "it answered",
        "api_version": version,
        "headers": None,
        "adapts": False if version else None,
        "makes_state": None,
        **more,
    }


def file(**found):
    nothing = {"functions": [], "untyped_functions": [], "operators": [], "probed": []}
    nothing |= {"mentions_typed_ffi": False, "typed_headers": None, "has_capsules": False}
    nothing |= {"contains_xla": False, "not_asked": 0}
    return {**nothing, "registry": [], "stripped": False, "refusal": None, **found}


LIBRARIES = {
    "untyped.so": file(
        functions=[
            *(function(name, "original", "original") for name in "cab"),
            *(function(name, "status_returning", None) for name in "hijkl"),
            *(function(name, "original", "status_returning") for name in "wxyz"),
            function("gpu", None, "original"),
        ],
        has_capsules=True,
    ),
    "registered.so": file(registry=[{"place": "imported", "name": "Register()"}]),
    "defined.so": file(
        registry=[
            {"place": "defined", "name": "Register()"},
            {"place": "imported", "name": "Lookup()"},
        ]
    ),
    "capsules.so": file(has_capsules=True),
    "both.so": file(has_capsules=True, registry=[{"place": "imported", "name": "Register()"}]),
    "operators.so": file(operators=[{"function": "Add"}, {"function": "Abs"}]),
    "mentions.so": file(mentions_typed_ffi=True, has_capsules=True),
    "no_types.so": file(mentions_typed_ffi=True, untyped_functions=[{"symbol": "f"}]),
    "not_opened.so": file(
        mentions_typed_ffi=True,
        probed=[answer(each, verdict="unknown", evidence="not opened") for each in "ab"],
    ),
    "not_found.so": file(
        mentions_typed_ffi=True,
        probed=[answer(each, verdict="unknown", evidence=f"failed {each}") for each in "ab"],
    ),
    "told.so": file(mentions_typed_ffi=True,
                    typed_headers={"api_version": "0.0", "headers": "jaxlib 3.0 to 3.5"}),
    "told_and_asked.so": file(
        functions=[function("u", None, "typed_ffi")],
        typed_headers={"api_version": "0.0", "headers": "jaxlib 3.0 to 3.5"},
        probed=[answer("_Zu", evidence="no answer")],
    ),
    "typed.so": file(
        mentions_typed_ffi=True,
        functions=[function(name, **{"host": "typed_ffi", "gpu": "typed_ffi"}) for name in "mno"],
        probed=[
            answer("_Zm", "0.1"),
            answer("_Zn", "0.3", makes_state=False, adapts=True),
            answer("_Zo", evidence="it crashed"),
            answer("f at 0x10", "0.2", has_symbol=False, makes_state=False),
            answer("no", verdict="unknown"),
        ],
    ),
    "state.so": file(
        functions=[function(name, "typed_ffi", "typed_ffi") for name in "pq"],
        probed=[answer("_Zp", "0.3", makes_state=True), answer("_Zq", "0.3", makes_state=False)],
    ),
    "newer.so": file(probed=[answer("g at 0x20", "0.9", has_symbol=False)]),
    "only_state.so": file(
        stripped=True,
        functions=[function("p", "typed_ffi", "typed_ffi")],
        probed=[answer("_Zp", "0.3", makes_state=True)],
    ),
    "adapts.so": file(
        functions=[function("v", "typed_ffi", "typed_ffi")],
        probed=[answer("_Zv", "0.3", adapts=True, makes_state=True)],
    ),
    "oldest.so": file(
        functions=[function(name, "typed_ffi", "typed_ffi") for name in ("r", "r2")],
        probed=[
            answer("_Zr", "0.0", headers="jaxlib 2.0 to 2.9"),
            answer("_Zr2", "0.0", headers="jaxlib 2.0 to 2.9", makes_state=True),
        ],
    ),
    "not_asked.so": file(
        stripped=True,
        functions=[function("s", "typed_ffi", "typed_ffi")],
        probed=[answer("_Zs", "0.3", makes_state=False), answer("none", verdict="unknown")],
    ),
    "stripped.so": file(
        stripped=True,
        functions=[function("t", "typed_ffi", "typed_ffi")],
        probed=[
            answer("_Zt", "0.3", makes_state=False, has_symbol=False),
            answer("none", verdict="unknown"),
        ],
    ),
    "nothing.so": file(),
    "another.so": file(),
    "damaged.so": file(refusal="damaged"),
}  # fmt: skip


@pytest.fixture(autouse=True)
def releases(monkeypatch):
    monkeypatch.setattr(_releases, "OLDEST", (1, 0))
    monkeypatch.setattr(_releases, "NEWEST", (9, 0))


def report(files=LIBRARIES, jax="", metadata=None, probed=True, links=(), errors=()):
    requirements = _releases.requirements_of(metadata, jax)
    found = _report.report_of("a.whl", files, links, requirements, ROWS, probed)
    return {**found, "errors": list(errors)}


METADATA = """\
Metadata-Version: 2.1
Requires-Dist: numpy
Requires-Dist: jax >=6
Requires-Dist: jax>=6
Requires-Dist: JAXlib <8,>=2; python_version > '3'
Requires-Dist: jax-plugin
Requires-Dist: jax.tools
Requires-Dist: jaxtyping
Requires-Dist: numpy=>1
Requires-Dist: my jax=>1

Requires-Dist: jax<1
"""
ONLY = {name: {name: found} for name, found in LIBRARIES.items()}
REPORTS = {
    "all, probed": (_text.text_of, {"jax": ">=1", "links": ("x", "y")}),
    "not probed": (
        _text.text_of,
        {
            "files": {**ONLY["mentions.so"], **ONLY["no_types.so"], **ONLY["typed.so"]},
            "probed": False,
        },
    ),
    "a table": (_text.table_of, {"jax": ">=1"}),
    "a table of nothing": (_text.table_of, {"files": ONLY["nothing.so"]}),
    "by its metadata": (_text.text_of, {"files": ONLY["told.so"], "metadata": METADATA}),
    "without metadata of jax": (
        _text.text_of,
        {"files": ONLY["capsules.so"], "metadata": "Name: a\n"},
    ),
    "--jax before metadata": (
        _text.text_of,
        {"files": ONLY["capsules.so"], "metadata": METADATA, "jax": "==3"},
    ),
    "one library without": (_text.text_of, {"files": ONLY["nothing.so"], "jax": ">1"}),
    "a damaged one": (
        _text.text_of,
        {
            "files": {**ONLY["damaged.so"], **ONLY["capsules.so"]},
            "jax": ">1",
            "errors": ["damaged"],
        },
    ),
    "unknown": (_text.text_of, {"files": ONLY["mentions.so"], "jax": ">1"}),
    "unknown state": (_text.text_of, {"files": ONLY["not_asked.so"], "jax": "==6.0"}),
    "known state": (_text.text_of, {"files": ONLY["not_asked.so"], "jax": ">=7"}),
    "may fail": (_text.text_of, {"files": ONLY["state.so"], "jax": ">=6"}),
    "between two rows": (_text.text_of, {"files": ONLY["oldest.so"], "jax": "==4.1"}),
    "between the last two": (_text.text_of, {"files": ONLY["oldest.so"], "jax": "==6.5"}),
    "not admitted": (_text.text_of, {"files": ONLY["oldest.so"], "jax": ">2,!=2.5,<3"}),
    "names that hide": (_text.table_of, {"files": {"a|b\n.so": LIBRARIES["told.so"]}}),
}


def test_the_reports():
    """All that is said: expected_audit.txt."""
    found = ""
    for name, (as_text, what) in REPORTS.items():
        found += f"==== {name}\n{as_text(report(**what))}"
    expected = pathlib.Path(__file__).with_name("expected_audit.txt").read_text()
    assert found.splitlines() == expected.splitlines()


def test_the_json():
    files = {name: LIBRARIES[name] for name in ("typed.so", "state.so", "nothing.so")}
    found = report(files=files, jax=">=6", links=["x"])
    calls = [call for library in found["libraries"] for call in library["custom_calls"]]
    assert [call["names"] for call in calls] == [
        *(["m()"], ["n()"], ["o()"], ["f at 0x10"], ["p()"], ["q()"]),
    ]
    assert calls[1] == {
        "abi": "typed_ffi",
        "evidence": "it answered",
        "api_version": "0.3",
        "headers": None,
        "adapts": True,
        "makes_state": False,
        "names": ["n()"],
        "native": "2.0 to 9.0",
        "through_callbridge": "1.0",
        "notes": [],
    }
    assert (calls[2]["native"], calls[2]["api_version"]) == (None, None)
    assert found["contradictions"] == [
        {
            "library": "typed.so",
            "abi": "typed_ffi",
            "api_version": "0.1",
            "makes_state": None,
            "admits": "7.0 to 9.0",
            "certain": True,
            "error": "INVALID_ARGUMENT: the handler's API version (0.1) is incompatible with the "
            "framework's API version (0.3)",
        },
        {
            "library": "state.so",
            "abi": "typed_ffi",
            "api_version": "0.3",
            "makes_state": True,
            "admits": "6.0",
            "certain": False,
            "error": "it makes state, and some of these releases pass a null state to the handler "
            "that takes it, which ends the process",
        },
    ]
    del found["libraries"], found["contradictions"]
    assert found == {
        "path": "a.whl",
        "probed": True,
        "requires": ["jax>=6"],
        "without_custom_calls": ["nothing.so"],
        "not_probed": [],
        "python": {"names": [], "private": [], "registers": [], "unread": []},
        "not_followed": ["x"],
        "unknown": True,
        "errors": [],
    }


def test_state_that_is_known_is_not_unknown():
    assert report(files=ONLY["only_state.so"], jax=">=6")["unknown"] is False


@pytest.mark.parametrize(
    "specifiers, admitted",
    [
        (">5.0,<6", "5.0.1 to 5.9"),
        (">5.1.1,<5.1.3", "5.1.2"),
        (">5.1,<5.1.5", "5.1.1 to 5.1.4"),
        ("==5.3", "5.3"),
        (">5.9", "5.9.1 to 5.10"),
        (">=5.2,<5.2.1", "5.2"),
        ("!=5.0,<5.1", "5.0.1"),
        ("~=5.3.2,<5.3.4", "5.3.2 to 5.3.3"),
        ("==5.*", "5.0 to 5.9"),
        (">5.1.2.3,<5.1.2.5", "5.1.2.4"),
        (">5.3.0,<5.3.2,!=5.3.1", None),
        (">=6", None),
        ("<5", None),
    ],
)
def test_what_a_specifier_admits_of_a_row(specifiers, admitted):
    spans = _releases.spans_of(ROWS)
    requirements = _releases.requirements_of(None, specifiers)
    others = [span for span in spans if span.row is not ROWS[2]]
    found = _releases.admitted_of(spans, requirements, others)
    assert [text for _, text in found] == ([admitted] if admitted else [])


@pytest.mark.parametrize(
    "text, shown",
    [("a b", "a b"), ("a\nb", "a\\nb"), ("\x1b[2J", "\\x1b[2J"), ("é\u202e", "é\\u202e")],
)  # fmt: skip
def test_what_cannot_be_printed_is_escaped(text, shown):
    assert _files.printable(text) == shown
