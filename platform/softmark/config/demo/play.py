"""Plays the script of the demo course: people, assignments, hand-ins that are graded for real.

Every step finds out what is there already, so that a run that was interrupted is taken up where it stopped. Days
count from the day on which the course was made.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

from django.contrib.auth.hashers import make_password
from django.db import transaction

from grader.assignment import Device
from softmark.accounts.models import User
from softmark.config.demo.script import ADMINISTRATOR, ByHand, HandIn, Script, Task
from softmark.courses.actions import enrol, extend
from softmark.courses.models import Course, Extension, Item, Role
from softmark.coursework.actions import Terms, place, publish
from softmark.coursework.importing import gate, load_assignment, published
from softmark.coursework.models import Assignment, AssignmentVersion
from softmark.coursework.routing import Queue
from softmark.coursework.source import parse_source
from softmark.gradebook.actions import Change, excuse, set_points
from softmark.gradebook.entries import Kind
from softmark.gradebook.models import Event
from softmark.grading import queue
from softmark.grading.work import Bench
from softmark.home.demo_people import PASSWORD
from softmark.lessons.importing import bring, read_folder
from softmark.lessons.models import Lesson
from softmark.submissions.actions import submit
from softmark.submissions.models import Status, Submission

# In the order in which they are read.
LESSONS = (
    "which-meaning",
    "query-key-value",
    "attention-on-a-sentence",
    "masks-and-heads",
    "long-context-cost",
    "kv-cache",
)
_PATIENCE = 60.0  # seconds, for submissions that another worker took


def is_played(script: Script) -> bool:
    """Whether everything is there and has come to its end."""
    course = Course.objects.filter(slug=script.slug).first()
    if course is None:
        return False
    tokens = [each.token for each in script.hand_ins]
    settled = Submission.objects.filter(token__in=tokens).exclude(status__in=(Status.WAITING, Status.RUNNING))
    decided = Event.objects.filter(course=course, kind__in=(Kind.EXCUSE.value, Kind.OVERRIDE.value))
    lessons = Lesson.objects.filter(item__course=course, item__slug__in=LESSONS)
    return (
        settled.count() == len(tokens)
        and decided.count() >= len(script.by_hand)
        and lessons.count() == len(LESSONS)
    )


def play(script: Script, assignments: Path, submissions: Path, lessons: Path, bench: Bench) -> Course:
    """Makes everything be there. `assignments`, `submissions` and `lessons` are the folders that the script speaks of.

    Raises SandboxUnavailable where nothing can be graded.
    """
    bench.open(Device.CPU)
    versions = _versions([assignments / task.folder for task in script.tasks])
    course, people = _people(script)
    _place_lessons(course, lessons)
    for task, version in zip(script.tasks, versions, strict=True):
        place(course, version, attempts=task.attempts, terms=_terms(task, course))
    items = {item.slug: item for item in course.items.all()}
    for each in script.extensions:
        item, student = items[each.assignment], people[each.student]
        if not Extension.objects.filter(item=item, user=student).exists():
            due = each.due.on(_loaded(course), course.zone)
            extend(item, student, due, reason=each.reason, by=people[each.by])
    for hand_in in script.hand_ins:
        if not hand_in.held:
            _hand_in(hand_in, items, people, submissions)
    _grade_all(script, bench)
    for hand_in in script.hand_ins:
        if hand_in.held:
            _hold(_hand_in(hand_in, items, people, submissions), bench)
    for decision in script.by_hand:
        _decide(decision, items[decision.assignment], people)
    return course


def _versions(paths: list[Path]) -> list[AssignmentVersion]:
    """Imports the folders that were not imported before, all at the same time."""
    folders = [load_assignment(path) for path in paths]
    missing = [folder for folder in folders if published(folder) is None]
    with ThreadPoolExecutor(max_workers=len(paths)) as pool:  # each thread with a sandbox of its own
        for verification in pool.map(gate, missing):
            publish(verification)
    return [version for folder in folders if (version := published(folder)) is not None]


@transaction.atomic
def _people(script: Script) -> tuple[Course, dict[str, User]]:
    course, _ = Course.objects.get_or_create(
        slug=script.slug, defaults={"title": script.title, "time_zone": script.time_zone}
    )
    password = make_password(PASSWORD)  # once: it is slow on purpose
    people = {}
    for person in script.people:
        is_admin = person.role == ADMINISTRATOR
        user, _ = User.objects.get_or_create(
            email=person.email,
            defaults={
                "name": person.name,
                "password": password,
                "is_staff": is_admin,
                "is_superuser": is_admin,
            },
        )
        people[person.handle] = user
        if not is_admin:
            enrol(course, user, Role(person.role), person.section)
    return course, people


def _place_lessons(course: Course, folder: Path) -> None:
    """Before the assignments, where those are not there yet."""
    brought = {each.file.removesuffix(".md"): each for each in read_folder(folder)}
    bring(course, [brought[name] for name in LESSONS])


def _loaded(course: Course) -> date:
    return course.created_at.astimezone(course.zone).date()


def _terms(task: Task, course: Course) -> Terms:
    loaded, zone = _loaded(course), course.zone
    return Terms(
        opens_at=task.opens.on(loaded, zone),
        due_at=task.due.on(loaded, zone),
        closes_at=task.closes.on(loaded, zone),
        grace_minutes=task.grace_minutes,
        percent_per_day=task.percent_per_day,
        floor_percent=task.floor_percent,
    )


def _hand_in(
    hand_in: HandIn, items: dict[str, Item], people: dict[str, User], submissions: Path
) -> Submission:
    path = submissions / hand_in.assignment / hand_in.file
    item, student = items[hand_in.assignment], people[hand_in.student]
    assignment = Assignment.objects.get(item=item)
    source = parse_source(path.name, path.read_bytes())
    when = hand_in.when.on(_loaded(item.course), item.course.zone)
    return submit(assignment, student, source, path.name, hand_in.token, when)


def _grade_all(script: Script, bench: Bench) -> None:
    """Grades whatever waits, and sees the end of what other workers took meanwhile."""
    ours = Submission.objects.filter(token__in=[each.token for each in script.hand_ins])
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        while bench.grade_next(Queue.CPU):
            pass
        if not ours.filter(status__in=(Status.WAITING, Status.RUNNING)).exists():
            return
        time.sleep(0.2)


def _hold(submission: Submission, bench: Bench) -> None:
    """Three claims that end as if their workers had died. Where a real worker is quicker, it is graded instead."""
    for _ in range(queue.DEATHS_UNTIL_HELD):
        claim = queue.claim(Queue.CPU, bench.name)
        if claim is None:
            return
        if claim.submission_id != submission.pk:
            queue.give_back(claim)
            return
        queue.give_up(claim)


def _decide(decision: ByHand, item: Item, people: dict[str, User]) -> None:
    student = people[decision.student]
    events = Event.objects.filter(item=item, student=student)
    if events.filter(kind=decision.kind).exists():
        return
    newest = events.order_by("pk").last()
    change = Change(item, student, by=people[decision.by], seen=newest.pk if newest else 0)
    if decision.points is None:
        excuse(change, decision.reason)
    else:
        set_points(change, decision.points, decision.reason)
