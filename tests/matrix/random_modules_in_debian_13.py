"""The random modules of tests/genuine on the jaxlib that is in Debian 13.

random_modules_in_debian_13.py BUILD
"""

import os
import pathlib
import subprocess
import sys

from jax_releases import IN_DEBIAN_13
from runtimes import ROOT, python_of

BUILD = pathlib.Path(sys.argv[1]).resolve()
COUNT = "500"

program = BUILD / "tests/genuine/random_modules"
environment = dict(
    os.environ,
    TF_CPP_MIN_LOG_LEVEL="3",
    CALLBRIDGE_LIBRARY=str(BUILD / "libcallbridge.so"),
)
command = [*python_of(IN_DEBIAN_13), ROOT / "tests/genuine/random_modules.py", program]
command += [BUILD / "tests/targets/described_calls.so", "1", COUNT]
done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
assert done.returncode == 0, done.returncode
assert done.stdout.strip() == COUNT, done.stdout
print(f"{COUNT} random modules on {IN_DEBIAN_13}: the same bits")
