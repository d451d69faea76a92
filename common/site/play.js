// The game on recorded positions: the student decides what happens next. All
// that clients and server do here they have done in real runs
// (./scenarios/play --record); the page only looks it up.
"use strict";

{
    const {make} = lockstep;
    const KEYS = "123456789abcdefijklmnop";

    // The columns of a recording, made into what a game asks for.
    const opened = (data) => {
        if (data.first)
            return data;
        let last = 0, sum = 0;
        data.leads = Int32Array.from(data.to, (back) => {
            const to = last - back;
            last = Math.max(last, to);
            return to;
        });
        data.first = Int32Array.from([...data.counts, 0], (count) => {
            sum += count;
            return sum - count;
        });
        data.lost = new Map(data.losses.map(([at, ...pairs]) => [at, pairs]));
        data.distances = new Map();
        return data;
    };

    const movesAt = (data, at) =>
        Array.from({length: data.counts[at]}, (_, i) => data.first[at] + i);

    const lossesOf = (data, move) => {
        const pairs = data.lost.get(move) || [], found = [];
        for (let i = 0; i < pairs.length; i += 2)
            found.push({goal: pairs[i], words: data.texts[pairs[i + 1]]});
        return found;
    };

    // For each position the fewest moves that lose this, from the end backwards; -1: none does.
    const distances = (data, goal) => {
        if (data.distances.has(goal))
            return data.distances.get(goal);
        const count = data.counts.length, far = new Int32Array(count).fill(-1);
        const before = Array.from({length: count}, () => []);
        let edge = [];
        for (let at = 0; at < count; at++)
            for (const move of movesAt(data, at))
                if (data.lost.has(move) && lossesOf(data, move).some((loss) => loss.goal === goal)) {
                    if (far[at] < 0)
                        edge.push(at);
                    far[at] = 1;
                } else
                    before[data.leads[move]].push(at);
        for (let length = 2; edge.length; length++) {
            const next = [];
            for (const at of edge)
                for (const earlier of before[at])
                    if (far[earlier] < 0) {
                        far[earlier] = length;
                        next.push(earlier);
                    }
            edge = next;
        }
        data.distances.set(goal, far);
        return far;
    };

    // "A> A<" is written as "A><".
    const schedule = (data, lock, path) => {
        const steps = path.map((move) => data.texts[data.steps[move]]).filter((text) => text).join(" ");
        const {masters} = data.bounds;
        return ["v1", lock.short, "strict", ...(masters ? [`masters${masters}`] : []),
                steps.replace(/\b([A-D]\d*)> \1</g, "$1><")].join(" ");
    };

    const clientName = (words) => words.match(/^([A-D])\b/)?.[1].toLowerCase() || "";

    // A position: play/LOCK/GOAL/MOVES, where a move is its key.
    const addressOf = (data, lock, {goal, path}) => {
        if (goal < 0 && !path.length)
            return `play/${lock.short}`;
        const keys = path.map((move, i) => KEYS[move - data.first[i ? data.leads[path[i - 1]] : 0]]).join("");
        return ["play", lock.short, goal < 0 ? "none" : data.goals[goal][0], ...(keys ? [keys] : [])].join("/");
    };

    const pathOf = (data, keys) => {
        const path = [];
        let at = 0;
        for (const key of keys) {
            const move = KEYS.includes(key) ? movesAt(data, at)[KEYS.indexOf(key)] : undefined;
            if (move === undefined)
                throw new lockstep.Nowhere(`After ${path.length} moves of this game there is no move ${key}.`);
            path.push(move);
            at = data.leads[move];
        }
        return path;
    };

    const boundsInWords = ({nested, wait_s: wait, masters}) =>
        (masters ? `${masters} servers; ` : "") + "two clients that " +
        (wait ? `wait for the lock once each, for at most ${wait} s` : "enter once each") +
        `${nested ? " and once more while they are inside" : ""}; one lease; and at most one fault`;

    // --- levels -----------------------------------------------------------------

    const WON = "lockstep levels won";
    let won = null;

    const levelsWon = () => {
        if (won === null)
            try {
                won = new Set((localStorage.getItem(WON) || "").split(" "));
            } catch { // some browsers remember nothing for a file
                won = new Set();
            }
        return won;
    };

    const nameOfLevel = (level) => `${level.lock}/${level.goal}`;

    const win = (level) => {
        levelsWon().add(nameOfLevel(level));
        try {
            localStorage.setItem(WON, [...won].join(" "));
        } catch { /* then until the page is left */ }
    };

    const addressOfLevel = (level) => `play/${level.lock}/${level.goal}`;

    const drawLevels = (levels, current) => make("ol.levels", {"aria-label": "Levels"}, levels.map((level) =>
        make("li", null, make("a", {href: `#${addressOfLevel(level)}`, "aria-current": level === current && "step",
                                    "data-won": levelsWon().has(nameOfLevel(level)) && "yes"},
            make("b", null, lockstep.longName(lockstep.findLock(level.lock))),
            make("span", null, level.means), make("span.small", null, `${level.fewest} moves${
                levelsWon().has(nameOfLevel(level)) ? ", won ✓" : ""}`)))));

    // The owner of the lock after each move: the client whose move has changed its value.
    const ownersOf = (data, path) => {
        let before = "-", owner = "";
        return path.map((move) => {
            const value = data.texts[data.shown[1][data.leads[move]]].replace(/, ([\d.]+ s|no TTL)$/, "");
            owner = /^(-|expired|free)?$/.test(value) ? ""
                : value === before ? owner : clientName(data.texts[data.words[move]]) || owner;
            before = value;
            return owner;
        });
    };

    // The run that one has made: a column for the lock and for each client, a row for each move. A
    // column says something where it changes; it is filled while a client is inside.
    const drawRun = (data, path) => {
        const owners = ownersOf(data, path), names = ["A", "B", "C"].filter((_, i) => data.texts[data.shown[3 + i][0]]);
        const words = (column, at) => data.texts[data.shown[column][at]];
        const cell = (column, row, colour, filled) => {
            const at = data.leads[path[row]], before = row ? data.leads[path[row - 1]] : 0;
            return make(`td${colour ? `.${colour}` : ""}`, {"data-filled": filled && "yes"},
                words(column, at) === words(column, before) ? "" : words(column, at));
        };
        return make("div.wide", {tabindex: "0", role: "region", "aria-label": "The run that you have made"}, make("table.lanes", null,
            make("thead", null, make("tr", null, ["time", "what happens", "lock", ...names].map((name) => make("th", {scope: "col"}, name)))),
            make("tbody", null, path.map((move, row) => make("tr", null,
                make("td", null, make("time", null, (data.shown[0][data.leads[move]] / 1000).toFixed(3))),
                make("td", null, data.texts[data.words[move]]), cell(1, row, owners[row].toLowerCase(), owners[row] !== ""),
                names.map((name, i) => cell(3 + i, row, name.toLowerCase(),
                    /^(stopped, )?inside/.test(words(3 + i, data.leads[move])))))))));
    };

    // What one has won: the run, why the lock is lost, the stage that survives it, and the next level.
    const victory = (data, told, level, path, words) => {
        const number = told.levels.indexOf(level), run = told.runs[number], next = told.levels[number + 1];
        const isShortest = path.length === level.fewest;
        return make("section.won", {"aria-label": "The level is won"},
            make("h2", null, `Level ${number + 1} is won in ${path.length} moves`),
            make("p", null, isShortest ? "No way is shorter." : `The shortest way has ${level.fewest} moves.`),
            make("p.verdict.broken", null, lockstep.badge("B"), " ", make("strong", null, words)),
            drawRun(data, path),
            make("h3", null, "Why it is lost"),
            make("p.cause", null, `${isShortest ? "Lost" : "The shortest run loses it"} because ${run.because}`),
            level.survives ? make("p.survives", null, level.survives) : null,
            make("p.controls", null, next ? make("a.next", {href: `#${addressOfLevel(next)}`},
                `Level ${number + 2}: ${lockstep.longName(lockstep.findLock(next.lock))}, ${next.goal}`)
                : make("a.next", {href: "#table"}, "That was the last level. To all races")));
    };

    const game = (data, lock, goal, path, told) => {
        const state = {path, undone: [], goal, message: "", asked: -1};
        const position = () => state.path.length ? data.leads[state.path[state.path.length - 1]] : 0;
        const reached = (goal) => state.path.some((move) => lossesOf(data, move).some((loss) => loss.goal === goal));
        const board = make("div.board"), log = make("ol.log", {"aria-label": "What has happened", tabindex: "0"});
        const choices = make("div.choices", {role: "group", "aria-label": "What happens next?"});
        const message = make("p.message", {role: "status"}), line = make("div.line");
        const levels = make("div"), end = make("div");
        const levelNow = () => state.goal >= 0 ? told.levels.find((level) =>
            level.lock === lock.short && level.goal === data.goals[state.goal][0]) : undefined;

        const plural = (count) => `${count} move${count === 1 ? "" : "s"}`;

        const afterMove = (move) => {
            const parts = lossesOf(data, move).map(({goal, words}) => {
                let text = `LOST: ${data.goals[goal][0]}. ${words}`;
                if (goal === state.goal) {
                    const least = distances(data, goal)[0];
                    text += ` Goal reached in ${plural(state.path.length)}` + (least === state.path.length
                        ? ", and no way is shorter!" : `! The shortest way has ${least}.`);
                }
                return text;
            });
            if (!data.counts[position()])
                parts.push("That is the end: undo, or begin anew.");
            state.message = parts.join(" ");
        };

        const act = {
            make: (move) => { state.path.push(move); state.undone = []; afterMove(move); },
            undo: () => {
                if (state.path.length)
                    state.undone.push(state.path.pop());
                state.message = "";
            },
            redo: () => {
                if (state.undone.length) {
                    state.path.push(state.undone.pop());
                    afterMove(state.path[state.path.length - 1]);
                }
            },
            hint: () => {
                const ahead = state.goal >= 0 && !reached(state.goal);
                const goals = ahead ? [state.goal] : data.goals.map((_, goal) => goal).filter((goal) => !reached(goal));
                const near = goals.map((goal) => [distances(data, goal)[position()], goal])
                    .filter(([far]) => far > 0).sort((a, b) => a[0] - b[0])[0];
                if (!near) {
                    state.message = `${ahead ? "The goal" : "A loss"} is out of reach from here, within these bounds.`;
                    return;
                }
                const [far, goal] = near, next = distances(data, goal);
                if (state.asked === state.path.length) {
                    const way = movesAt(data, position()).find((move) => far === 1
                        ? lossesOf(data, move).some((loss) => loss.goal === goal) : next[data.leads[move]] === far - 1);
                    state.message = `Next on the way: ${data.texts[data.words[way]]}`;
                } else
                    state.message = (ahead ? `The goal is ${plural(far)} away.`
                        : `The nearest loss is ${plural(far)} away: ${data.goals[goal][0]}.`) +
                        " Ask again to see which is next.";
                state.asked = state.path.length;
            },
            anew: () => { Object.assign(state, {path: [], undone: [], message: "", asked: -1}); },
        };

        const column = (number, at) => data.shown[number][at];

        const client = (name, words) => words ? make(`div.client.${name.toLowerCase()}`, {
            "data-inside": /^(stopped, )?inside/.test(words) ? "yes" : "no"},
            make("b", null, name), ...words.split("; ").map((part) => make("span", null, part))) : null;

        const fill = () => {
            const at = position();
            const lockText = data.texts[column(1, at)], left_s = Number(lockText.match(/, ([\d.]+) s$/)?.[1] || 0);
            const owner = ownersOf(data, state.path).at(-1) || "", level = levelNow();
            board.replaceChildren(
                make(`div.lock${owner ? `.${owner.toLowerCase()}` : ""}`, null, make("b", null, "lock"), make("span", null, lockText),
                    make("span.lease", {role: "img", "aria-label": `${left_s} s of the lease are left`,
                                        style: `--left: ${Math.min(1, left_s * 1000 / data.lease_ms)}`})),
                ...["A", "B", "C"].map((name, i) => client(name, data.texts[column(3 + i, at)])).filter(Boolean));
            log.replaceChildren(...state.path.map((move, i) => make("li", {class: clientName(data.texts[data.words[move]])},
                make("time", null, (column(0, data.leads[move]) / 1000).toFixed(3)), " ", data.texts[data.words[move]],
                lossesOf(data, move).map((loss) => make("strong", null, ` LOST: ${data.goals[loss.goal][0]}`)))));
            log.scrollTop = log.scrollHeight;
            choices.replaceChildren(make("p.small", null, `Clock: ${(column(0, at) / 1000).toFixed(3)} s. ${data.texts[column(2, at)]}`),
                ...movesAt(data, at).map((move, i) => make("button.move", {type: "button", "data-move": i,
                    onclick: () => { act.make(move); show(); }}, make("kbd", null, KEYS[i]), ` ${data.texts[data.words[move]]}`)));
            message.textContent = state.message;
            const reaches = level && state.path.length && lossesOf(data, state.path.at(-1)).find((loss) => loss.goal === state.goal);
            if (reaches)
                win(level);
            end.replaceChildren(...(reaches ? [victory(data, told, level, state.path, reaches.words)] : []));
            levels.replaceChildren(drawLevels(told.levels, level));
            line.replaceChildren(...(state.path.length ? [lockstep.copyable(
                `./scenarios/replay '${schedule(data, lock, state.path)}'`)] : [make("p.small", null, "No move so far.")]));
        };
        const show = () => {
            fill();
            lockstep.follow(addressOf(data, lock, state));
        };
        const button = (key, text, name) => make("button", {type: "button", "data-act": name,
            onclick: () => { act[name](); show(); }}, make("kbd", null, key), ` ${text}`);

        lockstep.keys = (event) => {
            const name = {u: "undo", r: "redo", h: "hint", n: "anew"}[event.key];
            const move = event.key.length === 1 ? movesAt(data, position())[KEYS.indexOf(event.key)] : undefined;
            if (name)
                act[name]();
            else if (KEYS.includes(event.key) && move !== undefined)
                act.make(move);
            else
                return;
            event.preventDefault();
            show();
        };
        if (path.length)
            afterMove(path[path.length - 1]);
        fill();
        const goals = [["-1", "none"], ...data.goals.map(([word, words], goal) => [String(goal), `${word}: ${words}`])];
        return make("div.game", null, levels,
            make("form.filters", {onsubmit: (event) => event.preventDefault()},
                lockstep.choice("Lock", lockstep.site.play.map((name) => [name, lockstep.longName(lockstep.findLock(name))]),
                    lock.short, (value) => { location.hash = `play/${value}`; }),
                lockstep.choice("Goal", goals, String(goal), (value) => {
                    state.goal = Number(value);
                    state.message = state.goal >= 0 && distances(data, state.goal)[0] < 0
                        ? "Out of reach on this lock: every order of moves within these bounds was tried." : "";
                    show();
                })),
            board, end,
            make("div.table", null,
                make("section", null, make("h2", null, "What happens next?"), message, choices,
                    make("p.controls", null, button("u", "undo", "undo"), button("r", "again", "redo"),
                        button("h", "hint", "hint"), button("n", "anew", "anew"))),
                make("section", null, make("h2", null, "So far"), log)),
            make("section", null, make("h2", null, "The same on a real server"), line));
    };

    lockstep.views.play = async (word, goalName, keys) => {
        const {play} = lockstep.site, lock = lockstep.findLock(word || play[0]);
        if (!lock || !play.includes(lock.short))
            throw new lockstep.Nowhere(`There is no recording of a game against ${word}.`);
        const data = opened(await lockstep.load(`play/${lock.short}`));
        const goal = data.goals.findIndex(([name]) => name === goalName);
        if (goal < 0 && goalName !== undefined && goalName !== "none")
            throw new lockstep.Nowhere(`There is no goal ${goalName} in the game against ${word}.`);
        const path = pathOf(data, keys || ""), told = await lockstep.load("levels");
        document.title = `Play against ${lock.short} · Lockstep`;
        return make("div", null, make("h1", null, `Play against ${lockstep.longName(lock)}`),
            make("p.lead", null, "You decide what happens next, and try to break the lock. This is a recording: everything ",
                "that clients and server do here was seen on real ones. It has ",
                `${data.counts.length.toLocaleString("en")} positions and ${data.to.length.toLocaleString("en")} moves: `,
                `${boundsInWords(data.bounds)}. `, make("a", {href: "docs/play.html"}, "The game in a terminal"), " has no such limits."),
            game(data, lock, goal, path, told));
    };
}
