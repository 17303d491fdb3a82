import sys

import pytest


@pytest.fixture
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CALLBRIDGE_PYTHON", sys.executable)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    yield
    # Whatever happened, nothing of it is left.
    if temporary.is_dir():
        assert list(temporary.iterdir()) == []
