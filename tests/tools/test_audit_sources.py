"""What `callbridge audit` reads in a wheel's Python, and what it says to type for one JAX."""

import json
import os
import pty
import time
import zipfile

import pytest
from audited_wheels import (
    COMMAND,
    HEADERS,
    ORIGINAL,
    ROOT,
    TYPED,
    audit,
    audited,
    handlers,
    refusal,
    shared,
    wheel,
)

pytest.importorskip("packaging")

from callbridge._audit import _releases, _sources  # noqa: E402

pytestmark = pytest.mark.usefixtures("in_a_folder_of_its_own")

# In jax 0.4.13 and gone in 0.9.2; and what came after 0.4.38.
REMOVED = "from jax.lib import xla_client\n"
CAME = "import jax\nregister = jax.ffi.register_ffi_target\n"


def with_sources(*requires, library=True, **sources):
    """A wheel with these texts: `a__b="..."` is mine/a/b.py."""
    name = wheel(*requires, **({"library": shared(ORIGINAL)} if library else {}))
    with zipfile.ZipFile(name) as file:
        members = {each: file.read(each) for each in file.namelist() if not each.endswith(".py")}
    with zipfile.ZipFile(name, "w") as file:
        for member, content in members.items():
            file.writestr(member, content)
        for path, text in {"__init__": "", **sources}.items():
            dunder = "__init__" if path.endswith("__init__") else ""
            plain = path.removesuffix("__init__").replace("__", "/") + dunder
            file.writestr(f"mine/{plain}.py", text)
    return name


def names_of(*requires, **sources):
    return audited(with_sources(*requires, **sources))["python"]["names"]


# ---- Names that JAX lacks


def test_private_names_that_no_recording_has_are_unknown():
    # jax 0.6.2 has no GenericEffect; splineax-klujax asks for it at its top, and admits that JAX.
    asks = "import jax._src.core\neffect = jax._src.core.GenericEffect\n"
    name = with_sources("jax>=0.5", ops=asks)
    report = audited(name)
    assert report["python"]["names"] == [] and report["unknown"]
    done = audit("--strict", name)
    assert done.returncode == 0
    assert (
        "  its Python asks for private names of JAX, which some releases may lack: "
        "jax._src.core (mine/ops.py:1), and 1 more\n"
    ) in done.stdout
    assert "verdict: no contradiction is seen, but not all could be told\n" in done.stdout
    report = audited(with_sources("jax>=0.5", ops="import jax\nnumber = jax.__version__\n"))
    assert report["python"]["private"] == [] and not report["unknown"]
    tried = "try:\n    import jax._src.core\nexcept ImportError:\n    pass\n"
    assert not audited(with_sources("jax>=0.5", ops=tried))["unknown"]
    pure = audited(with_sources("jax>=0.5", library=False, ops=asks))
    assert pure["python"]["private"] and not pure["unknown"]


def test_a_module_that_cannot_be_imported_is_a_contradiction():
    name = with_sources("jax>=0.4.30", ops=REMOVED)
    (found,) = audited(name)["python"]["names"]
    assert found == {
        "name": "jax.lib.xla_client",
        "lacking": "0.9.2 to 0.12.0.1",
        "place": "mine/ops.py:1",
        "places": 1,
        "certain": True,
        "admits": "0.9.2 to 0.12.0.1",
    }
    done = audit("--strict", name)
    assert done.returncode == 1 and "verdict" not in done.stdout
    assert (
        "  admitted, and fails natively: jax 0.9.2 to 0.12.0.1: importing mine/ops.py:1: "
        "jax.lib.xla_client is not there\n"
    ) in done.stdout
    done = audit("--strict", with_sources("jax<0.9", ops=REMOVED))
    assert done.returncode == 0
    assert done.stdout.endswith(
        "verdict: its custom calls run natively on all that it admits, which has its names\n"
    )


def test_a_name_that_came_later():
    (found,) = names_of("jax>=0.4.20", ops=CAME)
    assert (found["name"], found["lacking"]) == ("jax.ffi", "0.4.13 to 0.4.38")
    assert found["certain"] and found["admits"] == "0.4.20 to 0.4.38"
    assert names_of("jax>=0.5", ops=CAME)[0]["admits"] is None


@pytest.mark.parametrize(
    "sources",
    [
        {"ops": f"def f():\n    {REMOVED}"},
        {"ops": f"import sys\nif sys.argv:\n    {REMOVED}"},
        {"ops": "import contextlib\nwith contextlib.suppress(ImportError):\n    " + REMOVED},
        {"ops": "from jax import lib\nf = lambda: lib.xla_client.ops"},
        {"ops": "from jax import lib\ndef f(x: lib.xla_client.Client) -> None: ..."},
        {"ops": "from jax import lib\nlib = print\nlib.xla_client.ops"},
        {"ops": "import jax\njax.lib.xla_client = None"},
        {"_old": REMOVED},
        {"_old": REMOVED, "ops": "try:\n    from mine import _old\nexcept ImportError: ..."},
        {"old": REMOVED, "ops": "def f():\n    from . import old"},
        {"old": REMOVED, "ops": "if print():\n    from mine.old import xla_client"},
        {"ops": "import jax._src.api\njax._src.api._check_arg"},
    ],
)
def test_what_may_not_run_is_no_contradiction(sources):
    name = with_sources("jax", **sources)
    report = audited(name)
    assert report["python"]["names"] and report["unknown"]
    assert not any(found["certain"] for found in report["python"]["names"])
    done = audit("--strict", name)
    assert done.returncode == 0 and "not all could be told" in done.stdout
    assert "  admitted, and may fail natively: 1 of the names above" in done.stdout


@pytest.mark.parametrize(
    "sources",
    [
        {"_old": REMOVED, "ops": "from mine import _old"},
        {"_old": REMOVED, "ops": "from ._old import xla_client"},
        {"_old__deep": REMOVED, "_old__init__": "", "ops": "import mine._old.deep"},
        {"old__init__": REMOVED, "old__ops": "", "ops": "def f():\n    import mine.old.ops"},
        {"__init__": REMOVED},
        {"ops": f"try:\n    {REMOVED}except ValueError: ..."},
        {"ops": "import jax.lib\nclass A:\n    def f(self, x=jax.lib.xla_client.ops): ..."},
    ],
)
def test_what_surely_runs_is_a_contradiction(sources):
    (found,) = names_of("jax", **sources) if "old__init__" not in sources else names_of(
        "jax", **{**sources, "ops": "import mine.old.ops"}
    )  # fmt: skip
    assert found["certain"] is True


def test_what_is_tried_and_tests_are_left_out():
    tried = f"try:\n    {REMOVED}except ImportError:\n    xla_client = None"
    assert names_of("jax", ops=tried, test_it=REMOVED, tests__it=REMOVED) == []


def test_sources_that_cannot_be_read():
    name = with_sources("jax", old="import jax\nprint 1", other="print 1", deep="(" * 9999)
    report = audited(name)
    assert report["python"]["unread"] == ["mine/old.py"] and report["unknown"]
    assert "  Python that could not be read: mine/old.py\n" in audit(name).stdout


def test_jaxs_own_package_is_not_read():
    with zipfile.ZipFile(wheel("numpy"), "a") as file:
        file.writestr("jax/__init__.py", REMOVED)
    assert audited("mine-1.0-py3-none-any.whl")["python"]["names"] == []


def test_a_name_that_came_back():
    assert _releases.lacking("jax.interpreters.mlir.token_type").spans[-1].last < (
        _releases.Version("0.5.3")
    )
    assert _releases.lacking("jax.numpy.add") is None


# ---- Handlers that are not in libraries as JAX gets them


def test_handlers_that_python_makes_are_unknown():
    source = "import jax\ndef register(f):\n    jax.ffi.register_ffi_target('f', f)\n"
    name = with_sources("jax>=0.6", library=False, ops=source)
    report = audited(name)
    assert report["python"]["registers"] == ["mine/ops.py:3"] and report["unknown"]
    done = audit(name)
    assert "  its Python registers custom calls: mine/ops.py:3\n" in done.stdout
    assert done.stdout.endswith("but its Python registers some: unknown\n")


def test_handlers_of_an_xla_inside_are_unknown_and_not_asked():
    text = """
extern "C" const char* log() { return "Register XLA FFI handler for '%s'; platform=%s"; }
[[gnu::constructor]] static void run() { __builtin_trap(); }
"""
    name = wheel("jax", library=shared(TYPED + text))
    report = audited("--probe", name)
    (call,) = report["libraries"][0]["custom_calls"]
    assert call["native"] is None and "an XLA of its own" in call["notes"][0]
    assert call["evidence"] == "" and report["contradictions"] == []
    assert audit("--strict", "--probe", name).returncode == 0


def test_a_library_for_each_jax_is_no_contradiction():
    """As sphericart-jax 2.0.4 has them: folders named for releases."""
    old, new = HEADERS[0], HEADERS[-1]
    name = wheel(f"jax=={old}", **{"old/it": handlers(old), "new/it": handlers(new)})
    report = audited("--probe", name)
    calls = [call for each in report["libraries"] for call in each["custom_calls"]]
    assert any("which one the package loads is unknown" in "".join(c["notes"]) for c in calls)
    assert report["contradictions"] == [] and report["unknown"]
    alone = audited("--probe", wheel(f"jax=={old}", new=handlers(new)))
    assert alone["contradictions"]


@pytest.mark.parametrize(
    "requires, admits_0_5",
    [
        (["jax>=0.4; extra == 'old'", "jax>=0.8; extra == 'new'"], True),
        (["jax>=0.8", "jax>=0.4; extra == 'old'"], False),
        (["jax>=0.8; python_version < '3'"], True),
        (["jax>=0.8; python_version > '3'"], False),
        (["jax>=0.4", "jax>=0.8; extra == 'cuda'"], True),
    ],
)
def test_markers_of_requirements(requires, admits_0_5):
    metadata = "Name: mine\nVersion: 1\n" + "".join(f"Requires-Dist: {each}\n" for each in requires)
    requirements = _releases.requirements_of(metadata, "")
    assert requirements.admits(_releases.Version("0.5")) is admits_0_5


@pytest.mark.parametrize("name", ["jaxlib", "jax-cuda12-plugin", "jax_rocm7_pjrt"])
def test_jaxlib_itself_admits_its_own_release(name):
    requirements = _releases.requirements_of(f"Name: {name}\nVersion: 0.6.2\n", "")
    assert requirements.texts == ("jaxlib==0.6.2",)


# ---- The probe

ANSWERS = """
#include "callbridge/typed_ffi/c_api.h"
extern "C" int from_elsewhere(int);
extern "C" int from_beside(int);
[[gnu::constructor]] static void begin() { CALLS; }
#define HANDLER(NAME) extern "C" XLA_FFI_Error* NAME(XLA_FFI_CallFrame* frame) { \\
  auto* query = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start); \\
  if (query == nullptr) { CALLS; return nullptr; } \\
  query->metadata->api_version.major_version = 0; \\
  query->metadata->api_version.minor_version = 3; \\
  return nullptr; \\
}
extern "C" const char* mention() { return "XLA_FFI_CallFrame"; }
"""


def answering(calls, count=1, name="made.so", words=()):
    text = ANSWERS.replace("CALLS", calls)
    text += "".join(f"HANDLER(handler_{i})\n" for i in range(count))
    return shared(text, "-std=c++17", "-I", str(ROOT / "include"), *words, name=name)


def test_a_handler_of_a_library_that_needs_what_is_not_here():
    shared('extern "C" int from_elsewhere(int x) { return x; }', name="libnowhere.so.1")
    library = answering(
        "from_elsewhere(1)", words=["-L.", "-Wl,--no-as-needed", "-l:libnowhere.so.1"]
    )
    os.remove("libnowhere.so.1")
    report = audited("--probe", wheel("jax>=0.9.1", library=library))
    by_name = {name: call for each in report["libraries"] for call in each["custom_calls"]
               for name in call["names"]}  # fmt: skip
    assert by_name["handler_0"]["api_version"] == "0.3"


def test_a_library_that_its_package_loads_before():
    """It is in a folder of the wheel that the library does not name, as NAME.libs is."""
    shared('extern "C" int from_beside(int x) { return x == 1 ? 1 : 0; }', name="libbeside-1.so")
    calls = "if (from_beside(1) != 1) __builtin_trap()"
    library = answering(calls, words=["-L.", "-Wl,--no-as-needed", "-l:libbeside-1.so"])
    name = wheel("jax>=0.9.1", library=library, **{"libs/it": "libbeside-1.so"})
    with zipfile.ZipFile(name, "a") as file:
        file.write("libbeside-1.so", "mine.libs/libbeside-1.so")
    os.remove("libbeside-1.so")
    report = audited("--probe", name)
    assert {call["api_version"] for call in report["libraries"][0]["custom_calls"]} == {"0.3"}


def test_a_thousand_functions_are_asked_within_ten_seconds():
    library = answering("", count=1000)
    begin = time.monotonic()
    report = audited("--probe", library)
    assert time.monotonic() - begin < 10
    (call,) = report["libraries"][0]["custom_calls"]
    assert len(call["names"]) == 1000 and call["api_version"] == "0.3"


def test_a_file_that_cannot_be_opened_is_tried_once():
    library = answering("__builtin_trap()", count=1000)
    begin = time.monotonic()
    report = audited("--probe", library)
    assert time.monotonic() - begin < 5
    assert "cannot be opened" in report["libraries"][0]["custom_calls"][0]["evidence"]


def test_what_there_was_no_time_for_is_said(monkeypatch, capfd):
    from callbridge import _audit

    monkeypatch.setattr(_audit, "_SECONDS_TO_PROBE", -1)
    assert _audit.main("--probe", wheel("jax>=0.9.1", library=answering(""))) == 0
    printed = capfd.readouterr().out
    assert "  not probed, as the time was over: mine/library.so\n" in printed
    assert "not all could be told" in printed


def test_progress_on_a_terminal():
    library = shared(
        'extern "C" void f() { for (;;) {} } extern "C" const char* g() '
        '{ return "XLA_FFI_CallFrame"; }'
    )
    process, terminal = pty.fork()
    if process == 0:
        os.execv(COMMAND, ["callbridge", "audit", "--probe", str(library)])
    shown = b""
    try:
        while part := os.read(terminal, 4096):
            shown += part
    except OSError:
        pass  # it has ended
    os.waitpid(process, 0)
    os.close(terminal)
    assert b"\r\x1b[Kprobing 1 of 1: made.so, 1 s" in shown
    assert b"probing" not in shown.split(b"\r\x1b[K")[-1]
    assert "probing" not in audit("--probe", library).stderr


# ---- What to type


def told(*words):
    return json.loads(audit("--json", *words).stdout)["for"]


def test_for_a_release_that_is_not_admitted():
    name = wheel("jax>=0.6", "numpy>=1.20", "pytest; extra == 'test'", library=shared(ORIGINAL))
    found = told("--for", "0.4.30", name)
    assert found["type"] == [
        "pip install 'jax[cpu]==0.4.30' 'numpy>=1.20'",
        f"pip install --no-deps {name}",
        "python PROGRAM",
    ]
    assert found["why"] == ["it requires jax>=0.6: without --no-deps pip replaces jax 0.4.30"]
    said = audit("--for", "0.4.30", name).stdout
    assert "  for jax 0.4.30, type\n    pip install 'jax[cpu]==0.4.30' 'numpy>=1.20'\n" in said


def test_for_a_release_that_is_admitted():
    name = wheel("jax>=0.4", library=shared(ORIGINAL))
    found = told("--for=0.6.2", name)
    assert found["type"] == [f"pip install 'jax[cpu]==0.6.2' {name}", "python PROGRAM"]
    assert found["why"] == []


def test_for_a_release_that_needs_resurrect():
    newest = HEADERS[-1]
    found = told("--probe", "--for", "0.6.2", wheel(f"jax>={newest}", library=handlers(newest)))
    assert found["type"][-1] == "python -m callbridge.resurrect PROGRAM"
    assert "custom calls of mine/library.so do not run on it natively" in found["why"]
    found = told("--for", "0.10.2", with_sources("jax", ops=REMOVED))
    assert found["type"][-1] == "python -m callbridge.resurrect PROGRAM"
    assert found["why"] == ["jax 0.10.2 lacks jax.lib.xla_client, which mine/ops.py:1 asks for"]


def test_for_a_release_of_numpy_1():
    found = told("--for", "0.4.13", wheel("jax>=0.4", library=shared(ORIGINAL)))
    assert found["type"][0].startswith("pip install 'jax[cpu]==0.4.13' 'numpy<2' 'scipy<1.13' ")


def test_an_extra_that_needs_jax():
    name = wheel("numpy", "jax>=0.4; extra == 'jax'", library=shared(ORIGINAL))
    assert told("--for", "0.6.2", name)["type"][0] == f"pip install 'jax[cpu]==0.6.2' '{name}[jax]'"


@pytest.mark.parametrize("release", ["", "0.3", "0.99", "x", "0.4.12"])
def test_for_what_is_no_release(release):
    if not release:
        done = audit("--for")
        assert done.returncode == 2 and "--for: 1 required RELEASE missing" in done.stderr
        return
    said = refusal("--for", release, wheel("jax", library=shared(ORIGINAL)))
    assert said == f"--for {release!r}: expected a release of JAX from 0.4.13 to 0.12.0.1"


def test_for_a_library():
    assert "--for needs a wheel" in refusal("--for", "0.6.2", shared(ORIGINAL))


# ---- The parser


def test_parser_reads_what_python_reads():
    for text in (b"# coding: latin-1\nx = '\xe9'\nimport jax", "import jax\n"):
        assert [use.name for use in _sources.read(text).uses] == ["jax"]
    with pytest.raises(ValueError):
        _sources.read("(" * 100000)
