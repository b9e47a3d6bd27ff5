"""From a folder to lessons of a course: refused as check_lessons refuses, the same content once, all or nothing."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import call_command

from softmark.courses.models import Course
from softmark.lessons.importing import Misplaced, NotFit, bring, digest_of, place, publish, read_texts
from softmark.lessons.models import Lesson, LessonVersion
from softmark.lessons.written.lesson import Lesson as WrittenLesson
from tests.factories import make_assignment, make_course, make_lesson, make_lesson_version, make_reading
from tests.lessons.db.steps import predict
from tests.lessons.small_lesson import small_data, small_lesson

pytestmark = pytest.mark.django_db


def write(folder: Path, edit: int = 0, **of_lesson: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "listening.md").write_text(small_lesson(edit, **of_lesson))  # type: ignore[arg-type]
    for name, content in small_data(edit).items():
        (folder / name).write_bytes(content)
    return folder


def run(*arguments: str) -> tuple[int, str, str]:
    """The exit code, and what was said on both streams."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    try:
        call_command("import_lessons", *arguments, stdout=out, stderr=err)
    except SystemExit as end:
        code = int(end.code or 0)
    return code, out.getvalue(), err.getvalue()


def brought(edit: int = 0, text: str | None = None) -> WrittenLesson:
    return read_texts("listening.md", text or small_lesson(edit), small_data(edit))


class TestCommand:
    def test_a_folder_becomes_lessons_of_the_course(self, tmp_path: Path) -> None:
        course = make_course(slug="attention")
        code, said, told = run(str(write(tmp_path)), "--course", "attention")
        assert (code, told) == (0, "")
        assert "“Listening” is now a lesson of" in said
        lesson = Lesson.objects.get()
        assert (lesson.course, lesson.counts, lesson.time_limit) == (course, "completion", None)
        item = lesson.item
        assert (item.slug, item.title, item.points, item.kind, item.position) == (
            "listening",
            "Listening",
            3,
            "lesson",
            1,
        )
        version = lesson.version
        assert (version.slug, version.title, version.minutes) == ("listening", "Listening", 5)
        assert version.text == small_lesson()
        assert set(version.data) == {"second.svg", "last.svg"}

    def test_the_same_folder_once_more_changes_nothing(self, tmp_path: Path) -> None:
        make_course(slug="attention")
        run(str(write(tmp_path)), "--course", "attention")
        code, said, _ = run(str(tmp_path), "--course", "attention")
        assert code == 0
        assert "already" in said
        assert LessonVersion.objects.count() == Lesson.objects.count() == 1

    def test_an_edit_moves_the_lesson_and_tells_of_those_who_have_begun(self, tmp_path: Path) -> None:
        make_course(slug="attention")
        run(str(write(tmp_path)), "--course", "attention")
        old = Lesson.objects.get().version
        reading = make_reading(Lesson.objects.get())
        code, said, _ = run(str(write(tmp_path, 1)), "--course", "attention")
        assert code == 0
        assert "moved from version" in said
        assert "Whoever has begun it (1)" in said
        reading.refresh_from_db()
        assert reading.version == old != Lesson.objects.get().version

    def test_all_that_is_wrong_is_told_and_nothing_saved(self, tmp_path: Path) -> None:
        make_course(slug="attention")
        write(tmp_path)
        (tmp_path / "other.md").write_text(
            small_lesson(id="other", title="Other").replace("answer: 7", "anwser: 7")
        )
        (tmp_path / "last.svg").unlink()
        code, _, told = run(str(tmp_path), "--course", "attention")
        assert code == 1
        assert f"{tmp_path}/other.md:" in told
        assert "There is no file last.svg" in told
        assert "Nothing was saved." in told
        assert not LessonVersion.objects.exists()

    def test_a_command_that_cannot_be_used(self, tmp_path: Path) -> None:
        code, _, told = run(str(tmp_path), "--course", "none")
        assert (code, "There is no course “none”. Courses: none so far." in told) == (2, True)
        make_course(slug="attention")
        code, _, told = run(str(tmp_path / "none"), "--course", "attention")
        assert (code, "cannot be read" in told) == (2, True)


class TestVersions:
    def test_the_same_content_is_one_version_whatever_its_line_ends(self) -> None:
        first, is_new = publish(brought())
        assert is_new
        assert publish(brought()) == (first, False)
        assert publish(brought(text="\ufeff" + small_lesson().replace("\n", "\r\n"))) == (first, False)
        assert LessonVersion.objects.count() == 1

    def test_another_file_is_another_version(self) -> None:
        first, _ = publish(brought())
        second, is_new = publish(read_texts("listening.md", small_lesson(), small_data(1)))
        assert is_new
        assert first.digest != second.digest

    def test_parts_of_what_is_digested_are_kept_apart(self) -> None:
        assert digest_of("ab", {}) != digest_of("a", {"b": b""}) != digest_of("a", {"": b"b"})

    def test_what_does_not_pass_is_no_version(self) -> None:
        with pytest.raises(NotFit) as caught:
            read_texts("listening.md", small_lesson().replace("type: number", "type: numbr"), small_data())
        assert caught.value.problems
        assert not LessonVersion.objects.exists()


class TestPlace:
    def test_items_follow_one_another_and_the_courses_own_terms_stay(self) -> None:
        course = make_course()
        make_assignment(course=course, position=4)
        placed = place(course, make_lesson_version())
        assert placed.lesson.item.position == 5
        placed.lesson.item.points = 20
        placed.lesson.item.save()
        moved = place(course, make_lesson_version(small_lesson(1)))
        assert (moved.is_new, moved.lesson, moved.lesson.item.points) == (False, placed.lesson, 20)

    def test_it_is_found_again_under_another_name(self) -> None:
        lesson = make_lesson()
        lesson.item.slug = "week-1"
        lesson.item.save()
        assert place(lesson.course, make_lesson_version(small_lesson(1))).lesson == lesson

    def test_a_name_that_is_taken(self) -> None:
        course = make_course()
        make_assignment(course=course, slug="listening")
        with pytest.raises(Misplaced) as caught:
            place(course, make_lesson_version())
        assert "is taken" in caught.value.sentences[0]

    def test_courses_have_their_own(self) -> None:
        first, second = make_lesson(), make_lesson()
        assert first.version == second.version
        assert first.item.course != second.item.course


class TestChangedIds:
    @pytest.fixture
    def course(self) -> Course:
        course = make_course()
        bring(course, [brought()])
        return course

    @pytest.mark.parametrize("title", ["Listening", "Other"])
    def test_a_lesson_with_another_id(self, course: Course, title: str) -> None:
        """Known again by its title, or by its stops."""
        with pytest.raises(Misplaced) as caught:
            bring(course, [brought(text=small_lesson(id="hearing", title=title))])
        assert "with the id “listening”" in caught.value.sentences[0]
        assert LessonVersion.objects.count() == 1, "nothing of it stays"

    def test_two_lessons_may_be_alike_where_both_are_there(self, course: Course) -> None:
        placed = bring(course, [brought(), brought(text=small_lesson(id="hearing"))])
        assert [each.is_new for each in placed] == [False, True]

    def test_a_stop_with_another_id_that_was_predicted_at(self, course: Course) -> None:
        reading = make_reading(Lesson.objects.get())
        predict(reading, "7")
        renamed = small_lesson().replace("{predict} how-many", "{predict} how-much")
        with pytest.raises(Misplaced) as caught:
            bring(course, [brought(text=renamed)])
        assert "The stop “how-many” of “listening” has predictions" in caught.value.sentences[0]
        assert "“how-much”" in caught.value.sentences[0]

    def test_a_stop_that_nobody_predicted_at_may_change_its_id(self, course: Course) -> None:
        predict(make_reading(Lesson.objects.get()), "7")
        bring(course, [brought(text=small_lesson().replace("{predict} which-one", "{predict} which"))])

    def test_in_another_course_it_is_another_matter(self, course: Course) -> None:
        predict(make_reading(make_lesson(make_course())), "7")
        bring(course, [brought(text=small_lesson().replace("{predict} how-many", "{predict} how-much"))])

    def test_stops_may_come_and_go(self, course: Course) -> None:
        predict(make_reading(Lesson.objects.get()), "7")
        bring(course, [brought(text=small_lesson(extra=True))])
        text = small_lesson(extra=True)
        start, end = text.index("::::{predict} how-many"), text.index("More canary")
        bring(course, [brought(text=text[:start] + text[end:])])
        assert LessonVersion.objects.count() == 3
