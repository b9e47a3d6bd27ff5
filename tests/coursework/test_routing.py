"""Which workers grade what."""

from __future__ import annotations

import pytest

from grader.assignment import Device
from softmark.coursework.routing import Queue, device_of, queue_of_submissions, queue_of_uploads


@pytest.mark.parametrize("device", Device)
def test_what_is_routed_to_a_queue_can_be_graded_by_its_workers(device: Device) -> None:
    for queue in (queue_of_submissions(device), queue_of_uploads(device)):
        assert device_of(queue) is device
        assert device_of(str(queue)) is device, "as the broker and the database have it"


@pytest.mark.parametrize("device", Device)
def test_a_device_is_read_from_the_database_as_a_text(device: Device) -> None:
    assert queue_of_submissions(str(device)) is queue_of_submissions(device)
    assert queue_of_uploads(str(device)) is queue_of_uploads(device)


def test_where_there_are_workers_for_both_uploads_do_not_stand_before_students() -> None:
    assert (queue_of_submissions("cpu"), queue_of_uploads("cpu")) == (Queue.CPU, Queue.BATCH)


def test_every_queue_has_its_device() -> None:
    assert {queue: device_of(queue) for queue in Queue} == {
        Queue.CPU: Device.CPU, Queue.GPU: Device.CUDA, Queue.BATCH: Device.CPU,
    }  # fmt: skip
