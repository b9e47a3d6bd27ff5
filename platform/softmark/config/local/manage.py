"""`make manage ARGS="..."`: Django's commands, on the data of the site that `make run` has started."""

from __future__ import annotations

import os
import sys

from softmark.config.local.__main__ import REPOSITORY, complain, data_folder
from softmark.config.local.folder import environment_of_running_site
from softmark.config.local.trouble import Trouble


def main() -> int:
    try:
        environment = os.environ | environment_of_running_site(data_folder())
    except Trouble as trouble:
        complain(str(trouble))
        return 1
    os.execve(sys.executable, [sys.executable, str(REPOSITORY / "manage.py"), *sys.argv[1:]], environment)


if __name__ == "__main__":
    sys.exit(main())
