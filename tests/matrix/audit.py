"""`callbridge audit` of the wheels of tests/resurrect/real_packages.py: the table of docs/audit.md.

audit.py --command COMMAND --write FILE [--wheels FOLDER]

FILE has the table between two comments, which this replaces. FOLDER is where the wheels are, and
are downloaded to: that of the cache. Exits 0 if each could be audited, probed too.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/resurrect"))
from real_packages import PACKAGES  # noqa: E402

BEGIN = "<!-- audit.py wrote this -->\n"
END = "<!-- to here -->\n"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--command", required=True)
    arguments.add_argument("--write", type=pathlib.Path, required=True)
    arguments.add_argument(
        "--wheels",
        type=pathlib.Path,
        default=pathlib.Path(os.environ["CALLBRIDGE_CACHE"]) / "wheels",
    )
    options = arguments.parse_args()
    lines = [
        "| wheel | requires | custom calls | `--probe` | natively on jaxlib | admitted, fails |",
        "|---|---|---|---|---|---|",
    ]
    for package in PACKAGES:
        wheel = wheel_of(package, options.wheels)
        told = audited(options.command, wheel)
        asked = audited(options.command, "--probe", wheel)
        cells = [package.list, ", ".join(asked["requires"]) or "-", calls(told), calls(asked)]
        cells += [natively(asked), admitted(asked)]
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    before, _, rest = options.write.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    table = "".join(f"{line}\n" for line in lines)
    options.write.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}")


def wheel_of(package, folder):
    version = package.list.removeprefix(f"{package.name}-")
    pattern = f"{package.name.replace('-', '_')}-{version}-*.whl"
    # For the Python of `make test`; a wheel for others is as good.
    found = sorted(folder.glob(pattern), key=lambda path: ("cp311" not in path.name, path))
    if not found:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
        only = ["--only-binary", ":all:", "--no-deps", "--dest", str(folder)]
        subprocess.run([*pip, *only, f"{package.name}=={version}"], check=True)
        found = sorted(folder.glob(pattern))
    return str(found[0])


def audited(command, *words):
    environment = {**os.environ, "CALLBRIDGE_PYTHON": sys.executable}
    done = subprocess.run(
        [command, "audit", "--json", *words], stdout=subprocess.PIPE, check=True, env=environment
    )
    return json.loads(done.stdout)


def each_call(report):
    return [call for library in report["libraries"] for call in library["custom_calls"]]


def calls(report):
    """What is known of them, without their libraries: wheels have one or two."""
    texts = {}
    for call in each_call(report):
        version = ""
        if call["abi"] == "typed_ffi":
            version = f" {call['api_version'] or '?'}"
        kind = f"{call['abi']}{version}"
        texts[kind] = texts.get(kind, 0) + len(call["names"])
    return ", ".join(f"{count or ''} {kind}".strip() for kind, count in texts.items()) or "none"


def natively(report):
    spans = {call["native"] or "unknown" for call in each_call(report)}
    return "; ".join(sorted(spans)) or "-"


def admitted(report):
    return "; ".join(sorted({wrong["admits"] for wrong in report["contradictions"]})) or "-"


if __name__ == "__main__":
    main()
