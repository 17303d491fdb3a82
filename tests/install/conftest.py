import pytest
from installed import BUILD, run


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    """An installed tree that no longer is where it was installed."""
    folder = tmp_path_factory.mktemp("install")
    run("cmake", "--install", BUILD, "--prefix", folder / "first")
    (folder / "first").rename(folder / "moved")
    return folder / "moved"
