"""What `make demo` configures on a machine that has had nothing but the demo's own downloads."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_demo_is_configured_without_the_headers_of_the_tests(tmp_path):
    genuine = pathlib.Path(os.environ["CALLBRIDGE_TENSORFLOW"])
    tensorflow = tmp_path / "tensorflow-2.13.1/tensorflow"
    tensorflow.mkdir(parents=True)
    for path in genuine.iterdir():
        (tensorflow / path.name).symlink_to(path)
    # XLA's FFI headers would be in tmp_path/jaxlib-headers.
    command = ["cmake", "--preset", "dev", "-B", tmp_path / "build", "-DCALLBRIDGE_TESTS=ON"]
    done = subprocess.run(
        [*command, f"-DCALLBRIDGE_TENSORFLOW={tensorflow}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "run scripts/ffi_headers" in done.stderr
