"""A parent with services that only sleep: `python supervised.py FOLDER [SERVICE ...]`, each NAME or NAME=KIND.

Kinds: plain; stubborn (does not heed SIGTERM); family (has a child in a session of its own, and one that stays in
its group; both stubborn); brief (ends by itself); never (never ready).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from softmark.config.local.folder import Folder
from softmark.config.local.leftovers import MARK
from softmark.config.local.parent import Parent, Stopped
from softmark.config.local.service import Service
from softmark.config.local.trouble import Trouble

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); {}time.sleep(600)"
FAMILY = (
    "import subprocess, sys; command = [sys.executable, '-c', sys.argv[1], sys.argv[-1]]; "
    "subprocess.Popen(command); subprocess.Popen(command, start_new_session=True); "
)
KINDS = {
    "plain": "import time; time.sleep(600)",
    "stubborn": STUBBORN.format(""),
    "family": STUBBORN.format(FAMILY),
    "brief": "print('there is nothing to do'); raise SystemExit(3)",
    "never": "import time; time.sleep(600)",
}


def main() -> int:
    path = Path(sys.argv[1])
    try:
        folder = Folder(path)
    except Trouble as trouble:
        print(trouble, flush=True)
        return 1
    parent = Parent(folder, lambda words: print(words, flush=True))
    folder.note_site("http://a.place", {})
    wanted = [word.partition("=") for word in sys.argv[2:]]
    try:
        children = [parent.start(service(folder, name, kind or "plain")) for name, _, kind in wanted]
        parent.wait(children)
        print("all started", flush=True)
        parent.watch()
    except Stopped:
        print("stopped early", flush=True)
    finally:
        parent.stop([[name for name, _, _ in wanted]])
        folder.close()
    print("the end", flush=True)
    return 0


def service(folder: Folder, name: str, kind: str) -> Service:
    return Service(
        name=name,
        command=[sys.executable, "-c", KINDS[kind], STUBBORN.format(""), f"{name}-of-{folder.path}"],
        log=folder.fresh_log(name),
        environment=os.environ | {MARK: str(folder.path)},
        is_ready=lambda process: kind != "never",
        patience=0.5,
    )


if __name__ == "__main__":
    sys.exit(main())
