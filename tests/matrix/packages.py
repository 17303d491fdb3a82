"""Real packages on every JAX, alone and under callbridge.resurrect: docs/packages.md.

packages.py --callbridge LIBRARY --write FILE [--jobs N]

Each is a process of its own that runs the package's program of tests/resurrect/real, whose checks
compare with NumPy, SciPy or the package's own results. Exits 0 if all that are expected to run did.
"""

import argparse
import concurrent.futures
import dataclasses
import email
import json
import os
import pathlib
import re
import subprocess
import sys

from jax_releases import IN_DEBIAN_13, ROWS, TODAY, used_by

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/resurrect"))
from real_packages import PACKAGES  # noqa: E402

CACHE = pathlib.Path(os.environ["CALLBRIDGE_CACHE"])
RELEASES = [row.release for row in ROWS if row.release in {*used_by("revive"), IN_DEBIAN_13}]
FITS = "as it is"
REVIVED = "**resurrect**"
REFUSES = "no"
NO_WHEEL = "no wheel"
NOT_RUN = "-"
FAILED = "error"
WATCH = str(ROOT / "tests/matrix/put_back.py")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--callbridge", required=True)
    arguments.add_argument("--write", type=pathlib.Path, required=True)
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    options = arguments.parse_args()
    library = os.path.abspath(options.callbridge)
    wanted = [(package, release) for package in PACKAGES for release in RELEASES]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        cells = dict(zip(wanted, pool.map(lambda cell: fill(*cell, library), wanted), strict=True))
    options.write.write_text(page(cells))
    failures = [cell for cell in cells.values() if cell.text == FAILED]
    sys.exit(1 if failures else 0)


HEAD = """# Packages

Wheels from PyPI, unmodified, on each JAX; `make matrix` ran all of it and wrote this page. Each
program compares its package's results with NumPy's, SciPy's or the package's own: *checks* is how
many. The programs are in `tests/resurrect/real`.

- *as it is*: it runs without callbridge, and the same under `callbridge.resurrect`.
- **resurrect**: it runs by `python -m callbridge.resurrect PROGRAM`, and not without.
- *no*: it cannot run there; the reason is below.
- *no wheel*: it has none for the Python of that JAX.
- *-*: it was not run there; packages that call no compiled code run on the two newest alone.

"""
WHAT_DOES_NOT_RUN = """
## What does not run
"""
ALONE = """
## What happens without callbridge
"""
PUT_BACK = """
## What was put back

Of the cells that need `callbridge.resurrect`:

- *names*: what the package's code asked for while the program ran, and that JAX lacks.
- *functions*: what the package's code asked for, and that JAX has with other parameters. callbridge
  wraps them, so that they take what they took in other releases; other calls stay as they are.
- *targets*: how many targets of the process XLA reaches through callbridge.
"""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a program ended: what it or the signal that ended it said, None if all checks held; and
    what put_back.py found."""

    said: str | None
    put_back: dict | None = None


@dataclasses.dataclass(frozen=True)
class Cell:
    text: str
    alone: str = ""
    under: str = ""
    put_back: dict | None = None


def fill(package, release, library):
    if package.on_newest_alone and release not in (TODAY, IN_DEBIAN_13):
        return Cell(NOT_RUN)
    folder = folder_of(package, release)
    if folder is None:
        return Cell(NO_WHEEL)
    alone = run(package, release, folder, library, revived=False)
    under = run(package, release, folder, library, revived=True)
    if under.said is None:
        text = FITS if alone.said is None else REVIVED
    elif package.why_not(under.said):
        text = REFUSES
    else:
        text = FAILED
    print(f"{package.list} on jax {release}: {text} {under.said or ''}", flush=True)
    return Cell(text, alone.said or "", under.said or "", under.put_back)


def folder_of(package, release):
    newest = release == IN_DEBIAN_13
    return None if newest and not package.python_3_13 else package.folder(newest)


def run(package, release, folder, library, revived):
    program = ROOT / "tests/resurrect/real" / package.program
    environment = {
        "CALLBRIDGE_LIBRARY": library,
        "JAX_PLATFORMS": "cpu",
        "JAX_TRACEBACK_FILTERING": "off",
        "PYTHONPATH": f"{ROOT / 'python'}:{folder}",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    settings = [f"{name}={value}" for name, value in environment.items()]
    inside = ["-m", "callbridge.resurrect", WATCH, str(folder)] if revived else []
    done = subprocess.run(
        [*python(release, settings), *inside, str(program)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1800,
    )
    if done.returncode == 0 and done.stdout == f"{package.checks} checks\n":
        found = re.search("^put back: (.*)$", done.stderr, re.MULTILINE)
        return Outcome(None, json.loads(found[1]) if revived else None)
    if done.returncode < 0 or done.returncode >= 128:
        return Outcome(f"signal {abs(done.returncode) % 128}")
    lines = re.findall(r"^(?:\w+\.)*\w*(?:Error|Exception)\b.*", done.stderr, re.MULTILINE)
    said = lines or done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
    return Outcome(said[-1])


def python(release, settings):
    if release == IN_DEBIAN_13:
        inside = ["/usr/bin/env", "--chdir", str(ROOT), *settings, "/venv/bin/python"]
        return ["scripts/debian_13", *inside]
    if release == TODAY:
        return ["env", *settings, ".venv/bin/python"]
    return ["env", *settings, str(CACHE / f"venv-jax-{release}" / "bin/python")]


def page(cells):
    parts = [
        *grid(cells),
        WHAT_DOES_NOT_RUN,
        *what_does_not_run(cells),
        PUT_BACK,
        *what_was_put_back(cells),
        ALONE,
        *without(cells),
        "",
    ]
    return HEAD + "\n".join(parts)


def grid(cells):
    yield f"| package | calls | asks for | checks | {' | '.join(RELEASES)} |"
    yield "|---" * (4 + len(RELEASES)) + "|"
    for package in PACKAGES:
        about = [package.list, package.calls, asks_for(package), str(package.checks)]
        texts = [cells[package, release].text for release in RELEASES]
        yield f"| {' | '.join(about + texts)} |"


def what_does_not_run(cells):
    yield "| package | jax | why |"
    yield "|---|---|---|"
    for package in PACKAGES:
        reasons = {}
        for release in RELEASES:
            if cells[package, release].text == REFUSES:
                reasons.setdefault(package.why_not(cells[package, release].under), []).append(
                    release
                )
        for reason, releases in reasons.items():
            yield f"| {package.list} | {', '.join(releases)} | {reason} |"


def what_was_put_back(cells):
    yield "| package | jax | names | functions | targets |"
    yield "|---|---|---|---|---|"
    for package in PACKAGES:
        used = {}
        for release in RELEASES:
            cell = cells[package, release]
            if cell.text == REVIVED:
                what = [listed(cell.put_back[kind]) for kind in ("restored", "wrapped")]
                used.setdefault((*what, cell.put_back["targets"] or "-"), []).append(release)
        for (restored, wrapped, targets), releases in used.items():
            jax = ", ".join(releases)
            yield f"| {package.list} | {jax} | {restored} | {wrapped} | {targets} |"


def listed(names):
    """Without modules and classes of which a name is listed."""
    last = [name for name in names if not any(other.startswith(f"{name}.") for other in names)]
    return ", ".join(f"`{name}`" for name in last) or "-"


def without(cells):
    yield "| package | jax | what it says |"
    yield "|---|---|---|"
    for package in PACKAGES:
        said = {}
        for release in RELEASES:
            alone = cells[package, release].alone
            if alone:
                said.setdefault(plain(alone), []).append(release)
        for text, releases in said.items():
            yield f"| {package.list} | {', '.join(releases)} | {text} |"


def plain(text):
    """An error as a cell of a table: one line, without this machine's folders."""
    text = re.sub(r" \((?:/[^()]*|unknown location)\)", "", text)
    text = re.sub(r"/\S*/", "", text).replace("|", "\\|").replace("`", "'")
    return f"`{text if len(text) < 200 else text[:197] + '...'}`"


def asks_for(package):
    """What the wheel itself says of JAX."""
    name = package.name.replace("-", "_")
    (metadata,) = package.folder(newest=False).glob(f"{name}-*.dist-info/METADATA")
    needs = email.message_from_string(metadata.read_text()).get_all("Requires-Dist") or []
    found = [match[1] for need in needs if (match := re.match(r"jax\b(?!\[)\s*([^;]*)", need))]
    return f"jax {' '.join(found[0].strip(' ()').split())}".strip() if found else "-"


if __name__ == "__main__":
    main()
