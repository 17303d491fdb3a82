"""`callbridge completion`, in the shells themselves, and the manual page."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
COMMAND = BUILD / "callbridge"
SUBCOMMANDS = re.findall(
    r"^  (\w+) {3,}\S", subprocess.run([COMMAND, "--help"], capture_output=True, text=True).stdout,
    re.M,
)  # fmt: skip
# Those of Python, whose --help Python prints.
OF_PYTHON = [name for name in SUBCOMMANDS if name in ("audit", "migrate", "new")]
ABIS = ["original", "status_returning", "status_returning_unified", "typed_ffi"]


def script(shell):
    done = subprocess.run([COMMAND, "completion", shell], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(params=["bash", "zsh", "fish"])
def complete(request, tmp_path, monkeypatch):
    """A function: all that the shell offers for a line, when Tab is pressed at its end."""
    if shutil.which(request.param) is None:
        pytest.skip(f"no {request.param}: requirements/debian-shells.txt")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{BUILD}:{os.environ['PATH']}")
    (tmp_path / "home").mkdir()
    (tmp_path / "wanted.so").touch()
    (tmp_path / "wide folder").mkdir()
    pathlib.Path("home/script").write_text(script(request.param))
    return {"bash": in_bash, "zsh": in_zsh, "fish": in_fish}[request.param]


def in_fish(line):
    program = "source ~/script; complete -C $argv[1]"
    done = subprocess.run(
        ["fish", "--no-config", "-c", program, line], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    return [offered.split("\t")[0] for offered in done.stdout.splitlines()]


def in_bash(line):
    begin = "bind 'set show-all-if-ambiguous on' 'set page-completions off'"
    begin += " 'set enable-bracketed-paste off'; bind 'set completion-query-items 0'"
    return typed(["bash", "--norc", "--noprofile", "-i"], f"{begin}; source ~/script", line)


def in_zsh(line):
    # A Tab that is read together with what follows is a letter: so this one says when it was read.
    begin = "autoload -U compinit; compinit -u -D; LISTMAX=0; unset zle_bracketed_paste; "
    begin += "tab() { zle expand-or-complete; print -n 'ta''bbed' }; zle -N tab; bindkey '^I' tab"
    return typed(["zsh", "-f", "-i"], f"{begin}; source ~/script", line, "tabbed")


def typed(shell, begin, line, completed=""):
    """All words that a terminal shows behind the line when Tab is pressed, and then its words."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ["TERM"] = "dumb"
        os.execvp(shell[0], shell)
    try:
        os.write(terminal, f"stty rows 300 cols 400; {begin}; PS1=rea''dy\n".encode())
        read_until(terminal, "ready")
        os.write(terminal, f"{line}\t".encode())
        shown = read_until(terminal, completed)
        # Home, a command that shows the words, End.
        os.write(terminal, b"\x01printf '<%s>\\n' \x05\necho e''nd\n")
        shown += read_until(terminal, "\nend\r*\n")
    finally:
        os.close(terminal)
        os.waitpid(process, 0)
    listed = shown.partition("printf")[0].replace(line, "", 1).replace("tabbed", " ")
    return [*listed.split(), *re.findall(r"^<(.*)>\r*$", shown, re.M)]


def read_until(terminal, pattern):
    text, deadline = "", time.monotonic() + 60
    while not re.search(pattern, text):
        assert time.monotonic() < deadline, text
        if select.select([terminal], [], [], 1)[0]:
            text += os.read(terminal, 65536).decode(errors="replace")
    return text


def test_subcommands(complete):
    assert {*SUBCOMMANDS, "run", "audit"} <= {*complete("callbridge ")}
    assert "run" in complete("callbridge ru") and "inspect" not in complete("callbridge ru")
    assert "--version" in complete("callbridge --v")


def test_options_are_of_the_subcommand(complete):
    assert {"--result", "--abi", "--help"} <= {*complete("callbridge run --")}
    assert "--svg" not in complete("callbridge run --")
    assert "--svg" in complete("callbridge layout --s")
    assert "--strict" in complete("callbridge audit --st")
    assert "--rewrite" in complete("callbridge migrate --rew")
    # A subcommand's name is a file's too.
    assert "--probe" in complete("callbridge inspect run --pr")


def test_texts_that_an_option_takes(complete):
    assert {*ABIS} <= {*complete("callbridge run x.so f --abi ")}
    assert "typed_ffi" in complete("callbridge run x.so f --abi ty")
    assert {"nested", "flat"} <= {*complete("callbridge layout --tuple-layout ")}
    assert {"hlo", "stablehlo", "proto"} <= {*complete("callbridge show m.pb --form ")}
    assert {"bash", "zsh", "fish", "man"} <= {*complete("callbridge completion ")}
    offered = " ".join(complete("callbridge run x.so --abi=ty"))
    assert offered.endswith("typed_ffi")


def test_files(complete):
    assert "wanted.so" in complete("callbridge run wan")
    assert "wanted.so" in complete("callbridge inspect --json wan")
    assert "wanted.so" in complete("callbridge upgrade m --list --library wan")
    assert "wanted.so" in complete("callbridge audit wan")
    assert "wanted.so" not in complete("callbridge run x.so --abi wan")
    assert any(word.startswith("wide") for word in complete("callbridge run wid"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_find_no_fault(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}: requirements/debian-shells.txt")
    (tmp_path / "script").write_text(script(shell))
    done = subprocess.run([shell, "-n", tmp_path / "script"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_only_known_shells():
    done = subprocess.run([COMMAND, "completion", "tcsh"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "callbridge: SHELL: expected bash, zsh, fish or man, found tcsh (see --help)\n"
    )


@pytest.mark.parametrize("option", ["--abi", "--tuple-layout", "--platform"])
def test_what_is_offered_is_taken(option):
    """Each text that is offered behind an option is one that it takes."""
    table = script("bash")
    words = re.search(rf"run:{option}\) _callbridge_words '([^']+)'", table)[1].split()
    for word in words:
        done = subprocess.run(
            [COMMAND, "run", "/nonexistent.so", "f", "--result", "f32[]", option, word],
            capture_output=True,
            text=True,
        )
        assert (done.returncode, "/nonexistent.so" in done.stderr) == (1, True), done.stderr


# ---- The manual page


def test_the_manual_page_in_the_tree_is_that_of_the_command():
    """Otherwise: build/dev/callbridge completion man >tools/callbridge.1"""
    assert (ROOT / "tools/callbridge.1").read_text() == script("man")


def shown_by_man():
    if shutil.which("man") is None:
        pytest.skip("no man: requirements/debian-shells.txt")
    done = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", ROOT / "tools/callbridge.1"],
        env={**os.environ, "MANWIDTH": "200", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_manual_page_has_all_that_help_has():
    page = re.sub(r"\s+", " ", shown_by_man())
    for name in SUBCOMMANDS:
        help_of = subprocess.run([COMMAND, name, "--help"], env=of_python(), capture_output=True)
        assert help_of.returncode == 0, help_of.stderr
        if name not in OF_PYTHON:
            # Each word, whatever columns it is in.
            for line in help_of.stdout.decode().partition("Positionals:\n")[2].splitlines():
                for part in re.split(r" {2,}", line.strip().replace("-h,--", "-h, --")):
                    if not re.search(" (Needs|Excludes): |^Options:", part):
                        # An option that may be repeated says so in its text.
                        part = re.sub(r" REQUIRED$|^(-.*) \.\.\.$", r"\1", part)
                        assert re.sub(r"^([A-Z]+) (?=\.\.\.$)", r"\1", part) in page, (name, part)


def of_python():
    return {**os.environ, "CALLBRIDGE_PYTHON": sys.executable}


@pytest.mark.parametrize("name", OF_PYTHON)
def test_what_python_s_commands_take_is_what_their_help_says(name):
    done = subprocess.run(
        [COMMAND, name, "--help"], env=of_python(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    told = {*re.findall(r"^ +(?:-\w, ?)?(--?[a-z][a-z-]*)", done.stdout, re.M)}
    told |= {
        *re.findall(r", ?(--[a-z-]+)", done.stdout.partition("\n\n")[2].partition("Example")[0])
    }
    options = re.search(rf"^    {name}\) options='([^']*)'", script("bash"), re.M)[1].split()
    assert {*options} - {"-h"} == told - {"-h"}
    text = re.sub(r"\s+", " ", done.stdout)
    rows = re.findall(rf"-n '__callbridge_has {name}' .*-d '(.*)'$", script("fish"), re.M)
    assert len(rows) > 1
    for description in rows[1:]:
        assert re.sub(r"\\(.)", r"\1", description) in text
