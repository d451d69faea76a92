"""The readers of what others write, under libFuzzer with ASan and UBSan. Short
here, with a fixed seed; by hand: FUZZ_RUNS=10000000 SEED=7 pytest tests/test_fuzz.py"""

import os
import shutil
import struct

import pytest

from lockstep import ROOT, run

RUNS = os.environ.get("FUZZ_RUNS", "50000")
SEED = os.environ.get("SEED", "1")
FLAGS = ["-std=c11", "-g", "-O1", "-D_GNU_SOURCE", "-fsanitize=fuzzer,address,undefined",
         "-fno-sanitize-recover=all", f"-I{ROOT}/common", f"-I{ROOT}/common/engines/redis"]


def wire(engine, format, *sources, forget="(void)0"):
    return ([f"common/engines/{path}.c" for path in ("message", "bytes", f"{engine}/{format}", *sources)],
            [f"-DWIRE={format}", f'-DWIRE_HEADER="engines/{engine}/{format}.h"', f"-DFORGET={forget}"])


def talk(requests, answers, piece=6):
    """An input of fuzz_wire.c."""
    return bytes([len(requests), piece]) + requests + answers


def frame(layout, *fields):
    body = struct.pack(f">{layout}", *fields)
    return struct.pack(">i", len(body)) + body


def packet(number, body):
    return struct.pack("<I", len(body))[:3] + bytes([number]) + body


LS = frame("iii5s?", 1, 8, 5, b"/lock", False)
CREATE = frame("iii5siiii", 1, 1, 5, b"/lock", -1, 0, 0, 3)
OK = packet(1, b"\0\1\0\2\0\0\0")
TABLE = (packet(1, b"\1") + packet(2, b"\3def" + b"\0" * 4 + b"\1n\0\x0c" + b"\0" * 12) + packet(3, b"\xfe\0\0\2\0")
         + packet(4, b"\1x") + packet(5, b"\xfe\0\0\2\0"))
TARGETS = {
    "resp": (*wire("redis", "resp", forget="resp_forget_scripts()"),
             [talk(b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", b"$3\r\nabc\r\n*2\r\n:1\r\n+OK\r\n-ERR x\r\n")]),
    "frames": (*wire("zookeeper", "frames", "zookeeper/jute", "zookeeper/children"),
               [talk(LS, frame("iqii6s", 1, 7, 0, 1, b"\0\0\0\2ab")), talk(CREATE, frame("iqii5s", 1, 7, 0, 5, b"/lock")),
                talk(LS, frame("i", 1))]),
    "packets": (*wire("mariadb", "packets"),
                [talk(packet(0, b"\3SELECT 1"), TABLE), talk(packet(0, b"\3DELETE FROM method_lock"), OK)]),
    "schedule": (["common/schedule/schedule.c", "common/schedule/parse.c",
                  "common/schedule/words.c", "common/world/choice.c"],
                 ["-Drefuse=fuzz_refuse"],
                 [b"v1 stage4 A:enter A>< t+30.001 B:enter B2><", b"v1 stage7 strict A:opens-two "
                  b"A:enter/2@3 server:does\"DEL lock\" A:enter-for+1 server2:ahead-3"]),
}


@pytest.mark.skipif(not shutil.which("clang"), reason="libFuzzer is clang's")
@pytest.mark.parametrize("name", TARGETS)
def test_fuzz(name, tmp_path):
    sources, flags, seeds = TARGETS[name]
    program, corpus = tmp_path / name, tmp_path / "corpus"
    corpus.mkdir()
    for number, seed in enumerate(seeds):
        (corpus / str(number)).write_bytes(seed)
    base = [ROOT / f"common/base/{file}.c"
            for file in ("fail", "hash", "list", "repeats", "text")]
    built = run("clang", *FLAGS, *flags, "-o", program, ROOT / f"tests/fuzz_{'schedule' if name == 'schedule' else 'wire'}.c",
                *(ROOT / source for source in sources), *base, "-lhiredis")
    assert built.code == 0, built
    finished = run(program, f"-runs={RUNS}", f"-seed={SEED}", "-detect_leaks=0",
                   f"-artifact_prefix={tmp_path}/", corpus, timeout=None)
    assert finished.code == 0, f"SEED={SEED} {finished}"
