"""The code of docs/pytorch.md runs."""

import page
import pytest

pytest.importorskip("torch", reason="make test-frameworks has PyTorch")


def test_the_code_of_the_page(tmp_path):
    text = (page.ROOT / "docs/pytorch.md").read_text()
    folder = page.readers_folder(tmp_path / "reader")
    assert page.run_page(text, folder, page.environment(tmp_path / "prefix")) > 0
