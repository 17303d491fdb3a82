"""`callbridge upgrade` for what MLIR alone reads. The command runs it in a Python that has JAX.

    python -m callbridge._upgrade_command FILE OUTPUT FORM

OUTPUT "-" is standard output; FORM is "same", the kind that FILE is, or "text".
"""

import pathlib
import sys


def main(file: str, output: str, form: str) -> int:
    try:
        import jax
    except ImportError as error:
        return _fail(
            f"FAILED_PRECONDITION: {file} is StableHLO, which jaxlib reads, and {sys.executable}, "
            f"Python {sys.version.split()[0]}, has no jax ({error}); install it there "
            "(python -m pip install jax flatbuffers), or set CALLBRIDGE_PYTHON to a Python that "
            "has it"
        )
    from callbridge._error import CallbridgeError
    from callbridge._jax_artifact import text_of, upgrade_artifact
    from callbridge._stablehlo_calls import TYPED_VERSION

    try:
        # As in HLO: every untyped call, since nobody is asked here who has which target.
        data = upgrade_artifact(
            pathlib.Path(file).read_bytes(), lambda call: TYPED_VERSION, "classic"
        )
        if form == "text":
            data = text_of(data).encode()
        if output == "-":
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        else:
            pathlib.Path(output).write_bytes(data)
    except CallbridgeError as error:
        return _fail(f"{error.code}: {file}: {error.message}")
    except OSError as error:
        return _fail(f"FAILED_PRECONDITION: {error}")
    print(f"callbridge: upgraded by jax {jax.__version__} of {sys.executable}", file=sys.stderr)
    return 0


def _fail(message: str) -> int:
    print(f"callbridge: {message}".replace("\n", "\\n"), file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
