"""All that `check_lessons` refuses, told at once: in a lesson's words, its stops, its widgets and its files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from grader.assignment.model import Problems
from grader.assignment.wording import did_you_mean, quoted
from softmark.lessons.written.data_files import Unreadable, check_picture, is_picture
from softmark.lessons.written.drawn import Question, read_question
from softmark.lessons.written.facts import has, name_in, names
from softmark.lessons.written.fields import ID
from softmark.lessons.written.lesson import Block, Lesson, Predict, Text, Widget
from softmark.lessons.written.render import Named, html_in, named_in, text_html
from softmark.lessons.written.spoilers import find_spoilers
from softmark.lessons.written.widgets import check_widget

MAX_STOPS = 20


def check_lesson(lesson: Lesson, problems: Problems) -> None:
    """Everything that is wrong with a lesson that was read. Files it names and lacks are told by who reads them."""
    questions: dict[int, Question] = {}
    _refuse_twice(lesson, problems)
    for part in lesson.parts:
        _check_blocks(part.blocks, lesson, problems)
        _check_facts(part.blocks, (), "Facts are filled in at a stop only", lesson, problems)
        if part.predict is None:
            continue
        question = read_question(part.predict, lesson.file, problems)
        if question is not None:
            questions[part.predict.line] = question
        _check_blocks((*part.predict.prompt, *part.predict.behind), lesson, problems)
        _check_stop(part.predict, question, lesson, problems)
    find_spoilers(lesson, questions, problems)


def check_together(lessons: Sequence[Lesson], problems: Problems) -> None:
    """What only several lessons show: an id that two of them have."""
    first: dict[str, Lesson] = {}
    for lesson in lessons:
        if lesson.id and lesson.id in first:
            problems.add(
                lesson.file,
                lesson.head.line("id"),
                f"The lesson in {first[lesson.id].file} has the id {quoted(lesson.id)}, too. Give each its own.",
            )
        first.setdefault(lesson.id, lesson)


def _refuse_twice(lesson: Lesson, problems: Problems) -> None:
    seen: dict[str, int] = {}
    for predict in lesson.predicts:
        if predict.id and predict.id in seen:
            problems.add(
                lesson.file,
                predict.line,
                f"The stop in line {seen[predict.id]} is called {quoted(predict.id)}, too. Give each its own name.",
            )
        seen.setdefault(predict.id, predict.line)
    if len(lesson.predicts) > MAX_STOPS:
        problems.add(lesson.file, None, f"This lesson has more than {MAX_STOPS} stops, the most allowed.")


# -- words and pictures


def _check_blocks(blocks: Iterable[Block], lesson: Lesson, problems: Problems) -> None:
    for block in blocks:
        if isinstance(block, Widget):
            check_widget(block, lesson.file, lesson.data, problems)
            continue
        for named in named_in(block.source):
            line = block.line + named.line
            if named.kind == "title":
                problems.add(
                    lesson.file, line, "A heading has two or more #: the title stands above the text."
                )
            elif named.kind == "picture":
                _check_picture(named, line, lesson, problems)
            elif named.kind == "item" and not ID.fullmatch(named.name):
                problems.add(
                    lesson.file,
                    line,
                    f"{quoted(named.name)} is no name of an item. Write [words](item:name), where the name is that of "
                    "an assignment or a lesson: small letters, digits and single hyphens.",
                )
        _refuse_html(block.source, block.line, lesson, problems)
        if 'class="math-broken"' in text_html(block.source, _Anything()):
            problems.add(
                lesson.file, block.line, "A formula in this text cannot be read, so its source would show."
            )


def _refuse_html(text: str, line: int | None, lesson: Lesson, problems: Problems) -> None:
    for at in html_in(text):
        problems.add(
            lesson.file,
            None if line is None else line + at,
            "HTML is not read here; it would be shown as it is. Take it out, or write it as code.",
        )


def _check_picture(named: Named, line: int, lesson: Lesson, problems: Problems) -> None:
    if not is_picture(named.name):
        problems.add(
            lesson.file,
            line,
            f"The picture {quoted(named.name)} is not taken: name a file beside the lesson, like bank.png or .svg.",
        )
    elif named.name in lesson.data:
        try:
            check_picture(named.name, lesson.data[named.name])
        except Unreadable as unreadable:
            problems.add(named.name, unreadable.line, unreadable.sentence)
    if not named.alt:
        problems.add(
            lesson.file, line, f"The picture {quoted(named.name)} has no text. Say in words what it shows."
        )


class _Anything(dict[str, Any]):
    """Facts of every name, to see whether a formula can be read with any."""

    def __contains__(self, name: object) -> bool:
        return True

    def __getitem__(self, name: str) -> Any:
        return 1


# -- stops


def _check_stop(predict: Predict, question: Question | None, lesson: Lesson, problems: Problems) -> None:
    for name in ("options", "items"):
        offered = predict.values.value.get(name)
        texts = dict(enumerate(offered)) if isinstance(offered, list) else offered
        for id, text in texts.items() if isinstance(texts, dict) else ():
            if isinstance(text, str):
                _refuse_html(text, predict.values.line(name, id), lesson, problems)
    if question is None:
        return
    variants = question.variants
    if variants:
        given = [variant.given for variant in variants]
        computed = {name for variant in variants for name in names(variant.facts)} - {
            name for each in given for name in names(each)
        }
        _check_facts(
            predict.prompt, given, 'A prompt fills in only what is "given"', lesson, problems, computed
        )
    if not question.reckoned:  # what follows would only repeat that
        return
    facts = [variant.facts for variant in variants]
    _check_facts(tuple(predict.behind), facts, "No reference gives it here", lesson, problems)
    _check_branches(question, lesson, problems)


def _check_branches(question: Question, lesson: Lesson, problems: Problems) -> None:
    """Each is for an answer that somebody can give, and is not shown both beside Right and beside Wrong."""
    kind, settings, id = question.type, question.settings, question.predict.id
    mistakes = {
        name
        for variant in question.variants
        for name, value in variant.mistakes.items()
        if kind.mistake(value, settings) is not None
    }
    known = mistakes | kind.errors(settings)
    for branch in question.predict.branches:
        if kind.understands(branch.answer, settings):
            right = {kind.all_right(branch.answer, variant.key, settings) for variant in question.variants}
            if len(right) > 1 or None in right:
                mistake = f", or a mistake ({', '.join(sorted(known))})" if known else ""
                problems.add(
                    lesson.file,
                    branch.line,
                    f"Of those who answer {quoted(branch.answer)} at the stop {quoted(id)}, or what counts as that, "
                    "some are right and some are wrong, and all would read this text. Name an answer that is right "
                    f"for all or for none{mistake}; or say it in the reveal.",
                )
        elif branch.answer not in known:
            problems.add(
                lesson.file,
                branch.line,
                f"Nobody can answer {quoted(branch.answer)} at the stop {quoted(id)}, and no mistake there is called "
                f"so.{did_you_mean(branch.answer, known)}",
            )


def _check_facts(
    blocks: Iterable[Block],
    all_facts: Sequence[Mapping[str, Any]],
    otherwise: str,
    lesson: Lesson,
    problems: Problems,
    computed: Iterable[str] = (),
) -> None:
    """Each {{ name }} is there in every variant."""
    for block in blocks:
        if not isinstance(block, Text):
            continue
        for named in named_in(block.source):
            if named.kind != "fact":
                continue
            name = name_in(named.name)
            line = block.line + named.line
            if name is None:
                problems.add(
                    lesson.file,
                    line,
                    f"{{{{{named.name}}}}} is no name of a fact, like {{{{ river.score }}}}.",
                )
            elif not all_facts or not all(has(name, facts) for facts in all_facts):
                known = sorted({each for facts in all_facts for each in names(facts)})
                advice = "" if name in computed else did_you_mean(name, known)
                problems.add(lesson.file, line, f"There is no fact {quoted(name)}. {otherwise}.{advice}")
