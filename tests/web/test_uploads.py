"""Bringing an assignment into a course on its pages: the zip, what is wrong with it, publishing."""

from __future__ import annotations

import html as html_module
import io
import os
import re
import stat
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import pytest
import redis
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from grader.assignment import assignment_from_texts, digest_of
from grader.assignment.folder import MAX_FILE_BYTES
from softmark.accounts.models import User
from softmark.courses.models import Course, Item, Role, Schedule
from softmark.courses.queries import current_schedule
from softmark.coursework.models import Assignment, AssignmentVersion, Upload, UploadStatus
from softmark.coursework.reading import MOST_FINDINGS
from softmark.coursework.routing import Queue
from tests.factories import (
    enrol,
    make_assignment,
    make_assignment_version,
    make_course,
    make_item,
    make_schedule,
    make_submission,
    make_upload,
)
from tests.small_assignment import FILES, FILES_ON_GPU
from tests.zips import zipped

BETTER = FILES | {"prompt.md": "# Twice, said better\n"}


class Answer(Protocol):
    """What the tests look at of a response."""

    status_code: int

    @property
    def content(self) -> bytes: ...
    def __getitem__(self, header: str, /) -> str: ...


@pytest.fixture
def course() -> Course:
    return make_course(slug="attention", title="Attention")


@pytest.fixture
def ruth(course: Course, client: Client) -> User:
    """An instructor, signed in."""
    ruth = enrol(course, role=Role.INSTRUCTOR, name="Ruth Rossi")
    client.force_login(ruth)
    return ruth


def at(what: str, upload: Upload | None = None, course: str = "attention") -> str:
    return reverse(f"coursework:{what}", args=[course, upload.pk] if upload else [course])


def send(client: Client, data: bytes, name: str = "double.zip") -> Answer:
    return client.post(at("add"), {"zip": SimpleUploadedFile(name, data)})


def publish(client: Client, upload: Upload, **fields: Any) -> Answer:
    """The form as it is shown, with these fields filled in."""
    html = client.get(at("upload", upload)).content.decode()
    found = re.search(
        r'<form class="form" method="post" action="[^"]*/publish/">(.*?)</form>', html, re.DOTALL
    )
    shown = {"item_slug": "double"}
    for tag in re.findall(r"<input[^>]*>", found[1] if found else ""):
        name, value = (re.search(rf'\b{of}="([^"]*)"', tag) for of in ("name", "value"))
        if name:
            shown[name[1]] = html_module.unescape(value[1]) if value else ""
    return client.post(at("publish", upload), shown | fields)


def said(response: Answer) -> str:
    return " ".join(html_module.unescape(re.sub(r"<[^>]*>", " ", response.content.decode())).split())


@pytest.mark.django_db
@pytest.mark.usefixtures("ruth")
class TestTaken:
    def test_a_folder_waits_to_be_verified(self, client: Client, ruth: User, course: Course) -> None:
        response = send(client, zipped(FILES))
        upload = Upload.objects.get()
        assert (response.status_code, response["Location"]) == (302, at("upload", upload))
        assert (upload.course, upload.uploaded_by, upload.filename) == (course, ruth, "double.zip")
        assert (upload.slug, upload.title, upload.files, upload.state) == (
            "double", "Twice", FILES, UploadStatus.WAITING,
        )  # fmt: skip
        assert upload.names[0] == "solution"
        assert {"starter", "never-divided"} < set(upload.names)
        page = client.get(response["Location"])
        assert "It waits for a grader." in said(page)
        assert f"0 of {len(upload.names)} files are graded; next is solution" in said(page)
        assert not AssignmentVersion.objects.exists()

    def test_a_bell_rings_once_it_is_there(
        self, client: Client, bells: redis.Redis, django_capture_on_commit_callbacks: Any
    ) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            send(client, zipped(FILES))
        assert bells.llen(str(Queue.BATCH)) == 1

    def test_one_for_a_gpu_waits_for_a_worker_with_one(
        self, client: Client, course: Course, bells: redis.Redis, django_capture_on_commit_callbacks: Any
    ) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            response = send(client, zipped(FILES_ON_GPU))
        upload = Upload.objects.get()
        assert upload.queue == Queue.GPU
        assert (bells.llen(str(Queue.GPU)), bells.llen(str(Queue.BATCH))) == (1, 0)
        assert "It waits for a grader with a GPU." in said(client.get(response["Location"]))
        Upload.objects.update(queued_at=timezone.now() - timedelta(minutes=5))
        page = said(client.get(response["Location"]))
        assert "No grader with a GPU has come for it in the last 5 minutes." in page

    @pytest.mark.parametrize(
        ("name", "kept"), [("x\u202epiz.zip", "xpiz.zip"), ("y" * 250 + ".zip", "y" * 200)]
    )
    def test_a_name_that_is_hardly_one(self, client: Client, name: str, kept: str) -> None:
        send(client, zipped(FILES), name)
        assert Upload.objects.get().filename == kept

    def test_the_same_files_once_more_are_not_verified_again(self, client: Client) -> None:
        first = send(client, zipped(FILES))
        again = send(client, zipped(dict(reversed(FILES.items())), top="another-name/"), name="other.zip")
        assert again["Location"] == first["Location"]
        assert Upload.objects.count() == 1
        assert "Exactly these files were uploaded before" in said(client.get(again["Location"]))

    def test_what_was_published_before_is_whole_already(
        self, client: Client, bells: redis.Redis, django_capture_on_commit_callbacks: Any
    ) -> None:
        version = make_assignment_version("causal-mask")
        with django_capture_on_commit_callbacks(execute=True):
            send(client, zipped(version.files))
        assert bells.llen(str(Queue.BATCH)) == 0
        upload = Upload.objects.get()
        assert (upload.state, upload.version) == (UploadStatus.VERIFIED, version)
        page = said(client.get(at("upload", upload)))
        assert "Exactly these files were published before" in page
        assert "not in this course at the moment" in page
        response = publish(client, upload)
        assert response.status_code == 302
        assert Assignment.objects.get().version == version
        assert AssignmentVersion.objects.count() == 1

    def test_a_version_of_which_no_table_was_kept(self, client: Client) -> None:
        version = make_assignment_version("causal-mask", verification={})
        send(client, zipped(version.files))
        assert publish(client, Upload.objects.get()).status_code == 302

    def test_other_courses_verify_for_themselves(self, client: Client) -> None:
        make_upload(files=FILES)
        send(client, zipped(FILES))
        assert Upload.objects.count() == 2

    def test_the_number_of_queries(
        self, client: Client, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_num_queries(10):
            send(client, zipped(FILES))


NOT_A_FOLDER = {
    "nothing": (b"", "This is not a zip file"),
    "a text": (b"def attention(q, k, v): ...\n", "This is not a zip file"),
    "too large": (os.urandom((4 << 20) + 1), "larger than 4 MB"),
    "a bomb": (zipped({f"{n}.md": b"\0" * MAX_FILE_BYTES for n in range(100)}), "takes more than 16 MB"),
    "10,000 entries": (zipped({f"mistakes/{n}.py": "" for n in range(10_000)}), "more than 1,000 files"),
    "a path that leads out": (zipped({"../../evil.py": "x"}), "outside of the folder"),
    "two folders": (
        zipped({f"{top}/assignment.toml": "" for top in "ab"}, ""), "several assignments: a, b",
    ),
}  # fmt: skip


@pytest.mark.django_db
@pytest.mark.usefixtures("ruth")
class TestNoFolder:
    @pytest.mark.parametrize(("data", "sentence"), NOT_A_FOLDER.values(), ids=NOT_A_FOLDER)
    def test_the_form_says_why(self, client: Client, data: bytes, sentence: str) -> None:
        response = send(client, data)
        assert response.status_code == 422
        assert sentence in said(response)
        assert "Upload and verify" in said(response)
        assert not Upload.objects.exists()

    def test_no_file(self, client: Client) -> None:
        response = client.post(at("add"), {})
        assert response.status_code == 422
        assert "You chose no file." in said(response)

    def test_a_body_beyond_what_is_read_at_all(self, client: Client) -> None:
        response = send(client, bytes(6 << 20))
        assert response.status_code == 413
        assert "larger than 4 MB" in said(response)

    def test_by_get_one_is_sent_to_the_page(self, client: Client) -> None:
        response = client.get(at("add"))
        assert (response.status_code, response["Location"]) == (303, at("uploads"))


@pytest.mark.django_db
@pytest.mark.usefixtures("ruth")
class TestUnusable:
    def test_everything_is_told_at_its_file_and_line(self, client: Client) -> None:
        manifest = FILES["assignment.toml"].replace("points = 2\n", "points = 3\n", 1)
        manifest = manifest.replace('title = "Twice"', 'tittle = "Twice"')
        files: dict[str, str | bytes] = {
            **FILES, "assignment.toml": manifest, "prompt.md": b"first\n\xe9second\n", "extra.py": "x = 1\n",
            "starter.py": "x" * (MAX_FILE_BYTES + 1),
        }  # fmt: skip
        del files["solution.py"]
        response = send(client, zipped(files))
        upload = Upload.objects.get()
        assert (upload.state, upload.files, upload.digest) == (UploadStatus.UNUSABLE, {}, "")
        page = said(client.get(response["Location"]))
        for words in (
            "The folder has 7 problems.",
            'Line 3: The assignment has an unknown key "tittle". Did you mean "title"? tittle = "Twice"',
            "Line 7: The points of the checks add up to 2, but the assignment is worth 3. Make them equal. points = 3",
            "prompt.md Line 2: This file is not UTF-8 text: byte 0xe9 here. Save it again as UTF-8. \ufffdsecond",
            "extra.py This file is not part of an assignment",
            "solution.py This file is missing.",
            "starter.py This file is larger than 512 KB",
        ):
            assert words in page
        assert "Publish" not in page
        assert (
            page.index("Line 3:") < page.index("Line 7:") < page.index("extra.py") < page.index("starter.py")
        )

    def test_no_manifest(self, client: Client) -> None:
        files = {path: text for path, text in FILES.items() if path != "assignment.toml"}
        page = said(client.get(send(client, zipped(files))["Location"]))
        assert "assignment.toml This file is missing." in page

    def test_what_is_wrong_in_the_zip_is_told_with_what_is_wrong_in_the_folder(self, client: Client) -> None:
        buffer = io.BytesIO(zipped(FILES | {"prompt.md": ""}))
        with zipfile.ZipFile(buffer, "a") as archive:
            link = zipfile.ZipInfo("double/mistakes/other.py")
            link.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(link, "/etc/passwd")
        page = said(client.get(send(client, buffer.getvalue())["Location"]))
        assert "prompt.md This file is empty." in page
        assert "This is a link. Put the file itself here." in page
        assert "has no [[mistakes]] with the id" in page

    def test_more_problems_than_anybody_reads(self, client: Client) -> None:
        manifest = FILES["assignment.toml"] + "".join(f"key{n} = {n}\n" for n in range(1_000))
        send(client, zipped(FILES | {"assignment.toml": manifest}))
        upload = Upload.objects.get()
        assert len(upload.problems) == MOST_FINDINGS + 1
        assert upload.problems[-1]["sentence"] == "800 more are not listed: mend these first."

    def test_nothing_of_it_acts_on_the_page(self, client: Client) -> None:
        manifest = FILES["assignment.toml"] + "x = '<script>alert(1)</script>\u202e'\n"
        response = send(client, zipped(FILES | {"assignment.toml": manifest}))
        page = client.get(response["Location"]).content.decode()
        assert "<script>alert" not in page
        assert "\u202e" not in page

    def test_each_try_is_an_upload_of_its_own(self, client: Client) -> None:
        for _ in range(2):
            send(client, zipped(FILES | {"prompt.md": ""}))
        assert Upload.objects.count() == 2


@pytest.mark.django_db
@pytest.mark.usefixtures("ruth")
class TestThePage:
    def test_while_it_runs_the_table_grows(self, client: Client, course: Course) -> None:
        rows = [{"name": "solution", "kind": "solution", "marks": ["passed"], "result": "2 of 2"}]
        table = {"checks": ["plain"], "table": rows, "problems": [], "notes": []}
        upload = make_upload(course, status=UploadStatus.RUNNING, verification=table)
        page = client.get(at("upload", upload))
        assert "Its files are being graded." in said(page)
        assert "1 of" in said(page)
        assert 'hx-trigger="load delay:' in page.content.decode()
        assert "Look again" in said(page)
        assert "2 of 2" in said(page)
        assert "It is being verified. It can be published once that is done" in said(page)
        assert "aria-disabled" in page.content.decode()

    def test_the_page_takes_over_what_is_new_and_stops_when_it_is_settled(
        self, client: Client, course: Course
    ) -> None:
        upload = make_upload(course)
        part = client.get(at("progress", upload), headers={"HX-Request": "true"}).content.decode()
        assert "<html" not in part
        assert 'id="poll"' in part
        Upload.objects.all().delete()
        upload = make_upload(course, status=UploadStatus.VERIFIED)
        part = client.get(at("progress", upload), headers={"HX-Request": "true"}).content.decode()
        assert 'id="poll"' not in part
        assert "csrfmiddlewaretoken" in part
        assert client.get(at("progress", upload))["Location"] == at("upload", upload)
        client.logout()
        part = client.get(at("progress", upload), headers={"HX-Request": "true"})
        assert (part["HX-Refresh"], part.content) == ("true", b"")

    @pytest.mark.parametrize(
        ("fields", "words"),
        [
            ({"trouble": "There is no sandbox here."}, "There is no sandbox here."),
            ({}, ""),
        ],
    )
    def test_a_wait_says_why(
        self, client: Client, course: Course, fields: dict[str, Any], words: str
    ) -> None:
        upload = make_upload(course, **fields)
        page = said(client.get(at("upload", upload)))
        assert words in page
        assert "longer than usual" not in page

    def test_a_long_wait_says_what_it_may_be(self, client: Client, course: Course) -> None:
        upload = make_upload(course)
        Upload.objects.update(queued_at=timezone.now() - timedelta(minutes=5))
        page = said(client.get(at("upload", upload)))
        assert "No grader has come for it in the last 5 minutes." in page

    def test_verified_and_not_whole(self, client: Client, course: Course) -> None:
        upload = make_upload(
            course, status=UploadStatus.VERIFIED, missing=['The mistake "a" passes every check.', "Another."]
        )
        page = said(client.get(at("upload", upload)))
        assert "2 things are missing." in page
        assert 'The mistake "a" passes every check.' in page
        assert "2 things are missing before it can be published." in page
        assert "Verify again" in page

    def test_the_table_says_in_words_what_it_shows_by_signs(self, client: Client, course: Course) -> None:
        upload = make_upload(course, status=UploadStatus.VERIFIED)
        html = client.get(at("upload", upload)).content.decode()
        for sign, words in (("●", "caught and named"), ("○", "caught"), ("·", "passed")):
            cell = f'<span aria-hidden="true">{sign}</span><span class="visually-hidden">{words}</span>'
            assert cell in html
        assert 'scope="row"' in html
        assert "Good to know." in html

    def test_failed(self, client: Client, course: Course) -> None:
        upload = make_upload(course, status=UploadStatus.FAILED, trouble="3 graders stopped while …")
        page = said(client.get(at("upload", upload)))
        assert "It could not be verified." in page
        assert "3 graders stopped while …" in page
        assert "Verify again" in page

    def test_uploads_of_another_course_are_not_here(self, client: Client) -> None:
        upload = make_upload()
        for what in ("upload", "progress"):
            assert client.get(at(what, upload)).status_code == 404
        for what in ("publish", "again"):
            assert client.post(at(what, upload)).status_code == 404

    def test_the_list(self, client: Client, course: Course) -> None:
        assert "Nothing was uploaded yet" in said(client.get(at("uploads")))
        states = (UploadStatus.UNUSABLE, UploadStatus.FAILED, UploadStatus.VERIFIED)
        for number, status in enumerate(states):
            make_upload(course, status=status, files=FILES | {"prompt.md": f"# {number}\n"})
        page = said(client.get(at("uploads")))
        for words in ("Cannot be used", "Not verified", "Whole"):
            assert words in page

    def test_the_course_page_leads_there(self, client: Client, course: Course) -> None:
        page = client.get(reverse("courses:course", args=["attention"])).content.decode()
        assert page.count(f'href="{at("uploads")}"') == 2  # beside the gradebook, and where the list is empty
        client.force_login(enrol(course, role=Role.TA))
        page = client.get(reverse("courses:course", args=["attention"])).content.decode()
        assert at("uploads") not in page

    @pytest.mark.parametrize(
        ("status", "count"),
        [
            (UploadStatus.WAITING, 4),
            (UploadStatus.RUNNING, 4),
            (UploadStatus.FAILED, 4),
            (UploadStatus.UNUSABLE, 4),
            (UploadStatus.VERIFIED, 7),
        ],
    )
    def test_the_number_of_queries(
        self, client: Client, course: Course, django_assert_num_queries: DjangoAssertNumQueries,
        status: UploadStatus, count: int,
    ) -> None:  # fmt: skip
        make_submission(make_assignment(course=course, version=version_of(FILES)))
        upload = make_upload(course, files=BETTER, status=status)
        with django_assert_num_queries(count):
            client.get(at("upload", upload))

    def test_the_number_of_queries_of_the_list(
        self, client: Client, course: Course, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for number in range(5):
            make_upload(course, files=FILES | {"prompt.md": f"# {number}\n"})
        with django_assert_num_queries(4):
            client.get(at("uploads"))


def version_of(files: dict[str, str], **fields: Any) -> AssignmentVersion:
    """As published."""
    folder = assignment_from_texts(files)
    return AssignmentVersion.objects.create(
        slug=folder.slug, version=folder.version, digest=digest_of(files), title=folder.title, summary="",
        function=folder.function, signature=folder.signature, points=folder.points, files=files,
        verification=fields.pop("verification", {"checks": [], "table": [], "problems": [], "notes": []}),
    )  # fmt: skip


@pytest.mark.django_db
@pytest.mark.usefixtures("ruth")
class TestPublishing:
    def test_a_new_assignment(self, client: Client, course: Course, ruth: User) -> None:
        upload = make_upload(course, status=UploadStatus.VERIFIED)
        response = publish(
            client, upload, attempts="3", due_at="2026-12-01T23:59", opens_at="2026-11-20T08:00"
        )
        assignment = Assignment.objects.get()
        assert response["Location"] == reverse("submissions:assignment", args=["attention", "double"])
        assert (assignment.item.slug, assignment.item.title, assignment.attempts) == ("double", "Twice", 3)
        schedule = current_schedule(assignment.item)
        assert schedule is not None
        assert schedule.due_at == datetime(2026, 12, 1, 22, 59, tzinfo=UTC)
        assert schedule.opens_at == datetime(2026, 11, 20, 7, 0, tzinfo=UTC)
        version = assignment.version
        assert (version.files, version.version) == (FILES, upload.called)
        assert version.verification == upload.verification
        upload.refresh_from_db()
        assert upload.version == version
        told = said(client.get(response["Location"]))
        assert "“Twice” is now an assignment of Attention, for 2 points." in told
        assert "due 2026-12-01 23:59 (Europe/Zurich)" in told
        [entry] = LogEntry.objects.all()
        assert (entry.user, entry.object_id) == (ruth, str(upload.pk))
        assert version.version in entry.change_message

    def test_late_work(self, client: Client, course: Course) -> None:
        upload = make_upload(course, status=UploadStatus.VERIFIED)
        publish(
            client, upload, due_at="2026-12-01T23:59", closes_at="2026-12-08T23:59", grace_minutes="15",
            percent_per_day="12.5", floor_percent="40",
        )  # fmt: skip
        schedule = Schedule.objects.get()
        assert (schedule.grace_minutes, schedule.percent_per_day, schedule.floor_percent) == (15, 12.5, 40)
        assert schedule.closes_at == datetime(2026, 12, 8, 22, 59, tzinfo=UTC)

    def test_without_dates_it_is_always_open(self, client: Client, course: Course) -> None:
        publish(client, make_upload(course, status=UploadStatus.VERIFIED))
        assert not Schedule.objects.exists()
        assert Assignment.objects.get().attempts == 0

    def test_a_new_version_says_what_becomes_of_earlier_work(self, client: Client, course: Course) -> None:
        old = version_of(FILES)
        assignment = make_assignment(
            make_item(course=course, slug="twice", title="Two times"), version=old, attempts=4
        )
        make_schedule(assignment.item, due_at=datetime(2026, 12, 1, 22, 59, 30, tzinfo=UTC))
        submission = make_submission(assignment)
        upload = make_upload(course, status=UploadStatus.VERIFIED, files=BETTER)
        page = said(client.get(at("upload", upload)))
        assert f"“Two times” is version {old.version} of this folder." in page
        assert "the 1 that was handed in keeps the version that it was handed in for, and its points." in page
        response = publish(client, upload)
        assert response["Location"] == reverse("submissions:assignment", args=["attention", "twice"])
        assignment.refresh_from_db()
        submission.refresh_from_db()
        assert (assignment.version.files, submission.version) == (BETTER, old)
        assert (assignment.attempts, Schedule.objects.count()) == (4, 1), "what is not changed stays"
        assert f"moved from version {old.version} to {upload.called}" in said(
            client.get(response["Location"])
        )

    def test_terms_of_an_assignment_that_is_there_can_be_changed_and_taken_away(
        self, client: Client, course: Course
    ) -> None:
        assignment = make_assignment(
            course=course,
            version=version_of(FILES),
            due_at=datetime(2026, 12, 1, 22, 59, tzinfo=UTC),
            attempts=4,
        )
        upload = make_upload(course, status=UploadStatus.VERIFIED, files=BETTER)
        publish(client, upload, due_at="", attempts="", percent_per_day="")
        assignment.refresh_from_db()
        schedule = current_schedule(assignment.item)
        assert schedule is not None
        assert (assignment.attempts, schedule.due_at, schedule.percent_per_day) == (0, None, 0)
        assert schedule.floor_percent == 50

    def test_what_another_changed_meanwhile_stays(self, client: Client, course: Course) -> None:
        """The form was shown with the old date and nobody touched it."""
        due_at = datetime(2026, 12, 1, 22, 59, tzinfo=UTC)
        assignment = make_assignment(course=course, version=version_of(FILES), due_at=due_at)
        upload = make_upload(course, status=UploadStatus.VERIFIED, files=BETTER)
        shown = {
            "item_slug": assignment.item.slug,
            "due_at": "2026-12-01T23:59",
            "initial-due_at": "2026-12-01T23:59",
        }
        make_schedule(assignment.item, due_at=due_at + timedelta(days=1))
        client.post(at("publish", upload), shown)
        schedule = current_schedule(assignment.item)
        assert schedule is not None
        assert schedule.due_at == due_at + timedelta(days=1)

    def test_twice_is_once(self, client: Client, course: Course) -> None:
        upload = make_upload(course, status=UploadStatus.VERIFIED)
        for _ in range(2):
            assert client.post(at("publish", upload), {"item_slug": "double"}).status_code == 302
        assert (AssignmentVersion.objects.count(), Assignment.objects.count()) == (1, 1)
        page = client.get(at("upload", upload))
        assert "This version is in Attention as Twice ." in said(page)
        assert "/publish/" not in page.content.decode()

    def test_a_version_that_the_command_brought_in_meanwhile(self, client: Client, course: Course) -> None:
        upload = make_upload(course, status=UploadStatus.VERIFIED)
        version = version_of(FILES)
        publish(client, upload)
        upload.refresh_from_db()
        assert upload.version == Assignment.objects.get().version == version

    @pytest.mark.parametrize(
        ("state", "fields", "reason"),
        [
            (UploadStatus.WAITING, {}, "It is being verified."),
            (UploadStatus.RUNNING, {}, "It is being verified."),
            (UploadStatus.FAILED, {}, "It could not be verified"),
            (UploadStatus.VERIFIED, {"missing": ["A check."]}, "One thing is missing"),
        ],
    )
    def test_not_before_it_is_whole(
        self, client: Client, course: Course, state: UploadStatus, fields: dict[str, Any], reason: str
    ) -> None:
        upload = make_upload(course, status=state, **fields)
        page = client.get(at("upload", upload))
        assert reason in said(page)
        assert "/publish/" not in page.content.decode()
        response = publish(client, upload)
        assert response.status_code == 409
        assert f"Nothing was published. {reason}" in said(response)
        assert not AssignmentVersion.objects.exists()
        assert not Item.objects.exists()

    def test_a_folder_of_an_older_format_is_told(self, client: Client, course: Course) -> None:
        """What is asked of a folder may have changed since it was verified."""
        upload = make_upload(course, status=UploadStatus.VERIFIED)
        Upload.objects.update(files={path: text for path, text in FILES.items() if path != "prompt.md"})
        response = publish(client, upload)
        assert response.status_code == 409
        assert "cannot be used any more: prompt.md: This file is missing." in said(response)
        assert not Item.objects.exists()

    def test_what_cannot_be_used_cannot_be_published(self, client: Client, course: Course) -> None:
        upload = make_upload(course, status=UploadStatus.UNUSABLE)
        for what in ("publish", "again"):
            client.post(at(what, upload), {"item_slug": "double"})
        upload.refresh_from_db()
        assert upload.state is UploadStatus.UNUSABLE
        assert not AssignmentVersion.objects.exists()

    @pytest.mark.parametrize(
        ("fields", "sentence"),
        [
            ({"item_slug": ""}, "This field is required."),
            ({"item_slug": "two words"}, "valid “slug”"),
            ({"attempts": "-1"}, "greater than or equal to 0"),
            ({"attempts": "many"}, "whole number"),
            ({"due_at": "soon"}, "“soon” is not a time."),
            ({"due_at": "2026-12-01"}, "is a day without a time"),
            ({"due_at": "2027-03-28T02:30"}, "does not exist in Europe/Zurich"),
            ({"due_at": "0001-01-01T00:00"}, "is not a time"),
            ({"due_at": "2026-12-01T12:00", "closes_at": "2026-11-01T12:00"}, "before it is due"),
            ({"due_at": "2026-12-01T12:00", "opens_at": "2026-12-02T12:00"}, "before it opens"),
            ({"percent_per_day": "101"}, "less than or equal to 100"),
            ({"floor_percent": "1e9"}, "less than or equal to 100"),
            ({"grace_minutes": "9" * 20}, "less than or equal to"),
        ],
    )
    def test_terms_that_make_no_sense(
        self, client: Client, course: Course, fields: dict[str, str], sentence: str
    ) -> None:
        upload = make_upload(course, status=UploadStatus.VERIFIED)
        response = publish(client, upload, **fields)
        assert response.status_code == 422
        assert sentence in said(response)
        for value in fields.values():
            assert f'value="{value}"' in response.content.decode() or not value
        assert not AssignmentVersion.objects.exists()
        assert not Item.objects.exists()

    def test_another_assignment_is_not_replaced(self, client: Client, course: Course) -> None:
        other = make_assignment(course=course, slug="masks")
        upload = make_upload(course, status=UploadStatus.VERIFIED)
        response = publish(client, upload, item_slug="masks")
        assert response.status_code == 422
        assert "which double cannot replace" in said(response)
        other.refresh_from_db()
        assert other.version.slug == "scaled-dot-product"
        assert not AssignmentVersion.objects.filter(slug="double").exists()

    def test_by_others_than_instructors(self, client: Client, course: Course) -> None:
        upload = make_upload(course, status=UploadStatus.VERIFIED)
        for person, status in (
            (enrol(course, role=Role.TA), 403), (enrol(course), 403), (enrol(make_course()), 404), (None, 401),
        ):  # fmt: skip
            client.logout()
            if person:
                client.force_login(person)
            response = client.post(at("publish", upload), {"item_slug": "double"})
            assert response.status_code == status
            assert status != 403 or "Only instructors bring assignments" in said(response)
        assert not AssignmentVersion.objects.exists()

    def test_a_version_is_frozen(self, client: Client, course: Course) -> None:
        publish(client, make_upload(course, status=UploadStatus.VERIFIED))
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
            AssignmentVersion.objects.update(title="Another")

    def test_what_it_runs_on_is_frozen_with_it(self, client: Client, course: Course) -> None:
        for files in (FILES, FILES_ON_GPU):
            publish(client, make_upload(course, status=UploadStatus.VERIFIED, files=files))
        devices = AssignmentVersion.objects.order_by("pk").values_list("device", flat=True)
        assert list(devices) == ["cpu", "cuda"]
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
            AssignmentVersion.objects.update(device="cpu")

    def test_the_number_of_queries(
        self, client: Client, course: Course, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        upload = make_upload(course, status=UploadStatus.VERIFIED)
        ContentType.objects.get_for_model(Upload)  # remembered by the process
        with django_assert_num_queries(22):
            client.post(at("publish", upload), {"item_slug": "double"})


@pytest.mark.django_db
@pytest.mark.usefixtures("ruth")
class TestAgain:
    @pytest.mark.parametrize(
        ("state", "fields"),
        [(UploadStatus.FAILED, {"deaths": 3}), (UploadStatus.VERIFIED, {"missing": ["A check."]})],
    )
    def test_all_of_it_is_graded_once_more(
        self, client: Client, course: Course, bells: redis.Redis, django_capture_on_commit_callbacks: Any,
        state: UploadStatus, fields: dict[str, Any],
    ) -> None:  # fmt: skip
        upload = make_upload(course, status=state, **fields)
        with django_capture_on_commit_callbacks(execute=True):
            response = client.post(at("again", upload))
        assert response["Location"] == at("upload", upload)
        upload.refresh_from_db()
        assert (upload.state, upload.deaths, upload.verification, upload.trouble) == (
            UploadStatus.WAITING, 0, None, "",
        )  # fmt: skip
        assert bells.llen(str(Queue.BATCH)) == 1

    @pytest.mark.parametrize(
        ("state", "reason"),
        [
            (UploadStatus.RUNNING, "It is being verified already."),
            (UploadStatus.VERIFIED, "It is whole already"),
        ],
    )
    def test_not_what_runs_nor_what_is_whole(
        self, client: Client, course: Course, state: UploadStatus, reason: str
    ) -> None:
        upload = make_upload(course, status=state)
        response = client.post(at("again", upload))
        assert reason in said(client.get(response["Location"]))
        upload.refresh_from_db()
        assert upload.state is state


@pytest.mark.django_db
class TestTheTableOfAVersion:
    def test_for_instructors(self, client: Client, course: Course, ruth: User) -> None:
        table = make_upload(course, status=UploadStatus.VERIFIED).verification
        assignment = make_assignment(course=course, version=version_of(FILES, verification=table))
        page = client.get(reverse("submissions:assignment", args=["attention", assignment.item.slug]))
        address = reverse("coursework:verification", args=["attention", assignment.item.slug])
        assert f'href="{address}"' in page.content.decode()
        assert "caught and named" in said(client.get(address))
        client.force_login(enrol(course, role=Role.TA))
        page = client.get(reverse("submissions:assignment", args=["attention", assignment.item.slug]))
        assert f'href="{address}"' not in page.content.decode()

    def test_of_a_version_without_one(self, client: Client, course: Course, ruth: User) -> None:
        assignment = make_assignment(course=course)
        address = reverse("coursework:verification", args=["attention", assignment.item.slug])
        assert "No table was kept" in said(client.get(address))
        assert client.get(address.replace(assignment.item.slug, "nowhere")).status_code == 404

    def test_the_number_of_queries(
        self, client: Client, course: Course, ruth: User, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        assignment = make_assignment(course=course)
        with django_assert_num_queries(4):
            client.get(reverse("coursework:verification", args=["attention", assignment.item.slug]))


@pytest.mark.django_db
class TestSignedOutAndForgery:
    def test_signed_out(self, client: Client, course: Course) -> None:
        response = send(client, zipped(FILES))
        assert response.status_code == 401
        assert f"?next={at('uploads')}" in response.content.decode()
        assert send(client, bytes(6 << 20)).status_code == 302
        assert not Upload.objects.exists()

    def test_by_others_than_instructors(self, client: Client, course: Course) -> None:
        for person, status in (
            (enrol(course, role=Role.TA), 403),
            (enrol(course), 403),
            (enrol(make_course()), 404),
        ):
            client.force_login(person)
            for data in (zipped(FILES), bytes(6 << 20)):
                assert send(client, data).status_code == status
        assert not Upload.objects.exists()

    def test_a_form_of_another_sign_in(self, course: Course) -> None:
        client = Client(enforce_csrf_checks=True)
        client.force_login(enrol(course, role=Role.INSTRUCTOR))
        upload = make_upload(course, status=UploadStatus.VERIFIED)
        assert send(client, zipped(FILES)).status_code == 403
        response = client.post(
            at("publish", upload), {"item_slug": "double"}, headers={"Origin": "http://testserver"}
        )
        assert response.status_code == 403
        assert "Send it again" in said(response)
        assert Upload.objects.count() == 1
        assert not AssignmentVersion.objects.exists()


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def at_once(self, person: User, act: Any, count: int) -> list[int]:
        signed_in = Client()
        signed_in.force_login(person)

        def one(number: int) -> int:
            client = Client()
            client.cookies = signed_in.cookies
            try:
                return int(act(client, number).status_code)
            finally:
                connection.close()

        with ThreadPoolExecutor(count) as pool:
            return list(pool.map(one, range(count)))

    def test_many_who_publish_the_same(self, course: Course) -> None:
        upload = make_upload(course, status=UploadStatus.VERIFIED)
        statuses = self.at_once(
            upload.uploaded_by,
            lambda client, _: client.post(at("publish", upload), {"item_slug": "double", "attempts": "3"}), 8,
        )  # fmt: skip
        assert statuses == [302] * 8
        assert (AssignmentVersion.objects.count(), Assignment.objects.count(), Item.objects.count()) == (
            1,
            1,
            1,
        )

    def test_two_courses_publish_the_same(self, course: Course) -> None:
        other = make_course(slug="other")
        ruth = enrol(course, role=Role.INSTRUCTOR)
        enrol(other, ruth, Role.INSTRUCTOR)
        uploads = [make_upload(each, status=UploadStatus.VERIFIED) for each in (course, other)]

        def act(client: Client, number: int) -> Any:
            upload = uploads[number % 2]
            return client.post(at("publish", upload, upload.course.slug), {"item_slug": "double"})

        assert self.at_once(ruth, act, 8) == [302] * 8
        assert (AssignmentVersion.objects.count(), Assignment.objects.count()) == (1, 2)

    def test_many_who_upload_the_same(self, course: Course) -> None:
        ruth = enrol(course, role=Role.INSTRUCTOR)
        data = zipped(FILES)
        assert self.at_once(ruth, lambda client, _: send(client, data), 8) == [302] * 8
        assert Upload.objects.count() == 1


@pytest.mark.django_db
class TestTheDatabaseRefuses:
    """Whatever a slip in the code may try."""

    @pytest.mark.parametrize(
        ("state", "fields"),
        [
            (UploadStatus.WAITING, {"status": "splendid"}),
            (UploadStatus.WAITING, {"status": UploadStatus.RUNNING}),
            (UploadStatus.RUNNING, {"status": UploadStatus.WAITING}),
            (UploadStatus.WAITING, {"status": UploadStatus.VERIFIED}),
            (UploadStatus.WAITING, {"status": UploadStatus.VERIFIED, "verification": {}}),
            (UploadStatus.WAITING, {"status": UploadStatus.FAILED}),
            (UploadStatus.WAITING, {"status": UploadStatus.UNUSABLE}),
            (UploadStatus.WAITING, {"problems": [{"file": "."}]}),
            (UploadStatus.WAITING, {"queue": Queue.CPU}),
            (UploadStatus.UNUSABLE, {"problems": []}),
            (UploadStatus.UNUSABLE, {"status": UploadStatus.WAITING}),
        ],
    )
    def test_a_state_that_cannot_be(self, state: UploadStatus, fields: dict[str, Any]) -> None:
        upload = make_upload(status=state)
        with pytest.raises(IntegrityError), transaction.atomic():
            Upload.objects.filter(pk=upload.pk).update(**fields)

    @pytest.mark.parametrize(
        "fields",
        [
            {"status": UploadStatus.WAITING},
            {"status": UploadStatus.FAILED, "trouble": "x"},
            {"verification": {"table": [], "problems": ["A check."]}},
        ],
    )
    def test_a_version_of_what_is_not_whole(self, fields: dict[str, Any]) -> None:
        upload = make_upload(status=UploadStatus.VERIFIED, version=version_of(FILES))
        with pytest.raises(IntegrityError), transaction.atomic():
            Upload.objects.filter(pk=upload.pk).update(**fields)

    def test_a_version_for_a_device_that_nobody_has(self) -> None:
        with pytest.raises(IntegrityError, match="version_device_is_known"), transaction.atomic():
            make_assignment_version(device="abacus")

    def test_the_same_content_twice(self, course: Course) -> None:
        make_upload(course)
        with pytest.raises(IntegrityError), transaction.atomic():
            make_upload(course)
        make_upload(make_course())
