"""What must stay true of the tree itself."""

import re
import subprocess

import pytest

import atlas
import samples
from lockstep import (ELSEWHERE, ROOT, comparable, head_of, lock_code, lock_source, lock_sources, locks, make,
                      open_races, race_source, race_sources, races, read_matrix, roads, run, short)

# Minutes each: the test of the table of all, below, and test_assumptions.py know them cheaper.
MINUTES = ("$ ./scenarios/matrix --all\n", "$ ./scenarios/assumptions\n")
BLOCKS = [(page, block) for page in samples.pages() for block in samples.blocks(page)
          if not block.startswith(MINUTES)]
# Those that need another server than Redis, or spin: tests/all/test_samples.py.
IS_LONG = re.compile("^\\$ .*(mysql|mariadb|zookeeper|spin)", re.M)
TABLE = {(race, lock): verdict for race, lock, verdict in read_matrix() + read_matrix("roads.txt")}
EVERY_LOCK = locks() + [lock for name in ELSEWHERE for lock in roads(name)]
LADDER, DETOURS = ([lock for lock in EVERY_LOCK if lock.startswith(kind)] for kind in ("stage", "detour_"))
RACES, LOCKS = list(race_sources().values()), list(lock_sources().values())
of_races = pytest.mark.parametrize("path", RACES, ids=lambda path: path.stem)


def sources(*patterns):
    return [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def code(path, strings=False):
    """The source without its comments; and without what stands in strings, unless it is asked
    for."""
    return re.sub(r'("(?:\\.|[^"\\])*")|/\*.*?\*/|//[^\n]*',
                  lambda found: (found[1] if strings else '""') if found[1] else "",
                  path.read_text(), flags=re.S)


def test_a_stage_folder_holds_lock_c_alone():
    for path in LOCKS:
        assert [file.name for file in path.parent.iterdir()] == ["lock.c"]


def test_scenarios_are_races_only():
    tracked = subprocess.run(["git", "ls-files", "scenarios"], cwd=ROOT, capture_output=True,
                             text=True, check=True).stdout.split()
    assert tracked and all(name.endswith(".c") for name in tracked)


def test_a_race_has_its_place_in_its_chapter():
    listed = run("./scenarios/list").out.partition("\nThe ladder")[0].split("\n\n")
    assert len(listed) == 1 + len({path.parent for path in RACES})  # the course comes first
    heads = {}
    for path in RACES:
        heads.setdefault(path.parent.relative_to(ROOT / "scenarios"), []).append(path.read_text().split(":")[0])
    for folder, some in heads.items():
        chapter = int(folder.name[:2]) if folder.parts[0] != "bugs" else None
        assert set(some) == ({f"// Race {chapter}.{place}" for place in range(1, len(some) + 1)} if chapter
                             else {"// Race"})


@of_races
def test_a_race_is_a_straight_line(path):
    assert not re.search(r"\b(if|else|switch|for|while|goto)\b|\?", code(path))
    assert len(path.read_text().splitlines()) <= 50


@of_races
def test_who_hangs_does_nothing_more(path):
    text = code(path)
    for hung in re.finditer(r"\bhang\((\w+)\);", text):
        assert not re.search(rf"\b\w+\({hung[1]}\b", text[hung.end():])


@of_races
def test_z_is_there_to_be_measured(path):
    """docs/trace.md: it gets in and out, and has left before anybody else comes."""
    verbs = re.findall(r"\b(\w+)\(([a-z])[,)]", code(path))
    of_z = [verb for verb, client in verbs if client == "z"]
    assert set(of_z[:-1]) <= {"enter", "leave"}
    assert of_z[-1:] in ([], ["leave"], ["leave_and_find_end"])
    assert all(client == "z" for verb, client in verbs[:len(of_z)])


def test_nothing_sleeps():
    """A lock waits through wait_ms(), a world in its loop, a test for something. One test makes
    a server late, and compares its bytes with those of a server that is not. And the functions of a
    client's C library that sleep are ours in the world's time."""
    nap = re.compile(r"\b(u?sleep|nanosleep|clock_nanosleep)\s*\(|\btime\.sleep\b")
    for path in [*LOCKS, *RACES, *sources("common/**/*.[ch]", "tests/*.c")]:
        assert not nap.search(code(path)) or path.name in ("late.c", "waits_preload.c"), path
    for path in sources("tests/**/*.py", "common/course/**/*.py", "common/site/*.py"):
        # What is looked for; what is tried out.
        if path.name not in ("test_guards.py", "test_clock.py", "test_suspend.py"):
            assert not nap.search(path.read_text()), path


def test_stages_do_not_know_the_harness():
    for path in LOCKS:
        included = re.findall(r'#include "(.*)"', path.read_text())
        assert set(included) <= {"lock.h", "mysql.h", "redis.h", "token.h", "wait.h",
                                 "watchdog.h", "zookeeper.h"}, path


# The rooms of common/, from the ground up: a file includes what is in its own room or
# further down.
ROOMS = ["base", "machine", "engines", "engines/redis", "engines/mariadb", "engines/zookeeper", "world", "catalogue", "schedule", "judge", "report",
         "picture", "race", "replay", "runner", "lab/search", "lab/play", "lab/bench", "lab"]
FOLDERS = ["", "race"]  # -I of the Makefile, below common/


def room_of_include(path, name):
    """The room of the file that this #include means."""
    for folder in (path.parent, *(ROOT / "common" / folder for folder in FOLDERS)):
        if (folder / name).exists():
            return str((folder / name).resolve().parent.relative_to(ROOT / "common"))
    raise AssertionError(f"{path}: {name} is nowhere")


def test_no_room_looks_upwards():
    seen = set()
    for path in sources("common/**/*.[ch]"):
        room = str(path.parent.relative_to(ROOT / "common"))
        if room == "lock":  # a stage's room; its client's main() uses base
            continue
        for name in re.findall(r'^#include "((?!build/).*)"', path.read_text(), re.M):
            assert ROOMS.index(room_of_include(path, name)) <= ROOMS.index(room), f"{path}: {name}"
        seen.add(room)
    assert seen == set(ROOMS)


def test_each_property_is_a_file_of_the_judge():
    """docs/judge.md, the files, the table of the judge and its enum have the same list."""
    page = (ROOT / "docs/judge.md").read_text()
    table = page[page.index("| property |"):].split("\n\n")[0]
    promised = set(re.findall(r"^\| (\w+) \|", table, re.M)) - {"property"}
    rows = [(path.stem, *row) for path in sources("common/judge/*.c")
            for row in re.findall(r"^const struct property_row property_(\w+) = \{\s*"
                                  r"\.property = PROPERTY_(\w+)", path.read_text(), re.M)]
    assert all(stem == name == value.lower() for stem, name, value in rows)
    watched = re.findall(r"&property_(\w+)", code(ROOT / "common/judge/watch.c"))
    named = re.findall(r"^    PROPERTY_(\w+),", code(ROOT / "common/judge/judge.h"), re.M)
    for found in ([stem for stem, _, _ in rows], watched, [name.lower() for name in named]):
        assert sorted(found) == sorted(promised)


def test_no_two_structs_have_one_name():
    found = [(name, path) for path in sources("common/**/*.[ch]")
             for name in re.findall(r"^(?:static )?struct (\w+) \{", path.read_text(), re.M)]
    names = [name for name, _ in found]
    assert not [entry for entry in found if names.count(entry[0]) > 1]


# The words of an engine: its commands, answers, settings and symbols, in code and in strings. In
# its messages and helps a program may name the engines that there are.
WORDS = {
    "redis": r"\b(NOSCRIPT|NOREPLICAS|MISCONF|OOM|WRONGTYPE|SCRIPT|EVAL|EVALSHA|SETNX|GETSET|GETDEL|"
             r"P?EXPIRE|PTTL|MULTI|EXEC|UNWATCH|WATCH|BLPOP|BRPOP|BLMOVE|BRPOPLPUSH|SUBSCRIBE|"
             r"PUBLISH|HINCRBY|[NXP]X|REPLICAOF|FLUSHALL|CONFIG|nil)\b|maxmemory|min-replicas|"
             r"appendonly|appendfsync",
    "mariadb": r"innodb|my_timer|gtid|binlog|LOCK WAIT|GET_LOCK|SKIP LOCKED|\b(SELECT|INSERT)\b",
    "zookeeper": r"\bzoo_|zookeeper_\w|zxid|jute|znode|ephemeral|forceSync",
}
NAMES = r"redis|\bresp|mariadb|mysql|zookeeper"
# The list of engines; the benchmarks, which measure Redis.
KNOWS = {"catalogue/engines.c", "lab/bench.c", "lab/bench"}


def test_only_one_room_knows_an_engine():
    """Its own. (The other engines say in their words what a story says in Redis's.)"""
    for path in sources("common/**/*.[ch]"):
        room, *below = path.relative_to(ROOT / "common").parts
        if room == "lock" or f"{room}/{below[0]}" in KNOWS:
            continue
        own = below[0] if room == "engines" and len(below) > 1 else None
        assert own or not re.search(NAMES, code(path), re.I), path
        for engine, words in WORDS.items():
            if engine != own and not (own and engine == "redis"):
                found = re.search(words, code(path, strings=True))
                assert not found, f"{path}: {found[0]}"


def test_stages_and_races_stay_readable():
    for path in [*LOCKS, *RACES, *sources("common/**/*.[ch]", "tests/models/*")]:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            assert len(line) <= 80 or '"' in line, f"{path}:{number}"
    for path in sources("common/**/*.[ch]"):
        assert len(path.read_text().splitlines()) <= 600, path


def functions(path):
    """Each function of a C file: the line at which its signature begins, and how many lines it
    has. A signature begins, as nothing inside a function does, in the first column."""
    begun = 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if re.match(r"[A-Za-z_]", line):
            begun = number
        elif line == "}":
            yield begun, number - begun + 1


def test_a_function_is_no_longer_than_a_screen():
    lengths = {f"{path}:{begun}": length
               for path in [*LOCKS, *RACES, *sources("common/**/*.c")]
               for begun, length in functions(path)}
    assert len(lengths) > 1000
    assert {name: length for name, length in lengths.items() if length > 45} == {}


def of_samples(blocks):
    return pytest.mark.parametrize("page, block", blocks,
                                   ids=[f"{page.stem}: {block.splitlines()[0]}" for page, block in blocks])


@of_samples([sample for sample in BLOCKS if not IS_LONG.search(sample[1])])
def test_samples_are_fresh(page, block):
    """`make docs` writes them anew."""
    assert comparable(samples.again(block)) == comparable(block)


def test_the_table_of_all_is_that_of_all_cells():
    """Its verdicts are those of common/catalogue/matrix.txt, which test_matrix.py runs; its rows stand as
    `list` has them; what is around them is printed for one race, too."""
    table = samples.block_of("./scenarios/matrix --all")
    legend = samples.again("$ ./scenarios/matrix --all late_grant").partition("\n\n0  ")[2]
    assert legend and table.partition("\n\n0  ")[2].startswith(legend)
    marks = {"holds": ".", "BROKEN": "X", "cannot": "-"}
    columns = list(map(short, locks()))
    width = table.splitlines()[1].index("0 1 2")
    expected = []
    for part in run("./scenarios/list").out.partition("\nThe ladder")[0].split("\n\n"):
        head, *rows = part.strip().splitlines()
        if head.startswith(("bugs/", "The course")):
            continue
        expected += ["", head]
        for race in (row.split()[0] for row in rows):
            expected.append(f"{race:<{width}}{' '.join(marks[TABLE[race, lock]] for lock in columns)}")
    rows = table.partition("\n\n")[2].partition("\n\n0  ")[0]
    assert ["", *re.sub(r"(?<= )x(?= |$)", "X", rows, flags=re.M).splitlines()] == expected


def test_there_are_samples():
    assert {page.name for page, _ in BLOCKS} >= {
        "README.md", "trace.md", *(f"{short(lock)}.md" for lock in LADDER)}


def test_the_atlas_says_what_the_races_say():
    """`make docs` writes it anew."""
    pages = atlas.pages()
    assert {path: path.read_text() for path in atlas.FOLDER.iterdir()} == pages
    assert set(atlas.REMARKS) <= set(races())
    whole = "".join(pages.values())
    assert not re.search(r"^```c\n\s", whole, re.M)  # no half statement
    documented = [told for told in atlas.stories() if not told.of.startswith("bugs/")]
    assert re.findall(r"^## (\w+): ", whole, re.M) == [told.name for told in documented]
    lines = re.findall(r"^    \./scenarios/replay 'v1 (\w+) .+'$", whole, re.M)
    assert len(lines) == sum(atlas.shown_on(told.name) is not None for told in documented)
    sources = re.findall(r"^- Source: (.*(?:\n  .*)*)$", whole, re.M)
    unlinked = [re.sub(r"\[.*?\]\(.*?\)", "", source, flags=re.S) for source in sources]
    assert len(sources) == len(documented) and not re.search(r"\d|http", "".join(unlinked))


def test_no_page_is_long():
    assert [page.name for page in samples.pages() if len(page.read_text().splitlines()) > 900] == []


def test_links_lead_somewhere():
    for page in samples.pages():
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("lock", EVERY_LOCK)
def test_what_is_still_open_is_lost(lock):
    """Every race that a lock's head names under "Still open:" is BROKEN; and a detour's road holds it."""
    assert open_races(lock)
    road = re.match(r"// Detour from (road_\w+):", head_of(lock))
    for race in open_races(lock):
        assert TABLE[race, short(lock)] == "BROKEN"
        assert not road or TABLE[race, road[1]] == "holds"


ROADS_WITH_PAGES = [lock for lock in EVERY_LOCK if lock.startswith("road_")]
# (Stage 0 loses every race for one reason: two processes have two mutexes.)
STAGES_WITH_PAGES = [short(lock) for lock in LADDER[1:]]


def lost_by(lock):
    return [race for race in races() if TABLE[race, lock] == "BROKEN"]


def named_in_chapters(lines):
    """{race: the chapter of the atlas} of a list with a line for each chapter."""
    rows = re.findall(r"^- \[.+\]\((?:atlas/)?(\w+)\.md\): (.+\n(?:  .+\n)*)", lines, re.M)
    return {race: chapter for chapter, names in rows for race in re.findall(r"`(\w+)`", names)}


@pytest.mark.parametrize("lock", ROADS_WITH_PAGES)
def test_a_road_s_page_names_all_that_it_loses(lock):
    page = (ROOT / f"docs/{lock.removeprefix('road_')}.md").read_text()
    lost = lost_by(lock)
    assert lost
    assert [race for race in lost if not re.search(rf"\b{race}\b", page)] == []
    rest = named_in_chapters(page.partition("\nAnd the rest of what it loses")[2])
    assert rest or lock == "road_zookeeper"
    for race, chapter in rest.items():
        assert race in lost and chapter in race_source(race).parts[-3:], race


@pytest.mark.parametrize("lock", STAGES_WITH_PAGES)
def test_the_atlas_names_all_that_a_stage_loses(lock):
    """Each race in its chapter; the stage's page leads there, and names a few."""
    number = lock.removeprefix("stage")
    section = re.search(rf"^## Stage {number}\n.*?^Loses:\n(.*?)(?=^## |\Z)",
                        (ROOT / "docs/atlas/stages.md").read_text(), re.M | re.S)[1]
    lost = named_in_chapters(section)
    assert sorted(lost) == lost_by(lock)
    for race, chapter in lost.items():
        assert chapter in race_source(race).parts[-3:], race


FEW = 5


@pytest.mark.parametrize("lock", STAGES_WITH_PAGES)
def test_a_stage_s_page_names_a_few_that_it_loses(lock):
    """And says where the others stand, and which command shows them all."""
    number = lock.removeprefix("stage")
    page = (ROOT / f"docs/{lock}.md").read_text()
    section = re.search(r"^## Still open\n(.*?)^## ", page, re.M | re.S)[1]
    listed = re.findall(r"^- `\./scenarios/(\w+) --stage (\w+)`", section, re.M)
    assert listed and len(listed) <= FEW and len(re.findall("^- ", section, re.M)) == len(listed)
    assert all(stage == number and race in lost_by(lock) for race, stage in listed)
    assert f"](atlas/stages.md#stage-{number})" in section
    assert f"`./scenarios/matrix --stage {number}`" in section


WORDS_OF_A_SITTING = 1500
WRITTEN = [page for page in samples.pages() if page.parent.name != "atlas"]


def words_with_runs_folded(text):
    """Runs, commands and tables are looked at where they are needed, and not read."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return len(re.sub(r"^(?:\|.*|    .*)$", "", text, flags=re.M).split())


def test_a_stage_s_page_is_read_in_a_sitting():
    """With its runs: a student goes through them."""
    pages = sorted((ROOT / "docs").glob("stage*.md"))
    assert len(pages) == len(LADDER)
    words = {page.name: len(page.read_text().split()) for page in pages}
    assert {name: count for name, count in words.items() if count > WORDS_OF_A_SITTING} == {}


def test_each_page_is_read_in_a_sitting():
    assert len(WRITTEN) >= 40
    words = {page.name: words_with_runs_folded(page.read_text()) for page in WRITTEN}
    assert {name: count for name, count in words.items() if count > WORDS_OF_A_SITTING} == {}


def test_a_run_counts_as_one_fold():
    text = "One\n\n```console\n$ two\nthree\n```\n\n| four | five |\n\n    make six\n\nseven\n"
    assert words_with_runs_folded(text) == 2


def commands_of(page):
    """What a page asks its reader to type, in order; in lines of their own, and within sentences."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    return [line or word for line, word in re.findall(r"^    (\S.*)$|`(make(?: [^`]*)?|\./scenarios/[^`]*)`", text, re.M)]


@pytest.mark.parametrize("lock", list(map(short, LADDER)))
def test_a_stage_s_page_makes_what_it_runs(lock):
    """`make stage4` makes one lock and the races; `make` the other locks, the search and the game."""
    commands = commands_of(ROOT / f"docs/{lock}.md")
    assert commands[0].startswith("make ") and lock in commands[0].split()
    made = set()
    for command in commands:
        program, *words = command.split()
        if program == "make":
            made |= {"everything"} if not words else {word for word in words if word in map(short, EVERY_LOCK)}
            continue
        needed = {f"stage{name}" if name.isdigit() else name for name in re.findall(r"--stage (\w+)", command)}
        needed |= {"everything"} if program.endswith(("/explore", "/play", "/bench")) else set()
        assert "everything" in made or needed <= made, command


@pytest.mark.parametrize("lock", STAGES_WITH_PAGES)
def test_a_stage_s_page_names_its_exercises(lock):
    page = (ROOT / f"docs/{lock}.md").read_text()
    rung = lock.removeprefix("stage")
    own = [path.parent.name for path in sorted((ROOT / "docs/exercises").glob("*/exercise.md"))
           if re.search(rf"^    rung    {rung}$", path.read_text(), re.M)]
    assert own and sorted(re.findall(r"\]\(exercises/(\w+)/exercise\.md\)", page)) == own


def test_the_exercises_for_the_search_are_named():
    text = " ".join((ROOT / "docs/exercises.md").read_text().split())
    told = re.search(r"Two of these exercises, `(\w+)` and `(\w+)`, also ask for", text).groups()
    assert sorted(told) == [path.parent.name for path in sorted((ROOT / "docs/exercises").glob("*/exercise.md"))
                            if re.search("^    search  ", path.read_text(), re.M)]


def code_lines_changed(old, new):
    changed = run("diff", lock_source(old), lock_source(new)).out
    return [line for line in changed.splitlines() if re.match(r"[<>] *[^/ ]", line)]


@pytest.mark.parametrize("lock", DETOURS)
def test_a_detour_is_one_small_diff_away(lock):
    first = lock_code(lock).splitlines()[0]
    start = re.match(r"// Detour from (stage \d+|road_\w+): .*\.$", first)[1].replace(" ", "")
    stage = next(name for name in EVERY_LOCK if f"{name}_".startswith(f"{start}_"))
    assert 0 < len(code_lines_changed(stage, lock)) <= 90


def diff(*words):
    shown = make(ROOT, "-s", "diff", *words)
    assert shown.code == 0 and not shown.err, shown
    return shown.out


@pytest.mark.parametrize("words, old, new", [
    (["LOCK=detour_get_del"], "stage5_token_lua", "detour_get_del"),
    (["LOCK=detour_zookeeper_herd"], "road_zookeeper", "detour_zookeeper_herd"),
    (["N=9"], "stage8_wakeup", "stage9_fencing"),
    (["N=7", "FROM=detour_reentrant_incr"], "detour_reentrant_incr", "stage7_reentrant"),
], ids=" ".join)
def test_make_shows_the_diff(words, old, new):
    """Without the heads, but with the numbers that the lines have in the files; HEAD=1 shows all."""
    files = [lock_source(lock) for lock in (old, new)]
    names = [str(path.relative_to(ROOT)) for path in files]
    labels = [word for name in names for word in ("--label", name)]
    assert diff(*words, "HEAD=1") == run("diff", "-u", *labels, *files).out
    first, second, *shown = diff(*words).splitlines()
    assert [first, second] == [f"--- {names[0]}", f"+++ {names[1]}"]
    lines = [path.read_text().splitlines() for path in files]
    heads = [next(number for number, line in enumerate(some) if not line.startswith("//")) for some in lines]
    at, seen = [0, 0], [[], []]
    for line in shown:
        if hunk := re.match(r"@@ -(\d+)\S* \+(\d+)\S* @@", line):
            at = [int(number) - 1 for number in hunk.groups()]
            continue
        for side in (side for side, without in enumerate("+-") if line[0] != without):
            assert lines[side][at[side]] == line[1:]
            seen[side].append(at[side])
            at[side] += 1
    changed = run("diff", "--unchanged-line-format=", "--old-line-format=%dn ", "--new-line-format=", *files).out
    assert all(seen) and min(seen[0]) >= heads[0] and min(seen[1]) >= heads[1]
    assert {int(number) - 1 for number in changed.split() if int(number) > heads[0]} <= set(seen[0])


def test_what_make_cannot_compare():
    for words, why in ((["N=5", "HEAD=2"], "HEAD=1 shows the comments at the heads, too"),
                       (["N=5", "FROM=5"], "a lock is compared with another one: FROM= names "
                                           "stages/stage5_token_lua/lock.c, too")):
        shown = make(ROOT, "-s", "diff", *words)
        assert (shown.code, shown.out) == (2, f"{why}\n"), shown


LINES_OF_A_STEP = 40


def steps():
    """{the words behind make diff: the page}. A step is whole, or its page shows it in two halves."""
    found = {}
    for number in range(1, len(LADDER)):
        page = ROOT / f"docs/stage{number}.md"
        halfway = re.search(rf"\bdiff N={number} FROM=(detour_\w+)", page.read_text())
        halves = [f"LOCK={halfway[1]} FROM={number - 1}", halfway[0].removeprefix("diff ")] if halfway else []
        found |= {words: page for words in halves or [f"N={number}"]}
    return found


def test_steps_that_are_shown_in_halves():
    assert [words for words in steps() if "FROM" in words] == [
        "LOCK=detour_watchdog_silent FROM=5", "N=6 FROM=detour_watchdog_silent",
        "LOCK=detour_reentrant_incr FROM=6", "N=7 FROM=detour_reentrant_incr"]


@pytest.mark.parametrize("words", steps())
def test_a_step_is_small(words):
    """In lines of code that it adds. Its page shows how to see it."""
    added = [line for line in diff(*words.split()).splitlines()
             if line.startswith("+") and not re.match(r"\+(\+\+ | *//| *$)", line)]
    assert 0 < len(added) <= LINES_OF_A_STEP
    assert re.search(rf"make (-s )?diff {words}\b", steps()[words].read_text())


def test_what_is_inherited_stands_once():
    """Under "Still open" in a head, and on a page: a race that the rung before loses, too, comes again only where the
    next rung holds it."""
    for listed in ({lock: open_races(lock) for lock in LADDER},
                   {lock: still_open(lock) for lock in LADDER[1:]}):
        before = set()
        for lock, some in listed.items():
            rung = int(re.match(r"stage(\d+)", lock)[1])
            again = [race for race in some if race in before and TABLE[race, f"stage{rung - 1}"] == "BROKEN"]
            assert some and all(TABLE.get((race, f"stage{rung + 1}")) == "holds" for race in again), lock
            before |= set(some)


def still_open(lock):
    page = (ROOT / f"docs/{short(lock)}.md").read_text()
    section = re.search(r"^## Still open\n(.*?)^## ", page, re.M | re.S)[1]
    return re.findall(r"^- `\./scenarios/(\w+) --stage", section, re.M)


def test_every_page_can_be_reached_from_the_readme():
    reached, new = set(), {ROOT / "README.md"}
    while new:
        reached |= new
        new = {(page.parent / target).resolve() for page in new
               for target in re.findall(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)", page.read_text())} - reached
    assert set(samples.pages()) <= reached


def test_the_readme_counts_what_is_there():
    text = (ROOT / "README.md").read_text()
    bugs = [path for path in RACES if "bugs" in path.parts]
    assert f"contains {len(RACES) - len(bugs)} documented *races*" in text
    assert f"stand {len(bugs)} checks for a lock of your own" in text
    assert f"*detours*, {len(set(DETOURS) & set(locks()))} locks" in text
    exercises = list((ROOT / "docs/exercises").glob("*/exercise.md"))
    assert f"{len(exercises)} [exercises](docs/exercises.md)" in text
