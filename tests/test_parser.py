"""The gate's parser on its own: whole messages out of any pieces."""

import subprocess

import pytest

from lockstep import ROOT

PARSE = ROOT / "build/tests/parse"
PIECES = [1, 2, 3, 7, 4096]


def request(*words):
    words = [word if isinstance(word, bytes) else word.encode() for word in words]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word)
                                               for word in words)


def parse(direction, data, piece=4096):
    return subprocess.run([PARSE, direction, str(piece)], input=data, capture_output=True,
                          check=True, timeout=1200).stdout.decode().splitlines()


@pytest.mark.parametrize("piece", PIECES)
def test_requests(piece):
    sent = [request("SET", "lock", "locked", "NX", "EX", "30"), request("DEL", "lock"),
            request("PING")]
    assert parse("requests", b"".join(sent), piece) == [
        f"{len(sent[0])} SET lock locked NX EX 30", f"{len(sent[1])} DEL lock",
        f"{len(sent[2])} PING"]


@pytest.mark.parametrize("piece", PIECES)
def test_answers(piece):
    answers = (b"+OK\r\n:1\r\n$-1\r\n$5\r\nvalue\r\n-WRONGTYPE no\r\n*-1\r\n"
               b"*3\r\n:1\r\n$1\r\na\r\n*1\r\n+x\r\n")
    assert parse("answers", answers, piece) == [
        "5 OK", "4 1", "5 nil", "11 value", "15 WRONGTYPE", "5 nil", "23 [1, a, [x]]"]


def test_a_type_of_resp3_is_shown_or_refused():
    """hiredis knows them from 1.0 on."""
    assert parse("answers", b",1.5\r\n") in (["6 1.5"], ["rubbish"])


@pytest.mark.parametrize("word, shown", [
    ("", '""'), ("a b", '"a b"'), ('say "x"', r'"say \"x\""'), (b"a\x00b", r'"a\x00b"'),
    ("a\r\nb", r'"a\x0d\x0ab"'), (b"\xff", r'"\xff"'), ("lock:1", "lock:1")])
def test_words_are_shown_as_typed(word, shown):
    sent = request("GET", word)
    assert parse("requests", sent) == [f"{len(sent)} GET {shown}"]


def test_a_script_is_shown_by_its_name():
    text = "-- release\nreturn 0\n"
    assert parse("requests", request("EVAL", text, "1", "lock"))[0].endswith(" EVAL release 1 lock")
    assert parse("requests", request("SCRIPT", "LOAD", text))[0].endswith(" SCRIPT LOAD release")
    assert parse("requests", request("EVAL", "return 0", "0"))[0].endswith(" EVAL script 0")


def test_scripts_with_the_same_first_line_have_names_of_their_own():
    texts = ["-- release\nreturn 0", "-- release\nreturn 1", "return 0", "-- release\nreturn 0",
             "return 1", "-- release\nreturn 2"]
    sent = b"".join(request("EVAL", text, "0") for text in texts)
    assert [line.split()[2] for line in parse("requests", sent)] == [
        "release", "release#2", "script", "release", "script#2", "release#3"]


@pytest.mark.parametrize("rubbish", [
    b"GET lock\r\n", b"+OK\r\n", b":1\r\n", b"*1\r\n:1\r\n", b"*0\r\n", b"*-1\r\n", b"$3\r\nGET\r\n",
    b"*1\r\n$-1\r\n", b"\x00\x01\x02", b"*x\r\n", b"*2\r\n$3\r\nGET\r\n*1\r\n$1\r\na\r\n"])
@pytest.mark.parametrize("piece", [1, 4096])
def test_rubbish_is_no_request(rubbish, piece):
    assert parse("requests", rubbish, piece) == ["rubbish"]


def test_an_unfinished_request_is_waited_for():
    assert parse("requests", request("GET", "lock")[:-1]) == []


def test_a_long_request(tmp_path):
    sent = request("SET", "lock", "x" * 200_000)
    (said,) = parse("requests", sent, 4096)
    assert said == f"{len(sent)} SET lock {'x' * 200_000}"
