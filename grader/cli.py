"""`grader check`, `grader verify` and `grader export`: grading on the command line, for students and authors.

Modules that need numpy or rich are imported inside the functions that use them: `grader --help` should
not wait for either.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.assignment import Assignment, AssignmentError, Device, load_assignment
from grader.report import CheckResult, Report, Verdict, printable
from grader.source import Source, SourceError, read_source
from grader.terminal.stream import OutputClosed, OutputFailed, SafeStream, abandon_stdout, write_utf8

if TYPE_CHECKING:
    from grader.grade import Grader
    from grader.terminal.screen import Screen
    from grader.verify import Grades

# Exit codes: what a script can go by.
ALL_WELL = 0
NOT_ALL = 1
UNUSABLE = 2  # the folder, the file or the command line; argparse uses it too
FAULT = 3  # of the assignment, the machine or the grader
INTERRUPTED = 130
NO_READER = 141

_EXIT_CODES = """exit codes:
  0  {well}
  1  {not_all}
  2  the folder, the file or the command cannot be used; standard error says why
  3  a fault of the assignment or of this machine, not of the code
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code. No traceback reaches the user unless GRADER_DEBUG=1 is set."""
    try:
        code = _run(arguments)
        SafeStream(sys.stdout).flush()
    except KeyboardInterrupt:
        _complain("Stopped.")
        return INTERRUPTED
    except OutputClosed:
        abandon_stdout()
        return NO_READER
    except OutputFailed as failed:
        abandon_stdout()
        _complain(f"The result could not be written: {failed}. See to it that there is room for it.")
        return FAULT
    except Exception as error:
        return _unexpected(error)
    return code


def _run(arguments: Sequence[str] | None) -> int:
    try:
        options = _parse(arguments)
    except SystemExit as asked:  # after --help, or a mistake in the command
        return asked.code if isinstance(asked.code, int) else UNUSABLE
    code: int = options.run(options)
    return code


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    try:
        return _parser().parse_args(arguments)
    except BrokenPipeError as error:
        # --help into a pipe that nobody reads: some versions of argparse let it through.
        raise OutputClosed from error


def _check(options: argparse.Namespace) -> int:
    loaded = _load(options.assignment, options.file)
    if loaded is None:
        return UNUSABLE
    assignment, source = loaded
    grade = _check_as_json if options.json else _check_on_screen
    report = grade(assignment, source, options)
    return FAULT if report is None else _code_for(report)


def _load(folder: Path, file: Path) -> tuple[Assignment, Source] | None:
    """Folder and file, or None after saying everything that is wrong with either."""
    if folder.is_file() and file.is_dir():
        _complain(
            f"{folder} is a file and {file} a folder: the assignment's folder comes first, your file second."
        )
        return None
    assignment = _load_folder(folder)
    try:
        source = read_source(file)
    except SourceError as refused:
        _complain(refused.sentence)
        return None
    return (assignment, source) if assignment else None


def _load_folder(folder: Path) -> Assignment | None:
    try:
        return load_assignment(folder)
    except AssignmentError as error:
        count = len(error.problems)
        _complain(f"The assignment folder {folder} cannot be used: {count} problem{'s' * (count > 1)}.")
        for problem in error.problems:
            place = folder if problem.file == "." else folder / problem.file
            line = "" if problem.line is None else f":{problem.line}"
            _complain(f"  {place}{line}: {problem.sentence}")
        return None


def _check_as_json(assignment: Assignment, source: Source, options: argparse.Namespace) -> Report | None:
    for note in source.notes:
        _complain(f"Note: {note}")
    report = _grade(assignment, source, options, lambda words: None, lambda result: None)
    if report is not None:
        write_utf8(sys.stdout, report.to_json() + "\n")
    return report


def _check_on_screen(assignment: Assignment, source: Source, options: argparse.Namespace) -> Report | None:
    from grader.terminal.report_view import ReportView

    # What the student's code prints under --local goes straight to the terminal, through any live line.
    with ReportView(_screen(), assignment, live=not options.local) as view:
        view.heading(str(options.file), source)
        report = _grade(assignment, source, options, view.place, view.check)
        if report is not None:
            view.finish(report)
    return report


def _grade(
    assignment: Assignment,
    source: Source,
    options: argparse.Namespace,
    place: Callable[[str], None],
    on_check: Callable[[CheckResult], None],
) -> Report | None:
    """The report, or None after saying why there is no sandbox to be had."""
    if options.local:
        from grader.local import NoGPU, grade_locally

        place("On this machine, without a sandbox.")
        try:
            return grade_locally(assignment, source, on_check=on_check, stand_in=options.pretend_gpu)
        except NoGPU as none:
            _complain(str(none))
            return None

    from grader.grade import SandboxUnavailable

    try:
        with _grader(assignment.device, options) as grader:
            place(f"{_where(grader)}.")
            return grader.grade(assignment, source, on_check=on_check)
    except SandboxUnavailable as unavailable:
        _complain(str(unavailable))
        return None


def _code_for(report: Report) -> int:
    if report.verdict.is_fault or any(check.verdict.is_fault for check in report.checks):
        return FAULT
    return ALL_WELL if all(check.verdict is Verdict.PASSED for check in report.checks) else NOT_ALL


def _export(options: argparse.Namespace) -> int:
    from grader.export import NothingPublic, export

    assignment = _load_folder(options.assignment)
    if assignment is None:
        return UNUSABLE
    try:
        export(assignment, options.out)
    except FileExistsError:
        _complain(
            f"{options.out} is in use already. Give a folder that is new or empty; nothing was written."
        )
        return UNUSABLE
    except NothingPublic:
        _complain("This assignment has no public checks, so a student's copy would have nothing to check.")
        return UNUSABLE
    except OSError as error:
        _complain(f"{options.out} cannot be written: {error.strerror or error}.")
        return UNUSABLE
    write_utf8(
        sys.stdout,
        f"{options.out} is a student's copy of {assignment.slug}: prompt, starter and public checks.\n"
        f"Students check their code with it: grader check {options.out} FILE\n",
    )
    return ALL_WELL


def _verify(options: argparse.Namespace) -> int:
    from grader.grade import SandboxUnavailable

    assignments = [_load_folder(folder) for folder in options.folders]
    code = UNUSABLE if None in assignments else ALL_WELL
    usable = [assignment for assignment in assignments if assignment is not None]
    if not usable:
        return code
    screen = _screen(widest=160)  # the table is wide
    graders: dict[Device, Grader] = {}
    try:
        with ExitStack() as opened:
            for assignment in usable:
                if assignment.device not in graders:
                    grader = opened.enter_context(_grader(assignment.device, options))
                    graders[assignment.device] = grader
                    screen.say(f"{_where(grader)}.", "dim")
                screen.blank()
                code = max(code, _verify_one(assignment, graders[assignment.device], screen))
    except SandboxUnavailable as unavailable:
        _complain(str(unavailable))
        return FAULT
    return code


def _grader(device: Device, options: argparse.Namespace) -> Grader:
    """Raises SandboxUnavailable."""
    from grader.grade import Grader

    return Grader(rung=options.rung, device=device, stand_in=options.pretend_gpu)


def _where(grader: Grader) -> str:
    on = "" if grader.device is Device.CPU else f"; on {grader.device_name}"
    return f"In the sandbox, rung {grader.rung.number}: {grader.rung.words}{on}"


def _verify_one(assignment: Assignment, grader: Grades, screen: Screen) -> int:
    from grader.terminal.verify_view import VerifyView
    from grader.verify import verify

    with VerifyView(screen, assignment) as view:
        verification = verify(assignment, grader, on_row=view.row)
        view.finish(verification)
    if verification.faulty:
        return FAULT
    return NOT_ALL if verification.problems else ALL_WELL


def _screen(widest: int = 100) -> Screen:
    from grader.terminal.screen import Screen

    return Screen(sys.stdout, widest=widest)


def _complain(text: str) -> None:
    """One line on standard error, whatever is in it and whether or not anybody reads."""
    try:
        print(printable(text), file=SafeStream(sys.stderr), flush=True)
    except (OutputClosed, OutputFailed):
        pass  # there is nowhere left to say it


def _unexpected(error: Exception) -> int:
    if os.environ.get("GRADER_DEBUG") == "1":
        import traceback

        traceback.print_exc()
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    _complain(
        f"The grader itself failed ({what[:300]}). This is our fault, not that of your code. "
        "Try again; if it happens again, tell the course staff. GRADER_DEBUG=1 shows where."
    )
    return FAULT


class _Version(argparse.Action):
    """Looks the version up only when it is asked for; that takes longer than all the rest of --help."""

    def __init__(self, option_strings: Sequence[str], dest: str, **kwargs: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, **kwargs)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib import metadata

        try:
            version = metadata.version("softmark")
        except metadata.PackageNotFoundError:
            version = "(not installed)"
        print(f"grader {version}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="grader",
        description="Grades attention code: runs it in a sandbox, checks it, and names the known mistake.",
        epilog="Help on a command: grader check --help",
    )
    parser.add_argument("--version", action=_Version, help="show the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_check(commands)
    _add_verify(commands)
    _add_export(commands)
    return parser


def _add_check(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    check = commands.add_parser(
        "check",
        help="grade one file against an assignment",
        description="Grade one file against an assignment: a row for each check, hints, points.",
        epilog="examples:\n"
        "  grader check assignments/scaled-dot-product my_answer.py\n"
        "  grader check assignments/scaled-dot-product notebook.ipynb --json\n\n"
        + _EXIT_CODES.format(well="all checks passed", not_all="not all checks passed"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    check.add_argument("assignment", metavar="ASSIGNMENT_DIR", type=Path, help="the assignment's folder")
    check.add_argument("file", metavar="FILE", type=Path, help="the code to grade: a .py or .ipynb file")
    check.add_argument("--json", action="store_true", help="print the report as JSON and nothing else")
    where = check.add_mutually_exclusive_group()
    _add_rung(where)
    _add_pretended_gpu(check)
    where.add_argument(
        "--local",
        action="store_true",
        help="run the code in a plain process, on any system; only for your own code, as nothing confines it",
    )
    check.set_defaults(run=_check)


def _add_verify(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verify = commands.add_parser(
        "verify",
        help="tell whether assignments can be published",
        description="Grade each assignment's own solution, starter and known mistakes. The solution must get "
        "all points, the starter none, and every mistake must be caught and named.",
        epilog=_EXIT_CODES.format(well="all can be published", not_all="something is missing"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verify.add_argument(
        "folders", metavar="ASSIGNMENT_DIR", type=Path, nargs="+", help="the assignments' folders"
    )
    _add_rung(verify)
    _add_pretended_gpu(verify)
    verify.set_defaults(run=_verify)


def _add_export(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    export = commands.add_parser(
        "export",
        help="make a student's copy of an assignment",
        description="Make a folder that students may have: prompt, starter and public checks; no solution, no "
        "hidden checks, no known mistakes. `grader check` with it gives the verdicts of the public checks.",
    )
    export.add_argument("assignment", metavar="ASSIGNMENT_DIR", type=Path, help="the assignment's folder")
    export.add_argument("out", metavar="OUT", type=Path, help="the new folder")
    export.set_defaults(run=_export)


def _add_rung(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--rung",
        type=int,
        choices=range(1, 5),
        metavar="N",
        help="use exactly this rung of the sandbox, 1 (strongest) to 4; by default the strongest to be had",
    )


def _add_pretended_gpu(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--pretend-gpu",
        action="store_true",
        help="for an assignment that runs on a GPU, where there is none: a pretended device of array_api_strict in its "
        "place, for code that keeps to the array standard",
    )


if __name__ == "__main__":
    sys.exit(main())
