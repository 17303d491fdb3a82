"""docs/grid.svg is the picture of the tables in docs/matrix.md."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import matrix  # noqa: E402
import picture  # noqa: E402

DOCS = HERE.parents[1] / "docs"


def table(lines):
    """The cells of the first table of the grid's form."""
    start = next(i for i, line in enumerate(lines) if line.startswith("| target"))
    _, *runtimes = cells(lines[start])
    found = {}
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        row, *texts = cells(line)
        found.update({(row, r): text for r, text in zip(runtimes, texts, strict=True)})
    return found


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_picture_is_that_of_the_tables(tmp_path):
    on_cpu, on_gpu = (DOCS / "matrix.md").read_text().split("\n## XLA:GPU\n")
    blocks = [("CPU", table(on_cpu.split("\n"))), (matrix.ON_GPU, table(on_gpu.split("\n")))]
    picture.draw(blocks, tmp_path / "grid.svg")
    assert (tmp_path / "grid.svg").read_text() == (DOCS / "grid.svg").read_text()


def test_rows_that_are_one_show_the_worst():
    cells = {
        ("GPU ORIGINAL, arrays", "0.1"): "ok",
        ("GPU ORIGINAL, in while", "0.1"): "ok; UNIMPLEMENTED: threads",
        ("GPU ORIGINAL, arrays", "0.2"): "ok",
        ("GPU ORIGINAL, in while", "0.2"): "1 of 2",
        ("ORIGINAL, arrays", "0.1"): "ok",
    }
    one, two, alone = picture.merged(cells).items()
    assert one[1].startswith("ok; UNIMPLEMENTED") and two[1] == "1 of 2"
    assert alone == (("ORIGINAL, arrays", "0.1"), "ok")
    assert picture.word(None) == "" and picture.color(None) == picture.NOT_RUN


def test_each_merged_row_is_one_of_the_tables():
    text = (DOCS / "matrix.md").read_text()
    for begins in picture.MERGED:
        assert f"\n| {begins}" in text, begins
