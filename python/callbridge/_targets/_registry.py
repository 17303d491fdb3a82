"""The targets that a public module can call, by name and platform.

A name keeps its first function for as long as the process lives: programs that were made with it
hold its address. Entries are never removed. The name of an AOT operator, "PATH:FUNCTION", is that
of a file, which may be another one after an edit or in another folder: Registry.add_operator().
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from callbridge._core import _c_api, _library_files, _native_functions, _target
from callbridge._core._error import HOST, PLATFORMS, CallbridgeError, find_platform, parse_platform
from callbridge._core._fork_lock import fork_lock
from callbridge._core._native_functions import function_address, keep
from callbridge._core._target import Target
from callbridge.library import Library
from callbridge.typing import Abi, Stage


@dataclasses.dataclass
class Entry:
    target: Target
    source: str  # where it comes from, for messages
    owner: Any  # keeps the address callable
    platform: str  # canonical
    handlers: dict[Stage, int]  # addresses by stage; an untyped function's is "execute"
    paths: tuple[str, ...] = ()  # by which it can be called so far
    declared_abi: Abi | None = None  # by which it is called, if its own is not known
    # For a typed handler: the untyped function that its library registered by the same name.
    untyped: Entry | None = None
    # True for that function: version-4 calls go to the handler.
    is_beside_handler: bool = False
    # Its user says that XLA:GPU may record its calls into command buffers.
    is_declared_compatible: bool = False
    # A typed handler says so itself, as far as that is known.
    reports_compatible: bool = False

    @property
    def abi(self) -> Abi | None:
        return self.target.abi or self.declared_abi

    @property
    def command_buffer_compatible(self) -> bool:
        return self.is_declared_compatible or self.reports_compatible

    @property
    def c_target(self) -> _c_api.Target:
        return _target.to_c(self.target, self.declared_abi)


class Registry:
    """Thread-safe."""

    def __init__(
        self,
        module: str,
        registrar: str,
        serve: Callable[[Entry, Abi | None], tuple[str, ...]],
        check_name: Callable[[Entry], None],
        default_platform: Callable[[], str],
    ):
        """
        Args:
          module: the public module, for errors.
          registrar: what keeps one function for each name, for errors.
          serve: makes a target ready to be called, by the ABI beside it where its own is not known,
            and returns Entry.paths; called once an entry, with the registry locked. What it raises
            is for those who call the target.
          check_name: raises where a library's target cannot have its name, before any of it
            is served.
          default_platform: where a target runs that several platforms have.
        """
        self._module = module
        self._registrar = registrar
        self._serve_target = serve
        self._check_name = check_name
        self._default_platform = default_platform
        self._lock = fork_lock()  # reentrant: signal handlers may run at any moment
        self._entries: dict[tuple[str, str], Entry] = {}  # by name and canonical platform

    def add_library(self, library: Library, compatible: frozenset[str] = frozenset()) -> bool:
        """Adds its targets, all or none, and serves those whose ABI is known.

        `compatible` are the names of those that are declared command buffer compatible.

        Raises ALREADY_EXISTS where a name is another function's, or the same one's, declared
        otherwise, and no other CallbridgeError.
        Returns false where some that are to be served are not: what is wrong with them is for
        those to hear who call them, since find() tries again. After any other exception the same
        call goes on where this one ended.
        """
        return self._add(library, library.targets, compatible)

    def add_operator(self, library: Library, compatible: frozenset[str] = frozenset()) -> str:
        """Adds the target of an AOT operator's library, and returns its name here.

        That is the name that its user wrote, if it is free or the same function's. If it is that of
        another operator, or of what the operator was before its file changed, it is the operator's
        identity(), by which each is known too, so that a program which was made after an edit, and
        exported, finds it in another process.

        Raises ALREADY_EXISTS if the name is that of a function which is no operator, and as
        add_library().
        """
        name = library.path
        identity = _library_files.identity(name, library.targets[0]._content)
        of_identity = tuple(_target.renamed(target, identity) for target in library.targets)
        self._add(library, of_identity, frozenset({identity} if name in compatible else ()))
        with self._lock:
            if self._has_other_operator(library):
                return identity
            self._add(library, library.targets, compatible)
            return name

    def name_of_operator(self, library: Library) -> str | None:
        """Returns what add_operator() returned for it; None if it was not added."""
        identity = _library_files.identity(library.path, library.targets[0]._content)
        with self._lock:
            for name in (library.path, identity):
                entries = [self._entries.get((name, target.platform)) for target in library.targets]
                if all(
                    entry is not None and entry.target.address == target.address
                    for entry, target in zip(entries, library.targets)
                ):
                    return name
        return None

    def has_function(self, name: str) -> bool:
        """Returns whether that is the name of what is no AOT operator."""
        return any(not entry.target._content for entry in self.entries(name))

    def _has_other_operator(self, library: Library) -> bool:
        entries = [self._entries.get((target.name, target.platform)) for target in library.targets]
        return any(
            entry is not None and entry.target._content and entry.target.address != target.address
            for entry, target in zip(entries, library.targets)
        )

    def _add(
        self, library: Library, targets: tuple[Target, ...], compatible: frozenset[str]
    ) -> bool:
        added: dict[tuple[str, str], Entry] = {}
        for target in targets:
            platform = find_platform(target.platform)
            if platform is not None:
                handlers: dict[Stage, int] = {"execute": target.address, **target.stages}
                entry = Entry(target, library.path, library, platform, handlers)
                entry.is_declared_compatible = target.name in compatible
                entry.reports_compatible = target.command_buffer_compatible
                first = added.setdefault((target.name, platform), entry)  # handlers come first
                if first is not entry and entry.abi != "typed_ffi":
                    entry.is_beside_handler = True
                    first.untyped = entry
        refused = False
        failure = None
        with self._lock:
            for entry in added.values():
                if self._known(entry) is entry:
                    self._check_name(entry)
            entries = {key: self._entries.get(key, new) for key, new in added.items()}
            self._entries.update(entries)  # in one step, in case of an interrupt
            for entry in entries.values():
                try:
                    if not entry.paths and not _must_be_declared(entry):
                        self._serve(entry, None)
                except CallbridgeError:
                    refused = True
                except Exception as error:  # XLA's; the other targets are registered all the same
                    failure = failure or error
        if failure is not None:
            raise failure
        return not refused

    def add_function(
        self,
        name: str,
        function_or_capsule: Any,
        platform: str,
        abi: Abi | None,
        command_buffer_compatible: bool = False,
    ) -> None:
        """Adds one target, and serves it if its ABI is declared or does not matter.

        The arguments are those of the public register(), which keeps the function.
        """
        _target.check_name(name)
        _target.check_abi(abi)
        if abi == "typed_ffi":
            handlers = _native_functions.handler_addresses(name, function_or_capsule)
        else:
            handlers = {"execute": function_address(function_or_capsule)}
        target = Target(
            name,
            parse_platform(platform),
            None,
            "a bare address has no type",
            handlers["execute"],
            {stage: address for stage, address in handlers.items() if stage != "execute"},
        )
        source = f"{self._module}.register({name!r}, ...)"
        is_bundle = isinstance(function_or_capsule, dict)
        owner = dict(function_or_capsule) if is_bundle else function_or_capsule
        new = Entry(target, source, owner, target.platform, handlers)
        new.is_declared_compatible = command_buffer_compatible
        with self._lock:
            entry = self._known(new)
            if abi is not None or not _must_be_declared(entry):
                self._serve(entry, abi)
            self._entries[target.name, entry.platform] = entry
        keep(owner)

    def entry(self, name: str, platform: str, is_typed: bool) -> Entry | None:
        """Returns the target of that kind, or one of the other kind; None if there is no such name.

        `platform` is canonical.
        """
        with self._lock:
            entry = self._entries.get((name, platform))
        if entry is not None and entry.untyped is not None and not is_typed:
            return entry.untyped
        return entry

    def find(
        self,
        name: str,
        platform: str | None,
        abi: Abi | None,
        *,
        is_guess: bool = False,
        command_buffer_compatible: bool = False,
    ) -> Entry:
        """The target, served from now on, as `abi` where its own is not known.

        Without a platform: the only one that has the target, or else the default one. An `abi` that
        is a guess is ignored where the target's is known or declared. Of a typed handler and an
        untyped function of one name, the function where `abi` is an untyped one. Raises
        ALREADY_EXISTS for one that is served and must be `command_buffer_compatible`, but is not.
        """
        _target.check_abi(abi)
        with self._lock:
            platform = parse_platform(platform) if platform is not None else self._platform(name)
            entry = self._entries.get((name, platform))
            if entry is None:
                registered = ", ".join(f"{n} ({p})" for n, p in sorted(self._entries)) or "nothing"
                raise CallbridgeError(
                    "NOT_FOUND",
                    f"no target {name!r} is registered for {platform}; what is, by "
                    f"{self._module}.load() and register(): {registered}",
                )
            if entry.untyped is not None and _target.is_untyped(abi):
                entry = entry.untyped
            was_declared = entry.is_declared_compatible
            if command_buffer_compatible and not entry.command_buffer_compatible:
                if entry.paths:
                    raise self._declared_otherwise(entry, "custom_call()")
                entry.is_declared_compatible = True
            try:
                self._serve(entry, None if is_guess and entry.abi is not None else abi)
            finally:
                if not entry.paths:
                    entry.is_declared_compatible = was_declared
            return entry

    def entries(self, name: str) -> list[Entry]:
        """The targets of that name, of all platforms, as they were added: not all are served.

        The untyped functions beside typed handlers are among them.
        """
        with self._lock:
            named = [entry for (n, _), entry in list(self._entries.items()) if n == name]
        return named + [entry.untyped for entry in named if entry.untyped is not None]

    def _platform(self, name: str) -> str:
        platforms = [platform for platform in PLATFORMS if (name, platform) in self._entries]
        return platforms[0] if len(platforms) == 1 else parse_platform(self._default_platform())

    def _known(self, entry: Entry) -> Entry:
        """Returns the entry that already has the name of `entry`, or `entry`."""
        name = entry.target.name
        known = self._entries.get((name, entry.platform), entry)
        if known.handlers == entry.handlers:
            if known.is_declared_compatible == entry.is_declared_compatible:
                return known
            if entry.is_declared_compatible and known.reports_compatible:
                return known
            raise self._declared_otherwise(known, entry.source)
        if not known.paths and known.target.address == entry.target.address:
            return entry  # which may have gained stages
        raise CallbridgeError(
            "ALREADY_EXISTS",
            f"target {name!r} on {entry.platform} is at {_addresses(entry)} in {entry.source}, but "
            f"that name is registered at {_addresses(known)} in {known.source}, and "
            f"{self._registrar} keeps one function for each name until the process ends; "
            "register it under another name",
        )

    def _declared_otherwise(self, known: Entry, source: str) -> CallbridgeError:
        was, now = ("with", "without") if known.is_declared_compatible else ("without", "with")
        return CallbridgeError(
            "ALREADY_EXISTS",
            f"target {known.target.name!r} on {known.platform} is registered {was} "
            f"command_buffer_compatible=True in {known.source}, and now {now} it in {source}: "
            f"{self._registrar} keeps one registration for each name until the process ends; "
            "say the same where the target is loaded or registered first, or register it under "
            "another name",
        )

    def _serve(self, entry: Entry, abi: Abi | None) -> None:
        """Serves the target, unless it is. Raises INVALID_ARGUMENT if `abi` is wrong."""
        if entry.paths and abi is None:
            return
        target = entry.target
        _target.agreed_abi(target, abi or entry.declared_abi)
        if entry.paths:
            if not _target.calls_alike(entry.platform, abi, entry.abi):
                raise CallbridgeError(
                    "INVALID_ARGUMENT",
                    f"target {target.name!r} on {entry.platform} is now declared abi={abi!r}, but "
                    f"{self._registrar} has it as {entry.abi!r}, by an earlier declaration; "
                    "register it by another name too",
                )
            return
        # Both in one step, in case of an interrupt.
        entry.paths, entry.declared_abi = self._serve_target(entry, abi), abi


def _addresses(entry: Entry) -> str:
    return ", ".join(f"{address:#x} ({stage})" for stage, address in entry.handlers.items())


def _must_be_declared(entry: Entry) -> bool:
    return entry.abi is None and _target.needs_declaration(entry.platform)


# ---- The registries of the modules whose targets the embedded runtime calls ----------------------


@functools.cache
def embedded_registry(module: str) -> Registry:
    """Returns that of the public module `module`, "callbridge.numpy" for one."""
    return Registry(module, module, _serve, lambda entry: None, lambda: HOST)


def _serve(entry: Entry, abi: Abi | None) -> tuple[str, ...]:
    """Refuses typed handlers that are none, and those that are declared untyped."""
    if "typed_ffi" in (entry.target.abi, abi):
        _native_functions.adapt(entry.target.name, entry.platform, entry.handlers, None)
    else:
        _native_functions.refuse_as_untyped(entry.target, entry.platform, abi)
    return ("embedded",)
