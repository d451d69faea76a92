// The matrix as a heat map, with filters. The arrow keys go from cell to cell,
// Enter opens one.
"use strict";

{
    const {make} = lockstep;
    const KINDS = [["stage", "Ladder"], ["road", "Roads"], ["detour", "Detours"]];
    // Columns that leave room for the titles; in a narrow window, for the races' names. A phone has
    // the names above the cells.
    const few = () => matchMedia("(min-width: 561px) and (max-width: 900px)").matches ? 12 : 16;
    // What is chosen stays chosen while another view is open.
    const chosen = {kinds: new Set(["stage", "road"]), group: "", lock: "", verdict: "", words: ""};

    const columns = () => chosen.lock ? [lockstep.site.lock.get(chosen.lock)] : KINDS.flatMap(([kind]) =>
        lockstep.site.locks.filter((lock) => lock.kind === kind && chosen.kinds.has(kind)));

    const rows = (locks) => lockstep.site.races.filter((race) =>
        (!chosen.group || race.group === chosen.group) &&
        `${race.name} ${race.title}`.toLowerCase().includes(chosen.words.toLowerCase()) &&
        (!chosen.verdict || locks.some((lock) => lockstep.verdict(race.name, lock.name) === chosen.verdict)));

    const cell = (race, lock) => {
        const letter = lockstep.verdict(race.name, lock.name);
        const {word, sign, kind} = lockstep.VERDICTS[letter];
        const dim = chosen.verdict && chosen.verdict !== letter ? ".dim" : "";
        return make(`td.${kind}${dim}`, null, make("a", {
            href: `#cell/${race.name}/${lock.short}`, tabindex: "-1", "data-verdict": letter,
            "aria-label": `${race.name} on ${lock.short}: ${word}`, title: `${lock.short}: ${word}`}, sign));
    };

    const row = (race, locks) => make("tr", {"data-race": race.name},
        make("th", {scope: "row"}, make("a", {href: `#race/${race.name}`, title: race.title, tabindex: "-1"},
            race.name)),
        locks.map((lock) => cell(race, lock)), locks.length <= few() ? make("td.title", null, race.title) : null);

    const head = (locks) => make("thead", null, make("tr", null, make("td.corner"),
        locks.map((lock) => make("th", {scope: "col"}, make("a", {href: `#lock/${lock.short}`, title: lock.says,
                                                                    tabindex: "-1"},
            make("span", null, lock.kind === "stage" ? `${lock.short.slice(5)} ` : "", lockstep.nameOfLock(lock)))))));

    const counted = (races, locks) => {
        const count = {};
        for (const race of races)
            for (const lock of locks) {
                const letter = lockstep.verdict(race.name, lock.name);
                count[letter] = (count[letter] || 0) + 1;
            }
        return make("p.counts", null, `${races.length} races × ${locks.length} locks: `,
            ["B", "h", "c", "i"].filter((letter) => count[letter]).map((letter) =>
                make("span", {"data-count": letter}, lockstep.badge(letter), ` ${count[letter]} `)));
    };

    const table = () => {
        const locks = columns(), races = rows(locks), bodies = [];
        for (const group of new Set(races.map((race) => race.group)))
            bodies.push(make("tbody", null, make("tr.group", null,
                make("th", {colspan: locks.length + 1, scope: "rowgroup"}, make("span", null, group))),
                races.filter((race) => race.group === group).map((race) => row(race, locks))));
        if (!races.length)
            return [make("p", null, "No race is left: take a filter away.")];
        return [counted(races, locks), make(locks.length <= few() ? "div.few" : "div.scroll", null,
            make("table.heat", {style: `--columns: ${locks.length}`}, head(locks), bodies))];
    };

    // The names and the cells of a row, or the locks' names above them.
    const links = (line) => [...(line.dataset.race ? [] : [null]), ...line.querySelectorAll("a")];

    // The next one in a direction; rows that are titles are passed over.
    const move = (link, key) => {
        const lines = [...link.closest("table").querySelectorAll("thead tr, tr[data-race]")];
        const line = link.closest("tr"), y = lines.indexOf(line);
        const x = links(line).indexOf(link);
        const to = {ArrowLeft: [x - 1, y], ArrowRight: [x + 1, y], ArrowUp: [x, y - 1],
                    ArrowDown: [x, y + 1], Home: [0, y], End: [links(line).length - 1, y],
                    PageUp: [x, Math.max(0, y - 20)], PageDown: [x, Math.min(lines.length - 1, y + 20)]}[key];
        return to && lines[to[1]] && links(lines[to[1]])[to[0]];
    };

    const keep = (link, holder) => { // the one that Tab comes to
        for (const other of holder.querySelectorAll(".heat td a[tabindex='0']"))
            other.tabIndex = -1;
        link.tabIndex = 0;
    };

    let last = ""; // the cell that was open last

    lockstep.views.table = () => {
        const holder = make("div", {onkeydown: (event) => {
            const link = event.target.closest(".heat a");
            const next = link && move(link, event.key);
            if (!next)
                return;
            event.preventDefault();
            if (next.closest("td"))
                keep(next, holder);
            next.focus();
            next.scrollIntoView({block: "nearest", inline: "nearest"});
        }, onclick: (event) => {
            last = event.target.closest("td a")?.getAttribute("href") || last;
        }});
        const fill = () => {
            holder.replaceChildren(...table());
            const cells = [...holder.querySelectorAll(".heat td a")];
            const first = cells.find((link) => link.getAttribute("href") === last) || cells[0];
            if (first) {
                keep(first, holder);
                if (last)
                    first.dataset.focus = "";
            }
        };
        const set = (name) => (value) => { chosen[name] = value; fill(); };
        const boxes = KINDS.map(([kind, label]) => {
            const box = make("input", {type: "checkbox", checked: chosen.kinds.has(kind), onchange: () => {
                chosen.kinds[box.checked ? "add" : "delete"](kind);
                fill();
            }});
            return make("label.box", null, box, label);
        });
        const words = make("input", {type: "search", placeholder: "name or title", value: chosen.words,
                                     "aria-label": "Find races", oninput: () => set("words")(words.value)});
        const {left_out: leftOut, locks, races, verdicts} = lockstep.site;
        const named = (engines) => engines.map((engine) => lockstep.ENGINES[engine]);
        const servers = named(Object.keys(lockstep.ENGINES).filter((engine) => !leftOut.includes(engine)));
        const given = Object.entries(lockstep.VERDICTS).filter(
            ([letter]) => Object.values(verdicts).some((row) => row.includes(letter)));
        fill();
        document.title = "All races · Lockstep";
        return make("div.matrix", null,
            make("h1", null, "Every race against every lock"),
            make("p.lead", null, "A race is a short story about one way in which a lock can fail. ",
                `Each one was run on real processes and a real server: ${["Redis", ...servers].join(", ")}. `,
                "Click a cell to see how the lock was lost, step by step."),
            leftOut.length ? make("p.small.left-out", null, "Left out, because they were not built: the locks on ",
                named(leftOut).join(" and "), " (make roads).") : null,
            make("form.filters", {onsubmit: (event) => event.preventDefault()},
                make("label.choice.find", null, make("span", null, "Find"), words),
                lockstep.choice("Section", [["", "all"], ...[...new Set(races.map((race) => race.group))].map(
                    (group) => [group, group])], chosen.group, set("group")),
                lockstep.choice("Lock", [["", "all of the columns"], ...locks.map(
                    (lock) => [lock.name, lockstep.longName(lock)])], chosen.lock, set("lock")),
                lockstep.choice("Verdict", [["", "all"], ...given.map(([letter, {word}]) => [letter, word])],
                    chosen.verdict, set("verdict")),
                make("fieldset", null, make("legend", null, "Columns"), boxes)),
            holder);
    };
}
