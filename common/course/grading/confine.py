"""Where a student's code runs: without network, with nothing of this machine that it does not
need, and with limits.

With bubblewrap (Debian's bwrap) a command has namespaces of its own: no network, no other
processes, no files but the compiler's, the libraries' and a tree with the races. The end of
bwrap is the end of everything in it. Root starts it as a user of its own for each place, because
the kernel's limit of processes is one for each user, and does not count for root.

Where bwrap is not there, or a container around us does not let it work, root still has those
users: what runs as one of them cannot signal or write what is not its own. Without root there
are only the limits. Confinement.says tells which of the three it is.

A container engine was the alternative: it has to be set up by the instructor, runs as a
service, and takes a second for each start."""

import ctypes
import os
import pwd
import select
import selectors
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

USERS = range(59000, 60000)  # Debian gives these numbers to nobody
PATIENCE_S = 60  # for the end of what was killed
KEPT = 256 * 1024  # of what a command writes, the end
SERVER = os.environ.get("REDIS_SERVER", "redis-server")

SYSTEM = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]
MAYBE = ["/etc/alternatives", "/etc/ld.so.cache", "/nix/store"]


class Finished:
    def __init__(self, code, out, err, late):
        self.code, self.out, self.err, self.late = code, out, err, late


class Ended(Exception):
    """The instructor has pressed Ctrl-C."""


def take_user():
    """The number of a user whom nobody has, and what keeps it ours: a name that only one process
    of this machine can have at a time."""
    for user in USERS:
        ours = socket.socket(socket.AF_UNIX)
        try:
            pwd.getpwuid(user)
        except KeyError:
            try:
                ours.bind(f"\0lockstep-user-{user}")
                return user, ours
            except OSError:
                pass
        ours.close()
    raise OSError("there is no free user for a student's code from 59000 to 59999")


def processes_of(user):
    return [process for process in os.listdir("/proc") if process.isdigit() and is_of(process, user)]


def kill_all_of(user, reap):
    """Ends all processes of a user that only we use, and waits for that. They may start others
    while they are looked for; kill() of -1, from one of them, takes all at once. reap(): takes
    leave of those that are our children. (The first process in a namespace does not end before
    the others there are gone.)"""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        child = os.fork()
        if child == 0:
            try:
                os.setresgid(user, user, user)
                os.setresuid(user, user, user)
                os.kill(-1, signal.SIGKILL)
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        reap()
        left = processes_of(user)
        if not left:
            return
        try:
            handle = os.pidfd_open(int(left[0]))
        except ProcessLookupError:
            continue
        select.select([handle], [], [], 1)
        os.close(handle)


def is_of(process, user):
    """Is it one of the user's, and has not ended?"""
    try:
        if os.stat(f"/proc/{process}").st_uid != user:
            return False
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def children():
    """Of this process; of all its threads."""
    found = []
    for thread in os.listdir("/proc/self/task"):
        try:
            found += map(int, Path(f"/proc/self/task/{thread}/children").read_text().split())
        except OSError:
            continue
    return found


class Confinement:
    """`places`: how many commands run side by side, each on a core of its own."""

    def __init__(self, places, limits, bubblewrap=True):
        self.limits = limits
        self.users = os.geteuid() == 0
        self.cores = sorted(os.sched_getaffinity(0))[:places]
        self.taken = [take_user() for _ in self.cores] if self.users else []
        self.running, self.over, self.lock = set(), False, threading.Lock()
        # What loses its parent becomes a child of ours, so that we can end it.
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
        self.wanted = bubblewrap
        self.one_machine = False  # the kernel gives a lock's clients no machines of their own
        self.bwrap = bool(bubblewrap and shutil.which("bwrap"))
        self.bwrap = self.bwrap and self.run(0, ["true"], 10, "/").code == 0

    @property
    def says(self):
        if self.bwrap:
            return ""
        why = ("bubblewrap was not wanted" if not self.wanted
               else "bubblewrap does not work here" if shutil.which("bwrap")
               else "bubblewrap is not installed")
        if self.users:
            return (f"{why}: each student's code runs as a user of its own, with limits; it is not "
                    "kept from the network, nor from reading what everybody on this machine may read")
        return (f"{why}: each student's code has limits, and nothing else; it can do whatever you "
                "can: read and change your files, end your programs, use the network. Grade as "
                "root, or where bubblewrap works")

    @property
    def places(self):
        return len(self.cores)

    def user(self, place):
        return self.taken[place][0] if self.users else None

    def owns(self, place, path):
        """Gives a folder, which only a command in this place may use, to its user."""
        if self.users:
            os.chown(path, self.user(place), self.user(place))

    def run(self, place, command, seconds, folder, readable=(), writable=(), cpu_s=0, enough=None):
        """Runs it in a folder. readable and writable: folders that it may use; with bwrap it sees
        nothing else of ours, and under the same names. What it leaves behind is ended. cpu_s: the
        limit of each process, if it is not that of the assignment. enough: a function of what it
        has written so far, which says whether to end it now."""
        argv = [*self._limited(place, min(seconds, cpu_s or self.limits["cpu_s"])),
                *self._wrapped(readable, writable, folder),
                "prlimit", f"--nproc={self._most_processes()}", *command]
        user = self.user(place)
        with self.lock:
            if self.over:
                raise Ended
            child = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env=self._environment(writable), cwd="/" if self.bwrap else folder,
                start_new_session=True, user=user, group=user,
                extra_groups=[] if self.users else None)
            self.running.add(child)
        try:
            streams, late = self._listen(child, seconds, enough)
        finally:
            self._end(child, place)
        if self.over:
            raise Ended
        return Finished(child.returncode, *streams, late)

    def _environment(self, writable):
        """Of what we have, nothing but the way to programs."""
        said = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
                "HOME": "/nonexistent", "REDIS_SERVER": SERVER}
        if not self.bwrap and writable:
            said["TMPDIR"] = str(writable[0])
        return said

    def _limited(self, place, cpu_s):
        core = self.cores[place]
        return ["prlimit", f"--as={self.limits['memory_mb'] << 20}", "--core=0",
                f"--fsize={self.limits['file_mb'] << 20}",
                f"--cpu={cpu_s}:{cpu_s + 1}",  # first SIGXCPU, then SIGKILL
                "--nofile=1024", "taskset", "-c", str(core)]

    def _most_processes(self):
        """The kernel counts those of a user, and inside bubblewrap only those inside. Where a
        command runs as ourselves, ours are added."""
        ours = 0
        if not self.bwrap and not self.users:
            for process in filter(str.isdigit, os.listdir("/proc")):
                try:
                    if is_of(process, os.getuid()):
                        ours += len(os.listdir(f"/proc/{process}/task"))
                except OSError:
                    continue
        return ours + self.limits["processes"]

    def _wrapped(self, readable, writable, folder):
        if not self.bwrap:
            return []
        words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
                 "--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev",
                 "--size", str(self.limits["file_mb"] << 20), "--tmpfs", "/tmp",
                 "--size", str(self.limits["file_mb"] << 20), "--tmpfs", "/dev/shm"]
        for path in map(Path, SYSTEM):
            if path.is_symlink():
                words += ["--symlink", os.readlink(path), str(path)]
            elif path.exists():
                words += ["--ro-bind", str(path), str(path)]
        for path in MAYBE:
            words += ["--ro-bind-try", path, path]
        if "/" in SERVER:
            words += ["--ro-bind-try", SERVER, SERVER]
        for path in readable:
            words += ["--ro-bind", str(path), str(path)]
        for path in writable:
            words += ["--bind", str(path), str(path)]
        return [*words, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(folder), "--"]

    @staticmethod
    def _listen(child, seconds, enough):
        """Reads what it writes until it ends, its time is over, or that is enough: (streams, is it
        late?)"""
        streams = {child.stdout: b"", child.stderr: b""}
        until = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            for stream in streams:
                selector.register(stream, selectors.EVENT_READ)
            while selector.get_map() and child.poll() is None:
                if enough and enough(streams[child.stdout].decode(errors="replace")):
                    os.killpg(child.pid, signal.SIGKILL)
                    break
                left = until - time.monotonic()
                if left <= 0:
                    break
                for key, _ in selector.select(min(left, 0.2)):
                    some = os.read(key.fileobj.fileno(), 65536)
                    if not some:
                        selector.unregister(key.fileobj)
                    streams[key.fileobj] = (streams[key.fileobj] + some)[-KEPT:]
            for stream in streams:  # what was written before the end
                os.set_blocking(stream.fileno(), False)
                while some := stream.read(65536):
                    streams[stream] = (streams[stream] + some)[-KEPT:]
                    if time.monotonic() > until:
                        break
        late = False
        if child.poll() is None:
            try:
                child.wait(max(0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                late = True
        return [text.decode(errors="replace") for text in streams.values()], late

    def _end(self, child, place):
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
        child.stdout.close()
        child.stderr.close()
        with self.lock:
            self.running.discard(child)
            # The end of bwrap has ended all in it. If that is still under way, we wait for it.
            if self.users and (not self.bwrap or processes_of(self.user(place))):
                kill_all_of(self.user(place), self._end_orphans)
            self._end_orphans()

    def _end_orphans(self):
        """Those that have lost their parents and are our children now; which no command of ours
        leaves behind. They end in whatever order."""
        known = {child.pid for child in self.running}
        left = [process for process in children() if process not in known]
        for process in left:
            os.kill(process, signal.SIGKILL)
        while left := [process for process in left if os.waitpid(process, os.WNOHANG)[0] == 0]:
            handle = os.pidfd_open(left[-1])
            select.select([handle], [], [], 0.1)
            os.close(handle)

    def end(self):
        """From another thread: nothing runs any more, and nothing new is begun."""
        with self.lock:
            self.over = True
            for child in self.running:
                try:
                    os.killpg(child.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
