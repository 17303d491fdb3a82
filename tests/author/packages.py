"""What authors do with a package of handlers: build it, install it, call it, audit it."""

import os
import pathlib
import subprocess
import sys

import jax_releases
import runtimes

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ["CALLBRIDGE_CACHE"])
LIBRARY = pathlib.Path(os.environ["CALLBRIDGE_LIBRARY"])
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
# What has the build systems: requirements/author.txt.
PYTHON = CACHE / "venv-author/bin/python"
# The first with FFI, one between, and today's.
RELEASES = [jax_releases.ORACLE, *jax_releases.used_by("outlive"), jax_releases.TODAY]
# All with FFI and an environment; which `make matrix` has of each.
EVERY_RELEASE = [
    row.release
    for row in jax_releases.ROWS
    if row.environment in ("venv", ".venv") and runtimes.python_of(row.release)
    if jax_releases.numbers(row.release) >= jax_releases.numbers(RELEASES[0])
]


def run(*command, folder=None, status=0, **variables):
    """Returns what it prints. Nothing of the tests' own environment leads it to callbridge."""
    left_out = ("PYTHONPATH", "CALLBRIDGE_LIBRARY", "LD_LIBRARY_PATH")
    inherited = {name: value for name, value in os.environ.items() if name not in left_out}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**inherited, **{name: str(value) for name, value in variables.items()}},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == status, f"{command}\n{done.stdout}"
    return done.stdout


def pip(headers):
    """The variables by which pip finds callbridge-headers and build systems, and asks no index."""
    return {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": f"{headers} {CACHE}/wheels",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_CACHE_DIR": "1",
        "PATH": f"{PYTHON.parent}:{os.environ['PATH']}",
    }


def command(*words, **options):
    """Runs callbridge's command, of this build."""
    return run(BUILD / "callbridge", *words, CALLBRIDGE_PYTHON=sys.executable, **options)


def new(folder, name, build):
    """What `callbridge new` writes."""
    command("new", name, "--build", build, folder=folder)
    return folder / name


def build_wheel(package, headers, *words):
    """What build_wheel.sh makes."""
    run("sh", "build_wheel.sh", *words, folder=package, **pip(headers))
    (wheel,) = (package / "dist").glob("*.whl")
    return wheel


def clean_environment(folder, wheel, release, headers):
    """Makes one with the wheel, which finds a JAX by a .pth file. Returns its Python."""
    (python,) = runtimes.python_of(release)
    run(PYTHON, "-m", "venv", "--without-pip", folder)
    (site,) = folder.glob("lib/python3.*/site-packages")
    (of_jax,) = pathlib.Path(python).parents[1].glob("lib/python3.*/site-packages")
    (site / "jax.pth").write_text(f"{of_jax}\n")
    # With its requirements: that JAX is what they ask for.
    run(PYTHON, "-m", "pip", "--python", folder / "bin/python", "install", wheel, **pip(headers))
    return folder / "bin/python"


def call(package, wheel, release, folder, headers):
    """Runs the package's own test on a JAX, from the wheel alone."""
    python = clean_environment(folder / f"venv-{release}", wheel, release, headers)
    tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", package / "tests"]
    shown = run(python, *tests, folder=folder, JAX_PLATFORMS="cpu")
    assert "3 passed" in shown, shown
    program = f"import jax, {package.name} as p; print(jax.__version__, p.__file__)"
    shown = run(python, "-c", program, folder=folder, JAX_PLATFORMS="cpu")
    version, file = shown.split()
    assert version == release and file.startswith(f"{folder}/venv-{release}/"), shown
