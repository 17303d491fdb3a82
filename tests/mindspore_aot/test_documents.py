"""What MindSpore's documentation of AOT operators shows compiles and runs through callbridge.

The snippets are cut out of the document at run time: that in the folder that CALLBRIDGE_DOCUMENTS
names, or in ../shared/seeds beside the repository. SNIPPETS lists all of them, with the slips that
keep some from compiling or from computing what the document says; nothing else is changed.
"""

import os
import pathlib
import re
import shutil
from typing import NamedTuple

import callbridge.numpy
import numpy as np
import pytest
from callbridge.library import CallbridgeError

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("CALLBRIDGE_DOCUMENTS", ROOT.parent / "shared/seeds"))

# ---- Cutting ------------------------------------------------------------------------------------

# Chinese letters and punctuation: a line with one outside of a comment is prose.
CHINESE = re.compile("[\u3000-\u9fff\uff00-\uffef]")
COMMENT = re.compile("(//|# ).*")
CODE = re.compile(
    r"[;{]$|[)] [{]?$|\\$"
    r"|^(extern|g\+\+|nvcc|python|import|from|def|class|if __name__|self\.program|tmp) ?.*\S$"
)


def cut(text):
    """Returns the runs of lines that are code, each as (the number of its first line, its text)."""
    runs, run = [], []
    for number, line in enumerate([*text.splitlines(), "。"], 1):
        if not CHINESE.search(COMMENT.sub("", line)):
            run.append((number, line))
            continue
        if any(CODE.search(line) for _, line in run):
            runs.append((run[0][0], "\n".join(line for _, line in run)))
        run = []
    return runs


@pytest.fixture(scope="module")
def document():
    for path in sorted(FOLDER.glob("*.txt")):
        text = path.read_text()
        if "MS_CUSTOM_AOT_WHITE_LIST" in text:
            return text
    pytest.skip(f"the document is not in {FOLDER}: CALLBRIDGE_DOCUMENTS names its folder")


# ---- What there is to be found ------------------------------------------------------------------


class Snippet(NamedTuple):
    """A run of code. `begins` is in its first line. `file`: that it is a part of, which is compiled
    and called below. Otherwise `why` it is not. `slips`: what is replaced, by what, and why."""

    begins: str
    file: str = ""
    why: str = ""
    slips: tuple = ()


COMMAND = "a command, which callbridge does by itself"
PYTHON = "Python whose indentation is lost; genuine_operators.py has the like"
FORMULA = "a formula"
MENTION = "a mention of lines of a file that is there in whole"
# The workspace gets the sum of the inputs, of which the document adds as many elements as the
# output has: four of twenty. It says that ones of the shape (4,5) give [10 10 10 10].
OF_OUTPUT = "the loop over the inputs' elements counts the output's"

# In the order of the document.
SNIPPETS = [
    Snippet('extern "C" int CustomFunc(', "declarations.cc"),
    Snippet("#define THREADS 1024", "add.cu"),
    Snippet("nvcc --shared -Xcompiler", why=COMMAND),
    Snippet("import numpy as np", why=PYTHON),
    Snippet("python test_custom_aot.py", why=COMMAND),
    Snippet("#include <string.h>", "add.cc"),
    Snippet("g++ --shared -fPIC", why=COMMAND),
    Snippet("import numpy as np", why=PYTHON),
    Snippet("python test_custom_aot.py", why=COMMAND),
    Snippet("C++:", why=COMMAND),
    Snippet("nvcc --shared -Xcompiler", why=COMMAND),
    Snippet("tmp = Add(", why=FORMULA),
    Snippet('extern "C" int FuncName(', "declarations.cc"),
    Snippet('extern "C" int FuncNameInit(', "declarations.cc"),
    Snippet(
        'extern "C" std::vector<int64_t> FuncNameInferShape(',
        "declarations.cc",
        slips=((")", ");", "a declaration without its semicolon"),),
    ),
    Snippet("def attr(self", why=PYTHON),
    Snippet("tmp = Add(", why=FORMULA),
    Snippet("#include <vector>", "kernel.cc"),
    Snippet(";", why=MENTION),
    Snippet('extern "C" int CustomKernelInit(', "kernel.cc"),
    Snippet("#include <vector>", "kernel.cc"),
    Snippet(
        'extern "C" int CustomKernel(',
        "kernel.cc",
        slips=(("constexpr int OUTPUT_INDEX = 2;", "constexpr int OUTPUT_INDEX = 0;", OF_OUTPUT),),
    ),
    Snippet("tmp[i] = input_1[i] + input_2[i]", why=MENTION),
    Snippet("import numpy as np", why=PYTHON),
    Snippet('if __name__ == "__main__":', why=PYTHON),
    Snippet("python test_custom_aot.py", why=COMMAND),
    Snippet("self.program = ops.Custom(", why=PYTHON),
    Snippet("multioutput_gpu_info = CustomRegOp()", why=PYTHON),
    Snippet("constexpr int THREADS = 1024;", "add_mul_div.cu"),
    Snippet("void *input1 = params[0];", why=MENTION),
    Snippet("class AOTMultiOutputNet(Cell):", why=PYTHON),
]
# What a declaration refers to.
BEFORE = {"declarations.cc": '#include "custom_aot_extra.h"\n'}


def test_every_snippet_is_known(document):
    found = [f"{number}: {text.splitlines()[0]}" for number, text in cut(document)]
    assert len(found) == len(SNIPPETS), "\n".join(found)
    for line, snippet in zip(found, SNIPPETS):
        assert line.split(": ", 1)[1].startswith(snippet.begins)
        assert bool(snippet.file) != bool(snippet.why)


# ---- Running ------------------------------------------------------------------------------------


def write(document, file, folder, *, with_slips=False):
    """Writes the file that the document's snippets make up. Returns its path."""
    parts = [BEFORE.get(file, "")]
    for (_, text), snippet in zip(cut(document), SNIPPETS, strict=True):
        if snippet.file != file:
            continue
        for shown, meant, _ in () if with_slips else snippet.slips:
            assert text.count(shown) == 1, (shown, text)
            text = text.replace(shown, meant)
        parts.append(text)
    path = folder / file
    path.write_text("\n".join(parts))
    return path


@pytest.fixture(autouse=True)
def a_cache_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


needs_nvcc = pytest.mark.skipif(
    not (shutil.which("nvcc") or pathlib.Path("/usr/local/cuda/bin/nvcc").exists()),
    reason="there is no nvcc here",
)
A = np.array([[0, 0], [1, 1]], np.float32)
B = np.array([[2, 2], [3, 3]], np.float32)


def test_add(document, tmp_path):
    add = callbridge.numpy.custom_call(f"{write(document, 'add.cc', tmp_path)}:CustomAdd", A)
    assert add(A, B).tolist() == [[2, 2], [4, 4]]  # as the document prints
    with pytest.raises(CallbridgeError, match=r"function\(CustomAdd\) is 1\. Any"):
        add(A)
    with pytest.raises(CallbridgeError, match=r"function\(CustomAdd\) is 2\. Any"):
        add(A, B.astype(np.int32))


def test_reduce_sum(document, tmp_path):
    name = f"{write(document, 'kernel.cc', tmp_path)}:CustomKernel"
    ones = np.ones((4, 5), np.float32)
    attributes = {"axis": 1, "keep_dim": False}
    reduce = callbridge.numpy.custom_call(name, np.float32, attributes=attributes)
    assert reduce(ones, ones).tolist() == [10, 10, 10, 10]  # as the document prints
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert (reduce(x, x) == (x + x).sum(axis=1)).all()
    # Along axis 0 the document's loop goes over as many sums as there are rows.
    columns = callbridge.numpy.custom_call(name, attributes={"axis": 0, "keep_dim": False})
    x = x[:, :3].copy()
    assert (columns(x, x) == (x + x).sum(axis=0)).all()
    with pytest.raises(CallbridgeError, match="axis"):
        callbridge.numpy.custom_call(name, np.float32)(x, x)


def test_the_declarations(document, tmp_path):
    """They fit the header: defined as declared, they are operators."""
    path = write(document, "declarations.cc", tmp_path)
    with path.open("a") as file:
        file.write(
            "int FuncName(int, void**, int*, int64_t**, const char**, void*, void*) { return 0; }"
        )
    nothing = callbridge.numpy.custom_call(f"{path}:FuncName", "()")
    assert nothing() == ()


@needs_nvcc
@pytest.mark.parametrize(
    "file, function, results",
    [("add.cu", "CustomAdd", 1), ("add_mul_div.cu", "CustomAddMulDiv", 3)],
)
def test_on_a_gpu(document, tmp_path, file, function, results):
    """Compiled, bound, and called with a stream. Its kernel runs only where there is a device."""
    name = f"{write(document, file, tmp_path)}:{function}"
    form = "(f32[3],f32[3],f32[3])" if results == 3 else "f32[3]"
    call = callbridge.numpy.custom_call(name, form, platform="CUDA")
    x = np.ones(3, np.float32)
    call(x, x)
    with pytest.raises(CallbridgeError, match=rf"function\({function}\) is 1\. Any"):
        call(x)
    with pytest.raises(CallbridgeError, match=rf"function\({function}\) is 2\. Any"):
        call(x, x.astype(np.int32))


def test_the_slip_is_there(document, tmp_path):
    path = write(document, "declarations.cc", tmp_path, with_slips=True)
    with path.open("a") as text:
        text.write("\nint after;\n")
    with pytest.raises(CallbridgeError, match="expected"):
        callbridge.numpy.custom_call(f"{path}:Custom", "f32[]")
