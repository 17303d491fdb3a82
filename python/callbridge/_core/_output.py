"""What commands read and write: options, lines, and files that are written whole or not at all, as
tools/output_file.h says it; and how they end when a signal comes."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import errno
import itertools
import os
import signal
import stat
from collections.abc import Callable, Iterator, Sequence

_ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


def guarded(main: Callable[..., int], *words: str) -> int:
    """Returns main(*words). HUP, INT and TERM end the program by that signal, once main() has
    removed its temporary files, with a line in place of a traceback."""
    caught: list[int] = []

    def interrupt(number: int, _frame) -> None:
        # One is enough: the next would interrupt the removal.
        for other in _ENDING:
            signal.signal(other, signal.SIG_IGN)
        caught.append(number)
        raise KeyboardInterrupt

    for number in _ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)
    try:
        return main(*words)
    except KeyboardInterrupt:
        tell("callbridge: interrupted")
    last = caught[0] if caught else signal.SIGINT
    signal.signal(last, signal.SIG_DFL)
    os.kill(os.getpid(), last)
    raise AssertionError


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Has signals that end the program wait until this ends."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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


def tell_in_place(text: str) -> None:
    """Replaces the last line on the terminal that standard error is, by what of the text fits."""
    with contextlib.suppress(OSError):
        width = os.get_terminal_size(2).columns or 80
        os.write(2, f"\r\x1b[K{text[: max(width - 1, 0)]}".encode(errors="backslashreplace"))


class ShowHelp(argparse.Action):
    """For `--help`: argparse's own prints by sys.stdout."""

    def __call__(self, parser, namespace, values, option_string=None) -> None:
        show(parser.format_help())
        raise SystemExit(0)


class _Parser(argparse.ArgumentParser):
    """Says what an unknown option is like, as the subcommands in C++ do."""

    def parse_args(self, args=None, namespace=None):
        parsed, left = self.parse_known_args(args, namespace)
        known = [name for action in self._actions for name in action.option_strings]
        if wrong := unknown_option(left, known):
            self.error(wrong)
        if left:
            self.error(f"unrecognized arguments: {' '.join(left)}")
        return parsed


def unknown_option(left: Sequence[str], known: Sequence[str]) -> str:
    """Returns an error for the first of the words that is like an option, else "". The words were
    left over by a parser of the options `known`."""
    for word in left:
        if word.startswith("-") and len(word) > 1:
            option = word.partition("=")[0]
            if option not in known:  # it may come twice, or behind "--"
                return f"unknown option {option}{did_you_mean(option, known)}"
    return ""


def did_you_mean(given: str, known: Sequence[str]) -> str:
    """Returns the end of an error about a name that is not known: "; did you mean scale?", or "".

    As abi/nearest_name.h has it: a name that begins with `given`, or else shares 65% of the
    characters with it.
    """
    least = 0.65

    def likeness(name: str) -> float:
        shared = difflib.SequenceMatcher(None, given.lower(), name.lower(), False).ratio()
        begins = len(given) > 1 and name.lower().startswith(given.lower())
        return max(shared, least) if begins else shared

    nearest = max(known, key=likeness, default="")
    return f"; did you mean {nearest}?" if nearest and likeness(nearest) >= least else ""


def parser(program: str, **more) -> argparse.ArgumentParser:
    """Returns a parser whose --help ends by an error if it cannot be printed."""
    made = _Parser(program, add_help=False, **more)
    made.add_argument(
        *("-h", "--help"), action=ShowHelp, nargs=0, help="show this help message and exit"
    )
    return made


def write(path: str, data: bytes) -> None:
    """Creates or replaces the file. Raises OSError; a file that was there then has its old content,
    and one that was not is not there."""
    try:
        old = os.stat(path)
    except FileNotFoundError:
        old = None
    if old is not None and not stat.S_ISREG(old.st_mode):
        return _write_in_place(path, data)
    if old is not None and not os.access(path, os.W_OK, effective_ids=True):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    place = path
    while os.path.islink(place):
        if os.path.realpath(os.path.dirname(place)).startswith("/proc/"):
            return _write_in_place(path, data)
        place = os.path.join(os.path.dirname(place), os.readlink(place))
    with uninterrupted():
        _replace(path, place, old, data)


def _replace(path: str, place: str, old: os.stat_result | None, data: bytes) -> None:
    try:
        temporary, number = _create_beside(place)
    except PermissionError as error:
        if old is not None:
            return _write_in_place(path, data)
        raise _named(error, path) from None
    except OSError as error:
        raise _named(error, path) from None
    try:
        with open(number, "wb") as file:
            if old is not None:
                os.fchown(number, old.st_uid, old.st_gid)
                os.fchmod(number, old.st_mode & 0o777)
            file.write(data)
        os.replace(temporary, place)
    except OSError as error:
        os.unlink(temporary)
        # Its owner cannot be kept, or it is mounted where it is.
        if old is not None and error.errno in (errno.EPERM, errno.EBUSY):
            return _write_in_place(path, data)
        raise _named(error, path) from None
    except BaseException:
        os.unlink(temporary)
        raise


def _create_beside(place: str) -> tuple[str, int]:
    for i in itertools.count():
        temporary = os.path.join(os.path.dirname(place), f".callbridge-{os.getpid()}-{i}")
        try:
            return temporary, os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            continue
    raise AssertionError


def _write_in_place(path: str, data: bytes) -> None:
    try:
        with open(path, "wb") as file:
            file.write(data)
    except OSError as error:
        raise _named(error, path) from None


def _named(error: OSError, path: str) -> OSError:
    assert error.errno is not None
    return OSError(error.errno, os.strerror(error.errno), path)
