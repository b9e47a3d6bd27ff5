from __future__ import annotations
import os, signal, subprocess, sys, time
import pytest
from softmark.grading.models import Run
from softmark.submissions.models import Submission, Status
from tests.factories import make_assignment
from tests.jobs.test_worker import hand_in, wait_for, state, CPU
pytestmark = pytest.mark.django_db(transaction=True)
def test_quit(site_environment, broker, transactional_db, tmp_path) -> None:
    env = dict(site_environment); env["PYTHONPATH"] = "/tmp/rv:" + env.get("PYTHONPATH", "")
    log=(tmp_path/"l").open("wb")
    p = subprocess.Popen([sys.executable,"-m","celery","-A","quickapp","worker","-Q",CPU,"-c","1","-Ofair","--without-mingle","--without-gossip"],env=env,stdout=log,stderr=log)
    a = make_assignment()
    s = hand_in(a, "import time\n\ndef attention(q, k, v):\n    time.sleep(1.9)\n    return v\n")
    wait_for(s, status=Status.RUNNING)
    t=time.monotonic()
    p.send_signal(signal.SIGQUIT)
    p.wait(90)
    s.refresh_from_db()
    print("QUIT", round(time.monotonic()-t,1), s.status, s.deaths, s.lease_until, Run.objects.count(), p.returncode)
    print((tmp_path/"l").read_text()[-2500:])
