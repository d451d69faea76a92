"""./scenarios/play: a game in lines."""

import os
import re
import select
import signal
import subprocess

import pytest

import samples
from lockstep import ROOT, run
from terminal import LIMIT_S

PLAY = "./scenarios/play"
BROKEN = ["A asks to enter", "A's command reaches the server: SET lock locked NX EX 30",
          "A is told: OK", "time passes to 30.001: the lease ends", "B asks to enter",
          "B's command reaches the server", "B is told: OK",
          "A is asked whether it still has the lock", "B is asked whether it still has the lock"]


def schedule_of(text):
    return re.findall(r"^Again: \./scenarios/replay '(.*)'$", text, re.M)[-1]


def rows_of(trace):
    """The rows of a replay's trace: from the columns' names to the next empty line."""
    return re.search(r"^ *time [\d ]*lock .*?(?=\n\n)", trace, re.M | re.S)[0]


class Player:
    """A player who reads the list of moves and types a number, line by line."""

    def __init__(self, *options):
        self.game = subprocess.Popen([PLAY, *options], cwd=ROOT, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.said = self.read()

    def read(self):
        said = b""
        while not said.endswith(b"\n> "):
            assert select.select([self.game.stdout], [], [], LIMIT_S)[0], said
            some = os.read(self.game.stdout.fileno(), 65536)
            assert some, (said, self.game.stderr.read())
            said += some
        return said.decode()

    def type(self, line):
        self.game.stdin.write(f"{line}\n".encode())
        self.game.stdin.flush()
        self.said = self.read()
        return self.said

    @property
    def choices(self):
        return re.findall(r"^ {1,3}\d+  (.*)$", self.said, re.M)

    def choose(self, words):
        number = next(i for i, choice in enumerate(self.choices, 1) if choice.startswith(words))
        return self.type(number)

    def quit(self):
        out, err = self.game.communicate(b"q\n", timeout=LIMIT_S)
        assert (self.game.returncode, err) == (0, b"")
        return out.decode()


def follow_hints(player):
    """To the end of the way; the last thing said, as one line."""
    while "Goal reached" not in " ".join(player.said.split()):
        player.type("h")
        number = re.search(r"^Next on the way: .* \((\d+)\)$", player.type("h"), re.M)[1]
        player.type(number)
    return " ".join(player.said.split())


# --- in lines ---------------------------------------------------------------

def test_a_whole_game(temporary):
    player = Player("--stage", "4")
    for words in BROKEN:
        player.choose(words)
    assert (
        "LOST: exclusion. A and B are both inside.\n"
        "Lost because A's lease ended at 30.001 while A was still at work, and B found the key free. A was\n"
        "asked at 30.001 and said that it still held the lock.\n"
        "Stage 6 answers this: it does not lose by these moves (make diff N=6).\n"
        "That is the end: undo, or quit.\n\n") in player.said
    assert "Nothing can happen any more" in player.said
    rows = rows_of(player.said)
    assert "'1' is no choice here: say u, q or ?" in player.type("1")
    end = player.quit()
    assert "\nLost: exclusion. Moves: 9.\n" in end
    replayed = run("./scenarios/replay", schedule_of(end))
    assert replayed.verdict == "BROKEN"
    assert rows_of(replayed.out) == rows


def test_a_game_goes_on_after_a_loss():
    """What is lost on the way stays in the schedule."""
    player = Player("--stage", "4", "--nested", "1")
    for words in [*BROKEN[:3], "A asks to enter again", "A's command", "A is told"]:
        player.choose(words)
    assert "\nLOST: entry. A is the owner, and cannot get in again.\nLost because " in player.said
    assert "\nStage 7 answers this: it does not lose by these moves (make diff N=7).\n" in player.said
    player.choose("A asks to leave")
    assert "LOST" not in player.said
    end = player.quit()
    assert "\nLost: entry. Moves: 7.\n" in end
    assert " A:must-be-inside A:leave" in schedule_of(end)
    assert run("./scenarios/replay", schedule_of(end)).verdict == "BROKEN"


def test_undo_and_redo():
    player = Player("--stage", "4")
    begin = player.said
    player.type("1")
    after = player.said
    assert player.type("u").split("\n\n")[1:] == begin.split("\n\n")[1:]
    assert "There is nothing to undo." in player.type("u")
    assert player.type("r").split("\n\n")[1:] == after.split("\n\n")[1:]
    assert "Nothing was undone." in player.type("r")
    player.type("u")
    player.choose("B asks to enter")
    assert "Nothing was undone." in player.type("r")  # another game by now
    assert schedule_of(player.quit()) == "v1 stage4 strict B:enter"


@pytest.mark.parametrize("stage, goal", [("4", "exclusion"), ("2", "exclusion"), ("4", "foreign")])
def test_hints_lead_to_the_goal_by_a_shortest_way(stage, goal):
    player = Player("--stage", stage, "--goal", goal)
    assert "\nGoal: " in player.said
    said = follow_hints(player)
    number = int(re.search(r"Goal reached in (\d+) moves, and no way is shorter!", said)[1])
    assert f"Moves: {number}.\n" in player.quit()
    found = run("./scenarios/explore", "--stage", stage, "--format", "json", "--rounds", "3",
                "--leases", "4", "--nested", "0", "--faults", "crash:2,stop:2,cut:2,lose-answer:2",
                "--depth", number)
    assert found.document["properties"][goal]["steps"] == number


@pytest.mark.parametrize("stage, goal", [("1", "recovery"), ("4", "entry")])
def test_other_goals_can_be_reached(stage, goal):
    player = Player("--stage", stage, "--goal", goal)
    assert f"LOST: {goal}. " in follow_hints(player)
    assert run("./scenarios/replay", schedule_of(player.quit())).verdict == "BROKEN"


def test_a_goal_that_needs_a_nested_call_is_set_in_the_game(goal="entry"):
    player = Player("--stage", "4")
    for words in BROKEN[:3]:
        player.choose(words)
    assert "A asks to enter again" not in player.choices
    player.type(goal)
    assert "A asks to enter again" in player.choices
    assert f"LOST: {goal}. " in follow_hints(player)
    assert run("./scenarios/replay", schedule_of(player.quit())).verdict == "BROKEN"


@pytest.mark.parametrize("stage, goal, reached", [
    ("5", "foreign", False), ("5", "recovery", False), ("1", "exclusion", False),
    ("4", "foreign", True), ("1", "recovery", True)])
def test_a_goal_that_the_lock_cannot_lose(stage, goal, reached):
    """It says so when the goal is set, also at the beginning."""
    player = Player("--stage", stage, "--goal", goal)
    begin = " ".join(player.said.split())
    again = " ".join(player.type(goal).split())
    player.quit()
    for said in (begin, again):
        assert ("Probably out of reach on this lock: no order of moves leads there within 2 "
                "clients, 1 round each" in said) == (not reached), said
    small = ["--rounds", "1", "--leases", "2", "--faults", "crash"]
    player = Player("--stage", stage, "--goal", goal, *small)
    said = " ".join(player.said.split())
    assert ("Out of reach on this lock: every order of moves was tried." in said) \
        == (not reached), said
    player.quit()


def lost_without_a_fault():
    """The stages and goals that the table of assumptions has as lost when only time passes: each of
    its sets takes something about time for granted."""
    head, *rows = samples.block_of("./scenarios/assumptions").partition("\n\n")[0].splitlines()[1:]
    starts = [match.start() for match in re.finditer(r"\S+", head)][2:]
    for row in rows:
        for name, start, end in zip(head.split()[2:], starts, [*starts[1:], None]):
            cell = row[start:end].split()
            if row[:6] in [f"stage{n}" for n in range(1, 6)] and name not in ("resource", "wakeup") and \
                    not {"always", "-"} & set(cell) and \
                    (cell == ["never"] or all(set(letters) & set("wp") for letters in cell)):
                yield row[5], name


@pytest.mark.parametrize("stage, goal", lost_without_a_fault())
def test_no_goal_is_called_out_of_reach_that_the_table_has_as_lost(stage, goal):
    player = Player("--stage", stage, "--goal", goal)
    player.quit()
    assert "ut of reach" not in player.said


def test_three_clients_can_leave_a_dead_one_s_lock_standing():
    """Of two, none is left to write over it."""
    player = Player("--stage", "3", "--goal", "bounded", "--clients", "3")
    player.quit()
    assert "ut of reach" not in player.said


def test_the_table_has_goals_that_need_no_fault():
    assert {("3", "loser"), ("4", "exclusion"), ("4", "foreign")} <= set(lost_without_a_fault())


@pytest.mark.parametrize("options", [
    ["detour_subscribe_once"], ["detour_blpop", "--clients", "3", "--faults", "crash"]],
    ids=["subscribe_once", "blpop"])
def test_a_waiter_is_left_beside_a_free_lock(options):
    player = Player("--goal", "wakeup", "--stage", *options)
    assert "Goal: leave a client waiting beside a free lock.\n\n" in player.said
    assert "A waits for the lock, for at most 60 s" in player.choices
    assert re.search(r"The goal is at most \d+ moves away", player.type("h"))
    said = follow_hints(player)
    assert re.search("LOST: wakeup. . still waits, though the lock has been free for a second.", said), said
    rows = rows_of(player.said)
    replayed = run("./scenarios/replay", schedule_of(player.quit()))
    assert replayed.verdict == "BROKEN" and "still waits" in replayed.out
    assert rows_of(replayed.out) == rows


def test_a_lock_that_wakes_those_who_wait():
    player = Player("--stage", "8", "--goal", "wakeup")
    said = " ".join(player.said.split())
    player.quit()
    assert ("Goal: leave a client waiting beside a free lock. Probably out of reach on this lock: no "
            "order of moves leads there within 2 clients, 1 round each, waiting up to 2 s; 1 lease; "
            "crash, while nothing is on its way when time passes.") in said


def test_a_message_is_something_on_the_way():
    player = Player("--stage", "8", "--wait", "60", "--faults", "cut:2,lose-answer:2")

    def pass_all(client):
        while wire := [choice for choice in player.choices
                       if choice.startswith((f"{client}'s command", f"{client} is told"))]:
            player.choose(wire[0])

    player.choose("A waits for the lock")
    pass_all("A")
    player.choose("B waits for the lock")
    pass_all("B")
    player.choose("time passes to 10.000: A's timer is due")
    player.type("u")
    player.choose("B's connection breaks, and no message comes there any more")
    player.type("u")
    player.choose("A asks to leave")
    pass_all("A")
    assert "B's connection breaks, and the message is lost: " in player.said
    player.choose("B hears: ")
    pass_all("B")
    assert "inside" in player.said
    assert run("./scenarios/replay", schedule_of(player.quit())).verdict == "HOLDS"


def test_wakeup_is_a_goal_where_clients_wait():
    player = Player("--stage", "4")
    assert "wakeup" not in player.type("g")
    assert "'wakeup' is no choice here" in player.type("wakeup")
    player.quit()
    player = Player("--stage", "4", "--wait", "5")
    assert "wakeup     leave a client waiting beside a free lock" in player.type("g")
    player.quit()


# Redlock on three masters: A and B each have one, and server 2 is asked by both.
TWO_MAJORITIES = ["A asks to enter", "A's command reaches server 1: SET lock A1 NX PX 30000",
                  "A is told (server 1): OK", "A's command reaches server 2", "A is told (server 2): OK",
                  "B asks to enter", "B's command reaches server 1", "FAULT", "B is told (server 1)",
                  "B's command reaches server 2", "B is told (server 2): OK", "B's command reaches server 3",
                  "A's command reaches server 3", "A is told (server 3)", "B is told (server 3): OK",
                  "A is asked", "B is asked"]


@pytest.mark.parametrize("fault", ["server 2's clock jumps 40 s ahead", "server 2 is killed and starts empty"])
def test_redlock_is_lost_with_one_of_its_masters(fault):
    """It happens before B has asked server 2: a restart would take its command with it."""
    player = Player("--stage", "road_redlock")
    assert "Tries left: A 1, B 1. Faults left: 1 restart, 1 jump." in player.said
    for words in TWO_MAJORITIES:
        if words == "FAULT":
            player.choose(fault)
            player.type("u r")
        else:
            player.choose(words)
    assert "LOST: exclusion. A and B are both inside." in player.said
    assert "answers" not in player.said
    rows = rows_of(player.said)
    replayed = run("./scenarios/replay", schedule_of(player.quit()))
    assert replayed.verdict == "BROKEN" and rows_of(replayed.out) == rows


@pytest.mark.parametrize("options", [
    ["road_redlock", "--faults", "jump"], ["detour_redlock_no_validity", "--faults", "none", "--leases", "1"]],
    ids=["jump", "no_validity"])
def test_a_hint_with_several_masters(options):
    player = Player("--goal", "exclusion", "--stage", *options)
    assert "Goal reached in 17 moves" in follow_hints(player)
    end = player.quit()
    assert schedule_of(end).split()[2:4] == ["strict", "masters3"]
    assert run("./scenarios/replay", schedule_of(end)).verdict == "BROKEN"


def test_redlock_where_only_time_passes():
    player = Player("--stage", "road_redlock", "--faults", "none", "--leases", "1", "--goal", "exclusion")
    player.quit()
    assert "Out of reach on this lock: every order of moves was tried." in " ".join(player.said.split())


@pytest.mark.parametrize("stage", ["5", "7"])
def test_scripts_have_the_names_of_the_trace(stage):
    player = Player("--stage", stage)
    for words in ("A asks to enter", "A's command", "A is told", "A asks to leave"):
        player.choose(words)
    sent = re.search(r"EVALSHA release 1 lock .* (?=<held>)", player.said)[0].strip()
    assert f"A's command reaches the server: {sent}" in player.choices
    assert f"A's connection breaks, and its command is lost: {sent}" in player.choices
    assert "#" not in player.said
    player.quit()


def test_the_clock_and_what_is_left():
    player = Player("--stage", "4", "--faults", "crash:2,stop", "--at-most", "2", "--leases", "1")
    assert ("\nClock: 0.000 s of 31 s\n"
            "Tries left: A 3, B 3. Faults left: 2 crash, 1 stop; 2 in all.\n") in player.said
    for words in [*BROKEN[:4], "B asks to enter", "B crashes"]:
        player.choose(words)
    assert ("\nClock: 30.001 s of 31 s\n"
            "Tries left: A 2, B dead. Faults left: 1 crash, 1 stop; 1 in all.\n") in player.said
    player.choose("A is stopped")
    assert "Tries left: A 2, B dead. Faults left: none.\n" in player.said
    player.type("u entry")
    assert "Tries left: A 2+1, B dead. Faults left: 1 crash" in player.said
    player.quit()


def test_a_late_release_by_hand():
    """A client without a timer can be stopped, and its work can end before it releases."""
    player = Player("--stage", "4", "--clients", "3")
    for words in [*BROKEN[:3], "A's work is done", "A is stopped (SIGSTOP)",
                  "time passes to 30.001", *BROKEN[4:7]]:
        player.choose(words)
    assert "LOST" not in player.said  # A is not inside
    for words in ("A continues (SIGCONT)", "A asks to leave", "A's command", "A is told"):
        player.choose(words)
    assert "A's work is done" not in "".join(player.choices)
    for words in ("C asks to enter", "C's command", "C is told", "B is asked", "C is asked"):
        player.choose(words)
    assert "\nLOST: exclusion. B and C are both inside.\n" in player.said
    end = player.quit()
    assert "\nLost: exclusion, foreign. Moves: 18.\n" in end
    assert " A:work-done A:stop t+30.001 B:enter" in schedule_of(end)
    assert run("./scenarios/replay", schedule_of(end)).verdict == "BROKEN"


def test_a_client_in_the_middle_of_an_operation_can_be_stopped():
    player = Player("--stage", "1")
    player.choose("A asks to enter")
    player.choose("A is stopped")
    assert "A's command reaches the server: SETNX lock locked" in player.choices  # it is sent
    player.choose("A's command")
    assert not any(choice.startswith("A is told") for choice in player.choices)
    player.choose("A continues")
    assert "A is told: 1" in player.choices
    assert run("./scenarios/replay", schedule_of(player.quit())).verdict == "HOLDS"


@pytest.mark.parametrize("stage, goal, answer", [
    ("0", "exclusion", "1"), ("1", "recovery", "3"), ("4", "foreign", "5"), ("5", "exclusion", "6"),
    ("detour_get_del", "exclusion", None)])
def test_which_stage_answers(stage, goal, answer):
    """Found out with real clients of the later stages. Nothing is said of a detour."""
    player = Player("--stage", stage, "--goal", goal)
    said = follow_hints(player)
    player.quit()
    if answer:
        assert (f" Stage {answer} answers this: it does not lose by these moves (make diff "
                f"N={answer}).") in said
    else:
        assert "answers" not in said


def test_no_stage_answers():
    player = Player("--stage", "6", "--faults", "restart")
    for words in ("A asks", "A's command", "A is told", "the server is killed", "B asks",
                  "B's command", "B is told", "A is asked", "A is told", "B is asked"):
        if not any(choice.startswith(words) for choice in player.choices):
            continue  # it knows without a question to the server
        player.choose(words)
    assert "\nLOST: exclusion. A and B are both inside.\nLost because " in player.said
    assert "\nNo later stage answers this: all lose by these moves.\n" in player.said
    player.quit()


def test_a_longer_way_is_told_from_the_shortest():
    player = Player("--stage", "4", "--goal", "exclusion")
    for words in [*BROKEN[:3], "A asks to leave", "A's command", "A is told"]:
        player.choose(words)
    assert "Goal reached in 15 moves! The shortest way has 9." in follow_hints(player)
    player.quit()


def test_a_hint_where_the_goal_is_out_of_reach():
    player = Player("--stage", "4", "--goal", "exclusion")
    for words in ["B asks to enter", "B crashes", "B's command"]:
        player.choose(words)
    assert "The goal is out of reach from here, within these bounds." in player.type("h")
    player.type("u u")
    assert "The goal is 8 moves away." in player.type("h")
    player.quit()


def test_a_hint_where_nothing_can_be_lost():
    player = Player("--stage", "5", "--clients", "1", "--rounds", "1", "--faults", "none")
    assert "A loss is out of reach from here, within these bounds." in player.type("h")
    player.quit()


def test_goals():
    player = Player("--stage", "2")
    assert "  * none" in player.type("g")
    assert "Goal: get two clients inside." in player.type("exclusion")
    said = player.type("g")
    assert "  * exclusion  get two clients inside\n" in said
    assert "The goal is 13 moves away." in player.type("h")
    player.type("none")
    assert "The nearest loss is 7 moves away: bounded." in player.type("h")
    player.quit()


@pytest.mark.parametrize("typed", ["0", "3", "99999999999999999999", "-1", "1x", "x", "bla", "é", "1,2"])
def test_wrong_input_changes_nothing(typed):
    player = Player("--stage", "4")
    assert f"'{typed}' is no choice here: say a number from 1 to 2, or ?\n" in player.type(typed)
    assert player.quit().endswith("No move was made.\n")


def test_several_words_on_a_line():
    """Up to the first that makes no sense."""
    player = Player("--stage", "4")
    assert "'77' is no choice here" in player.type("1 1 77 1")
    assert "OK <held>" in player.said
    assert schedule_of(player.quit()) == "v1 stage4 strict A:enter A>"


def test_the_end_of_input_ends_the_game(temporary):
    said = run(PLAY, "--stage", "4", input="?\n1\n1")
    assert (said.code, said.err) == (0, "")
    assert "  u, r   undo" in said.out
    assert said.out.endswith("\nMoves: 2.\nAgain: ./scenarios/replay 'v1 stage4 strict A:enter A>'\n")
    assert run(PLAY, "--stage", "4").out.endswith("\n> \nNo move was made.\n")


def test_the_same_bytes():
    games = {run(PLAY, "--stage", "4", "--jobs", jobs, input="h h 1 1 1 1 h h s t q\n").out
             for jobs in ("1", "2", "2")}
    assert len(games) == 1


def test_a_signal_in_lines(temporary):
    player = Player("--stage", "4")
    player.type("1")
    player.game.send_signal(signal.SIGTERM)
    assert player.game.wait(timeout=LIMIT_S) == -signal.SIGTERM
