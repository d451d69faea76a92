// The lines of two files side by side in one: what goes, what comes, and what stays around it.
"use strict";

{
    const {make} = lockstep;

    // The longest common lines, from the end, so that a walk from the beginning finds them.
    const lengths = (old, now) => {
        const table = Array.from({length: old.length + 1}, () => new Uint16Array(now.length + 1));
        for (let i = old.length - 1; i >= 0; i--)
            for (let j = now.length - 1; j >= 0; j--)
                table[i][j] = old[i] === now[j] ? table[i + 1][j + 1] + 1
                    : Math.max(table[i + 1][j], table[i][j + 1]);
        return table;
    };

    // [[" ", "-" or "+", text]]
    lockstep.difference = (old, now) => {
        const table = lengths(old, now), lines = [];
        let i = 0, j = 0;
        while (i < old.length || j < now.length)
            if (i < old.length && j < now.length && old[i] === now[j])
                lines.push([" ", old[i++], j++]);
            else if (j >= now.length || (i < old.length && table[i + 1][j] >= table[i][j + 1]))
                lines.push(["-", old[i++]]);
            else
                lines.push(["+", now[j++]]);
        return lines;
    };

    const AROUND = 3;

    lockstep.drawDifference = (old, now) => {
        const lines = lockstep.difference(old.code.split("\n"), now.code.split("\n"));
        const near = lines.map((_, at) => lines.slice(Math.max(0, at - AROUND), at + AROUND + 1)
            .some(([sign]) => sign !== " "));
        const kinds = {"-": "del", "+": "ins", " ": "span"}, out = [];
        lines.forEach(([sign, text], at) => {
            if (near[at])
                out.push(make(`${kinds[sign]}.line`, null, sign, lockstep.coloured(text), "\n"));
            else if (at === 0 || near[at - 1])
                out.push(make("span.line.gap", null, "⋯\n"));
        });
        return make("pre.code.diff", {tabindex: "0", "aria-label": `from ${old.short} to ${now.short}`}, out);
    };

    lockstep.code = (text, marked) => make("pre.code", {tabindex: "0"}, text.split("\n").map((line, at) =>
        make(`span.line${marked?.includes(at + 1) ? ".marked" : ""}`, {"data-line": at + 1}, lockstep.coloured(line), "\n")));

    const lockChoice = (label, chosen, change) => lockstep.choice(label, lockstep.site.locks.map(
        (lock) => [lock.short, lockstep.longName(lock)]), chosen, change);

    lockstep.views.diff = (from, to) => {
        const old = lockstep.findLock(from || "4"), now = lockstep.findLock(to || "5");
        if (!old || !now)
            return lockstep.noPage(`There is no lock ${old ? to : from} here.`);
        const go = (a, b) => { location.hash = `diff/${a}/${b}`; };
        document.title = `${old.short} → ${now.short} · Lockstep`;
        return make("div", null, make("h1", null, "From one lock to another"),
            make("form.filters", null, lockChoice("From", old.short, (value) => go(value, now.short)),
                lockChoice("To", now.short, (value) => go(old.short, value))),
            make("p", null, make("del.line.sample", null, `- ${old.says}`), make("ins.line.sample", null, `+ ${now.says}`)),
            lockstep.drawDifference(old, now));
    };

    lockstep.views.lock = (word) => {
        const {site} = lockstep, lock = lockstep.findLock(word || "0");
        if (!lock)
            return lockstep.noPage(`There is no lock ${word} here.`);
        const stages = site.locks.filter((other) => other.kind === "stage");
        const parent = lock.says.match(/^Detour from (?:stage )?(\w+)/)?.[1];
        const before = parent ? lockstep.findLock(parent) : stages[stages.indexOf(lock) - 1];
        const lost = site.races.filter((race) => lockstep.verdict(race.name, lock.name) === "B");
        document.title = `${lock.short} · Lockstep`;
        return make("div", null, make("h1", null, lockstep.longName(lock)), make("p.lead", null, lock.says),
            make("p", null, lock.kind === "stage" ? make("a", {href: `docs/${lock.short}.html`}, "The page of this stage") : "",
                lock.kind === "stage" && before ? " · " : "",
                before ? make("a", {href: `#diff/${before.short}/${lock.short}`}, `What changes from ${before.short}`) : ""),
            make("h2", null, `Races that it loses: ${lost.length}`),
            make("ul.races", null, lost.map((race) => make("li", null,
                make("a", {href: `#cell/${race.name}/${lock.short}`}, race.name), ` ${race.title}`))),
            make("h2", null, "lock.c"), lockstep.code(lock.code));
    };
}
