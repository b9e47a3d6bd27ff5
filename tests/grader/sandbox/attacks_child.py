"""What a hostile submission tries. Each attack is a submission of its own; none may earn check `a`, and no call that
must fail may work: `attempt` prints SUCCEEDED where one does.

An attack defines `attack`, which is called in check `a`, or works at the top level, when the file is loaded. Check `b`
is answered rightly (by `after`) unless the attack says otherwise: it shows that the next check is graded as ever.
"""

from __future__ import annotations

from tests.grader.sandbox.attack import TOOLS, Attack

PRELUDE = (
    TOOLS
    + """
CALLS, REPLIES = 3, 4
READY, ARRAY, OTHER, ERROR = 1, 2, 3, 4

def loop():
    # The local variables of the loop that serves the judge's calls.
    frame = sys._getframe()
    while "calls" not in frame.f_locals or "replies" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals

def call_id():
    return loop()["call_id"]

def header(id, kind=ARRAY, *, code=0, ndim=None, shape=(), payload=0, magic=b"SOF1", digest=0):
    lengths = [*shape, *[0] * (8 - len(shape))]
    ndim = len(shape) if ndim is None else ndim
    return struct.pack("<4sQBBBB8QQ16s", magic, id, kind, code, ndim, digest, *lengths, payload, bytes(16))

def answer(array, id):
    return header(id, shape=array.shape, payload=array.nbytes) + array.tobytes()

def attack(q, k, v):
    return 0 * q

def after(q):
    return 2 * q
"""
)

DISPATCH = """
def attention(q, k, v):
    return after(q) if v is None else attack(q, k, v)
"""

TIME = {
    "endless loop": Attack(
        "the oldest one",
        """
def attack(q, k, v):
    while True: pass
""",
        "time limit",
    ),
    "endless loop while loading": Attack("before any call", "while True: pass", "time limit", then=False),
    "endless loop in C": Attack(
        "no bytecode runs, so nothing inside Python could interrupt it",
        """
def attack(q, k, v):
    return 3 ** (10**10)
""",
        "time limit",
    ),
    "sleep, whatever is raised": Attack(
        "an exception raised into it would be swallowed",
        """
def attack(q, k, v):
    while True:
        try: time.sleep(1000)
        except BaseException: pass
""",
        "time limit",
    ),
    "all signals caught": Attack(
        "a polite end would be refused",
        """
import signal
def attack(q, k, v):
    for number in range(1, 65):
        try: signal.signal(number, lambda *_: None)
        except (OSError, ValueError): pass
    while True: pass
""",
        "time limit",
    ),
    "all signals blocked": Attack(
        "likewise, in the kernel's mask",
        """
import signal
def attack(q, k, v):
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    while True: pass
""",
        "time limit",
    ),
    "wait for nothing": Attack(
        "silent, and without using the processor",
        """
import select
def attack(q, k, v):
    select.select([], [], [])
""",
        "time limit",
    ),
    "one byte at a time": Attack(
        "each byte comes in time, all of them do not",
        """
def attack(q, k, v):
    for byte in answer(0 * q, call_id()):
        os.write(REPLIES, bytes([byte]))
        time.sleep(0.01)
""",
        "time limit",
    ),
    "an exception whose words never end": Attack(
        "the loop asks an exception for its text",
        """
class Endless(Exception):
    def __str__(self):
        while True: pass
def attack(q, k, v):
    raise Endless
""",
        "time limit",
    ),
    "an exception whose type's name never ends": Attack(
        "and its type for its name",
        """
class Meta(type):
    @property
    def __name__(cls):
        while True: pass
class Endless(Exception, metaclass=Meta): pass
def attack(q, k, v):
    raise Endless
""",
        "time limit",
    ),
    "standard output whose flush never ends": Attack(
        "the loop flushes it",
        """
class Endless:
    def flush(self):
        while True: pass
    write = print
def attack(q, k, v):
    sys.stdout = Endless()
    return 0 * q
""",
        "time limit",
    ),
    "never read the call": Attack(
        "the judge must not wait for ever for room in the pipe",
        """
os.write(REPLIES, header(0, READY))
time.sleep(1000)
""",
        "time limit",
        then=False,
    ),
}

PROCESSES = {
    "fork bomb": Attack(
        "the classic; counted here, and ended by itself if it works",
        """
def attack(q, k, v):
    for _ in range(300):
        attempt("fork", os.fork)
        break
    return 0 * q
""",
    ),
    "fork by every way there is": Attack(
        "clone, clone3, vfork, and with namespaces of its own",
        """
def attack(q, k, v):
    for name in ("fork", "vfork"):
        if name in NUMBERS: attempt(name, lambda: syscall(name))
    attempt("clone", lambda: syscall("clone", 17, 0, 0, 0, 0))
    attempt("clone into a user namespace", lambda: syscall("clone", 0x10000011, 0, 0, 0, 0))
    attempt("clone3", lambda: syscall("clone3", ctypes.create_string_buffer(88), 88))
    attempt("forkpty", os.forkpty)
    return 0 * q
""",
    ),
    "thread bomb": Attack(
        "threads outlive a call and can answer the next one",
        """
import threading
def attack(q, k, v):
    attempt("thread", lambda: threading.Thread(target=time.sleep, args=(20,), daemon=True).start())
    import _thread
    attempt("_thread", lambda: _thread.start_new_thread(time.sleep, (20,)))
    return 0 * q
""",
    ),
    "daemon by a double fork": Attack(
        "out of the process group, the session and the parent's sight",
        """
def attack(q, k, v):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0: time.sleep(30)
        os._exit(0)
    print("daemon SUCCEEDED")
    return 0 * q
""",
        "exception",
    ),
    "another program": Attack(
        "a program's memory is free of our filters' sight, were it not for no_new_privs",
        """
def attack(q, k, v):
    import subprocess
    attempt("execv", lambda: os.execv("/bin/sh", ["sh", "-c", "id"]))
    attempt("execv of python", lambda: os.execv(sys.executable, [sys.executable, "-c", "print(1)"]))
    attempt("subprocess", lambda: subprocess.run(["/bin/true"]))
    attempt("posix_spawn", lambda: os.posix_spawn("/bin/true", ["true"], {}))
    attempt("system", lambda: checked(-os.system("true")))
    attempt("execveat", lambda: syscall("execveat", 0, b"", 0, 0, 0x1000))
    return 0 * q
""",
    ),
    "preloaded library": Attack(
        "an environment for programs that never start, nor for the next child",
        """
def attack(q, k, v):
    for name in ("LD_PRELOAD", "LD_AUDIT", "PYTHONPATH", "PYTHONSTARTUP", "BASH_ENV"):
        os.environ[name] = "/tmp/evil.so"
    attempt("execve", lambda: os.execve("/bin/true", ["true"], os.environ))
    return 0 * q
""",
    ),
    "multiprocessing": Attack(
        "by the library's front door",
        """
def attack(q, k, v):
    try: import multiprocessing, concurrent.futures
    except ImportError: return 0 * q  # no file can be opened on this rung
    attempt("process", lambda: multiprocessing.Process(target=print).start())
    attempt("pool", lambda: concurrent.futures.ThreadPoolExecutor(2).submit(print).result())
    return 0 * q
""",
    ),
}

MEMORY = {
    "8 GB at once": Attack(
        "asked for and written",
        """
def attack(q, k, v):
    return np.ones(10**9)
""",
        "memory limit",
    ),
    "8 GB by steps": Attack(
        "no single request is large",
        """
def attack(q, k, v):
    kept = []
    for _ in range(128): kept.append(np.zeros(8 << 20))
""",
        "memory limit",
    ),
    "8 GB by steps, errors swallowed": Attack(
        "and it goes on when told to stop",
        """
def attack(q, k, v):
    kept = []
    while True:
        try: kept.append(bytearray(1 << 20))
        except MemoryError: pass
""",
        "time limit",
    ),
    "8 GB while loading": Attack("before any call", "np.ones(10**9)", "memory limit", then=False),
    "a view of 2 GB": Attack(
        "small as it is returned, large when it is sent",
        """
def attack(q, k, v):
    return np.broadcast_to(np.float32(1), (1 << 20, 1 << 9))
""",
        "memory limit",
    ),
    "memory of other kinds": Attack(
        "reserved, shared, named, huge, locked: not all of it is address space",
        """
def attack(q, k, v):
    import mmap
    attempt("reserve", lambda: mmap.mmap(-1, 8 << 30, flags=mmap.MAP_PRIVATE | 0x4000))
    attempt("memfd", lambda: os.memfd_create("x"))
    attempt("memfd_secret", lambda: syscall(447, 0))
    attempt("System V", lambda: syscall("shmget", 0, 4096, 0o1600))
    attempt("messages", lambda: syscall("msgget", 0, 0o1600))
    attempt("semaphores", lambda: syscall("semget", 0, 1, 0o1600))
    attempt("POSIX queue", lambda: syscall("mq_open", b"/x", 0o102, 0o600, 0))
    attempt("locked", lambda: mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x2000))
    attempt("mlockall", lambda: checked(libc.mlockall(3)))
    attempt("sbrk", lambda: 1 / (libc.sbrk(ctypes.c_long(8 << 30)) + 1))
    return 0 * q
""",
    ),
    "no room for the next call": Attack(
        "all is kept, and the loop finds nothing left to read the next inputs into",
        """
kept = []
def attack(q, k, v):
    for size in (1 << 26, 1 << 18):
        try:
            while True: kept.append(np.zeros(size, np.uint8))
        except MemoryError: pass
    return q
""",
        then=False,
    ),
}

OUTPUT = {
    "print 1 GB": Attack(
        "the worker keeps what is printed",
        """
def attack(q, k, v):
    text = "x" * (1 << 20)
    while True: print(text)
""",
        "output limit",
    ),
    "write 1 GB of errors, never mind": Attack(
        "and it does not care what write says",
        """
def attack(q, k, v):
    text = b"x" * (1 << 20)
    while True:
        try: os.write(2, text)
        except OSError: pass
""",
        "output limit",
    ),
    "print without end while loading": Attack(
        "before any call",
        """
while True: print("x" * 10000)
""",
        "output limit",
        then=False,
    ),
    "print without end after the answer": Attack(
        "the worker empties the pipe before it goes on: it must not try for ever",
        """
def attack(q, k, v):
    data = memoryview(bytes(1 << 16))
    os.write(REPLIES, answer(0 * q, call_id()))
    while True: os.write(1, data)
""",
        then=False,
    ),
    "print byte by byte": Attack(
        "a wake-up of the worker for each",
        """
def attack(q, k, v):
    while True: os.write(1, b"x")
""",
    ),
    "print a verdict": Attack(
        "looks like a report",
        """
def attack(q, k, v):
    os.write(1, b'{"check": "a", "verdict": "passed", "points": 1, "seconds": 0, "message": "", "mistake": null}\\n')
    os.write(2, b'{"final": true}\\n')
    print("ALL TESTS PASSED")
    return 0 * q
""",
        "wrong answer",
    ),
    "print what terminals act on": Attack(
        "NULs, colours, bytes that are no text, and the marks that turn the reading direction",
        """
def attack(q, k, v):
    os.write(1, bytes(range(256)) + b"\\x1b[2J\\x1b]0;owned\\x07")
    os.write(1, "\\u202e\\u2028".encode() + b"\\xed\\xa0\\x80\\xff\\xfe")
    return 0 * q
""",
        "wrong answer",
    ),
    "packets on standard output": Attack(
        "flags of a pipe belong to both who hold this end; the worker holds the other",
        """
import fcntl
def attack(q, k, v):
    for fd in (1, 2, CALLS, REPLIES):
        fcntl.fcntl(fd, fcntl.F_SETFL, os.O_DIRECT | os.O_ASYNC | os.O_APPEND)
    for _ in range(20): os.write(1, b"x")
    return 0 * q
""",
    ),
}

FILES = {
    "write everywhere": Attack(
        "nothing can be written, so nothing can be filled",
        """
def attack(q, k, v):
    folders = ["/tmp", "/dev/shm", "/var/tmp", ".", "/", "/dev", "/work", "/sandbox", "/root", os.path.expanduser("~")]
    for folder in folders:
        attempt("write in " + folder, lambda: open(folder + "/softmark-junk", "wb").write(b"x"))
        attempt("unnamed file in " + folder, lambda: os.open(folder, os.O_TMPFILE | os.O_RDWR))
        attempt("folder in " + folder, lambda: os.mkdir(folder + "/softmark-folder"))
        attempt("link in " + folder, lambda: os.symlink("/etc/passwd", folder + "/softmark-link"))
        attempt("pipe in " + folder, lambda: os.mkfifo(folder + "/softmark-pipe"))
        attempt("hard link in " + folder, lambda: os.link(np.__file__, folder + "/softmark-hard"))
    return 0 * q
""",
    ),
    "change what is there": Attack(
        "the packages that the next child imports, and the secret file",
        """
import inside.child
def attack(q, k, v):
    for path in (np.__file__, inside.child.__file__, os.__file__, sys.executable, SECRET_FILE):
        attempt("write " + path, lambda: open(path, "r+b"))
        attempt("append to " + path, lambda: open(path, "ab"))
        attempt("truncate " + path, lambda: os.truncate(path, 0))
        attempt("remove " + path, lambda: os.unlink(path))
        attempt("rename " + path, lambda: os.rename(path, path + ".old"))
        attempt("chmod " + path, lambda: os.chmod(path, 0o777))
        attempt("chown " + path, lambda: os.chown(path, os.getuid(), os.getgid()))
        attempt("touch " + path, lambda: os.utime(path))
        attempt("attribute of " + path, lambda: os.setxattr(path, "user.x", b"x"))
    return 0 * q
""",
    ),
    "read secrets": Attack(
        "accounts, environments, other people's files, devices",
        """
def attack(q, k, v):
    for path in (SECRET_FILE, "/etc/shadow", "/etc/passwd", "/etc/hostname", "/proc/1/environ", "/proc/self/environ",
                 "/proc/%d/environ" % WORKER, "/proc/%d/mem" % os.getppid(), "/proc/self/maps", "/proc/self/status",
                 "/proc/cpuinfo", "/sys/class/net", "/dev/vda", "/dev/mem", "/dev/kmsg", "/dev/tty", "/dev/ptmx",
                 "/dev/zero", "/dev/full", "/dev/random", "/dev/shm", "/root/.bash_history"):
        attempt("read " + path, lambda: os.read(os.open(path, os.O_RDONLY), 60))
    return 0 * q
""",
    ),
    "look around": Attack(
        "names of files tell, too",
        """
def attack(q, k, v):
    for path in ("/", ".", "..", "/tmp", "/home", "/root", "/proc", "/proc/self/fd", "/etc", "/dev", "/sys", REPOSITORY,
                 REPOSITORY + "/assignments", os.path.dirname(SECRET_FILE)):
        attempt("list " + path, lambda: os.listdir(path))
    return 0 * q
""",
    ),
    "read the assignment": Attack(
        "solutions, hidden checks and the grader itself, by their real paths and past a handle of the folder",
        """
def attack(q, k, v):
    names = ("solution.py", "checks/hidden.py", "assignment.toml")
    files = ["assignments/scaled-dot-product/" + name for name in names]
    files += ["grader/judge.py", "grader/sandbox/session.py", "tests/grader/sandbox/attack.py", "pyproject.toml"]
    for file in files:
        path = REPOSITORY + "/" + file
        attempt("read " + path, lambda: open(path).read(60))
        roundabout = os.path.dirname(np.__file__) + "/" + 12 * "../" + path
        attempt("read " + roundabout, lambda: open(roundabout).read(60))
        def by_handle():
            folder = os.open(REPOSITORY, os.O_PATH)
            return os.read(os.open(file, os.O_RDONLY, dir_fd=folder), 60)
        attempt("read by handle " + file, by_handle)
        def by_link():
            return os.read(os.open("/proc/self/fd/%d" % os.open(path, os.O_PATH), os.O_RDONLY), 60)
        attempt("read by link " + file, by_link)
        attempt("map " + path, lambda: np.memmap(path))
        attempt("load " + path, lambda: np.load(path))
    return 0 * q
""",
    ),
    "another place to stand": Attack(
        "the working directory and the root are not to be moved",
        """
def attack(q, k, v):
    attempt("chdir", lambda: os.chdir(REPOSITORY))
    attempt("chdir /", lambda: os.chdir("/"))
    attempt("fchdir", lambda: os.fchdir(os.open("/", os.O_PATH)))
    return 0 * q
""",
    ),
    "through its own descriptors": Attack(
        "a pipe opened anew by its link in /proc goes in both directions; that harms nobody, the parent's would",
        """
def attack(q, k, v):
    for number in range(6):
        attempt("open the parent's", lambda: os.open("/proc/%d/fd/%d" % (os.getppid(), number), os.O_RDWR))
    for number in (1, CALLS, REPLIES):
        try: fd = os.open("/proc/self/fd/%d" % number, os.O_RDWR | os.O_NONBLOCK)
        except OSError: continue  # no /proc here, or not for this user
        try: os.read(fd, 100)
        except BlockingIOError: pass
    return 0 * q
""",
        "wrong answer",
    ),
    "watch files": Attack(
        "notification, leases and locks work on read-only files, too",
        """
import fcntl
def attack(q, k, v):
    attempt("inotify", lambda: checked(libc.inotify_init()))
    attempt("fanotify mark", lambda: checked(libc.syscall(301, 0, 0, 0, 0, 0)))
    commands = [("lease", 1024, 0), ("notify", 1026, 1), ("seal", 1033, 1)]
    commands += [("lock", 6, bytes(32)), ("open lock", 37, bytes(32))]
    for what, command, argument in commands:
        attempt(what, lambda: fcntl.fcntl(REPLIES, command, argument))
    attempt("flock", lambda: fcntl.flock(REPLIES, fcntl.LOCK_EX))
    return 0 * q
""",
    ),
}

NETWORK = {
    "sockets": Attack(
        "of every family, to listeners that wait for them",
        """
import socket
def attack(q, k, v):
    def connect(family, address):
        with socket.socket(family) as s:
            s.settimeout(1)
            s.connect(address)
    def send(family, address):
        return socket.socket(family, socket.SOCK_DGRAM).sendto(b"x", address)
    attempt("TCP", lambda: connect(socket.AF_INET, ("127.0.0.1", TCP)))
    attempt("UDP", lambda: send(socket.AF_INET, ("127.0.0.1", UDP)))
    attempt("path", lambda: connect(socket.AF_UNIX, UNIX))
    attempt("abstract", lambda: connect(socket.AF_UNIX, chr(0) + ABSTRACT))
    attempt("listen", lambda: socket.create_server(("127.0.0.1", 0)))
    attempt("pair", socket.socketpair)
    attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
    others = [("netlink", 16, 3), ("packet", 17, 3), ("vsock", 40, 1), ("crypto", 38, 5)]
    for name, family, kind in [("IPv6", 10, 1), *others, ("bluetooth", 31, 3), ("xdp", 44, 3)]:
        attempt(name, lambda: socket.socket(family, kind, 0))
    attempt("fetch", lambda: __import__("urllib.request").request.urlopen("http://127.0.0.1:%d/" % TCP, timeout=1))
    return 0 * q
""",
    ),
    "calls on descriptors that are no sockets": Attack(
        "accept and messages would bring descriptors in",
        """
def attack(q, k, v):
    space = ctypes.create_string_buffer(256)
    for name in ("accept", "recvmsg", "sendmsg", "recvfrom", "sendto", "shutdown", "getsockname"):
        attempt(name, lambda: checked(getattr(libc, name)(CALLS, space, 0, 0, 0, 0)))
    return 0 * q
""",
    ),
    "pipes between processes": Attack(
        "what passes bytes without read and write",
        """
def attack(q, k, v):
    attempt("splice", lambda: syscall("splice", CALLS, 0, REPLIES, 0, 100, 2))
    attempt("tee", lambda: syscall("tee", CALLS, REPLIES, 100, 2))
    attempt("vmsplice", lambda: syscall("vmsplice", REPLIES, struct.pack("QQ", id(q), 8), 1, 8))
    attempt("sendfile", lambda: os.sendfile(REPLIES, CALLS, None, 10))
    attempt("pipe", os.pipe)
    attempt("eventfd", lambda: os.eventfd(0))
    attempt("epoll", lambda: __import__("select").epoll())
    attempt("pipe size", lambda: __import__("fcntl").fcntl(REPLIES, 1031, 1 << 20))
    return 0 * q
""",
    ),
}

OTHER_PROCESSES = {
    "signals": Attack(
        "to everybody, to init, to the parent, the worker and a process of the worker's user",
        """
import signal
def attack(q, k, v):
    for pid in (-1, 0, 1, os.getppid(), WORKER, CANARY, *range(max(2, os.getpid() - 5), os.getpid())):
        for number in (signal.SIGKILL, signal.SIGSTOP):
            attempt("kill %d" % pid, lambda: os.kill(pid, number))
            attempt("tkill %d" % pid, lambda: syscall("tkill", pid, number))
            attempt("tgkill %d" % pid, lambda: syscall("tgkill", pid, pid, number))
            attempt("sigqueue %d" % pid, lambda: syscall("rt_sigqueueinfo", pid, number, bytes(128)))
    attempt("killpg", lambda: os.killpg(0, signal.SIGKILL))
    return 0 * q
""",
    ),
    "handles of processes": Attack(
        "a pidfd is not bound to the numbers of a namespace",
        """
def attack(q, k, v):
    for pid in (1, os.getpid(), max(1, os.getppid()), WORKER, CANARY):
        attempt("pidfd_open %d" % pid, lambda: os.pidfd_open(pid))
    for fd in range(5):
        attempt("pidfd_send_signal", lambda: syscall("pidfd_send_signal", fd, 9, 0, 0))
    attempt("process_mrelease", lambda: syscall("process_mrelease", 3, 0))
    return 0 * q
""",
    ),
    "signals by a pipe": Attack(
        "a pipe with an owner sends that one any signal, SIGKILL included, when it can be read",
        """
import fcntl, signal
def attack(q, k, v):
    for fd in (0, 1, 2, CALLS, REPLIES):
        for pid in (WORKER, CANARY, os.getppid()):
            attempt("F_SETOWN", lambda: fcntl.fcntl(fd, 8, pid))
            attempt("F_SETOWN_EX", lambda: fcntl.fcntl(fd, 15, struct.pack("ii", 1, pid)))
            attempt("F_SETSIG", lambda: fcntl.fcntl(fd, 10, signal.SIGKILL))
            attempt("FIOSETOWN", lambda: fcntl.ioctl(fd, 0x8901, struct.pack("i", pid)))
            attempt("FIOASYNC", lambda: fcntl.ioctl(fd, 0x5452, struct.pack("i", 1)))
        fcntl.fcntl(fd, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK if fd == CALLS else os.O_ASYNC)
    fcntl.fcntl(CALLS, fcntl.F_SETFL, 0)
    return 0 * q
""",
    ),
    "signals by a clock": Attack(
        "timers send signals, and set them going for somebody else",
        """
import signal
def attack(q, k, v):
    libc.alarm(1000)
    attempt("alarm", lambda: checked(libc.alarm(0) or -1))  # how much time is left, where it was set
    attempt("setitimer", lambda: signal.setitimer(signal.ITIMER_REAL, 1))
    attempt("timer_create", lambda: syscall("timer_create", 0, 0, ctypes.create_string_buffer(8)))
    attempt("timerfd", lambda: checked(libc.timerfd_create(0, 0)))
    attempt("signalfd", lambda: checked(libc.signalfd(-1, ctypes.create_string_buffer(128), 0)))
    return 0 * q
""",
    ),
    "stop itself": Attack(
        "a stopped process does not die of polite signals",
        """
import signal
def attack(q, k, v):
    attempt("SIGSTOP", lambda: os.kill(os.getpid(), signal.SIGSTOP))
    attempt("raise", lambda: signal.raise_signal(signal.SIGTSTP))
    if "pause" in NUMBERS: attempt("pause", lambda: syscall("pause"))
    return 0 * q
""",
    ),
    "the judge's and the worker's /proc": Attack(
        "memory, descriptors, environment, root",
        """
def attack(q, k, v):
    for pid in sorted({1, 2, 3, WORKER, CANARY, max(1, os.getppid()), *range(max(1, os.getpid() - 6), os.getpid())}):
        for file in ("mem", "maps", "environ", "cmdline", "status", "stat", "auxv", "syscall"):
            attempt("/proc/%d/%s" % (pid, file), lambda: open("/proc/%d/%s" % (pid, file), "rb").read(16))
        for folder in ("fd", "root", "cwd", "task", "map_files", "ns"):
            attempt("/proc/%d/%s" % (pid, folder), lambda: os.listdir("/proc/%d/%s" % (pid, folder)))
        for number in range(3, 8):
            attempt("/proc/%d/fd/%d" % (pid, number), lambda: os.open("/proc/%d/fd/%d" % (pid, number), os.O_RDWR))
            attempt("link /proc/%d/fd/%d" % (pid, number), lambda: os.readlink("/proc/%d/fd/%d" % (pid, number)))
    return 0 * q
""",
    ),
    "who is there": Attack(
        "what is open, and who it is: only its own five descriptors",
        """
import fcntl
def attack(q, k, v):
    def is_open(fd):
        try: return fcntl.fcntl(fd, fcntl.F_GETFD) >= 0
        except OSError: return False
    found = [fd for fd in range(1024) if is_open(fd)]
    if found != [0, 1, 2, 3, 4]: print("more open than should be SUCCEEDED", found)
    if os.read(0, 10): print("reading standard input SUCCEEDED")
    if os.getuid() >= 200_000 and os.getgroups(): print("groups SUCCEEDED", os.getgroups())
    return 0 * q
""",
        "wrong answer",
    ),
}

PRIVILEGES = {
    "another user": Attack(
        "with every call that changes one",
        """
def attack(q, k, v):
    other = 0 if os.getuid() else 1
    attempt("setuid", lambda: os.setuid(other))
    attempt("setgid", lambda: os.setgid(other))
    attempt("setreuid", lambda: os.setreuid(other, other))
    attempt("setresuid", lambda: os.setresuid(other, other, other))
    attempt("setgroups", lambda: os.setgroups([0]))
    attempt("setfsuid", lambda: checked(libc.setfsuid(0)))
    attempt("capset", lambda: syscall("capset", struct.pack("=Ii", 0x20080522, 0), b"\\xff" * 24))
    attempt("setsid", os.setsid)
    attempt("setpgid", lambda: os.setpgid(0, 0))
    return 0 * q
""",
    ),
    "more of everything": Attack(
        "limits, priorities, processors",
        """
import resource
def attack(q, k, v):
    for name in ("AS", "NOFILE", "FSIZE", "CPU", "NPROC", "CORE", "STACK"):
        which = getattr(resource, "RLIMIT_" + name)
        attempt("setrlimit " + name, lambda: resource.setrlimit(which, (-1, -1)))
        attempt("lower " + name, lambda: resource.setrlimit(which, (0, 0)))
        attempt("prlimit of oneself " + name, lambda: resource.prlimit(0, which, (1, 1)))
        attempt("prlimit of the parent " + name, lambda: resource.prlimit(max(1, os.getppid()), which, (1, 1)))
        attempt("prlimit of the worker " + name, lambda: resource.prlimit(WORKER, which, (1, 1)))
    attempt("look at the worker's limits", lambda: resource.prlimit(WORKER, resource.RLIMIT_AS))
    attempt("nice", lambda: os.nice(-5))
    attempt("nicer", lambda: os.nice(5))
    attempt("setpriority", lambda: os.setpriority(os.PRIO_USER, 0, 19))
    attempt("scheduler", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)))
    attempt("affinity", lambda: os.sched_setaffinity(0, {0}))
    attempt("affinity of the worker", lambda: os.sched_setaffinity(WORKER, {0}))
    attempt("io priority", lambda: checked(libc.syscall(251 if platform.machine() == "x86_64" else 30, 1, 0, 0)))
    return 0 * q
""",
    ),
    "undo the confinement": Attack(
        "prctl, seccomp and Landlock, from the inside",
        """
def attack(q, k, v):
    options = [("dumpable", 4, 1), ("no new privileges", 38, 0), ("seccomp off", 22, 0), ("death signal", 1, 0)]
    options += [("securebits", 28, 0x2F), ("subreaper", 36, 1), ("name", 15, id(b"x")), ("keep capabilities", 8, 1)]
    for what, option, value in [*options, ("tracer", 0x59616D61, -1), ("speculation", 53, 0)]:
        attempt(what, lambda: syscall("prctl", option, value, 0, 0, 0))
    attempt("ambient capability", lambda: syscall("prctl", 47, 2, 21, 0, 0))
    attempt("seccomp filter", lambda: syscall("seccomp", 1, 0, ctypes.create_string_buffer(16)))
    attempt("seccomp listener", lambda: syscall("seccomp", 1, 8, ctypes.create_string_buffer(16)))
    attempt("ruleset", lambda: syscall("landlock_create_ruleset", 0, 0, 1))
    attempt("restrict", lambda: syscall("landlock_restrict_self", 5, 0))
    attempt("add rule", lambda: syscall("landlock_add_rule", 5, 1, bytes(16), 0))
    attempt("personality", lambda: syscall("personality", 0x0040000))
    return 0 * q
""",
    ),
    "run the grader's own lock-down backwards": Attack(
        "its modules are in memory, and can be called",
        """
def attack(q, k, v):
    from inside import confine, kernel, landlock, seccomp
    attempt("unrestricted rule set", lambda: landlock.ruleset(["/"]))
    attempt("another filter", lambda: seccomp.enter(b"\\x06\\x00\\x00\\x00\\x00\\x00\\xff\\x7f"))
    attempt("dumpable", lambda: kernel.prctl(4, 1))
    seccomp.enter = kernel.drop_capabilities = lambda *_: None
    attempt("fork", os.fork)
    return 0 * q
""",
    ),
    "the machine": Attack(
        "its names, its clock, its power",
        """
def attack(q, k, v):
    attempt("host name", lambda: syscall("sethostname", b"owned", 5))
    attempt("clock", lambda: time.clock_settime(time.CLOCK_REALTIME, 0))
    attempt("umask", lambda: os.umask(0))
    attempt("sync", lambda: checked(libc.syscall(162 if platform.machine() == "x86_64" else 81) or -1))
    attempt("kernel log", lambda: checked(libc.klogctl(3, ctypes.create_string_buffer(99), 99)))
    if platform.machine() == "x86_64":
        attempt("ports", lambda: checked(libc.iopl(3)))
        attempt("ioperm", lambda: checked(libc.ioperm(0, 1, 1)))
    return 0 * q
""",
    ),
}

_FORBIDDEN = (
    "ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd process_madvise unshare setns mount umount2 pivot_root "
    "chroot bpf io_uring_setup userfaultfd perf_event_open keyctl add_key open_by_handle_at name_to_handle_at "
    "init_module finit_module kexec_load reboot swapon fsopen open_tree quotactl acct"
)
FORBIDDEN_CALLS = {
    f"forbidden call: {name}": Attack(
        "only an attack would make it, so it is the last one",
        f"""
def attack(q, k, v):
    attempt({name!r}, lambda: syscall({name!r}, 0, 0, 0, 0, 0, 0))
""",
        "crashed",
    )
    for name in _FORBIDDEN.split()
}

MACHINE_CODE = {
    "system calls of 32-bit programs": Attack(
        "int 0x80 has numbers of its own: 2 is fork there and open here",
        """
def attack(q, k, v):
    print("returned SUCCEEDED", machine_code("b802000000cd80c3")())
""",
        "crashed",
        machine="x86_64",
    ),
    "system calls of the x32 kind": Attack(
        "the same table once more, with bit 30 set",
        """
def attack(q, k, v):
    print("returned SUCCEEDED", syscall(0x40000000 + 39))
""",
        "crashed",
        machine="x86_64",
    ),
    "system call number -1": Attack(
        "what tracers use for skipped calls",
        """
def attack(q, k, v):
    print("returned SUCCEEDED", syscall(0xFFFFFFFF))
""",
        "crashed",
        machine="x86_64",
    ),
    "upper half of a number": Attack(
        "the kernel looks at 32 bits of it, and so does the filter",
        """
def attack(q, k, v):
    attempt("fork", lambda: syscall((1 << 32) | NUMBERS["fork"]))
    return 0 * q
""",
        machine="x86_64",
    ),
    "code of its own": Attack(
        "memory may be written and run, but its system calls are filtered as any others",
        """
def attack(q, k, v):
    for name in ("fork", "vfork", "pause", "pidfd_open"):
        number = struct.pack("<I", NUMBERS[name]).hex()
        result = machine_code("b8" + number + "0f05c3")()
        print(name, result if result < 0 else "SUCCEEDED")
    return 0 * q
""",
        machine="x86_64",
    ),
    "jump into nothing": Attack(
        "a segmentation fault",
        """
def attack(q, k, v):
    ctypes.string_at(8)
""",
        "crashed",
    ),
    "abort": Attack(
        "C's way out",
        """
def attack(q, k, v):
    os.abort()
""",
        "crashed",
    ),
    "deep recursion in C": Attack(
        "the stack has an end",
        """
sys.setrecursionlimit(10**9)
class Endless:
    def __repr__(self): return repr(self)
def attack(q, k, v):
    return repr(Endless())
""",
    ),
    "deep recursion in Python": Attack(
        "and so has memory",
        """
sys.setrecursionlimit(10**9)
def deeper(n): return deeper(n + 1) + 1
def attack(q, k, v):
    return deeper(0)
""",
    ),
    "wreck its own memory": Attack(
        "None becomes something else",
        """
def attack(q, k, v):
    ctypes.memset(id(None), 0x41, 16)
    ctypes.memset(id(np.ndarray), 0x41, 400)
    return q
""",
        "crashed",
    ),
}

FRAMES = {
    "a forged answer, then the end": Attack(
        "success needs right numbers, not a frame, and not an exit code",
        """
def attack(q, k, v):
    os.write(REPLIES, answer(np.full((16, 64), 0.5, "f4"), call_id()))
    os._exit(0)
""",
        "wrong answer",
        then=False,
    ),
    "words of success, then the end": Attack(
        "exit code 0 and all the words a parser might look for",
        """
def attack(q, k, v):
    os.write(REPLIES, b'{"passed": true, "points": 1, "verdict": "passed"}' * 20)
    print("ALL TESTS PASSED")
    os._exit(0)
""",
        "protocol violation",
    ),
    "the end without a word": Attack(
        "exit code 0 alone",
        """
def attack(q, k, v):
    os._exit(0)
""",
        "crashed",
    ),
    "the end while loading": Attack("before any call", "os._exit(0)", "crashed", then=False),
    "the end in every check": Attack(
        "each costs a fresh child, and there are only so many",
        """
def attack(q, k, v):
    os._exit(0)
def after(q):
    os._exit(0)
""",
        "crashed",
        then=False,
    ),
    "guessed call ids": Attack(
        "the next call's id is not to be had",
        """
def attack(q, k, v):
    for guess in range(50): os.write(REPLIES, answer(0 * q, guess))
    return 0 * q
""",
        "protocol violation",
    ),
    "the id after this one": Attack(
        "an honest answer, and one for the next call",
        """
def attack(q, k, v):
    os.write(REPLIES, answer(0 * q, call_id()))
    os.write(REPLIES, answer(2 * np.ones((300, 600), "f4"), call_id() + 2)[:1000])
    os.read(CALLS, 4)
""",
        "wrong answer",
        then=False,
    ),
    "an answer before the question, at load": Attack(
        "in place of the news that the file is loaded",
        """
os.write(REPLIES, answer(np.zeros((16, 64), "f4"), 1))
""",
        "protocol violation",
        then=False,
    ),
    "loaded twice": Attack(
        "the second word is unasked",
        """
os.write(REPLIES, header(0, READY))
""",
        then=False,
    ),
    "loaded, with bytes behind": Attack(
        "a length where none belongs",
        """
os.write(REPLIES, header(0, READY, payload=100) + bytes(100))
time.sleep(1000)
""",
        then=False,
    ),
    "a kind that does not exist": Attack(
        "the first word of all",
        """
os.write(REPLIES, header(0, 77))
""",
        "protocol violation",
        then=False,
    ),
    "another magic": Attack(
        "of another version, or of nothing",
        """
def attack(q, k, v):
    os.write(REPLIES, header(call_id(), magic=b"SOF0", shape=q.shape, payload=q.nbytes) + q.tobytes())
""",
        "protocol violation",
    ),
    "two answers": Attack(
        "the second lies in the pipe when the next call is to be made",
        """
def attack(q, k, v):
    os.write(REPLIES, answer(0 * q, call_id()))
    return 0 * q
""",
        "wrong answer",
        then=False,
    ),
    "an earlier answer again": Attack(
        "a right answer replayed: its id is used up",
        """
def after(q):
    frame = answer(2 * q, call_id())
    global kept
    kept = frame
    return 2 * q
def attack(q, k, v):
    s = q @ k.T / 8
    w = np.exp(s - s.max(-1, keepdims=True))
    os.write(REPLIES, answer(0 * q, call_id()))
    os.write(REPLIES, answer(w / w.sum(-1, keepdims=True) @ v, call_id()))
    os.read(CALLS, 4)
""",
        "wrong answer",
        then=False,
    ),
    "loaded, in the middle of a call": Attack(
        "a kind that is right at another time",
        """
def attack(q, k, v):
    os.write(REPLIES, header(0, READY))
    return 0 * q
""",
        "protocol violation",
    ),
    "loaded, with the call's id": Attack(
        "the same with the right id",
        """
def attack(q, k, v):
    os.write(REPLIES, header(call_id(), READY))
    return 0 * q
""",
        "protocol violation",
    ),
    "4 TB announced": Attack(
        "a shape that nobody asked for, with a length that fits it",
        """
def attack(q, k, v):
    os.write(REPLIES, header(call_id(), shape=(1 << 20, 1 << 20), payload=1 << 42))
    time.sleep(1000)
""",
        "wrong shape",
    ),
    "4 TB announced and begun": Attack(
        "it is not read to the end",
        """
def attack(q, k, v):
    os.write(REPLIES, header(call_id(), shape=(1 << 40,), payload=1 << 42))
    while True: os.write(REPLIES, bytes(1 << 20))
""",
        "wrong shape",
    ),
    "16 MB announced and not sent": Attack(
        "a wrong shape that would be read to the end",
        """
def attack(q, k, v):
    os.write(REPLIES, header(call_id(), shape=(1 << 22,), payload=1 << 24))
    time.sleep(1000)
""",
        "time limit",
    ),
    "a length that overflows": Attack(
        "2**62 times 4 is 0 in 64 bits",
        """
def attack(q, k, v):
    os.write(REPLIES, header(call_id(), shape=(1 << 62, 4, 1), payload=0))
    time.sleep(1000)
""",
        "protocol violation",
    ),
    "a length that does not fit the shape": Attack(
        "of the right shape",
        """
def attack(q, k, v):
    os.write(REPLIES, header(call_id(), shape=q.shape, payload=1 << 63))
    time.sleep(1000)
""",
        "protocol violation",
    ),
    "255 dimensions of a dtype that does not exist": Attack(
        "indices beyond their tables",
        """
def attack(q, k, v):
    os.write(REPLIES, header(call_id(), code=255, ndim=255, shape=[1 << 63] * 8, payload=8))
    time.sleep(1000)
""",
        "protocol violation",
    ),
    "an exception of 1 TB": Attack(
        "the length of a text",
        """
def attack(q, k, v):
    os.write(REPLIES, header(call_id(), ERROR, payload=1 << 40))
    time.sleep(1000)
""",
        "protocol violation",
    ),
    "something else, of 1 TB": Attack(
        "the length of the other kind of text",
        """
def attack(q, k, v):
    os.write(REPLIES, header(call_id(), OTHER, payload=1 << 40))
    time.sleep(1000)
""",
        "protocol violation",
    ),
    "half a header, then the end": Attack(
        "a frame that stops",
        """
def attack(q, k, v):
    os.write(REPLIES, header(call_id(), shape=q.shape, payload=q.nbytes)[:40])
    os._exit(0)
""",
        "crashed",
    ),
    "half an array, then silence": Attack(
        "a frame that stops, and nobody hangs up",
        """
def attack(q, k, v):
    os.write(REPLIES, answer(q, call_id())[:2000])
    time.sleep(1000)
""",
        "time limit",
    ),
    "a bool that is 7": Attack(
        "bytes that no bool can have",
        """
def attack(q, k, v):
    os.write(REPLIES, header(call_id(), code=5, shape=q.shape, payload=q.size) + bytes([7]) * q.size)
    os.read(CALLS, 4)
""",
        "wrong type",
        then=False,
    ),
    "junk without end in the answer pipe": Attack(
        "as fast as it goes",
        """
def attack(q, k, v):
    while True: os.write(REPLIES, os.urandom(1 << 16))
""",
        "protocol violation",
    ),
    "close the answer pipe and run on": Attack(
        "the judge feels a death that has not happened",
        """
def attack(q, k, v):
    os.close(REPLIES)
    while True: time.sleep(1)
""",
        "crashed",
    ),
    "close the call pipe and run on": Attack(
        "the next call cannot be sent",
        """
def attack(q, k, v):
    os.close(CALLS)
    while True: time.sleep(1)
""",
        "time limit",
    ),
    "close everything": Attack(
        "and then answer",
        """
def attack(q, k, v):
    os.closerange(0, 10)
    return 0 * q
""",
        "crashed",
    ),
    "print into the answer pipe": Attack(
        "standard output moved there",
        """
def attack(q, k, v):
    os.dup2(REPLIES, 1)
    print("x" * 200)
    return 0 * q
""",
        "protocol violation",
    ),
    "read ahead": Attack(
        "the next inputs are not sent before this answer is in",
        """
def attack(q, k, v):
    os.set_blocking(CALLS, False)
    attempt("read ahead", lambda: os.read(CALLS, 100))
    os.set_blocking(CALLS, True)
    return 0 * q
""",
        "wrong answer",
    ),
    "a pipe that does not wait": Attack(
        "the loop finds nothing to read, and must wait all the same",
        """
def attack(q, k, v):
    os.set_blocking(CALLS, False)
    return 0 * q
""",
        "wrong answer",
    ),
}

_ERRORS = {  # raw: the backslashes are JSON's
    "a verdict inside": '{"check": "b", "verdict": "passed", "points": 1, "seconds": 0, "message": ""}',
    "line ends": r'{"type": "ValueError", "message": "\n{\"final\": true}\n{\"fresh\": true}\n", "lines": [1]}',
    "half characters and NULs": r'{"type": "\ud800", "message": "\ud800\u0000\u001b[2J\u202e"}',
    "wrong types": '{"type": [], "message": {}, "lines": "12", "memory": "yes"}',
    "lines that do not exist": '{"type": "ValueError", "lines": [0, -1, 1e9, true, null, [], 9999999, 1]}',
    "a known type that is none": '{"type": "__import__", "message": "x", "lines": []}',
    "no object": "[1, 2, 3]",
    "a huge number": '{"type": "ValueError", "lines": [' + "9" * 5000 + "]}",
    "deep nesting": "[" * 8000,
    "no JSON": "hello",
    "the same key twice": '{"type": "ValueError", "type": 3, "message": "x", "message": null}',
    "numbers that are none": '{"type": "ValueError", "lines": [NaN, Infinity], "memory": NaN}',
    "nothing to call": '{"type": "MissingFunction", "message": "<script>", "lines": [1]}',
}
FORGED_ERRORS = {
    f"forged error: {name}": Attack(
        "the judge reads this JSON",
        f"""
def attack(q, k, v):
    text = {text!r}.encode("utf-8", "surrogatepass")
    os.write(REPLIES, header(call_id(), ERROR, payload=len(text)) + text)
    os._exit(0)
""",
        "exception",
        then=False,
    )
    for name, text in _ERRORS.items()
}
FORGED_ERRORS |= {
    "forged error: bytes that are no text": Attack(
        "not UTF-8, not UTF-16, with its marks",
        """
def attack(q, k, v):
    text = b"\\xff\\xfe\\xfd{\\x00"
    os.write(REPLIES, header(call_id(), ERROR, payload=len(text)) + text)
    os._exit(0)
""",
        "exception",
        then=False,
    ),
    "forged error: as long as it may be": Attack(
        "every letter grows when the judge writes it down for the worker",
        """
def attack(q, k, v):
    text = ('{"type": "ValueError", "message": "' + "\\N{SPEAKER}" * 8180 + '"}').encode()
    os.write(REPLIES, header(call_id(), ERROR, payload=len(text)) + text)
    os._exit(0)
""",
        "exception",
        then=False,
    ),
    "forged other: as long as it may be": Attack(
        "what came back instead of an array, in its own words",
        """
def attack(q, k, v):
    text = b"\\xf0\\x9f\\x94\\x88\\x00\\x1b" * 5400
    os.write(REPLIES, header(call_id(), OTHER, payload=len(text)) + text)
    os._exit(0)
""",
        "wrong type",
        then=False,
    ),
    "forged digest": Attack(
        "unasked for, and of nothing",
        """
def attack(q, k, v):
    os.write(REPLIES, header(call_id(), shape=q.shape, payload=q.nbytes, digest=255) + q.tobytes())
    os._exit(0)
""",
        "wrong answer",
        then=False,
    ),
}

ANSWERS = {
    "None": Attack("no answer at all", "def attack(q, k, v): return None", "wrong type"),
    "the function itself": Attack("no array", "def attack(q, k, v): return attack", "wrong type"),
    "an array of objects": Attack(
        "they would have to be pickled", "def attack(q, k, v): return np.array([object()] * 4)", "wrong type"
    ),
    "a pickle bomb": Attack(
        "what would run where it is unpickled",
        """
class Bomb:
    def __reduce__(self): return os.system, ("id",)
def attack(q, k, v):
    return Bomb()
""",
        "wrong type",
    ),
    "a subclass that lies about its shape": Attack(
        "every attribute is the student's",
        """
class Lie(np.ndarray):
    shape = (16, 64)
    dtype = np.dtype("f4")
    def __eq__(self, other): return np.ones((16, 64), bool)
def attack(q, k, v):
    return np.zeros(3).view(Lie)
""",
        "wrong type",
    ),
    "an object that calls itself an array": Attack(
        "__class__ lies",
        """
class Lie:
    __class__ = np.ndarray
    dtype, shape, ndim, nbytes = np.dtype("f4"), (16, 64), 2, 4096
    def __array__(self, *_, **__): return np.zeros((16, 64), "f4")
def attack(q, k, v):
    return Lie()
""",
        "wrong type",
    ),
    "a list that lies about its length": Attack(
        "the words for what came back look into it",
        """
class Lie(list):
    def __len__(self): return 10**18
    def __getitem__(self, _): raise SystemExit
    def __bool__(self): raise KeyboardInterrupt
def attack(q, k, v):
    return Lie([1])
""",
        "wrong type",
    ),
    "a type without a name": Attack(
        "its name is not even text",
        """
class Meta(type):
    __name__ = 7
class Lie(metaclass=Meta): pass
def attack(q, k, v):
    return [Lie()]
""",
    ),
    "masked, memory-mapped and matrix": Attack(
        "numpy's own subclasses", "def attack(q, k, v): return np.ma.array(0 * q)", "wrong type"
    ),
    "80 bits": Attack(
        "no dtype of the channel", "def attack(q, k, v): return q.astype(np.longdouble)", "wrong type"
    ),
    "dates": Attack("nor this", "def attack(q, k, v): return np.zeros(q.shape, 'M8[ns]')", "wrong type"),
    "records": Attack(
        "a dtype with a name as long as one likes",
        "def attack(q, k, v): return np.zeros(q.shape, [('x' * 20000, 'f4')])",
        "wrong type",
    ),
    "text": Attack("nor this", "def attack(q, k, v): return np.full(q.shape, 'x' * 100)", "wrong type"),
    "bytes in the other order": Attack(
        "a right array all the same", "def attack(q, k, v): return (0 * q).astype('>f4')", "wrong answer"
    ),
    "64 dimensions": Attack(
        "more than a frame can say", "def attack(q, k, v): return np.zeros((1,) * 64, 'f4')", "wrong type"
    ),
    "no dimension": Attack(
        "a number", "def attack(q, k, v): return np.float32(0) + np.zeros(())", "wrong type"
    ),
    "nothing of much": Attack(
        "no elements, and lengths that would overflow a product",
        "def attack(q, k, v): return np.zeros((0, 1 << 40, 7), 'f4')",
        "wrong shape",
    ),
    "200 MB of the wrong shape": Attack(
        "not read to the end", "def attack(q, k, v): return np.zeros((50, 1 << 20), 'f4')", "wrong shape"
    ),
    "8 MB of the wrong shape": Attack(
        "read to the end: an honest mistake, which costs no fresh child",
        "def attack(q, k, v): return np.ones((2, 1 << 20), 'f4')",
        "wrong shape",
    ),
    "not a number": Attack("compares with nothing", "def attack(q, k, v): return q * np.nan", "not finite"),
    "infinite": Attack("swallows every tolerance", "def attack(q, k, v): return q + np.inf", "not finite"),
    "numbers at the edge": Attack(
        "a difference that overflows",
        "def attack(q, k, v): return np.full(q.shape, np.finfo('f4').max)",
        "wrong answer",
    ),
    "changed while it is sent": Attack(
        "an array of memory that is shared with nobody",
        """
def attack(q, k, v):
    q[:] = 0
    return q
""",
        "wrong answer",
    ),
}

EXCEPTIONS = {
    "an exception that is no Exception": Attack(
        "not caught by `except Exception`",
        """
class Mine(BaseException): pass
def attack(q, k, v):
    raise Mine("boo")
""",
        "exception",
    ),
    "exit": Attack("the polite end of a program", "def attack(q, k, v): sys.exit(0)", "exception"),
    "a skipped test": Attack(
        "as a test runner would understand it",
        """
import unittest
def attack(q, k, v):
    raise unittest.SkipTest("all good")
""",
        "exception",
    ),
    "an exception of 100 MB": Attack(
        "its words are cut", "def attack(q, k, v): raise ValueError('x' * 100_000_000)", "exception"
    ),
    "a type's name of 100 MB": Attack(
        "and so is this", "def attack(q, k, v): raise type('X' * 100_000_000, (Exception,), {})", "exception"
    ),
    "words that are no text": Attack(
        "str() of it fails",
        """
class Mine(Exception):
    def __str__(self): return 7
def attack(q, k, v):
    raise Mine
""",
        "exception",
    ),
    "words that raise": Attack(
        "with an exception that is no Exception",
        """
class Mine(Exception):
    def __str__(self): raise KeyboardInterrupt
def attack(q, k, v):
    raise Mine
""",
    ),
    "words that cannot be cut": Attack(
        "text of a subclass of str",
        """
class Text(str):
    def __getitem__(self, _): return object()
class Mine(Exception):
    def __str__(self): return Text("x")
def attack(q, k, v):
    raise Mine
""",
    ),
    "a traceback that lies": Attack(
        "every attribute is the student's",
        """
class Mine(Exception):
    @property
    def __traceback__(self): return self
    tb_frame = property(lambda self: sys._getframe())
    tb_lineno = "line"
    tb_next = None
def attack(q, k, v):
    raise Mine("x")
""",
    ),
    "a traceback without end": Attack(
        "the loop walks along it",
        """
class Mine(Exception):
    @property
    def __traceback__(self): return self
    tb_frame = property(lambda self: sys._getframe(1))
    @property
    def tb_next(self): return self
def attack(q, k, v):
    raise Mine("x")
""",
        "time limit",
    ),
    "a syntax error of somewhere else": Attack(
        "its line is taken from the exception itself",
        """
def attack(q, k, v):
    raise SyntaxError("boo", ("<submission>", 10**6, 1, "x", 10**6, 2))
""",
        "exception",
    ),
    "an exception in a group in a chain": Attack(
        "with itself as its own cause",
        """
def attack(q, k, v):
    error = ExceptionGroup("all", [ValueError(i) for i in range(100)])
    error.__cause__ = error.__context__ = error
    raise error
""",
        "exception",
    ),
    "controls, NULs and half characters": Attack(
        "for terminals, databases and parsers",
        """
def attack(q, k, v):
    raise ValueError('"}\\\\n{"final": true}\\n\\x00\\x1b[31m\\ud800\\u202e' * 20)
""",
        "exception",
    ),
    "out of memory, in words only": Attack(
        "a memory limit that was not met",
        "def attack(q, k, v): raise MemoryError('not really')",
        "memory limit",
    ),
}

LOADING = {
    "source that does not compile": Attack("a plain mistake", "def f(:", "exception", then=False),
    "source with a NUL": Attack("no Python", "x = '\0'", None, then=False),
    "nested 100 000 deep": Attack("the parser's stack", "x = " + "(" * 100_000, None, then=False),
    "a long chain of operators": Attack("the compiler's", "x = 1" + "+1" * 100_000, None, then=False),
    "a number of 1 MB": Attack("computed by the compiler, or later", "x = 2 ** (10**7) * 3", None),
    "no function": Attack("nothing to call", "del attack\nraise SystemExit", "exception", then=False),
    "a future that changes the file": Attack(
        "in the wrong place", "from __future__ import braces", "exception", then=False
    ),
    "another encoding": Attack("a declaration after the fact", "# -*- coding: utf-7 -*-\nx = '+AAA-'"),
    "an exception while loading": Attack(
        "of its own kind", "raise type('Mine', (BaseException,), {})('x')", "exception", then=False
    ),
}

INTROSPECTION = {
    "the grader's modules": Attack(
        "by name and from their real places; and what is installed beside them",
        """
import importlib, importlib.machinery, importlib.util
def attack(q, k, v):
    names = ["grader", "grader.judge", "softmark", "solution", "checks.hidden", "judge_lines", "session"]
    names += ["array_api_compat", "torch", "pytest", "hypothesis", "rich", "pip"]
    ours = [REPOSITORY + "/grader/sandbox", REPOSITORY + "/assignments/scaled-dot-product"]
    for folder in (None, *PACKAGE_FOLDERS, *ours):
        if folder: sys.path.insert(0, folder)
        importlib.invalidate_caches()
        sys.path_importer_cache.clear()
        for name in names:
            attempt("import %s from %s" % (name, folder), lambda: importlib.import_module(name))
    for file in ("grader/judge.py", "assignments/scaled-dot-product/solution.py"):
        loader = importlib.machinery.SourceFileLoader("stolen", REPOSITORY + "/" + file)
        attempt("load " + file, lambda: loader.load_module())
    return 0 * q
""",
    ),
    "secrets in memory": Attack(
        "all objects, all frames, all modules",
        """
import gc
def attack(q, k, v):
    wanted = ["oracle-of-" + "the-judge", "sekrit-of-" + "the-worker", "SECRET_" + "EXPECTED", "property_" + "check"]
    def holds(text): return isinstance(text, (str, bytes)) and any(w in str(text) for w in wanted)
    seen = [o for o in gc.get_objects()]
    frame = sys._getframe()
    while frame:
        seen += list(frame.f_locals.values()) + list(frame.f_globals.values())
        frame = frame.f_back
    for module in list(sys.modules.values()): seen += list(vars(module).values())
    seen += [value for o in seen if type(o) is dict for value in o.values()]
    found = [str(o)[:40] for o in seen if holds(o) and "wanted = [" not in str(o)]
    if found: print("secret SUCCEEDED", found[:3])
    ours = ("grader", "softmark", "array_api_compat", "checks", "solution")
    modules = [name for name in sys.modules if name.split(".")[0] in ours]
    if modules: print("modules SUCCEEDED", modules)
    if any(w in value for value in os.environ.values() for w in wanted): print("environment SUCCEEDED")
    return 0 * q
""",
        "wrong answer",
    ),
    "the job": Attack(
        "what the loop was told: no name of a check, no seed, no limit of the judge",
        """
def attack(q, k, v):
    frame, found = sys._getframe(), set()
    while frame:
        if isinstance(frame.f_locals.get("job"), dict): found |= set(frame.f_locals["job"])
        frame = frame.f_back
    surplus = found - {"job", "role", "address_space", "cpu_seconds", "uid", "source_bytes", "function", "class_form",
        "arrays", "memory_bytes"}
    if surplus: print("job SUCCEEDED", sorted(surplus))
    return 0 * q
""",
        "wrong answer",
    ),
    "what an earlier submission left": Attack(
        "nothing of this child is there in the next: see the test of the same name",
        """
os.environ["LEFT"] = "yes"
sys.modules["left"] = os
np.left = True
import builtins
builtins.left = True
def attack(q, k, v): return 0 * q
def after(q):
    np.multiply = None
    return 2 * q
""",
        "wrong answer",
    ),
}

TAMPERING = {
    "numpy's comparisons": Attack(
        "the judge has a numpy of its own",
        """
import builtins
np.allclose = np.array_equal = np.isclose = lambda *a, **k: True
np.testing.assert_allclose = lambda *a, **k: None
np.matmul = lambda *a, **k: np.zeros((16, 64))
builtins.abs = builtins.max = lambda *a: 0
np.abs = np.max = lambda *a: np.zeros(1)
def attack(q, k, v):
    return np.zeros_like(q)
""",
        "wrong answer",
    ),
    "the loop's own functions": Attack(
        "whatever they send is checked at the other end",
        """
import inside.child, inside.frames
def attack(q, k, v):
    inside.child._send_result = lambda fd, id, *_: os.write(fd, header(id, OTHER, payload=6) + b"passed")
    return 0 * q
""",
        "wrong type",
        then=False,
    ),
    "the loop's locals": Attack(
        "another function in place of the checked one, answers from a trace function",
        """
def attack(q, k, v):
    sys.setprofile(lambda *_: None)
    sys.settrace(lambda *_: None)
    loop()["function"] = print
    return 0 * q
""",
        "wrong answer",
    ),
    "hooks": Attack(
        "what Python calls on its own",
        """
import atexit, gc, weakref
def attack(q, k, v):
    atexit.register(os.write, REPLIES, b"late")
    gc.callbacks.append(lambda *_: None)
    sys.addaudithook(lambda *_: None)
    sys.excepthook = sys.unraisablehook = lambda *_: os.write(REPLIES, b"hook")
    class Late:
        def __del__(self): os.write(1, b"collected")
    cycle = Late(); cycle.itself = cycle
    return 0 * q
""",
        "wrong answer",
    ),
    "writes at the very end": Attack(
        "an answer from a destructor, after the answer",
        """
class Late:
    def __init__(self, frame): self.frame = frame
    def __del__(self): os.write(REPLIES, self.frame)
def attack(q, k, v):
    late = Late(answer(0 * q, call_id()))
    result = (0 * q).view(type("Mine", (np.ndarray,), {}))
    result.late = late
    return result
""",
    ),
    "all descriptors used up": Attack(
        "the loop may need one",
        """
def attack(q, k, v):
    try:
        while True: os.dup(0)
    except OSError: pass
    return 0 * q
""",
        "wrong answer",
    ),
    "another loop in place of ours": Attack(
        "honest frames from code that is not ours: only the numbers count",
        """
import json
def attack(q, k, v):
    os.write(REPLIES, answer(0 * q, call_id()))
    while True:
        magic, id, length = struct.unpack("<4sQI", read(16))
        head = json.loads(read(length))
        shapes = [argument["shape"] for argument in head["args"] if "shape" in argument]
        arrays = [np.frombuffer(read(4 * int(np.prod(shape))), "f4").reshape(shape) for shape in shapes]
        frame = answer(2 * arrays[0], id)
        while frame: frame = frame[os.write(REPLIES, frame):]
def read(count):
    os.set_blocking(CALLS, True)
    data = b""
    while len(data) < count:
        data += os.read(CALLS, count - len(data)) or os._exit(0)
    return data
""",
        "wrong answer",
    ),
}

ATTACKS: dict[str, Attack] = (
    TIME | PROCESSES | MEMORY | OUTPUT | FILES | NETWORK | OTHER_PROCESSES | PRIVILEGES | FORBIDDEN_CALLS | MACHINE_CODE
    | FRAMES | FORGED_ERRORS | ANSWERS | EXCEPTIONS | LOADING | INTROSPECTION | TAMPERING
)  # fmt: skip
