"""The preloaded clock on its own, with Python as the process that lives in it."""

import contextlib
import fcntl
import os
import select
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lockstep import ROOT

EPOCH_S = 1_000_000_000  # CLOCK_EPOCH_S
SECOND = 10**9


class Page:
    """The clock's page as the world writes it, and the page of each process."""

    def __init__(self):
        self.fds = {}

    def fd(self, name):
        """A page: the clock's, or a process's by its slot."""
        if name not in self.fds:
            self.fds[name] = os.memfd_create("page", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            os.truncate(self.fds[name], 1 << 14)
            fcntl.fcntl(self.fds[name], fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)
        return self.fds[name]

    def set(self, now_ns, skew_ns=0, slot=0):
        os.pwrite(self.fd("clock"), struct.pack("q", now_ns), 0)
        os.pwrite(self.fd("clock"), struct.pack("q", skew_ns), 8 * (1 + slot))

    def joined(self, slot=0, waits=None, library=""):
        """How subprocess starts a process in the world."""
        more = {"LOCKSTEP_WAITS": str(waits)} if waits else {}
        pages = self.fd("clock"), self.fd(slot)

        def inherit():
            for place, page in enumerate([fcntl.fcntl(page, fcntl.F_DUPFD_CLOEXEC, 10) for page in pages], 3):
                os.dup2(page, place)

        return {"env": {**os.environ, "LD_PRELOAD": f"{ROOT / 'build/clock.so'} {library}",
                        "LOCKSTEP_CLOCK_SLOT": str(slot), **more},
                "preexec_fn": inherit, "close_fds": False}

    @contextlib.contextmanager
    def given(self, slot, waits):
        """Gives its pages to each process of a client that asks for them."""
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(waits))
            listener.listen()
            thread = threading.Thread(target=self.give, args=(slot, listener))
            thread.start()
            yield
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()

    def give(self, slot, listener):
        while True:
            try:
                asks, _ = listener.accept()
            except OSError:
                return
            with asks:
                assert struct.unpack("qqq", asks.recv(24)) == (0, -1, 0)
                socket.send_fds(asks, [b"!"], [self.fd("clock"), self.fd(slot)])

    def close(self):
        for fd in self.fds.values():
            os.close(fd)


@pytest.fixture
def page():
    with contextlib.closing(Page()) as page:
        yield page


def python(code, how):
    return subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True,
                          timeout=1200, **how).stdout.split()


READ = """
import ctypes, time
class timeval(ctypes.Structure):
    _fields_ = [("s", ctypes.c_long), ("us", ctypes.c_long)]
libc, now = ctypes.CDLL(None), timeval()
libc.gettimeofday(ctypes.byref(now), None)
print(time.clock_gettime_ns(time.CLOCK_REALTIME), now.s * 10**9 + now.us * 1000,
      libc.time(None), time.clock_gettime_ns(time.CLOCK_MONOTONIC),
      time.clock_gettime_ns(time.CLOCK_BOOTTIME))
"""


def test_a_client_has_only_virtual_time(page, tmp_path):
    page.set(31 * SECOND + 5000)
    wall, day, seconds, monotonic, boot = map(
        int, python(READ, page.joined(waits=tmp_path / "w")))
    assert wall == day == (EPOCH_S + 31) * SECOND + 5000
    assert seconds == EPOCH_S + 31
    assert monotonic == boot == 3000031 * SECOND + 5000


def test_each_client_is_a_machine_of_its_own(page, tmp_path):
    page.set(31 * SECOND)
    *_, monotonic, boot = map(int, python(READ, page.joined(3, tmp_path / "w")))
    assert monotonic == boot == 3003031 * SECOND


WHO = """
import ctypes, os, socket, subprocess, sys
print(os.getpid(), ctypes.CDLL(None).gettid(), socket.gethostname(), os.uname().nodename,
      flush=True)
subprocess.run([sys.executable, "-c", "import os; print(os.getpid() == 4194304, os.getppid(), "
                                      "os.uname().nodename)"])
if os.fork() == 0:
    print(os.getpid() == 4194304, os.getppid(), flush=True)
    os._exit(0)
os.wait()
"""


FIRST = "4194304"


@pytest.mark.parametrize("slot", [3, 4])
def test_each_client_is_in_a_container_of_its_own(page, tmp_path, slot):
    """The first process has the same number in each of them, the machines have names of their own.
    What the client starts is another process, on the same machine."""
    machine = f"machine-{slot}"
    with page.given(slot, tmp_path / "w"):
        assert python(WHO, page.joined(slot, tmp_path / "w")) == [
            FIRST, FIRST, machine, machine, "False", FIRST, machine, "False", FIRST]


MAPS = """
import os, re
def names():
    for fd in os.listdir("/proc/self/fd"):
        try:
            yield os.readlink("/proc/self/fd/" + fd)
        except FileNotFoundError:
            pass
for line in open("/proc/self/maps"):
    if "memfd:page" in line:
        print(line.split()[1])
print(any("memfd:page" in name for name in names()))
"""


def test_a_client_has_its_pages_without_a_name(page, tmp_path):
    """And cannot write to the clock's."""
    assert python(MAPS, page.joined(3, tmp_path / "w")) == ["rw-s", "r--s", "False"]


def test_a_server_keeps_them_for_the_program_that_it_becomes(page):
    code = f"import os, sys; os.execv(sys.executable, [sys.executable, '-c', {MAPS!r}])"
    assert python(code, page.joined()) == ["rw-s", "r--s", "True"]


def test_a_process_that_kills_itself_kills_no_other(page, tmp_path):
    finished = subprocess.run([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"],
                              **page.joined(3, tmp_path / "w"), check=False, timeout=1200)
    assert finished.returncode == -9


OF_ITSELF = """
import ctypes, os, resource, signal, socket
own = os.getpid()
libc = ctypes.CDLL(None, use_errno=True)
signal.signal(signal.SIGUSR1, lambda *_: heard.append(1))
heard = []
libc.tgkill(own, libc.gettid(), signal.SIGUSR1)
libc.sigqueue(own, signal.SIGUSR1, None)
os.setpgid(own, 0)
os.setpriority(os.PRIO_PROCESS, own, 3)
os.sched_setaffinity(own, [min(os.sched_getaffinity(0))])
resource.prlimit(own, resource.RLIMIT_CORE, (0, 0))
os.sched_setscheduler(own, os.SCHED_BATCH, os.sched_param(0))
print(len(heard), os.getpgid(own) == os.getpgrp() == own, os.getsid(own) == os.getsid(0),
      os.killpg(own, 0), os.sched_getscheduler(0) == os.sched_getscheduler(own) == os.SCHED_BATCH,
      os.getpriority(os.PRIO_PROCESS, own), os.getpriority(os.PRIO_PROCESS, 0),
      len(os.sched_getaffinity(own)), len(os.sched_getaffinity(0)),
      *resource.getrlimit(resource.RLIMIT_CORE),
      socket.getaddrinfo(socket.gethostname(), 80)[0][4][0], socket.getfqdn())
"""


def test_its_number_means_itself_and_its_machine_s_name_has_an_address(page, tmp_path):
    assert python(OF_ITSELF, page.joined(3, tmp_path / "w")) == [
        "2", "True", "True", "None", "True", "3", "3", "1", "1", "0", "0", "127.0.1.5", "machine-3"]


DRAW = """
import ctypes, os, platform, random, socket, sys, uuid
libc = ctypes.CDLL(None)
SYS_getrandom = 318 if platform.machine() == "x86_64" else 278
def by(function, length, *more):
    room = ctypes.create_string_buffer(length)
    function(room, length, *more)
    return room.raw.hex()
def of_file(path):
    with open(path, "rb", 0) as file:
        return file.read(16).hex()
print(os.urandom(16).hex(), by(libc.getrandom, 2, os.GRND_NONBLOCK), by(libc.getrandom, 5, os.GRND_NONBLOCK),
      by(lambda room, length: libc.syscall(SYS_getrandom, room, length, 0), 16), by(libc.getentropy, 16), uuid.uuid1().hex, uuid.uuid4().hex, random.getrandbits(64), hash("token"),
      of_file("/dev/urandom"), of_file("/dev/random"), flush=True)
libc.fopen.restype = ctypes.c_void_p
libc.fread.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p]
print(by(lambda room, length: libc.fread(room, 1, length, libc.fopen(b"/dev/urandom", b"r")), 16), flush=True)
if hasattr(libc, "arc4random"): # since glibc 2.36
    print(by(libc.arc4random_buf, 16), libc.arc4random(), libc.arc4random_uniform(1 << 31), flush=True)
if os.fork() == 0:
    print(os.urandom(16).hex(), flush=True)
    os._exit(0)
os.wait()
print(os.urandom(16).hex())
"""


def test_each_client_has_randomness_of_its_own_and_the_same_on_every_run(tmp_path):
    """However it is asked for; also a version 1 UUID, which is made of a time and a machine."""
    drawn = []
    for slot in (3, 4, 3):
        with contextlib.closing(Page()) as page:
            drawn.append(python(DRAW, page.joined(slot, tmp_path / "w")))
    assert drawn[0] == drawn[2] and len(drawn[0]) >= 14
    assert len({*drawn[0], *drawn[1]}) == 2 * len(drawn[0])


def test_a_pause_is_the_shortest_one(page, tmp_path):
    """Four bytes, for which a program does not wait."""
    code = """
import ctypes, os
for flags in (os.GRND_NONBLOCK, 0):
    room = ctypes.create_string_buffer(4)
    ctypes.CDLL(None).getrandom(room, 4, flags)
    print(room.raw.hex())
"""
    pause, token = python(code, page.joined(3, tmp_path / "w"))
    assert pause == "00000000" != token


def test_a_server_has_the_kernel_s_randomness(page):
    code = "import os, uuid; print(os.urandom(16).hex(), open('/dev/urandom', 'rb', 0).read(16).hex())"
    assert not {*python(code, page.joined())} & {*python(code, page.joined())}


def test_a_server_has_the_number_that_the_kernel_gave_it(page):
    assert python("import os; print(os.getpid() == int(os.readlink('/proc/self')))",
                  page.joined()) == ["True"]


def test_a_server_keeps_its_monotonic_clock(page):
    page.set(31 * SECOND)
    wall, _, seconds, monotonic, boot = map(int, python(READ, page.joined()))
    assert wall == (EPOCH_S + 31) * SECOND
    assert seconds == EPOCH_S + 31
    assert 1031 * SECOND not in (monotonic, boot)


def test_skew_is_one_process_s_own_and_not_monotonic(page, tmp_path):
    page.set(10 * SECOND, skew_ns=40 * SECOND, slot=3)
    ahead = list(map(int, python(READ, page.joined(3, tmp_path / "w"))))
    others = list(map(int, python(READ, page.joined(2, tmp_path / "w"))))
    assert ahead[0] - others[0] == 40 * SECOND
    assert ahead[2] - others[2] == 40
    assert [one - other for one, other in zip(ahead[3:], others[3:])] == [1000 * SECOND] * 2


@pytest.fixture(scope="module")
def mariadb(tmp_path_factory):
    """A library with the function by which a process is known as MariaDB's."""
    made = tmp_path_factory.mktemp("mariadb") / "mariadb.so"
    subprocess.run(["cc", "-shared", "-x", "c", "-", "-o", made], check=True,
                   input=b"void my_timer_init(void) {}")
    return made


TIMER = """
import ctypes, threading, time
class timespec(ctypes.Structure):
    _fields_ = [("s", ctypes.c_long), ("ns", ctypes.c_long)]
libc, until = ctypes.CDLL(None), timespec(10**9, 50_000_000)
condition, mutex = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
def look():
    print(time.clock_gettime_ns(time.CLOCK_REALTIME) % 10**9)
def wait():
    libc.pthread_mutex_lock(mutex)
    libc.pthread_cond_timedwait(condition, mutex, ctypes.byref(until))
    look()
def serve():
    libc.recv(-1, None, 0, 0)
    look()
libc.listen(-1, 1)
for act in [look, wait, look, serve]:
    thread = threading.Thread(target=act)
    thread.start()
    thread.join()
look()
"""


def test_what_a_thread_of_mariadb_has_waited_for_has_come_for_all_that_serve_nobody(page, mariadb):
    """Otherwise a timer looks at a clock that stands still, and waits again; or a timer that
    another thread sets is over at once."""
    before, timer, others, serves, main = map(
        int, python(TIMER, page.joined(library=mariadb)))
    assert (before, serves) == (0, 0)
    assert timer == others == main == 50_000_000


# A thread that serves a client waits until +5 s. After a moment it looks by itself whether it has
# to; this one ends then. Another one waits without a limit, until it is woken.
WAITS = """
import ctypes, sys, threading
class timespec(ctypes.Structure):
    _fields_ = [("s", ctypes.c_long), ("ns", ctypes.c_long)]
libc, until = ctypes.CDLL(None), timespec(10**9 + 5, 0)
condition, mutex = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
libc.pthread_self.restype = ctypes.c_ulong
def say(*words):
    print(*words, flush=True)
    sys.stdin.readline()
def gives_up():
    libc.recv(-1, None, 0, 0)
    libc.pthread_mutex_lock(mutex)
    say(libc.pthread_cond_timedwait(condition, mutex, ctypes.byref(until)), libc.pthread_self())
    libc.pthread_mutex_unlock(mutex)
def waits():
    libc.recv(-1, None, 0, 0)
    libc.pthread_mutex_lock(mutex)
    libc.pthread_cond_wait(condition, mutex)
    libc.pthread_mutex_unlock(mutex)
thread = threading.Thread(target=gives_up)
thread.start()
thread.join()
say("ended")
thread = threading.Thread(target=waits)
thread.start()
say("waits")
while thread.is_alive():
    libc.pthread_cond_broadcast(condition)
    thread.join(0.01)
say("woken")
"""
# Where they are in struct process_page; a wait that is shown has the state 2.
KEPT, KEPT_WAITS, SHOWN = 8 + 32 * 8 + 8 + 8 + 8, 64, 2
WITHOUT_END = (2**63 - 1) // 2


def test_the_world_sees_which_threads_wait_until_they_end(page):
    def entries():
        entry = struct.Struct("I4xqQ")
        kept = os.pread(page.fd(0), KEPT_WAITS * entry.size, KEPT)
        return [(state, *what) for state, *what in entry.iter_unpack(kept) if state]

    def becomes(*expected):
        """A thread that Python has joined may still be about to end."""
        while [entry[:len(expected)] for entry in entries()] != ([expected] if expected else []):
            assert program.poll() is None, entries()
        return True

    program = subprocess.Popen([sys.executable, "-c", WAITS], **page.joined(), text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    limit = threading.Timer(120, program.kill)
    limit.start()

    def goes_on():
        program.stdin.write("\n")
        program.stdin.flush()
        return program.stdout.readline().split()

    try:
        error, thread = map(int, program.stdout.readline().split())
        assert error == 0 and becomes(SHOWN, (EPOCH_S + 5) * SECOND, thread)
        assert goes_on() == ["ended"] and becomes()
        assert goes_on() == ["waits"] and becomes(SHOWN, WITHOUT_END)
        assert goes_on() == ["woken"] and becomes()
    finally:
        limit.cancel()
        program.kill()
        program.communicate()


def test_no_other_server_notices_what_its_threads_have_waited_for(page):
    assert python(TIMER, page.joined()) == ["0"] * 5


LOOKS = """
import ctypes, threading, time
libc = ctypes.CDLL(None)
def look():
    print(time.clock_gettime_ns(time.CLOCK_REALTIME) % 10**9)
def look_twice():
    look()
    look()
look_twice()
other = threading.Thread(target=look_twice)
other.start()
other.join()
libc.listen(-1, 1)
look_twice()
"""


def test_until_it_listens_mariadb_s_main_thread_finds_that_its_clock_goes(page, mariadb):
    """It measures how finely it goes, with twenty million looks if it stands still."""
    first, second, *rest = map(int, python(LOOKS, page.joined(library=mariadb)))
    assert second == first + 1000
    assert rest == [0, 0, 0, 0]
    assert python(LOOKS, page.joined()) == ["0"] * 6


def test_without_a_world_time_is_real():
    environment = {**os.environ, "LD_PRELOAD": str(ROOT / "build/clock.so")}
    wall, day, seconds, _, _ = map(int, python(READ, {"env": environment}))
    assert wall > 1_700_000_000 * SECOND
    assert seconds == day // SECOND == wall // SECOND or abs(day - wall) < 2 * SECOND


WAIT = """
import os, select
read, write = os.pipe()
poll = select.poll()
poll.register(read, select.POLLIN)
{before}
print(poll.poll({ms}))
"""


@pytest.fixture
def waiting(page, tmp_path):
    """Starts a process that polls; hands out what it announces."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "w"))
    listener.listen()
    listener.settimeout(60)
    started = []

    def start(ms, before="", code=WAIT):
        started.append(subprocess.Popen(
            [sys.executable, "-c", code.format(ms=ms, before=before)], text=True,
            **page.joined(waits=tmp_path / "w"), stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        return started[-1]

    yield start, listener
    for process in started:
        process.kill()
        process.communicate()


def test_a_wait_is_announced_and_ends_when_the_world_says(page, waiting):
    start, listener = waiting
    page.set(5 * SECOND)
    process = start(10_000)
    appointment, _ = listener.accept()
    assert struct.unpack("qqq", appointment.recv(24)) == (15 * SECOND, 0, 0)  # the main thread
    assert not select.select([process.stdout], [], [], 0)[0]
    appointment.send(b"!")
    assert process.stdout.readline() == "[]\n"  # over: nothing was ready


def test_a_wait_that_ends_early_takes_its_appointment_back(page, waiting):
    start, listener = waiting
    process = start(10_000, "os.write(write, b'x')")
    appointment, _ = listener.accept()
    assert len(appointment.recv(24)) == 24
    assert process.stdout.readline().startswith("[(")  # the pipe was
    assert appointment.recv(1) == b""


@pytest.mark.parametrize("before, said", [
    ("", "cannot announce a wait to the world"),
    ("for _ in range(256): poll.register(os.dup(read))", "cannot wait for more than 256 descriptors"),
])
def test_a_wait_that_the_world_cannot_keep_is_not_kept_in_real_time(page, tmp_path, before, said):
    finished = subprocess.run([sys.executable, "-c", WAIT.format(ms=1, before=before)], text=True,
                              **page.joined(waits=tmp_path / "nobody"), capture_output=True,
                              timeout=1200)
    assert finished.returncode == 1
    assert (finished.stdout, finished.stderr) == ("", f"lockstep: {said}\n")


def test_a_look_without_waiting_is_none_of_the_world_s_business(waiting):
    start, listener = waiting
    process = start(0)
    assert process.stdout.readline() == "[]\n"
    assert not select.select([listener], [], [], 0)[0]


# Waits of ten seconds. `early` ends them before: "no" is printed if it has not.
LIMITED = {
    "epoll": ("e = select.epoll(); e.register(read)", "e.poll(10)", True),
    "select": ("", "select.select([read], [], [], 10)[0]", True),
    "select of nothing": ("", "select.select([], [], [], 10)[0]", False),
    "sleep": ("", "time.sleep(10)", False),
    "C's sleep": ("libc = ctypes.CDLL(None)", "libc.sleep(10)", False),
    "C's usleep": ("libc = ctypes.CDLL(None)", "libc.usleep(10000000)", False),
    "a lock": ("lock = threading.Lock(); lock.acquire(); early = lock.release", "lock.acquire(timeout=10)", True),
    "a condition": ("e = threading.Event(); early = e.set", "e.wait(10)", True),
    "a queue": ("q = queue.Queue(); early = lambda: q.put(1)", "nobody(lambda: q.get(timeout=10))", True),
    "asyncio": ("", "asyncio.run(asyncio.sleep(10))", False),
}
KIND = """
import asyncio, ctypes, os, queue, select, sys, threading, time
read, write = os.pipe()
early = lambda: os.write(write, b"x")
def nobody(get):
    try:
        return get()
    except queue.Empty:
        return None
{before}
if {ms}:
    threading.Timer(0, lambda: (sys.stdin.readline(), early())).start()
begun = time.monotonic()
print("yes" if {wait} else "no", round(time.monotonic() - begun))
"""


def test_a_sleep_that_only_lets_others_run_is_none_of_the_world_s_business(waiting):
    start, listener = waiting
    process = start(0, "libc = ctypes.CDLL(None)", KIND.replace("{wait}", "libc.usleep(999)"))
    assert process.stdout.readline() == "no 0\n"
    assert not select.select([listener], [], [], 0)[0]


def until_all_sleep(pid):
    tasks = Path(f"/proc/{pid}/task")
    while any(task.joinpath("stat").read_text().rpartition(") ")[2][0] != "S" for task in tasks.iterdir()):
        select.select([], [], [], 0.001)


@pytest.mark.parametrize("kind", LIMITED)
def test_each_kind_of_wait_is_the_world_s(page, waiting, kind):
    before, wait, _ = LIMITED[kind]
    start, listener = waiting
    page.set(5 * SECOND)
    process = start(0, before, KIND.replace("{wait}", wait))
    appointment, _ = listener.accept()
    assert struct.unpack("qqq", appointment.recv(24)) == (15 * SECOND, 0, 0)
    assert not select.select([process.stdout], [], [], 0)[0]
    page.set(15 * SECOND)
    until_all_sleep(process.pid) # as the world does before it speaks
    appointment.send(b"!")
    assert process.stdout.readline() == "no 10\n"
    with contextlib.suppress(ConnectionResetError): # it has not read the byte
        assert appointment.recv(1) == b""


@pytest.mark.parametrize("kind", [kind for kind, (_, _, early) in LIMITED.items() if early])
def test_each_kind_of_wait_can_end_early(page, waiting, kind):
    before, wait, _ = LIMITED[kind]
    start, listener = waiting
    process = start(1, before, KIND.replace("{wait}", wait))
    appointment, _ = listener.accept()
    assert len(appointment.recv(24)) == 24
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "yes 0\n"
    assert appointment.recv(1) == b""


ALARM = """
import ctypes, os, select, sys
class timespec(ctypes.Structure):
    _fields_ = [("s", ctypes.c_long), ("ns", ctypes.c_long)]
class itimerspec(ctypes.Structure):
    _fields_ = [("interval", timespec), ("value", timespec)]
libc, BOOT, ABSOLUTE = ctypes.CDLL(None), 7, 1
def set(seconds, nanoseconds=0, flags=0, every=0):
    time = itimerspec(timespec(every, 0), timespec(seconds, nanoseconds))
    assert libc.timerfd_settime(fd, flags, ctypes.byref(time), None) == 0
def rings():
    return bool(select.select([fd], [], [], 0)[0])
fd = libc.timerfd_create(BOOT, os.O_CLOEXEC)
{before}
"""


def announced(listener):
    """The connection of a timer's announcement, its deadline and its descriptor."""
    connection, _ = listener.accept()
    connection.settimeout(60)
    said, with_it, _, _ = socket.recv_fds(connection, 24, 1)
    deadline, number, goes_on = struct.unpack("qqq", said)
    assert number >= 1000  # after all threads
    assert goes_on # it is CLOCK_BOOTTIME's
    return connection, deadline, with_it[0]


def test_a_timer_rings_when_the_world_says(page, waiting):
    start, listener = waiting
    page.set(5 * SECOND)
    process = start(0, "set(10); print(os.read(fd, 8)[0], rings(), flush=True)", ALARM)
    _, deadline, timer = announced(listener)
    assert deadline == 15 * SECOND
    assert not select.select([process.stdout], [], [], 0)[0]
    os.write(timer, struct.pack("Q", 1))
    assert process.stdout.readline() == "1 False\n"  # read once, it is silent
    os.close(timer)


def test_a_timer_that_is_set_again_or_off_takes_its_announcement_back(page, waiting):
    start, listener = waiting
    process = start(0, "set(10); set(20); os.read(fd, 8); set(30); set(0);"
                       "print(rings(), flush=True)", ALARM)
    first, deadline, timer = announced(listener)
    second, later, other = announced(listener)
    assert (deadline, later) == (10 * SECOND, 20 * SECOND)
    assert first.recv(1) == b""  # taken back
    os.write(other, struct.pack("Q", 1))
    third, last, one_more = announced(listener)
    assert last == 30 * SECOND
    assert third.recv(1) == b""
    assert process.stdout.readline() == "False\n"
    for descriptor in (timer, other, one_more):
        os.close(descriptor)


def test_a_timer_forgets_that_it_has_rung_when_it_is_switched_off(page, waiting):
    start, listener = waiting
    process = start(0, "set(0, 1, ABSOLUTE); print(rings(), flush=True);"
                       "set(0); print(rings(), flush=True)", ALARM)
    assert process.stdout.readline() == "True\n"  # the first nanosecond is over
    assert process.stdout.readline() == "False\n"
    assert not select.select([listener], [], [], 0)[0]


def test_a_timer_that_the_world_does_not_know_is_not_kept_in_real_time(page, tmp_path):
    code = ALARM.format(before="set(10, every=5)")
    finished = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True,
                              **page.joined(waits=tmp_path / "w"), timeout=1200)
    assert (finished.returncode, finished.stderr) == (
        1, "lockstep: a timer that rings again and again is not known in virtual time\n")
