"""What the commands that are Python programs print.

Bypasses sys.stdout and print(): the streams are None if their descriptors are closed, and Python
writes at its end what it could not write before, with a traceback where that fails again.
"""

from __future__ import annotations

import argparse
import os


def print_bytes(data: bytes) -> None:
    """Writes to standard output. Raises OSError."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(1, rest) :]


def show(text: str) -> None:
    """Writes to standard output. If that fails, ends the program with a line of error."""
    try:
        print_bytes(text.encode(errors="surrogateescape"))
    except OSError as error:
        tell(f"callbridge: FAILED_PRECONDITION: standard output: {error.strerror}")
        raise SystemExit(1) from None


def tell(line: str) -> None:
    """Writes a line to standard error, if anyone reads that."""
    try:
        os.write(2, f"{line}\n".encode(errors="backslashreplace"))
    except OSError:
        pass


class ShowHelp(argparse.Action):
    """For `--help`: argparse's own prints by sys.stdout."""

    def __call__(self, parser, namespace, values, option_string=None) -> None:
        show(parser.format_help())
        raise SystemExit(0)


def parser(program: str, **more) -> argparse.ArgumentParser:
    """Returns a parser whose --help ends by an error if it cannot be printed."""
    made = argparse.ArgumentParser(program, add_help=False, **more)
    made.add_argument(
        *("-h", "--help"), action=ShowHelp, nargs=0, help="show this help message and exit"
    )
    return made
