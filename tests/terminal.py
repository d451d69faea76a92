"""Runs a program on a terminal: what the screen shows, and keys that are typed."""

import fcntl
import os
import pty
import re
import signal
import select
import struct
import subprocess
import termios

from lockstep import ROOT

LIMIT_S = 600


def on_a_terminal(*command, streams=("stdout", "stderr"), env=None, columns=0):
    """What it writes to a terminal; streams not named go to pipes. Returns the
    terminal's bytes, the pipes' and the exit status. 0 columns: it does not know."""
    own = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    screen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    outputs = {name: terminal if name in streams else subprocess.PIPE
               for name in ("stdout", "stderr")}
    process = subprocess.Popen(command, cwd=ROOT, env={**own, **(env or {})},
                               stdin=subprocess.DEVNULL, **outputs)
    os.close(terminal)
    seen = b""
    while select.select([screen], [], [], LIMIT_S)[0]:
        try:
            seen += os.read(screen, 65536)
        except OSError:  # the last one who could write has gone
            break
    os.close(screen)
    piped = process.communicate(timeout=LIMIT_S)
    return seen.decode(), b"".join(filter(None, piped)).decode(), process.returncode


class Screen:
    """What a VT100 or an xterm shows: as much of them as ncurses makes use of."""

    TOKEN = re.compile(r"\x1b\[([?\d;]*)([A-Za-z])|\x1b[()].|\x1b([=>78M])|([\x00-\x1f])|(.)", re.S)

    def __init__(self, rows=24, columns=80):
        self.rest = ""
        self.resize(rows, columns)

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.cells = [[" "] * columns for _ in range(rows)]
        self.row = self.column = 0
        self.top, self.bottom = 0, rows - 1

    @property
    def lines(self):
        return ["".join(cells).rstrip() for cells in self.cells]

    @property
    def text(self):
        return "\n".join(self.lines)

    def feed(self, text):
        text = self.rest + text
        cut = re.search(r"\x1b(\[[?\d;]*|[()])?$", text)  # the rest of it is on its way
        self.rest = cut[0] if cut else ""
        whole = text[:len(text) - len(self.rest)]
        for numbers, verb, escape, control, letter in self.TOKEN.findall(whole):
            if verb:
                self.command(verb, [int(n) if n.isdigit() else 0 for n in numbers.split(";")])
            elif escape == "M":
                self.up()
            elif control:
                self.control(control)
            elif letter:
                self.put(letter)

    def command(self, verb, numbers):
        n = max(numbers[0], 1)
        if verb == "H":
            self.row, self.column = n - 1, max((numbers + [1])[1], 1) - 1
        elif verb in "ABCD":
            self.row += {"A": -n, "B": n}.get(verb, 0)
            self.column += {"D": -n, "C": n}.get(verb, 0)
        elif verb == "d":
            self.row = n - 1
        elif verb == "G":
            self.column = n - 1
        elif verb == "b":
            for _ in range(n):
                self.put(self.letter)
        elif verb in "X@P":
            row, at = self.cells[self.row], self.column
            row[at:] = (row[at + n:] if verb == "P" else
                        [" "] * n + row[at if verb == "@" else at + n:])
            row[:] = (row + [" "] * n)[:self.columns]
        elif verb in "JK":
            back = numbers[0] == 1
            row = self.cells[self.row]
            row[:] = ([" "] * self.columns if numbers[0] == 2 else
                      [" "] * (self.column + 1) + row[self.column + 1:] if back else
                      row[:self.column] + [" "] * (self.columns - self.column))
            if verb == "J":
                for other in self.cells[:self.row] if back else self.cells[self.row + 1:]:
                    other[:] = [" "] * self.columns
        elif verb == "r":
            self.top, self.bottom = n - 1, (numbers + [self.rows])[1] - 1
            self.row = self.column = 0
        self.row = min(max(self.row, 0), self.rows - 1)
        if verb != "b":  # which may leave it behind the last column, as letters do
            self.column = min(max(self.column, 0), self.columns - 1)

    def control(self, control):
        if control == "\r":
            self.column = 0
        elif control == "\b":
            self.column = max(self.column - 1, 0)
        elif control == "\t":
            self.column = min(self.column // 8 * 8 + 8, self.columns - 1)
        elif control == "\n":
            if self.row == self.bottom:
                self.cells.pop(self.top)
                self.cells.insert(self.bottom, [" "] * self.columns)
            else:
                self.row = min(self.row + 1, self.rows - 1)

    def up(self):
        if self.row == self.top:
            self.cells.pop(self.bottom)
            self.cells.insert(self.top, [" "] * self.columns)
        else:
            self.row = max(self.row - 1, 0)

    def put(self, letter):
        if self.column == self.columns:
            self.column = 0
            self.control("\n")
        self.letter = self.cells[self.row][self.column] = letter
        self.column += 1


def sit_down():
    """The terminal is this process's, and Ctrl-C ends it: also where the tests run in the background
    of a shell, which lets what it starts there ignore the key."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Session:
    """A shell command at a terminal of its own, and somebody at the keyboard."""

    def __init__(self, command, env=None, rows=24, columns=80):
        own = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        self.keyboard, terminal = pty.openpty()
        self.screen = Screen(rows, columns)
        self.output = ""  # every byte of it
        self.set_size(rows, columns)
        self.process = subprocess.Popen(
            ["sh", "-c", command], cwd=ROOT, stdin=terminal, stdout=terminal, stderr=terminal,
            env={**own, "TERM": "vt100", **(env or {})}, start_new_session=True,
            preexec_fn=sit_down)
        os.close(terminal)

    def set_size(self, rows, columns):
        fcntl.ioctl(self.keyboard, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        os.write(self.keyboard, keys.encode())

    def read(self):
        """False when no process has the other end open any more."""
        if not select.select([self.keyboard], [], [], LIMIT_S)[0]:
            raise AssertionError(f"nothing came for {LIMIT_S} s:\n{self.screen.text}")
        try:
            some = os.read(self.keyboard, 65536).decode()
        except OSError:
            return False
        self.output += some
        self.screen.feed(some)
        return True

    def wait_for(self, *texts):
        """Until the screen shows all of them."""
        while not (all(text in self.screen.text for text in texts)):
            assert self.read(), f"it has ended and never showed {texts}:\n{self.output}"
        return self.screen.text

    def wait_until(self, condition):
        while not (condition()):
            assert self.read(), f"it has ended:\n{self.output}"

    def press(self, keys, *texts):
        """And then the screen shows these."""
        self.type(keys)
        return self.wait_for(*texts)

    def end(self):
        """The rest of the output, and the shell's exit status."""
        while self.read():
            pass
        os.close(self.keyboard)
        return self.process.wait(timeout=LIMIT_S)
