"""The two readers of what others write, under libFuzzer with ASan and UBSan. Short
here, with a fixed seed; by hand: FUZZ_RUNS=10000000 SEED=7 pytest tests/test_fuzz.py"""

import os
import shutil

import pytest

from lockstep import ROOT, run

RUNS = os.environ.get("FUZZ_RUNS", "50000")
SEED = os.environ.get("SEED", "1")
FLAGS = ["-std=c11", "-g", "-O1", "-D_GNU_SOURCE", "-fsanitize=fuzzer,address,undefined",
         "-fno-sanitize-recover=all", f"-I{ROOT}/common", f"-I{ROOT}/common/engines/redis"]
TARGETS = {
    "wire": (["common/engines/redis/resp.c", "common/engines/message.c"], [],
             ["\0\3$3\r\nabc\r\n*2\r\n:1\r\n+OK\r\n-ERR x\r\n", "\1\7*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"]),
    "schedule": (["common/schedule/schedule.c", "common/schedule/parse.c",
                  "common/schedule/words.c", "common/world/choice.c"],
                 ["-Drefuse=fuzz_refuse"],
                 ["v1 stage4 A:enter A>< t+30.001 B:enter B2><", "v1 stage7 strict A:opens-two "
                  "A:enter/2@3 server:does\"DEL lock\" A:enter-for+1 server2:ahead-3"]),
}


@pytest.mark.skipif(not shutil.which("clang"), reason="libFuzzer is clang's")
@pytest.mark.parametrize("name", TARGETS)
def test_fuzz(name, tmp_path):
    sources, flags, seeds = TARGETS[name]
    program, corpus = tmp_path / name, tmp_path / "corpus"
    corpus.mkdir()
    for number, seed in enumerate(seeds):
        (corpus / str(number)).write_text(seed)
    base = [ROOT / f"common/base/{file}.c"
            for file in ("fail", "hash", "list", "repeats", "text")]
    built = run("clang", *FLAGS, *flags, "-o", program, ROOT / f"tests/fuzz_{name}.c",
                *(ROOT / source for source in sources), *base, "-lhiredis")
    assert built.code == 0, built
    finished = run(program, f"-runs={RUNS}", f"-seed={SEED}", "-detect_leaks=0",
                   f"-artifact_prefix={tmp_path}/", corpus, timeout=None)
    assert finished.code == 0, f"SEED={SEED} {finished}"
