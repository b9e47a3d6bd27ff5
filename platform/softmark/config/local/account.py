"""Who PostgreSQL runs as. It refuses to run as root, so for root it runs as an account without privileges.

The account's processes must reach the programs and the data even where these lie under a folder that is closed
to it, such as /root: then, and only then, they keep one capability, that of passing by the permissions of files.
"""

from __future__ import annotations

import os
import pwd
import shutil
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from softmark.config.local.trouble import Trouble

ACCOUNTS = ("postgres", "nobody")
_CAPABILITIES = {
    "dac_read_search": 2,
    "dac_override": 1,
}  # the weaker one first; containers often have only the other
_INSTEAD = "Start Softmark as an ordinary user, or name a PostgreSQL server with DATABASE_URL."


@dataclass(frozen=True)
class Account:
    """The account that a server runs as, when that is not the one we run as ourselves."""

    name: str
    uid: int
    gid: int

    def own(self, path: Path) -> None:
        os.chown(path, self.uid, self.gid)

    def prefix(self, needed: Iterable[Path]) -> list[str]:
        """The start of a command line that then runs as this account and can reach the paths needed."""
        program = shutil.which("setpriv")
        if program is None:
            raise Trouble(
                f"PostgreSQL does not run as root, and setpriv (of util-linux) is not installed. {_INSTEAD}"
            )
        command = [program, f"--reuid={self.uid}", f"--regid={self.gid}", "--clear-groups", "--no-new-privs"]
        if any(_is_closed(path) for path in needed):
            name = _capability()
            only = f"-all,+{name}"
            # no_setuid_fixup: PostgreSQL looks for its own files with access(), which would else drop the capability.
            command += [f"--inh-caps={only}", f"--ambient-caps={only}", "--securebits=+no_setuid_fixup"]
        return command


def server_account(data: Path) -> Account | None:
    """The account for the servers that will not run as root; None where we are not root.

    Data that exist stay with the account that they belong to.
    """
    if os.geteuid() != 0:
        return None
    if data.exists() and (owner := data.stat().st_uid) != 0:
        try:
            entry = pwd.getpwuid(owner)
        except KeyError:
            raise Trouble(
                f"{data} belongs to user number {owner}, who has no account on this machine."
            ) from None
        return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
    for name in ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
    wanted = " nor ".join(ACCOUNTS)
    raise Trouble(
        f"PostgreSQL does not run as root, and this machine has neither an account {wanted}. {_INSTEAD}"
    )


def _is_closed(path: Path) -> bool:
    """True where not everybody may pass through the folders above."""
    return not all(folder.stat().st_mode & stat.S_IXOTH for folder in path.absolute().parents)


def _capability() -> str:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        effective = next(int(line.split()[1], 16) for line in lines if line.startswith("CapEff"))
    except (OSError, StopIteration):
        effective = 0
    for name, number in _CAPABILITIES.items():
        if effective >> number & 1:
            return name
    raise Trouble(
        "PostgreSQL does not run as root, and other accounts cannot reach the folders of Softmark: some folder "
        f"above them is closed. Move Softmark, or open that folder. {_INSTEAD}"
    )
