"""What a hostile assignment tries: an instructor's code is code, too. None may get out of the sandbox, harm the worker
or award more than the maxima. (False points within them are the author's to answer for: no program can tell.)

An attack works when its file is loaded, or replaces `first` or `second`, the checks `a` and `b`. A right submission is
its student. The verdict is that of the whole report: a fault of the assignment costs the student nothing.
"""

from __future__ import annotations

import json
from typing import Any

from tests.grader.sandbox import attacks_child
from tests.grader.sandbox.attack import TOOLS, Attack

PRELUDE = (
    TOOLS
    + """
from grader.checks import Call, Failed, ask_array, property_check
from grader.report import Verdict
from grader.sandbox.judge_lines import SINGLES

def serving():
    # The local variables of the function that serves the worker.
    frame = sys._getframe()
    while "ends" not in frame.f_locals or "lines" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals

LINES, ENDS = serving()["lines"], serving()["ends"]
MEASURING = 2 + 2 * SINGLES  # of the bench, and of the calls that may be weighed
CALLS, REPLIES, *SPARE = ENDS[MEASURING:] + ENDS[:MEASURING]
RIGHT_LINE = b'{"check": "a", "verdict": "passed", "points": 1, "seconds": 0, "message": "", "mistake": null}\\n'

def say(text):
    data = text if isinstance(text, bytes) else text.encode()
    while data:
        data = data[os.write(LINES, data):]

def request(what):
    say('{"ask": "%s"}\\n' % what)

def first(student, draw):
    x = draw.normal(4, 4)
    assert (ask_array(student, Call(x, x, None), x.shape, x.dtype) == 2 * x).all()

second = first
"""
)

CHECKS = """
@property_check("a")
def check_a(student, draw):
    first(student, draw)

@property_check("b")
def check_b(student, draw):
    second(student, draw)
"""

FAULT = "assignment fault"

NAMING = {
    "naming without end": Attack(
        "what breaks while known mistakes are run is run once more without them, and then once more with the solution",
        """
say('{"naming": true}\\n')
while True: pass
""",
        FAULT,
        endless=True,
    ),
    "naming, over and over": Attack(
        "each is a line",
        "while True: say('{\"naming\": true}\\n{\"naming\": \"' + 'x' * 300 + '\"}\\n')",
        FAULT,
    ),
    "naming with words for terminals": Attack(
        "staff read them", "say('{\"naming\": \"' + '\\\\u001b[2J\\\\ud800' * 999 + '\"}\\n')", "passed"
    ),
    "naming that is neither": Attack(
        "a list, a number, null", 'say(\'{"naming": [1]}\\n{"naming": 1}\\n{"naming": null}\\n\')', "passed"
    ),
}

ENDLESS = {
    "endless loop while loading": Attack("before any line", "while True: pass", FAULT, endless=True),
    "endless loop in a check": Attack(
        "after a line", "def second(student, draw):\n    while True: pass", FAULT, endless=True
    ),
    "sleep, whatever is raised": Attack(
        "an exception raised into it would be swallowed",
        """
def first(student, draw):
    while True:
        try: time.sleep(9)
        except BaseException: pass
""",
        FAULT,
        endless=True,
    ),
    "memory without end": Attack(
        "its limit ends the check",
        """
def first(student, draw):
    kept = []
    while True: kept.append(np.zeros(8 << 20))
""",
        FAULT,
    ),
    "memory without end, errors swallowed": Attack(
        "and it goes on when told to stop",
        """
def first(student, draw):
    kept = []
    while True:
        try: kept.append(np.zeros(1 << 17))
        except MemoryError: pass
""",
        FAULT,
        endless=True,
    ),
    "print without end": Attack(
        "the worker keeps what is printed",
        """
def first(student, draw):
    while True: print("x" * (1 << 20))
""",
        FAULT,
    ),
    "one byte at a time": Attack(
        "of a line that never ends",
        """
def first(student, draw):
    while True: say("x")
""",
        FAULT,
    ),
    "close the line pipe and run on": Attack(
        "the worker feels a death that has not happened",
        """
def first(student, draw):
    os.close(LINES)
    time.sleep(9)
""",
        FAULT,
    ),
    "ask for fresh children without end": Attack("each is a fork", "while True: request('fresh')", FAULT),
    "ask for benches without end": Attack("each is a fork", "while True: request('bench')", FAULT),
    "ask for children to weigh without end": Attack("each is a fork", "while True: request('single')", FAULT),
    "ask for the time without end": Attack(
        "the answers, which nobody reads, must not stop the worker", "while True: request('hold')", FAULT
    ),
    "short lines without end": Attack("each is parsed", "while True: say('{}\\n')", FAULT),
    "empty lines without end": Attack("not even JSON", "while True: say('\\n')", FAULT),
    "a line of 100 MB": Attack("it is kept until it ends", "say('x' * 100_000_000)", FAULT),
    "right lines without end": Attack("each is right by itself", "while True: say(RIGHT_LINE)", FAULT),
}

DEATHS = {
    "exit while loading": Attack("exit code 0", "os._exit(0)", FAULT),
    "exit after one line": Attack(
        "the second check is left out", "def second(student, draw): os._exit(0)", FAULT
    ),
    "exit after all lines but the last": Attack(
        "without the word that all is done: the student keeps what was awarded, the fault is noted for staff",
        "say(RIGHT_LINE)\nsay(RIGHT_LINE.replace(b'\"a\"', b'\"b\"'))\nos._exit(0)",
        "passed",
    ),
    "segmentation fault": Attack(
        "no exit code at all", "def first(student, draw): ctypes.string_at(8)", FAULT
    ),
    "forbidden call": Attack(
        "killed by the filter", "def first(student, draw): syscall('mount', 0, 0, 0, 0, 0)", FAULT
    ),
    "an exception": Attack("the plain bug", "def first(student, draw): 1 / 0", FAULT),
    "an exception while loading": Attack("another", "1 / 0", FAULT),
    "sys.exit": Attack("no way out of a check", "def first(student, draw): sys.exit(0)", FAULT),
    "an exception whose words raise": Attack(
        "they are written into a traceback",
        """
class Mine(BaseException):
    def __str__(self): raise SystemExit
    __repr__ = __str__
def first(student, draw): raise Mine
""",
        FAULT,
    ),
    "an exception whose words raise, while loading": Attack(
        "they are written into a line",
        """
class Mine(BaseException):
    def __str__(self): raise SystemExit
raise Mine
""",
        FAULT,
    ),
    "deep recursion in C": Attack(
        "the stack has an end",
        """
sys.setrecursionlimit(10**9)
class Endless:
    def __repr__(self): return repr(self)
repr(Endless())
""",
        FAULT,
    ),
    "the reader of its pipes closed": Attack(
        "nobody to call", "def first(student, draw): os.closerange(CALLS, 30)", FAULT
    ),
    "no checks": Attack(
        "of the ids that it announced", "def property_check(id): return lambda test: None", FAULT
    ),
    "a check that is no function": Attack("called all the same", "first = second = 7", FAULT),
    "a check in a check's clothes": Attack(
        "its id is no text",
        """
from grader.checks import Check
made = Check(["a"], None)
""",
        FAULT,
    ),
}


def _line(**changes: Any) -> str:
    right = {"check": "a", "verdict": "passed", "points": 1, "seconds": 0, "message": "", "mistake": None}
    return json.dumps(right | changes)


def _said(why: str, line: str, verdict: str = FAULT) -> Attack:
    return Attack(why, f"say({line!r} + '\\n')\ntime.sleep(9)", verdict)


LINES = {
    "points: 2 of 1": _said("more than there are", _line(points=2)),
    "points: -1": _said("less than none", _line(points=-1)),
    "points: true": _said("which is 1 in Python", _line(points=True)),
    "points: text": _said("compares with nothing", _line(points="1")),
    "points: NaN": _said("compares false with everything", _line().replace('"points": 1', '"points": NaN')),
    "points: infinite": _said("JSON that is none", _line().replace('"points": 1', '"points": 1e400')),
    "points: 10**400": _said("too large for a float", _line(points=10**400)),
    "points: a huge exponent": _said(
        "more than a decimal can hold raises what is no ValueError",
        _line().replace('"points": 1', '"points": 1e99999999999999999999'),
    ),
    "points: a tiny one": _said(
        "within the maximum, and a gigabyte when it is written out",
        _line().replace('"points": 1', '"points": 1e-999999999'),
    ),
    "points: nothing, with a huge exponent": _said(
        "a zero as wide as one likes", _line().replace('"points": 1', '"points": 0e999999999')
    ),
    "points: 5000 digits": _said(
        "more than an int may have", _line().replace('"points": 1', '"points": ' + "1" * 5000)
    ),
    "a flag that is none": _said("it is shown to the staff", _line(flag=["look"])),
    "weigh what was never started": _said("there is no such child", '{"ask": "weigh single"}'),
    "weigh the bench that was never started": _said("there is no such child", '{"ask": "weigh bench"}'),
    "ask for what does not exist": _said("nobody answers", '{"ask": "a coffee"}'),
    "points without an answer": _said("crashed, and full points", _line(verdict="crashed")),
    "points for a fault": _said("of its own", _line(verdict="assignment fault")),
    "seconds: -1": _said("time runs forward", _line(seconds=-1)),
    "seconds: too many": _said("weeks", _line(seconds=10**6)),
    "seconds: a huge exponent": _said(
        "as above", _line().replace('"seconds": 0', '"seconds": 1e-99999999999999999999')
    ),
    "seconds: null": _said("no number", _line(seconds=None)),
    "unknown check": _said("no row of the report", _line(check="zzz")),
    "check: a list": _said("cannot be looked up", _line(check=["a"])),
    "unknown verdict": _said("no word of ours", _line(verdict="great")),
    "verdict: a list": _said("cannot be looked up", _line(verdict=["passed"])),
    "a platform fault": _said("only the worker can tell", _line(verdict="platform fault", points=0)),
    "an assignment fault": Attack(
        "it says so itself", f"say({_line(verdict='assignment fault', points=0)!r} + '\\n')\nos._exit(0)", FAULT
    ),
    "one key too many": _said("whatever it is for", _line(grade=100)),
    "one key missing": _said("half a line", '{"check": "a", "verdict": "passed"}'),
    "message: a list": _said("no text", _line(message=["x"])),
    "unknown mistake": _said("no hint for it", _line(mistake="zzz")),
    "mistake: a list": _said("cannot be looked up", _line(mistake=["zzz"])),
    "the same check twice": _said("the second could take back the first", _line() + "\n" + _line(points=0)),
    "the last word first": _said("checks are missing", '{"final": true}'),
    "the last word twice": Attack(
        "likewise",
        """
say(RIGHT_LINE + RIGHT_LINE.replace(b'"a"', b'"b"') + b'{"final": true}\\n{"final": true}\\n')
time.sleep(9)
""",
        "passed",
    ),
    "no JSON": _said("words", "hello"),
    "a number": _said("JSON, and no object", "1"),
    "deep nesting": _said("the parser's stack", "[" * 8000),
    "deep nesting that closes": _said(
        "the parser's stack, to its very end", '{"broken": ' + "[" * 990 + "]" * 990 + "}"
    ),
    "words about a break, nested": _said("they are written out", '{"broken": ' + '{"a": ' * 900 + "1" + "}" * 901),
    "words about a break, for terminals": _said("staff read them", '{"broken": "\\u001b[2J\\ud800"}'),
    "the same key twice": _said(
        "which one counts", _line().replace('"points": 1', '"points": 1, "points": 2')
    ),
    "bytes that are no text": Attack("no UTF-8", "say(b'\\xff\\xfe{}\\n')\ntime.sleep(9)", FAULT),
    "UTF-16": Attack("guessed by the parser", "say('{}\\n'.encode('utf-16'))\ntime.sleep(9)", FAULT),
    "a line without an end, then the end": Attack("cut short", "say(RIGHT_LINE[:-1])\nos._exit(0)", FAULT),
    "a line of 65 kB": Attack(
        "more than a line may have",
        "say(RIGHT_LINE.replace(b'\"\"', b'\"' + b'x' * 66000 + b'\"'))\ntime.sleep(9)",
        FAULT,
    ),
}  # fmt: skip

WITHIN_ITS_RIGHTS = {
    "an honest one": Attack("the other rows mean something only if this one passes", "", "passed"),
    "false points": Attack(
        "the author answers for them",
        """
say(RIGHT_LINE + RIGHT_LINE.replace(b'"a"', b'"b"') + b'{"final": true}\\n')
time.sleep(9)
""",
        "passed",
    ),
    "the other order": Attack(
        "rows in the order of their coming",
        """
say(RIGHT_LINE.replace(b'"a"', b'"b"') + RIGHT_LINE + b'{"final": true}\\n')
time.sleep(9)
""",
        "passed",
    ),
    "fresh children, as many as there are": Attack(
        "each is a fork",
        """
__import__("select").select([REPLIES], [], [])  # the first is ready: it would count as crashed
for _ in range(3): request('fresh')
def first(*_): pass
second = first
""",
        "passed",
    ),
    "a child that is held and never released": Attack(
        "the student's own deadline ends it, and the worker the child",
        "request('hold')",
        "time limit",
    ),
    "time what was never started": Attack(
        "none has passed",
        "request('time bench')\nos.read(serving()['answers'], 8) == bytes(8) or print('SUCCEEDED')",
        "passed",
    ),
    "a message for terminals, databases and parsers": Attack(
        "students read it",
        """
def first(student, draw):
    raise Failed(Verdict.WRONG_ANSWER, "\\x00\\x1b[2J\\ud800\\u202e ok\\n{\\"final\\": true}\\n")
""",
        "wrong answer",
    ),
    "a message of 1 MB": Attack(
        "it is cut, and the student is not to blame",
        """
def first(student, draw):
    raise Failed(Verdict.WRONG_ANSWER, "\\N{SPEAKER}" * (1 << 20))
""",
        "wrong answer",
    ),
    "print as much as it may": Attack(
        "for the author's eyes", "def first(student, draw): print('x' * 100_000)\nsecond = first", "passed"
    ),
}

TO_THE_CHILD = {
    "junk down the call pipe": Attack(
        "the child falls over, and the student is not to blame",
        """
def first(student, draw):
    os.write(CALLS, bytes(1000))
    x = draw.normal(3)
    ask_array(student, Call(x, x, None), x.shape, x.dtype)
""",
        None,
    ),
    "a call that announces 4 GB": Attack(
        "the child believes its judge, and runs out of memory",
        """
def first(student, draw):
    os.write(CALLS, struct.pack("<4sQI", b"SOF1", 1, 0xFFFFFFFF))
    x = draw.normal(3)
    ask_array(student, Call(x, x, None), x.shape, x.dtype)
""",
        None,
    ),
    "arguments that cannot be sent": Attack(
        "no dtype of the channel",
        "def first(student, draw): student.ask(Call(np.zeros(3, 'O'), object(), None))",
        FAULT,
    ),
    "a call without an answer": Attack(
        "asked, and never waited for",
        "def first(student, draw): student.ask(Call(np.ones(3, 'f4'), None, None))\ndef second(*_): pass",
        "passed",
    ),
    "the spare children's pipes": Attack(
        "closed, filled and read",
        """
def first(student, draw):
    for calls, replies in zip(SPARE[::2], SPARE[1::2]):
        os.set_blocking(calls, False)
        os.set_blocking(replies, False)
        try:
            while True: os.write(calls, bytes(4096))
        except BlockingIOError: pass
        try: os.read(replies, 10)
        except BlockingIOError: pass
second = first
""",
        "passed",
    ),
}

INTROSPECTION = {
    "who is there": Attack(
        "what is open: output, lines, the worker's answers to them, and the pairs of the children",
        """
import fcntl
def first(student, draw):
    def is_open(fd):
        try: return fcntl.fcntl(fd, fcntl.F_GETFD) >= 0
        except OSError: return False
    found = [fd for fd in range(1024) if is_open(fd)]
    surplus = set(found) - {0, 1, 2, LINES, serving()["answers"], CALLS, REPLIES, *SPARE}
    if surplus: print("more open than should be SUCCEEDED", surplus)
    if os.read(0, 10): print("reading standard input SUCCEEDED")
second = first
""",
        "passed",
    ),
    "other assignments": Attack(
        "solutions, hidden checks, the tests and other people's packages",
        """
import importlib
def first(student, draw):
    for file in ("scaled-dot-product/solution.py", "causal-mask/checks/hidden.py"):
        attempt("read " + file, lambda: open(REPOSITORY + "/assignments/" + file).read(60))
    attempt("tests", lambda: open(REPOSITORY + "/tests/grader/sandbox/attack.py").read(60))
    attempt("list", lambda: os.listdir(REPOSITORY))
    for folder in PACKAGE_FOLDERS:
        sys.path.insert(0, folder)
        importlib.invalidate_caches()
        for name in ("pytest", "hypothesis", "rich", "pip", "torch", "yaml"):
            attempt("import %s from %s" % (name, folder), lambda: importlib.import_module(name))
second = first
""",
        "passed",
    ),
    "the worker's secrets": Attack(
        "in memory, and in the environment",
        """
import gc
def first(student, draw):
    wanted = "sekrit-of-" + "the-worker"
    if any(wanted in value for value in os.environ.values()): print("environment SUCCEEDED")
    if any(isinstance(o, (str, bytes)) and wanted in str(o) for o in gc.get_objects()): print("memory SUCCEEDED")
second = first
""",
        "passed",
    ),
}

# What a submission tries, tried by a check.
_SHARED = (
    "fork bomb", "fork by every way there is", "thread bomb", "another program", "multiprocessing",
    "memory of other kinds", "write everywhere", "read secrets", "look around", "another place to stand",
    "through its own descriptors", "watch files", "sockets", "calls on descriptors that are no sockets",
    "pipes between processes", "signals", "handles of processes", "signals by a pipe", "signals by a clock",
    "stop itself", "the judge's and the worker's /proc", "another user", "more of everything", "undo the confinement",
    "the machine", "code of its own",
)  # fmt: skip
SHARED = {
    name: Attack(
        attack.why,
        f"""{attack.code}
def first(student, draw):
    try: attack(np.ones(4, "f4"), None, None)
    except ImportError: pass  # a module that the judge has no use for, where no file can be read
second = first
""",
        "passed",
        machine=attack.machine,
    )
    for name in _SHARED
    for attack in [attacks_child.ATTACKS[name]]
}

COMPILING = {
    "source that does not compile": Attack("a plain mistake", "def f(:", FAULT),
    "nested 100 000 deep": Attack("the parser's stack", "x = " + "(" * 100_000, FAULT),
    "nested lambdas": Attack("the compiler's", "x = " + "lambda:" * 100_000 + "0", FAULT),
    "a number that is computed by the compiler": Attack(
        "or is it", "x = 2 ** (10**7) * 3\nx = 7 * 'a' * 10", "passed"
    ),
}

ATTACKS: dict[str, Attack] = (
    ENDLESS | NAMING | DEATHS | LINES | WITHIN_ITS_RIGHTS | TO_THE_CHILD | INTROSPECTION
    | {f"as a child: {name}": attack for name, attack in SHARED.items()}
    | {f"compiling: {name}": attack for name, attack in COMPILING.items()}
)  # fmt: skip
