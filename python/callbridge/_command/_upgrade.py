"""`callbridge upgrade` for what only MLIR reads. The command runs it in a Python with JAX.

tools/module_commands.cc calls main(FILE, OUTPUT, FORM, LIBRARY...) with the file's bytes as
standard input: the command has read them, and a pipe has them once only. FILE is its name, for
messages. OUTPUT "-" is standard output; FORM is "same", the kind that the file is, or "text"; or
"list": a table of its calls instead, and of which of the libraries has their targets; or "list of
HLO": the same for an HLO module, of which standard input has the calls alone.
"""

import sys

_LIST_OF_HLO = "list of HLO"


def main(file: str, output: str, form: str, *libraries: str) -> int:
    try:
        import jax
    except ImportError as error:
        need = (
            "--list asks JAX which targets are registered"
            if form == _LIST_OF_HLO
            else f"{file} is StableHLO, which jaxlib reads"
        )
        return _fail(
            f"FAILED_PRECONDITION: {need}, and {sys.executable}, "
            f"Python {sys.version.split()[0]}, has no jax ({error}); install it there "
            "(python -m pip install jax flatbuffers), or set CALLBRIDGE_PYTHON to a Python that "
            "has it"
        )
    from callbridge._core import _output
    from callbridge._core._error import CallbridgeError
    from callbridge.jax._artifact import text_of, upgrade_artifact
    from callbridge.jax._called_targets import calls_of
    from callbridge.jax._stablehlo_calls import TYPED_VERSION

    try:
        data = _standard_input()
        if form in ("list", _LIST_OF_HLO):
            from callbridge.jax import _called_targets

            calls = calls_of(data) if form == "list" else _calls_of_hlo(data)
            data = _called_targets.table(calls, libraries).encode(errors="surrogateescape")
        else:
            # As in HLO: upgrades every untyped call, since no registry is available here.
            data = upgrade_artifact(data, lambda call: TYPED_VERSION, "nested")
            if form == "text":
                data = text_of(data).encode()
        if output == "-":
            _output.print_bytes(data)
        else:
            _output.write(output, data)
    except CallbridgeError as error:
        return _fail(f"{error.code}: {file}: {error.message}")
    except OSError as error:
        place = "standard output: " if output == "-" else ""
        return _fail(f"FAILED_PRECONDITION: {place}{error}")
    done = "listed" if form in ("list", _LIST_OF_HLO) else "upgraded"
    _output.tell(f"callbridge: {done} by jax {jax.__version__} of {sys.executable}")
    return 0


def _fail(message: str) -> int:
    from callbridge._core import _output

    _output.tell(f"callbridge: {message}".replace("\n", "\\n"))
    return 1


def _calls_of_hlo(data: bytes) -> list:
    """Returns the calls that the command wrote: of each version, size of its name, and name."""
    from callbridge.jax._called_targets import Call
    from callbridge.jax._stablehlo_calls import is_xlas_own_call

    calls = []
    while data:
        numbers, _, data = data.partition(b"\n")
        version, size = map(int, numbers.split())
        target, data = data[:size].decode(errors="surrogateescape"), data[size:]
        calls.append(Call(target, version, (), is_xlas_own_call(target)))
    return calls


def _standard_input() -> bytes:
    # sys.stdin is None if the descriptor is closed.
    with open(0, "rb", closefd=False) as file:
        return file.read()
