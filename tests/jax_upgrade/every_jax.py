"""What each older JAX exports, upgraded and run on the newest two: a line a pair.

    every_jax.py BUILD

Exits 0 only if all results have the older JAX's bits. A JAX that is not there is a failure.
"""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "matrix"))

from jax_releases import used_by  # noqa: E402
from runtimes import python_of  # noqa: E402

OLD = used_by("export")
NEW = used_by("upgrade")


def run(runtime, build, program, *arguments):
    python = python_of(runtime)
    if python is None:
        return False, f"there is no jax {runtime}"
    library = build / "libcallbridge.so"
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CALLBRIDGE_LIBRARY=str(library))
    done = subprocess.run(
        [*python, HERE / program, *arguments], env=environment, capture_output=True, text=True
    )
    return done.returncode == 0, done.stdout if done.stdout else done.stderr


def main(build):
    build = pathlib.Path(build).resolve()
    targets = build / "tests" / "python" / "targets.so"
    failures = 0
    for old in OLD:
        folder = build / "tests" / "jax_upgrade" / old
        folder.mkdir(parents=True, exist_ok=True)
        for file in folder.iterdir():
            file.unlink()
        exported, output = run(old, build, "export_programs.py", targets, folder)
        if not exported:
            print(f"{old}: {output[-600:]}", flush=True)
            failures += 1
            continue
        for new in NEW:
            passed, output = run(new, build, "run_upgraded.py", targets, folder)
            lines = output.splitlines()
            same = [line for line in lines if line.endswith(" same bits")]
            passed = passed and bool(same)
            failures += not passed
            print(f"{old} on {new}: {len(same)} of {len(lines)} have the same bits", flush=True)
            if not passed:
                print("\n".join(line for line in lines if line not in same), flush=True)
    return failures


if __name__ == "__main__":
    sys.exit(min(main(*sys.argv[1:]), 1))
