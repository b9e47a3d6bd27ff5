"""The worker carries credentials and has no use for numpy: what computes runs in the sandbox."""

import subprocess
import sys


def test_the_worker_does_not_load_what_only_the_sandbox_needs() -> None:
    code = "import sys, grader.grade; print(sorted({'numpy', 'array_api_compat', 'rich'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
