"""Each folder of examples/ is on a page, with the test that runs it."""

import re
import subprocess

import page

ROOT = page.ROOT
TABLE = re.findall(
    r"^\| \[(examples/\w+)\]\(\.\./(\S+)\) \| .+? \| (.+?) \|$",
    (ROOT / "docs/examples.md").read_text(),
    re.MULTILINE,
)


def test_each_folder_is_listed():
    folders = [path for path in (ROOT / "examples").iterdir() if path.is_dir()]
    assert sorted(name for name, _, _ in TABLE) == sorted(f"examples/{f.name}" for f in folders)


def test_each_is_run_by_what_the_page_says():
    cmake = (ROOT / "examples/CMakeLists.txt").read_text()
    for folder, file, runs in TABLE:
        assert file.startswith(folder + "/") and (ROOT / file).is_file()
        for name in re.findall(r"examples\.\w+|tests/\w+|make \w+", runs):
            if name.startswith("tests/"):
                # It, or the CMake target of the example, is named in that folder.
                stems = [path.stem for path in (ROOT / folder).iterdir()]
                named = "|".join(map(re.escape, [folder, f"example_{folder[9:]}", *stems]))
                found = subprocess.run(["grep", "-rqE", named, ROOT / name])
                assert found.returncode == 0, (folder, name)
            elif name.startswith("make "):
                assert folder in (ROOT / "scripts" / name.removeprefix("make ")).read_text()
            else:
                assert f"add_test(NAME {name} " in cmake
