// A cell of the matrix: a race on a lock; or on two, side by side. And a race
// for itself.
"use strict";

{
    const {make} = lockstep;

    // `lock`: of the cell to which the table comes back.
    const raceHead = (race, lock, ...rest) => make("div.head", null,
        make("p.where", null, make("a", {href: `#${lockstep.addressOfTable(race.name, lock?.short)}`}, "All races"),
            ` › ${race.group}`),
        make("h1", null, make("a", {href: `#race/${race.name}`}, race.name), make("small", null, ` ${race.title}`)), ...rest);

    const story = (told, race) => make("section.story", null, make("h2", null, "The story"),
        lockstep.html("div", told.story), told.remark ? lockstep.html("p.remark", told.remark) : null,
        make("p.small", null, `Usually lost by ${told.lost_by}`, make("br"), "Source: ", lockstep.html("span", told.source),
            race.group.startsWith("bugs/") ? null : [make("br"), make("a.page-of-race", {href: `races/${race.name}.html`}, "The page of this race"),
                ", to share: with both pictures, and without JavaScript"]),
        make("details", {open: true}, make("summary", null, "The race's code"), lockstep.code(lockstep.textOf(told.code))));

    const missing = (what) => { throw new lockstep.Nowhere(`${what} is not in the table.`); };

    const lockOptions = (race) => lockstep.site.locks.map((lock) =>
        [lock.short, (lockstep.verdictAtOnce() ? `${lockstep.VERDICTS[lockstep.verdict(race.name, lock.name)].sign} ` : "") +
            lockstep.longName(lock)]);

    // The code scrolls to a line, with the head of its function in sight if there is room.
    const openAt = (code, number) => {
        const lines = [...code.children], line = lines[number - 1];
        const head = lines.slice(0, number).findLast((one) => /^[a-z].*\(/.test(one.textContent)) || line;
        const fits = line.offsetTop + line.offsetHeight - head.offsetTop < code.clientHeight * .9;
        code.scrollTop = (fits ? head.offsetTop : line.offsetTop - code.clientHeight / 3) - code.offsetTop;
    };

    // Marks the lines that send something now. Before the first one the code shows the function that
    // begins, and between two of them it stays where it is.
    const mark = (code, lines) => {
        for (const line of code.children)
            line.classList.toggle("marked", lines.includes(Number(line.dataset.line)));
        if (lines.length)
            openAt(code, lines[0]);
    };

    // The rung that the verdict names as the answer.
    const answering = (run) => lockstep.findLock(run.answered_by.match(/[Ss]tage (\d+)/)?.[1]);

    const panel = (told, index, lock, codes) => {
        const code = codes ? lockstep.code(lock.code) : null;
        const run = lockstep.runWithLane(told, index, code ? (lines) => mark(code, lines) : null);
        const first = run.steps.flatMap((event) => event[6])[0];
        if (code && first) {
            code.classList.add("opens");
            code.addEventListener("shown", () => openAt(code, Number(code.querySelector(".marked")?.dataset.line || first)));
        }
        run.code = code;
        return run;
    };

    const WORDS = {HOLDS: "h", BROKEN: "B", "CANNOT HAPPEN": "c", INCONCLUSIVE: "i"};

    const more = (run, lock) => {
        const answer = run.answered_by && answering(run);
        return [
            run.schedule ? make("section", null, make("h2", null, "Run it yourself"),
                lockstep.copyable(`./scenarios/replay '${run.schedule}'`)) : null,
            make("section", null, make("details", null, make("summary", null, "The trace"),
                make("pre.trace", {tabindex: "0"}, run.trace))),
            answer && answer !== lock ? run.withEnd(make("section", null, make("details", null,
                make("summary", null, `What changes from ${lock.short} to ${answer.short}`),
                make("p", null, answer.says), lockstep.drawDifference(lock, answer)))) : [],
        ];
    };

    // A run with all that belongs to it.
    lockstep.wholeRun = (told, index, lock, ...rest) => {
        const run = panel(told, index, lock, true);
        lockstep.keys = lockstep.stepKeys(run);
        const view = make("div.one", null,
            make("div.stage", null,
                make("div.left", null, run.frame),
                make("div.right", null, make("div.now", null, run.controls(), run.says, run.state),
                    run.withEnd(lockstep.runVerdict(run, WORDS[run.verdict])), lockstep.verdictSwitch(),
                    make("h3", null, "lock.c"), run.code)),
            more(run, lock).flat(), rest);
        run.go(lockstep.stepAsked(run.length), false);
        run.moved = lockstep.followStep;
        return view;
    };

    // Two runs as one, aligned by the race's own steps.
    const together = (runs) => {
        const pairs = lockstep.align(...runs).slice(1), both = {at: null, began: false, length: pairs.length};
        both.go = (at, scroll) => {
            both.at = at === null ? null : Math.min(Math.max(at, -1), pairs.length - 1);
            both.began ||= both.at !== null;
            runs.forEach((run, side) => run.go(both.at === null ? null : both.at < 0 ? -1 : pairs[both.at][side], scroll));
            both.moved?.(both.at);
        };
        both.step = (by) => both.go(both.at === null ? (by < 0 ? pairs.length - 1 : both.began ? null : 0)
            : both.at + by >= pairs.length ? null : Math.max(0, both.at + by));
        return both;
    };

    const two = (told, race, locks) => {
        const runs = locks.map((lock) => panel(told, lockstep.runOn(told, lock), lock, false));
        const both = together(runs);
        lockstep.keys = lockstep.stepKeys(both);
        const view = make("div.two", null,
            make("div.now", null, runs[0].controls([both]), "both", lockstep.verdictSwitch()),
            make("div.pair", null, runs.map((run, i) => make("section", null,
                make("h2", null, lockstep.longName(locks[i])), make("div.now", null, run.says, run.state),
                make("div", null, run.withEnd(lockstep.runVerdict(run, WORDS[run.verdict]))), run.frame))),
            make("section", null, make("details", {open: true},
                make("summary", null, `What changes from ${locks[0].short} to ${locks[1].short}`),
                lockstep.drawDifference(...locks))),
            story(told, race));
        both.go(lockstep.stepAsked(both.length), false);
        both.moved = lockstep.followStep;
        return view;
    };

    lockstep.views.cell = async (raceName, lockName, besideName) => {
        const race = lockstep.site.race.get(raceName), lock = lockstep.findLock(lockName);
        if (!race || !lock)
            missing([raceName, lockName].filter(Boolean).join(" on ") || "A cell without a race");
        const beside = besideName && lockstep.findLock(besideName);
        if (besideName && !beside)
            missing(`${raceName} on ${besideName}`);
        const told = await lockstep.load(`runs/${race.name}`);
        const go = (a, b) => { location.hash = `cell/${race.name}/${a}${b ? `/${b}` : ""}`; };
        document.title = `${race.name} on ${lock.short} · Lockstep`;
        const view = make("div.cell", null, raceHead(race, lock,
            make("form.filters", null,
                lockstep.choice("Lock", lockOptions(race), lock.short, (value) => go(value, beside?.short)),
                lockstep.choice("Beside it", [["", "no other lock"], ...lockOptions(race)], beside?.short || "",
                    (value) => go(lock.short, value)))),
            beside ? two(told, race, [lock, beside]) : lockstep.wholeRun(told, lockstep.runOn(told, lock), lock, story(told, race)));
        return view;
    };

    lockstep.views.race = async (name) => {
        const race = lockstep.site.race.get(name);
        if (!race)
            missing(name);
        const told = await lockstep.load(`runs/${race.name}`);
        document.title = `${race.name} · Lockstep`;
        const list = (letter) => {
            const locks = lockstep.site.locks.filter((lock) => lockstep.verdict(race.name, lock.name) === letter);
            return locks.length ? make("p.locks", null, lockstep.badge(letter), " ", locks.map((lock) =>
                make("a.chip", {href: `#cell/${race.name}/${lock.short}`}, lock.short))) : null;
        };
        return make("div.cell", null, raceHead(race, null), story(told, race),
            make("section", null, make("h2", null, "The verdicts"), ["B", "h", "c", "i"].map(list)));
    };
}
