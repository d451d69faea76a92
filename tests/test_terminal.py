"""Colour and progress: on a terminal, and nowhere else."""

import colorsys
import re

import pytest

from lockstep import ROOT, locks, run
from terminal import on_a_terminal

TRACE = ["./scenarios/expired_delete", "--stage", "4"]
MATRIX = ["./scenarios/matrix", "--stage", "4", "--stage", "5", "expired_delete", "nested_call"]
COLOUR = re.compile(r"\x1b\[[\d;]*m")


def plain(screen):
    """Without colour, and with the lines as they were written."""
    return COLOUR.sub("", screen).replace("\r\n", "\n")


@pytest.mark.parametrize("stage, verdict", [("4", "\x1b[1;31mBROKEN\x1b[0m: B and C"),
                                            ("5", "\x1b[1;32mHOLDS\x1b[0m\r\n"),
                                            ("7", "\x1b[1;33mCANNOT HAPPEN\x1b[0m: ")],
                         ids=["BROKEN", "HOLDS", "CANNOT HAPPEN"])
def test_a_verdict_has_its_colour_on_a_terminal(stage, verdict):
    race = "check_then_delete" if stage == "7" else "expired_delete"
    seen, _, _ = on_a_terminal(f"./scenarios/{race}", "--stage", stage)
    assert verdict in seen
    assert plain(seen) == run(f"./scenarios/{race}", "--stage", stage).out


CLIENTS = {"A": 32, "B": 166, "C": 29, "D": 133, "E": 100}


@pytest.mark.parametrize("race, lock", [("expired_delete", "4"), ("thundering_herd", "8"), ("ab_ba_deadlock", "1"),
                                        ("redlock_partition", "road_redlock"), ("nested_lease_not_believed", "detour_reentrant_lease"),
                                        ("nobody_signals", "5")])
@pytest.mark.parametrize("columns", [0, 80])
def test_a_client_has_its_colour_in_a_trace(race, lock, columns):
    """The notes are dim, the word of who gets in is bold, and all characters are those of a pipe."""
    command = [f"./scenarios/{race}", "--stage", lock]
    seen, _, _ = on_a_terminal(*command, streams=["stdout"], columns=columns)
    bare, _, _ = on_a_terminal(*command, streams=["stdout"], columns=columns, env={"NO_COLOR": "1"})
    assert "\x1b" not in bare and plain(seen) == plain(bare)
    assert columns or plain(seen) == run(*command).out
    head, *rows = seen.replace("\r\n", "\n").split("\n\n")[1].splitlines()
    for client in re.findall(r"\b[A-Z]\b", plain(head)):
        assert f"\x1b[38;5;{CLIENTS[client]}m{client}\x1b[0m" in head
        assert f"\x1b[38;5;{CLIENTS[client]}m" in "".join(rows)
    for row in rows:
        assert row.count("\x1b[1minside") == len(re.findall(r"(?<!still )\binside\b", plain(row))), row
        assert not plain(row).startswith("--") or row == f"\x1b[2m{plain(row)}\x1b[0m"
    assert any(row.startswith("\x1b[2m-- ") for row in rows)


def test_the_colours_are_those_of_the_pictures():
    """As near as 256 colours come to it: a sixteenth of the circle of hues at most."""
    def hue(red, green, blue):
        return colorsys.rgb_to_hsv(red / 255, green / 255, blue / 255)[0]

    style = (ROOT / "common/picture/svg_style.c").read_text()
    levels = (0, 95, 135, 175, 215, 255)
    for palette in re.findall(r"\{((?:\"#\w{6}\", ){5})", style):
        for drawn, number in zip(re.findall(r"#(\w+)", palette), CLIENTS.values(), strict=True):
            shown = [levels[(number - 16) // place % 6] for place in (36, 6, 1)]
            assert abs(hue(*bytes.fromhex(drawn)) - hue(*shown)) < 1 / 16, (drawn, number)


def test_only_who_gets_in_is_bold(guest):
    """Not a lock's value, though it is the same word."""
    command = guest("""
def answer(word):
    return "ok" if "OK" in call("SET", "lock", "inside", "NX") else "busy"
""")
    seen, _, _ = on_a_terminal("./scenarios/two_processes", "--virtual", "--client", command, streams=["stdout"])
    assert "SET lock inside NX\x1b[0m" in seen and seen.count("\x1b[1minside") == 1


def test_a_game_has_the_colours_of_a_trace():
    game = "printf '1 1 1\\n' | ./scenarios/play --stage 4"
    seen, _, _ = on_a_terminal("sh", "-c", game, streams=["stdout"])
    assert "\x1b[38;5;32mOK, \x1b[1minside\x1b[22m\x1b[0m" in seen
    assert plain(seen) == run("sh", "-c", game).out


def test_cells_have_their_colours_on_a_terminal():
    seen, _, _ = on_a_terminal(*MATRIX, streams=["stdout"])
    assert "\x1b[1;31mBROKEN" in seen and "\x1b[32mholds" in seen
    assert plain(seen) == run(*MATRIX).out


@pytest.mark.parametrize("command", [TRACE, MATRIX], ids=["trace", "matrix"])
def test_no_color(command):
    """Set, it says no; set to nothing, it says nothing."""
    seen, _, _ = on_a_terminal(*command, streams=["stdout"], env={"NO_COLOR": "1"})
    assert "BROKEN" in seen and "\x1b" not in seen
    seen, _, _ = on_a_terminal(*command, streams=["stdout"], env={"NO_COLOR": ""})
    assert COLOUR.search(seen)


@pytest.mark.parametrize("command", [TRACE, MATRIX], ids=["trace", "matrix"])
def test_no_colour_in_a_pipe(command):
    _, piped, _ = on_a_terminal(*command, streams=["stderr"])
    assert "BROKEN" in piped and "\x1b" not in piped


def test_progress_is_shown_and_wiped():
    seen, piped, code = on_a_terminal(*MATRIX, streams=["stderr"])
    assert code == 0
    states = seen.split("\r")
    *shown, wiped, margin = states[1:]
    counts = [int(re.fullmatch(r"(\d) of 4", state)[1]) for state in shown]
    assert counts == sorted(set(counts)) and counts[-1] == 4  # verdicts can come together
    assert wiped.strip() == margin == "" and len(wiped) >= len("4 of 4")
    assert piped == run(*MATRIX).out


def test_no_progress_in_a_pipe():
    seen, piped, _ = on_a_terminal(*MATRIX, streams=["stdout"])
    assert " of 4" not in seen + piped


def too_wide(text, columns):
    """But for the schedule, which is one line to be copied."""
    return [line for line in text.splitlines()
            if len(line) > columns and not line.startswith("Again: ")]


@pytest.mark.parametrize("race, lock", [("expired_delete", "3"), ("release_twice", "1"),
                                        ("same_second_deadline", "detour_getset_exact")])
def test_a_trace_fits_a_terminal_of_80_columns(race, lock):
    command = [f"./scenarios/{race}", "--stage", lock]
    narrow, _, _ = on_a_terminal(*command, streams=["stdout"], columns=80)
    assert too_wide(plain(narrow), 80) == []
    piped = run(*command).out
    assert too_wide(piped, 100) == [] and too_wide(piped, 80) != []
    for wide in (100, 200, 0):
        seen, _, _ = on_a_terminal(*command, streams=["stdout"], columns=wide)
        assert plain(seen) == piped
    _, unchanged, _ = on_a_terminal(*command, streams=["stderr"], columns=80)
    assert unchanged == piped


def test_five_clients_fit_a_page():
    """A command of one of them reaches over the columns of those that do nothing."""
    command = ["./scenarios/thundering_herd", "--stage", "8"]
    piped = run(*command).out
    assert too_wide(piped, 100) == []
    for client in "ABCDE":
        assert re.search(rf"^.* EVALSHA acquire 1 lock {client}1 1 30000$", piped, re.M)
    for columns in (60, 80):
        narrow, _, _ = on_a_terminal(*command, streams=["stdout"], columns=columns)
        rows = [line for line in plain(narrow).splitlines() if not line.startswith("Again: ")]
        assert "message" in plain(narrow) and len(rows) < 200
    assert too_wide(plain(narrow), 80) == []


def test_a_search_fits_a_terminal_of_80_columns():
    """No word is broken: the same words stand in a pipe."""
    command = ["./scenarios/explore", "--stage", "2", "--nested", "1", "--rounds", "1"]
    narrow, _, _ = on_a_terminal(*command, streams=["stdout"], columns=80)
    assert too_wide(plain(narrow), 80) == []
    piped = run(*command).out
    assert sorted(plain(narrow).split()) == sorted(piped.split())
    assert re.search(r"^BROKEN: .{100}", piped, re.M)  # a sentence that only a screen breaks


def test_the_ladder_fits_a_terminal_of_80_columns():
    ladder = ["./scenarios/matrix", "--ladder", "renewal_check_then_expire", "nested_call"]
    narrow, _, _ = on_a_terminal(*ladder, streams=["stdout"], columns=80)
    head, first, second, *legend = plain(narrow).splitlines()
    rungs = sorted(path.name[5] for path in (ROOT / "stages").glob("stage*"))
    assert head.split() == ["race", *rungs]
    assert second.split() == ["nested_call", *("X" if "1" <= rung <= "6" else "." for rung in rungs)]
    assert "7  stage7_reentrant" in legend
    assert too_wide(plain(narrow), 80) == []


def cells_of(text):
    """{(race, lock): sign} of tables of signs."""
    tables, legend = text.partition("\n\n0  ")[::2]
    names = dict(line.split("  ") for line in f"0  {legend}".partition("\n\n")[0].splitlines())
    cells = {}
    for table in tables.split("\n\n"):
        head, *rows = table.splitlines()
        for row in rows:
            race, *signs = row.split()
            for key, sign in zip("".join(head.split()[1:]), "".join(signs), strict=True):
                cells[race, names[key]] = sign
    return cells


@pytest.mark.parametrize("columns, tables", [(60, 2), (80, 1), (100, 1), (200, 1)])
def test_the_table_of_all_fits_a_terminal(columns, tables):
    """Signs stand together in fives; if that is too wide as well, in several tables."""
    table = ["./scenarios/matrix", "--all", "expired_delete", "refused_release_ends_renewal"]
    narrow, _, _ = on_a_terminal(*table, streams=["stdout"], columns=columns)
    assert too_wide(plain(narrow), columns) == [] or columns == 60  # the legend is wider
    assert plain(narrow).count("\nrace ") + 1 == tables
    piped = run(*table).out
    cells = cells_of(plain(narrow))
    assert cells == cells_of(piped) and {"X", "."} <= set(cells.values())
    assert {race for race, _ in cells} == set(table[2:]) and len(cells) == 2 * len(locks())
    assert too_wide(piped, 100) != []  # in a pipe as long as they are
    assert (plain(narrow) == piped) == (columns == 200)


def test_the_table_of_assumptions_fits_a_terminal_of_80_columns():
    """The columns for which there is no room follow below."""
    table = ["./scenarios/assumptions", "--stage", "4", "--stage", "detour_getset_exact", "--faults", "crash"]
    narrow, _, _ = on_a_terminal(*table, streams=["stdout"], columns=80)
    assert too_wide(plain(narrow), 80) == []
    first, second, legend = plain(narrow).split("\n\n", 2)
    rows, same_legend = run(*table).out.split("\n\n", 1)
    parts = [[line.replace("clean under", "lock").split() for line in part.splitlines()]
             for part in (first, second, rows)]
    for one, other, whole in zip(*parts, strict=True):
        assert one[0] == other[0] and one + other[1:] == whole
    assert legend.split() == same_legend.split()


def test_a_terminal_without_room_still_ends():
    for columns in (1, 10, 59):
        seen, _, code = on_a_terminal("./scenarios/expired_delete", "--stage", "3", columns=columns)
        assert code == 1 and "BROKEN" in seen
