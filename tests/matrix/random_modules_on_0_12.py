"""The random modules of tests/genuine on jaxlib 0.12.0.1, which is in Debian 13.

random_modules_on_0_12.py BUILD
"""

import os
import pathlib
import subprocess
import sys

from runtimes import IN_DEBIAN_13, ROOT, python_of

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
print(f"{COUNT} random modules on 0.12.0.1: the same bits")
