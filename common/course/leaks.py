"""What a lock never frees (make check EX=NAME SAN=1).

A race kills its clients, so LeakSanitizer, which looks when a program ends, sees nothing there.
Here the same client, built with it, is used on a server of its own and told to quit.
"""

import os
import re
import subprocess
import tempfile

from tree import ROOT, run

LIMIT_S = 60
ORDERS = "enter\nheld\nenter\nleave\nleave\n"  # the second is a nested call, or is refused
USES = 3


def used(lock, folder):
    """What LeakSanitizer says when the client of this lock ends."""
    socket = f"{folder}/redis.sock"
    server = subprocess.Popen(
        [os.environ.get("REDIS_SERVER") or "redis-server", "--port", "0", "--unixsocket", socket,
         "--dir", folder, "--save", ""], stdout=subprocess.PIPE, text=True)
    try:
        next((line for line in server.stdout if "eady to accept connections" in line), None)
        return run(ROOT / "build/clients" / lock, "--key", "lock", input=ORDERS * USES + "quit\n",
                   env={"REDIS_URL": f"unix://{socket}"}, timeout=LIMIT_S).err
    except subprocess.TimeoutExpired:
        return ""  # a race says of a lock that hangs where it does
    finally:
        server.kill()
        server.communicate()


def of(lock):
    """A line for each place in its lock.c."""
    with tempfile.TemporaryDirectory(prefix="lockstep-leaks-") as folder:
        said = used(lock, folder)
    if "LeakSanitizer has encountered a fatal error" in said:
        return ["LeakSanitizer does not work here (in a container it needs the right to ptrace)"]
    told = []
    for size, frames in re.findall(r"^Direct leak of (\d+) byte.*\n((?: +#.*\n)+)", said, re.M):
        place = re.search(r" in (\w+) \S*/lock\.c:(\d+)", frames)
        if place:
            told.append(f"stages/{lock}/lock.c:{place[2]}: {size} bytes from {place[1]}() are "
                        "never freed")
    return told
