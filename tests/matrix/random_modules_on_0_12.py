"""The random modules of tests/genuine on jaxlib 0.12.0.1, which is in Debian 13.

random_modules_on_0_12.py BUILD
"""

import os
import pathlib
import subprocess
import sys

import matrix

BUILD = pathlib.Path(sys.argv[1]).resolve()
COUNT = "500"

program = BUILD / "tests/genuine/random_modules"
environment = dict(
    os.environ,
    TF_CPP_MIN_LOG_LEVEL="3",
    CALLBRIDGE_LIBRARY=str(BUILD / "libcallbridge.so"),
    LD_LIBRARY_PATH=str(matrix.libraries_of_debian_12(program, BUILD / "tests/debian_12")),
)
command = [*matrix.python_of("0.12.0.1"), matrix.ROOT / "tests/genuine/random_modules.py", program]
command += [BUILD / "tests/targets/described_calls.so", "1", COUNT]
done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
assert done.returncode == 0, done.returncode
assert done.stdout.strip() == COUNT, done.stdout
print(f"{COUNT} random modules on 0.12.0.1: the same bits")
