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
from django.db.models import Count, Q

from grader.assignment import Device
from softmark.accounts.models import User
from softmark.config.demo.readings import read
from softmark.config.demo.script import ADMINISTRATOR, ByHand, HandIn, MoreTime, Script, Setup, Task
from softmark.courses.actions import Terms, accommodate, enrol, extend, set_schedule
from softmark.courses.models import Course, Extension, Item, Role
from softmark.coursework.actions import place, publish
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
from softmark.lessons.importing import bring, digests_in, read_folder
from softmark.lessons.models import Lesson, Reading
from softmark.lessons.queries import lessons_of
from softmark.submissions.actions import submit
from softmark.submissions.models import Status, Submission

_PATIENCE = 60.0  # seconds, for submissions that another worker took


def is_played(script: Script, lessons: Path) -> bool:
    """Whether everything is there and has come to its end, and no lesson of the folder was edited since."""
    course = Course.objects.filter(slug=script.slug).first()
    if course is None:
        return False
    tokens = [each.token for each in script.hand_ins]
    settled = Submission.objects.filter(token__in=tokens).exclude(status__in=(Status.WAITING, Status.RUNNING))
    decided = Event.objects.filter(course=course, kind__in=(Kind.EXCUSE.value, Kind.OVERRIDE.value))
    return (
        settled.count() == len(tokens)
        and decided.count() >= len(script.by_hand)
        and _is_read(script, course)
        and _digests(course).items() >= _wanted(script, lessons).items()
    )


def _is_read(script: Script, course: Course) -> bool:
    """Whether each of the script's people has predicted as much as they do."""
    readings = Reading.objects.filter(lesson__item__course=course, trial=False)
    made = readings.annotate(made=Count("draws__prediction", filter=Q(draws__number=0))).values_list(
        "lesson__version__slug", "learner__email", "made"
    )
    done = {(lesson, email.partition("@")[0]): number for lesson, email, number in made}
    return all(done.get((walk.lesson, walk.student), -1) >= len(walk.answers) for walk in script.walks)


def _digests(course: Course) -> dict[str, str]:
    """Of the versions that the course's lessons have, by their ids."""
    return dict(Lesson.objects.filter(item__course=course).values_list("version__slug", "version__digest"))


def _wanted(script: Script, folder: Path) -> dict[str, str]:
    found = digests_in(folder)
    return {lesson.id: found[lesson.id] for lesson in script.lessons}


def play(script: Script, assignments: Path, submissions: Path, lessons: Path, bench: Bench) -> Course:
    """Makes everything be there. `assignments`, `submissions` and `lessons` are the folders that the script speaks of.

    Raises SandboxUnavailable where nothing can be graded.
    """
    bench.open(Device.CPU)
    versions = _versions([assignments / task.folder for task in script.tasks])
    course, people = _people(script)
    _place_lessons(script, course, lessons)
    for task, version in zip(script.tasks, versions, strict=True):
        place(course, version, attempts=task.attempts, terms=_terms(task, course))
    items = {item.slug: item for item in course.items.all()}
    for each in script.extensions:
        item, student = items[each.assignment], people[each.student]
        if not Extension.objects.filter(item=item, user=student).exists():
            due = each.due.on(_loaded(course), course.zone)
            extend(item, student, due, reason=each.reason, by=people[each.by])
    for granted in script.accommodations:
        _accommodate(granted, course, people)
    _read_lessons(script, course, people)
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


@transaction.atomic
def _place_lessons(script: Script, course: Course, folder: Path) -> None:
    """Before the assignments, where those are not there yet. What is set up is the course's own from then on."""
    if _digests(course).items() >= _wanted(script, folder).items():
        return
    brought = {each.id: each for each in read_folder(folder)}
    placed = bring(course, [brought[lesson.id] for lesson in script.lessons])
    for setup, each in zip(script.lessons, placed, strict=True):
        if each.is_new:
            _set_up(setup, each.lesson)


def _set_up(setup: Setup, lesson: Lesson) -> None:
    item, loaded, zone = lesson.item, _loaded(lesson.course), lesson.course.zone
    lesson.counts, lesson.time_limit = setup.counts or lesson.counts, setup.time_limit
    lesson.save(update_fields=["counts", "time_limit"])
    if setup.points is not None:
        item.points = setup.points
        item.save(update_fields=["points"])
    if setup.due is not None:
        set_schedule(
            item,
            opens_at=setup.opens.on(loaded, zone) if setup.opens else None,
            due_at=setup.due.on(loaded, zone),
            closes_at=setup.closes.on(loaded, zone) if setup.closes else None,
            grace_minutes=setup.grace_minutes,
            percent_per_day=setup.percent_per_day,
            floor_percent=setup.floor_percent,
        )


def _read_lessons(script: Script, course: Course, people: dict[str, User]) -> None:
    lessons = {lesson.version.slug: lesson for lesson in lessons_of(course)}
    for walk in script.walks:
        read(walk, lessons[walk.lesson], people[walk.student], walk.when.on(_loaded(course), course.zone))


def _accommodate(granted: MoreTime, course: Course, people: dict[str, User]) -> None:
    student = people[granted.student]
    if not course.accommodations.filter(user=student).exists():
        by = people[granted.by]
        accommodate(course, student, granted.time_factor, reason=granted.reason, by=by, at=course.created_at)


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
