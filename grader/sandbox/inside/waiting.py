"""Waiting at a pipe for the other party, which mostly answers within microseconds."""

from __future__ import annotations

import os
import select
import time

# Waking a sleeping processor takes about 50 microseconds on a virtual machine, each way of each call. Where somebody
# else wants this processor, a yield lets them have it, and takes long.
AWAKE_SECONDS = 200e-6
LONG_YIELD_SECONDS = 20e-6


def wait(fd: int, event: int, seconds: float | None = None) -> bool:
    """Until `event` (select.POLLIN or POLLOUT) at fd, at most `seconds`; False where time ran out."""
    poll = select.poll()
    poll.register(fd, event)
    started = now = time.monotonic()
    awake = started + (AWAKE_SECONDS if seconds is None else min(AWAKE_SECONDS, seconds))
    while now < awake:
        if poll.poll(0):
            return True
        os.sched_yield()
        before, now = now, time.monotonic()
        if now - before > LONG_YIELD_SECONDS:
            break
    left = None if seconds is None else max(0.0, started + seconds - time.monotonic()) * 1000
    return bool(poll.poll(left))
