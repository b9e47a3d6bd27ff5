"""Which workers grade what: it follows from the device that an assignment's submissions run on. Pure rules."""

from __future__ import annotations

from django.db import models

from grader.assignment import Device


class Queue(models.TextChoices):
    """Where what is to be graded waits for a worker that can."""

    CPU = "grade.cpu", "processor"
    GPU = "grade.gpu", "graphics processor"
    BATCH = "grade.batch", "batch"


def queue_of_submissions(device: str) -> Queue:
    """Where what students hand in waits."""
    return Queue.GPU if device == Device.CUDA else Queue.CPU


def queue_of_uploads(device: str) -> Queue:
    """Where a folder waits to be verified: behind what students hand in, for workers of the same kind."""
    return Queue.GPU if device == Device.CUDA else Queue.BATCH


def device_of(queue: str) -> Device:
    """What a worker needs to grade what waits there."""
    return Device.CUDA if queue == Queue.GPU else Device.CPU
