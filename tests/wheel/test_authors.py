"""The transcript of an author: from pip to a wheel that the package's own workflow has audited."""

import subprocess

from wheel_shell import CACHE, DIST
from workflow import run_job, workflow


def test_from_a_name_to_an_audited_wheel(environment, headers_wheel, tmp_path):
    shell = environment("packaging")
    print(shell("callbridge new my_ops"))
    package = shell.folder / "my_ops"
    find = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": f"{DIST} {CACHE}/wheels"}

    def run(job, name, **matrix):
        """In a clean environment, as each job is a machine of its own."""
        subprocess.run(["/usr/bin/python3", "-m", "venv", tmp_path / name], check=True)
        programs = f"{tmp_path / name}/bin:{CACHE}/venv-author/bin:/usr/bin:/bin"
        return run_job(package, job, {"PATH": programs, "HOME": str(tmp_path), **find}, **matrix)

    run("wheel", "building")
    (audited,) = [text for text in run("audit", "auditing").values() if "requires jax" in text]
    print(audited)
    assert "ScaledAdd" in audited and "admitted" not in audited
    for release in workflow(package)["jobs"]["test"]["strategy"]["matrix"]["jax"]:
        shown = run("test", release, jax=release)
        assert "3 passed" in shown["python -m pytest tests"]
