"""Landlock: the process may read the named files and folders, and reach nothing else by a path.

The rule set is built once in the zygote; each fork restricts itself with it. Network and signal scopes
are added where the kernel knows them. Source: the kernel's userspace-api/landlock documentation.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable

from . import kernel

_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1

_WRITE_FILE = 1 << 1
_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
_TRUNCATE = 1 << 14  # ABI 3
_IOCTL_DEV = 1 << 15  # ABI 5
_FS_RIGHTS_BY_ABI = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
_NET_TCP_BIND_AND_CONNECT = 3  # ABI 4
_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS = 3  # ABI 6


def abi() -> int:
    """The kernel's Landlock version; 0 where there is none."""
    try:
        return kernel.syscall("landlock_create_ruleset", None, 0, _CREATE_RULESET_VERSION)
    except OSError:
        return 0


def ruleset(readable: Iterable[str], listable: Iterable[str], writable: Iterable[str] = ()) -> int:
    """A descriptor of a rule set under which only these paths are open.

    readable: files, and folders with all below. listable: folders whose names only may be read, with all below.
    writable: as readable, and what is there may be written, and told what to do where it is a device.
    """
    version = abi()
    handled = next(
        rights for since, rights in sorted(_FS_RIGHTS_BY_ABI.items(), reverse=True) if version >= since
    )
    fields = [handled]
    if version >= 4:
        fields.append(_NET_TCP_BIND_AND_CONNECT)
    if version >= 6:
        fields.append(_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS)
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    rules = kernel.syscall("landlock_create_ruleset", attributes, len(attributes), 0)
    for path in readable:
        _allow(rules, path, _READ_FILE | _READ_DIR if os.path.isdir(path) else _READ_FILE)
    for path in listable:
        _allow(rules, path, _READ_DIR)
    for path in writable:
        rights = _READ_FILE | _WRITE_FILE | (_TRUNCATE | _IOCTL_DEV) & handled
        _allow(rules, path, rights | _READ_DIR if os.path.isdir(path) else rights)
    return rules


def _allow(rules: int, path: str, access: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # not there, or not for us: then not for the fork either
    kernel.syscall("landlock_add_rule", rules, _RULE_PATH_BENEATH, struct.pack("=Qi", access, fd), 0)
    os.close(fd)


def restrict_self(rules: int) -> None:
    """Irrevocable. Needs no_new_privs."""
    kernel.syscall("landlock_restrict_self", rules, 0)
    os.close(rules)
