// The matrix as a heat map, with filters. The arrow keys go from cell to cell,
// Enter opens one.
//
// The table is made once. Filters hide rows, and rules of CSS hide columns: a new
// table for each letter that is typed would take a second. The checks in
// scenarios/bugs and the columns of the roads and detours are added when somebody
// asks for them for the first time.
"use strict";

{
    const {make} = lockstep;
    const KINDS = ["stage", "road", "detour"], SHELVES = ["documented", "bugs"];
    const SWITCHES = [["road", "Roads", "Columns: other ways to the same end"],
                      ["detour", "Detours", "Columns: locks with mistakes that people really made"],
                      ["bugs", "Bugs", "Rows: checks for a lock of your own"]];
    // Columns that leave room for the titles.
    const few = () => matchMedia("(min-width: 561px) and (max-width: 900px)").matches ? 12 : 16;
    const LETTERS = {broken: "B", holds: "h", cannot: "c", unclear: "i"}; // as an address names them

    const shelf = (race) => race.group.startsWith("bugs/") ? "bugs" : "documented";
    const escaped = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

    // --- what is chosen, and its address --------------------------------------

    const chosenBy = (values) => ({
        words: values.get("find") || "", group: values.get("section") || "",
        lock: lockstep.findLock(values.get("lock"))?.name || "", verdict: LETTERS[values.get("verdict")] || "",
        shows: new Set((values.get("show") || "").split(" ").filter((name) => SWITCHES.some(([known]) => known === name))),
    });

    const addressOf = ({words, group, lock, verdict, shows}) => {
        const values = new URLSearchParams(Object.entries({
            find: words, section: group, lock: lock && lockstep.site.lock.get(lock).short,
            verdict: Object.keys(LETTERS).find((name) => LETTERS[name] === verdict) || "", show: [...shows].join(" "),
        }).filter(([, value]) => value));
        return values.size ? `table?${values}` : "table";
    };

    // An address with a filter that there is not.
    const check = (values) => {
        const {races} = lockstep.site, known = {
            find: () => true, section: (group) => races.some((race) => race.group === group), lock: lockstep.findLock,
            verdict: (word) => LETTERS[word],
            show: (words) => words.split(" ").every((word) => SWITCHES.some(([name]) => name === word))};
        for (const [name, value] of values)
            if (!known[name]?.(value))
                throw new lockstep.Nowhere(`The table has no filter ${name}=${value}.`);
    };

    let chosen = chosenBy(new URLSearchParams()), last = ""; // the cell or name that was open last

    const isShown = (race, lock) => (shelf(race) === "documented" || chosen.shows.has("bugs") || chosen.group === race.group) &&
        (lock.kind === "stage" || chosen.shows.has(lock.kind) || chosen.lock === lock.name);

    // The table as it was left. If it did not show this cell, it does now.
    lockstep.addressOfTable = (raceName, lockName) => {
        const race = lockstep.site.race.get(raceName), lock = lockstep.findLock(lockName);
        if (!race)
            return addressOf(chosen);
        last = lock ? `#cell/${race.name}/${lock.short}` : `#race/${race.name}`;
        if (isShown(race, lock || lockstep.site.locks[0]))
            return addressOf(chosen);
        const shows = new Set(chosen.shows);
        if (shelf(race) === "bugs")
            shows.add("bugs");
        if (lock && lock.kind !== "stage")
            shows.add(lock.kind);
        return addressOf({...chosen, shows, group: ""});
    };

    // --- the table --------------------------------------------------------------

    const locksOf = (kind) => lockstep.site.locks.filter((lock) => lock.kind === kind);

    const cells = (race, kind) => {
        const letters = lockstep.site.verdicts[race.name];
        return lockstep.site.locks.map((lock, at) => [lock, letters[at]]).filter(([lock]) => lock.kind === kind)
            .map(([lock, letter], i) => {
                const {word, sign, kind: colour} = lockstep.VERDICTS[letter];
                return `<td class="${colour}${i ? "" : " first"}" data-kind="${kind}" data-lock="${lock.short}">` +
                    `<a href="#cell/${race.name}/${lock.short}" tabindex="-1" data-verdict="${letter}" ` +
                    `aria-label="${race.name} on ${lock.short}: ${word}" title="${lock.short}: ${word}">${sign}</a></td>`;
            }).join("");
    };

    const headCells = (kind) => locksOf(kind).map((lock, i) =>
        `<th scope="col"${i ? "" : ' class="first"'} data-kind="${kind}" data-lock="${lock.short}">` +
        `<a href="#lock/${lock.short}" title="${escaped(lock.says)}" tabindex="-1"><span>${kind === "stage" ? `${lock.short.slice(5)} ` : ""}` +
        `${lockstep.nameOfLock(lock)}</span></a></th>`).join("");

    // Rows without cells; fillIn() adds those of a kind of lock.
    const bodies = (name) => {
        const races = lockstep.site.races.filter((race) => shelf(race) === name);
        return [...new Set(races.map((race) => race.group))].map((group, i) =>
            `<tbody data-shelf="${name}" data-group="${escaped(group)}"${i ? "" : ' class="first"'}>` +
            `<tr class="group"><th scope="rowgroup"><span>${escaped(group)}</span></th></tr>` +
            races.filter((race) => race.group === group).map((race) =>
                `<tr data-race="${race.name}"><th scope="row"><a href="#race/${race.name}" title="${escaped(race.title)}" ` +
                `tabindex="-1">${race.name}</a></th>` +
                `<td class="title" data-kind="title">${escaped(race.title)}</td></tr>`).join("") +
            "</tbody>").join("");
    };

    // Before the columns of the kinds that come later.
    const fillIn = (row, kind, html) => {
        const later = [...KINDS, "title"].slice(KINDS.indexOf(kind) + 1);
        [...row.children].find((cell) => later.includes(cell.dataset.kind)).insertAdjacentHTML("beforebegin", html);
    };

    // {element, want(kinds, shelves)}: a table that has at least these columns and rows.
    const heat = () => {
        const has = {kinds: new Set(), shelves: new Set()};
        const head = lockstep.html("thead", '<tr><td class="corner"></td><td class="title" data-kind="title"></td></tr>');
        const element = make("table.heat", null, head);
        const fill = (kind, rows) => {
            for (const row of rows)
                fillIn(row, kind, cells(lockstep.site.race.get(row.dataset.race), kind));
        };
        return {element, want: (kinds, shelves) => {
            for (const name of SHELVES.filter((one) => shelves.has(one) && !has.shelves.has(one))) {
                element.insertAdjacentHTML("beforeend", bodies(name));
                has.kinds.forEach((kind) => fill(kind, element.querySelectorAll(`[data-shelf=${name}] [data-race]`)));
                has.shelves.add(name);
            }
            for (const kind of KINDS.filter((one) => kinds.has(one) && !has.kinds.has(one))) {
                fillIn(head.rows[0], kind, headCells(kind));
                fill(kind, element.querySelectorAll("[data-race]"));
                has.kinds.add(kind);
            }
        }};
    };

    const counted = (races, at) => {
        const count = {B: 0, h: 0, c: 0, i: 0};
        for (const race of races)
            for (const column of at)
                count[lockstep.site.verdicts[race.name][column]]++;
        return [`${races.length} races × ${at.length} locks: `,
            ...Object.keys(count).filter((letter) => count[letter]).map((letter) =>
                make("span", {"data-count": letter}, lockstep.badge(letter), ` ${count[letter]} `))];
    };

    // The table, with the rows and columns that are chosen; show() hides the others.
    const filtered = () => {
        const {locks, races, verdicts} = lockstep.site, {element, want} = heat();
        const columns = make("style"), counts = make("p.counts", {role: "status"});
        const none = make("p", {hidden: true}, "No race is left: take a filter away.");
        const frame = make("div.frame", null, element);
        const show = () => {
            const kinds = new Set(["stage", ...KINDS.filter((kind) => chosen.shows.has(kind))]);
            const one = chosen.lock && lockstep.site.lock.get(chosen.lock);
            const at = [...locks.keys()].filter((i) => one ? locks[i] === one : kinds.has(locks[i].kind));
            const left = races.filter((race) => isShown(race, locks[0]) && (!chosen.group || race.group === chosen.group) &&
                `${race.name} ${race.title}`.toLowerCase().includes(chosen.words.toLowerCase()) &&
                (!chosen.verdict || at.some((i) => verdicts[race.name][i] === chosen.verdict)));
            want(new Set([...kinds, ...(one ? [one.kind] : [])]), new Set(["documented", ...left.map(shelf)]));
            const names = new Set(left.map((race) => race.name)), groups = new Set(left.map((race) => race.group));
            for (const row of element.querySelectorAll("[data-race]"))
                row.hidden = !names.has(row.dataset.race);
            for (const body of element.tBodies)
                body.hidden = !groups.has(body.dataset.group);
            const hidden = (one ? [`[data-lock]:not([data-lock=${one.short}])`]
                : KINDS.filter((kind) => !kinds.has(kind)).map((kind) => `[data-kind=${kind}]`))
                .map((cells) => `.heat ${cells} { display: none; }`).join("\n");
            if (columns.textContent !== hidden) // a new rule costs as much as all cells
                columns.textContent = hidden;
            frame.classList.toggle("few", at.length <= few());
            frame.dataset.dims = chosen.verdict;
            element.style.setProperty("--columns", at.length);
            none.hidden = left.length > 0;
            frame.hidden = counts.hidden = !left.length;
            counts.replaceChildren(...counted(left, at));
        };
        return {elements: [columns, counts, none, frame], frame, show};
    };

    // --- keys ---------------------------------------------------------------------

    const isSeen = (element) => element.getClientRects().length > 0;

    // The names and the cells of a row, or the locks' names above them.
    const links = (line) => [...(line.dataset.race ? [] : [null]), ...[...line.querySelectorAll("a")].filter(isSeen)];

    // The next one in a direction; rows that are titles are passed over.
    const move = (link, key) => {
        const lines = [...link.closest("table").querySelectorAll("thead tr, tr[data-race]")].filter(isSeen);
        const line = link.closest("tr"), y = lines.indexOf(line);
        const x = links(line).indexOf(link);
        const to = {ArrowLeft: [x - 1, y], ArrowRight: [x + 1, y], ArrowUp: [x, y - 1],
                    ArrowDown: [x, y + 1], Home: [0, y], End: [links(line).length - 1, y],
                    PageUp: [x, Math.max(0, y - 20)], PageDown: [x, Math.min(lines.length - 1, y + 20)]}[key];
        return to && lines[to[1]] && links(lines[to[1]])[to[0]];
    };

    const keep = (link, holder) => { // the one that Tab comes to
        for (const other of holder.querySelectorAll(".heat [tabindex='0']"))
            other.tabIndex = -1;
        link.tabIndex = 0;
    };

    // --- the view -------------------------------------------------------------------

    const made = () => {
        const {left_out: leftOut, locks, races, verdicts} = lockstep.site, table = filtered();
        const named = (engines) => engines.map((engine) => lockstep.ENGINES[engine]);
        const servers = named(Object.keys(lockstep.ENGINES).filter((engine) => !leftOut.includes(engine)));
        const given = Object.entries(lockstep.VERDICTS).filter(
            ([letter]) => Object.values(verdicts).some((row) => row.includes(letter)));
        const fill = () => {
            table.show();
            const kept = holder.querySelector(".heat [tabindex='0']");
            if (!kept || !isSeen(kept)) {
                const first = [...holder.querySelectorAll(".heat td a")].find(isSeen);
                if (first)
                    keep(first, holder);
            }
        };
        const set = (name) => (value) => {
            chosen[name] = value;
            fill();
            lockstep.follow(addressOf(chosen));
        };
        const holder = make("div", {onkeydown: (event) => {
            const link = event.target.closest(".heat a");
            const next = link && move(link, event.key);
            if (!next)
                return;
            event.preventDefault();
            keep(next, holder);
            next.focus();
            next.scrollIntoView({block: "nearest", inline: "nearest"});
        }, onclick: (event) => {
            last = event.target.closest(".heat a")?.getAttribute("href") || last;
        }}, table.elements);
        const boxes = SWITCHES.map(([name, label, title]) => {
            const box = make("input", {type: "checkbox", name, onchange: () => {
                chosen.shows[box.checked ? "add" : "delete"](name);
                set("shows")(chosen.shows);
            }});
            return make("label.box", {title}, box, label);
        });
        const words = make("input", {type: "search", placeholder: "name or title", "aria-label": "Find races",
                                     oninput: () => set("words")(words.value)});
        const choices = {
            group: lockstep.choice("Section", [["", "all"], ...[...new Set(races.map((race) => race.group))].map(
                (group) => [group, group])], "", set("group")),
            lock: lockstep.choice("Lock", [["", "all of the columns"], ...locks.map(
                (lock) => [lock.name, lockstep.longName(lock)])], "", set("lock")),
            verdict: lockstep.choice("Verdict", [["", "all"], ...given.map(([letter, {word}]) => [letter, word])],
                "", set("verdict"))};
        const view = make("div.matrix", null,
            make("h1", null, "Every race against every lock"),
            make("p.lead", null, "A race is a short story about one way in which a lock can fail. ",
                `Each one was run on real processes and a real server: ${["Redis", ...servers].join(", ")}. `,
                "Click a cell to see how the lock was lost, step by step."),
            leftOut.length ? make("p.small.left-out", null, "Left out, because they were not built: the locks on ",
                named(leftOut).join(" and "), " (make roads).") : null,
            make("form.filters", {onsubmit: (event) => event.preventDefault()},
                make("label.choice.find", null, make("span", null, "Find"), words), Object.values(choices),
                make("fieldset", null, make("legend", null, "Show also"), boxes)),
            holder);
        const scrolled = {x: 0, y: 0, page: 0};
        table.frame.addEventListener("scroll", () => {
            if (view.isConnected)
                Object.assign(scrolled, {x: table.frame.scrollLeft, y: table.frame.scrollTop});
        });
        addEventListener("scroll", () => {
            if (view.isConnected)
                scrolled.page = scrollY;
        });
        let back = null; // where the frame and the page were
        view.addEventListener("shown", () => {
            back = {...scrolled};
            fill();
            const open = last && [...holder.querySelectorAll(".heat a")].find((link) => link.getAttribute("href") === last);
            holder.querySelectorAll("[data-focus]").forEach((link) => link.removeAttribute("data-focus"));
            if (open && isSeen(open)) {
                keep(open, holder);
                open.dataset.focus = "";
            }
        });
        view.addEventListener("placed", () => {
            table.frame.scrollTo(back.x, back.y);
            scrollTo(0, back.page);
            holder.querySelector("[data-focus]")?.scrollIntoView({block: "nearest", inline: "nearest"});
        });
        view.take = () => { // the choice of the address
            words.value = chosen.words;
            for (const [name, choice] of Object.entries(choices))
                choice.querySelector("select").value = chosen[name];
            for (const box of boxes)
                box.firstElementChild.checked = chosen.shows.has(box.firstElementChild.name);
        };
        return view;
    };

    let view = null; // made once: it comes back as it was left

    lockstep.views.table = () => {
        check(lockstep.asked.values);
        if (lockstep.asked.words.length > 1)
            throw new lockstep.Nowhere(`The table has no part ${lockstep.asked.words.slice(1).join("/")}.`);
        chosen = chosenBy(lockstep.asked.values);
        view ||= made();
        view.take();
        document.title = "All races · Lockstep";
        return view;
    };
}
