"""A home as a network's file system has it, by a shim in the place of the C library's functions.

Operators compiled from sources are kept there (mindspore_aot/aot_source.cc). No NFS was at hand:
the shim has its errors, not its delays between machines.
"""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("CALLBRIDGE_LIBRARY", ROOT / "build/dev/libcallbridge.so"))
BUILD = pathlib.Path(os.environ.get("CALLBRIDGE_BUILD", LIBRARY.parent))
SOURCE = """
extern "C" int Four(int, void** p, int*, long**, const char**, void*, void*) {
  *static_cast<int*>(p[0]) = 4;
  return 0;
}
"""
# FAILS is "FUNCTION=ERRNO"; with FAILS_ONCE the first call alone fails.
SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

static int fails(const char* name) {
  static int count = 0;
  const char* wanted = getenv("FAILS");
  size_t size = strlen(name);
  if (wanted == NULL || strncmp(wanted, name, size) != 0 || wanted[size] != '=') return 0;
  if (getenv("FAILS_ONCE") != NULL && count++ > 0) return 0;
  errno = atoi(wanted + size + 1);
  return 1;
}

int rename(const char* from, const char* to) {
  if (fails("rename")) return -1;
  return ((int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename"))(from, to);
}
int flock(int file, int operation) {
  if (fails("flock")) return -1;
  return ((int (*)(int, int))dlsym(RTLD_NEXT, "flock"))(file, operation);
}
int fcntl64(int file, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  if (command >= 5 && command <= 7 && fails("flock")) return -1;
  return ((int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl64"))(file, command, argument);
}
"""
ESTALE, EXDEV, ENOLCK = 116, 18, 37


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shim")
    (folder / "shim.c").write_text(SHIM)
    command = ["cc", "-shared", "-fPIC", "-o", folder / "shim.so", folder / "shim.c", "-ldl"]
    subprocess.run(command, check=True)
    return folder / "shim.so"


@pytest.fixture
def run(shim, tmp_path):
    """What `callbridge run` says of the source with that home, and the folders left in the home."""
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "four.cc").write_text(SOURCE)

    def command(wrapper=(), **variables):
        done = subprocess.run(
            [*wrapper, BUILD / "callbridge", "run", "four.cc:Four", "--result", "s32[]"],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "HOME": str(home), **variables},
            capture_output=True,
            text=True,
        )
        cache = home / ".cache/callbridge/aot"
        left = [path.name for path in cache.iterdir()] if cache.is_dir() else []
        assert not [name for name in left if name.startswith("compiling")], left
        return done

    command.shim = {"LD_PRELOAD": str(shim)}
    return command


def test_a_home_without_locks(run):
    """Nothing takes any."""
    done = run(**run.shim, FAILS=f"flock={ENOLCK}")
    assert (done.returncode, "result{} s32[] 4" in done.stdout) == (0, True), done


@pytest.mark.parametrize("error", [ESTALE, EXDEV])
def test_a_rename_that_fails_once(run, error):
    """As where another machine has just removed what was there: it is done again."""
    done = run(**run.shim, FAILS=f"rename={error}", FAILS_ONCE="1")
    assert (done.returncode, "result{} s32[] 4" in done.stdout) == (0, True), done


@pytest.mark.parametrize("error", [ESTALE, EXDEV])
def test_a_rename_that_fails(run, error):
    done = run(**run.shim, FAILS=f"rename={error}")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("callbridge: FAILED_PRECONDITION: cannot write to ")
    assert done.stderr.endswith(f": {os.strerror(error)}\n")


def test_a_home_that_runs_nothing(run):
    """Mounted with noexec, as homes of clusters are: what is opened is a copy in memory."""
    script = 'mount -t tmpfs -o noexec none "$HOME" && exec "$@"'
    done = run(wrapper=["unshare", "--mount", "sh", "-c", script, "sh"])
    assert (done.returncode, "result{} s32[] 4" in done.stdout) == (0, True), done
