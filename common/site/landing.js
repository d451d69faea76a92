// The first page: one lock is lost before the reader's eyes, and mended; then the
// ladder, and the ways on. Its run is that of expired_delete on stages 4 and 5, in
// data/landing.js.
"use strict";

lockstep.pace_ms = 1500; // for one step, while the run plays

{
    const {make} = lockstep;
    const RACE = "expired_delete", LOCKS = ["stage4", "stage5"];
    const GAME = "play/stage4/exclusion";

    // --- what a step says and shows --------------------------------------------

    const capital = (words) => words[0].toUpperCase() + words.slice(1);
    const listed = (names) => names.join(" and ");

    // The clients and the lock after these events. A client whose work is done has the lock, but is
    // inside no longer.
    const stateAfter = (events) => {
        const state = {clients: new Map(), owner: "", lock: null};
        for (const [, actor, event, operation, result, [lock]] of events) {
            const client = actor && (state.clients.get(actor) || state.clients.set(actor, {inside: false, stopped: false}).get(actor));
            if (lock && !state.lock)
                state.owner = actor;
            if (event === "result" && operation === "enter")
                Object.assign(client, {inside: result === "ok", busy: result === "busy"});
            if (event === "result" && operation === "leave")
                Object.assign(client, {inside: false, done: false});
            if (event === "stopped" || event === "continued")
                client.stopped = event === "stopped";
            if (event === "work done" && client.inside)
                Object.assign(client, {inside: false, done: true});
            state.lock = lock;
        }
        return state;
    };

    // The events up to the row `at`. A row that asks shows the lock as it was before the answer, and a
    // client knows its result as soon as it has the answer.
    const eventsUpTo = (run, at) => {
        if (at < 0)
            return [];
        const events = run.events(at), asks = events[0][2] === "request";
        let last = run.steps.indexOf(asks ? events[0] : events.at(-1));
        const [, actor, event] = run.steps[last];
        while (event === "answer" && run.steps[last + 1]?.[1] === actor && run.steps[last + 1][2] === "result")
            last++;
        return run.steps.slice(0, last + 1);
    };

    const insideAfter = (run, at) =>
        [...stateAfter(eventsUpTo(run, at)).clients].filter(([, one]) => one.inside).map(([name]) => name);

    // The lock and its clients, in a few words each.
    const board = (run, names) => {
        const holder = make("div.board");
        const client = (name, state) => make(`div.client.${name.toLowerCase()}`, {"data-client": name, "data-inside": state?.inside ? "yes" : "no"},
            make("b", null, name), make("span", null, [state?.stopped ? "stopped" : "", state?.inside ? "inside"
                : state?.done ? "work done, not released" : state?.busy ? "busy: stays outside" : "outside"].filter(Boolean).join(", ")));
        holder.show = (at) => {
            const {clients, lock, owner} = stateAfter(eventsUpTo(run, at)), left_s = lock ? lock[1] / 1000 : 0;
            holder.replaceChildren(
                make(`div.lock${lock ? `.${owner.toLowerCase()}` : ""}`, null, make("b", null, "lock"),
                    make("span", null, lock ? `taken by ${owner}, ${left_s} s left` : "free"),
                    make("span.lease", {role: "img", "aria-label": `${left_s} s of the lease are left`, style: `--left: ${left_s / 30}`})),
                ...names.map((name) => client(name, clients.get(name))));
        };
        return holder;
    };

    // A statement that begins in this line (from 1), in one line, as parts.
    const statement = (lines, line, first = lines[line - 1]) => {
        let last = line;
        while (!lines[last - 1].includes(";") && last < lines.length)
            last++;
        return [lockstep.coloured(first), ...lines.slice(line, last).flatMap((rest) => [" ", lockstep.coloured(rest.trim())])];
    };

    // The lines of lock.c that send a command in this run, each in its function; show() marks those
    // that do so now.
    const acting = (run, lock) => {
        const lines = lock.code.split("\n"), sent = new Set(run.steps.flatMap((event) => event[6]));
        const calls = [...sent].sort((a, b) => a - b);
        const code = make("pre.code", {tabindex: "0", "aria-label": `lock.c of ${lock.short}`}, calls.flatMap((line, i) => [
            [i ? "\n" : null, make("span.line", null, lockstep.coloured(lines.slice(0, line).findLast((text) => /^\w.*\{$/.test(text))), "\n")],
            make("span.line", {"data-line": line}, statement(lines, line), "\n"),
            ["    ⋯\n", "}\n"].map((text) => make("span.line", null, text))].flat()));
        code.show = (at) => {
            const now = new Set(at < 0 ? [] : run.events(at).flatMap((event) => event[6]));
            for (const line of code.querySelectorAll(".line"))
                line.classList.toggle("marked", now.has(Number(line.dataset.line)));
        };
        return code;
    };

    // --- a picture that follows its run -------------------------------------------

    const HEAD = 56, LANE = [78, 164], COLUMN = 230; // the picture below its title; the lock's lane; a client

    // The picture without its title and its verdict. In a narrow window the lock's lane stays in sight
    // on the left while the picture moves to the client that acts.
    const film = (told, index) => {
        const run = lockstep.run(told, index), {svg, frame} = run, height = run.end + 14 - HEAD;
        const fit = (picture, x, width) => {
            picture.setAttribute("viewBox", `${x} ${HEAD} ${width} ${height}`);
            picture.removeAttribute("width");
            picture.removeAttribute("height");
        };
        const lane = lockstep.run(told, index);
        fit(svg, 0, svg.viewBox.baseVal.width);
        fit(lane.svg, ...LANE);
        lane.svg.setAttribute("aria-hidden", "true");
        svg.classList.add("whole");
        lane.svg.classList.add("lane");
        svg.setAttribute("aria-label", "The run as a picture; the words beside it tell the same");
        frame.prepend(lane.svg);
        run.names = [...svg.querySelectorAll(".name")].map((text) => text.textContent);
        run.bottom = () => svg.querySelector("rect.now").getBoundingClientRect().bottom;
        run.show = (at) => {
            run.at = at;
            run.cover(at);
            lane.cover(at);
            const actor = at < 0 ? "" : run.events(at).at(-1)[1];
            const name = [...svg.querySelectorAll(".name")].find((text) => text.textContent === actor);
            const left = frame.getBoundingClientRect(), now = svg.querySelector("rect.now").getBoundingClientRect();
            if (name) { // the column of the client, as far as it finds room
                const there = name.getBoundingClientRect().left - 40, from = Math.max(left.left, lane.svg.getBoundingClientRect().right);
                frame.scrollLeft += Math.min(there - from, Math.max(0, there + COLUMN - left.right));
            }
            if (at < 0)
                frame.scrollTo(0, 0);
            else if (now.bottom > left.bottom || now.top < left.top)
                frame.scrollTop += now.top - left.top - frame.clientHeight / 2;
        };
        return run;
    };

    // --- going through it --------------------------------------------------------------

    // Buttons and a scrubber. `show(at)` is called with a step from 0 to `last`; `limit()` is the
    // last step that may be shown now.
    const player = (last, show, limit = () => last) => {
        let timer = null;
        const button = (text, label, act) => make("button", {type: "button", "aria-label": label, title: label, onclick: act}, text);
        const play = button("▶ Play", "Play (Space)", () => player.toggle());
        const back = button("◀", "Step back (←)", () => player.step(-1)), on = button("▶", "Next step (→)", () => player.step(1));
        const scrubber = make("input", {type: "range", min: 0, max: last, value: 0, "aria-label": "Step",
            oninput: () => { player.stop(); player.go(Number(scrubber.value)); }});
        const count = make("span.count");
        play.classList.add("play");
        const player = {
            at: 0, last,
            element: make("div.controls.player", {role: "group", "aria-label": "Steps"}, play, back, on, scrubber, count),
            go: (at) => {
                player.at = Math.min(Math.max(at, 0), limit());
                scrubber.value = player.at;
                scrubber.setAttribute("aria-valuetext", `step ${player.at} of ${last}`);
                count.textContent = `${player.at}/${last}`;
                back.disabled = player.at === 0;
                on.disabled = player.at === last;
                show(player.at);
                if (player.at >= limit())
                    player.stop();
            },
            step: (by) => { player.stop(); player.go(player.at + by); },
            stop: () => {
                clearInterval(timer);
                timer = null;
                play.textContent = "▶ Play";
                play.title = "Play (Space)";
                play.setAttribute("aria-label", play.title);
            },
            toggle: () => timer === null ? player.start() : player.stop(),
            start: () => {
                if (player.at === last)
                    player.go(0);
                if (player.at >= limit())
                    return;
                play.textContent = "❚❚ Pause";
                play.title = "Pause (Space)";
                play.setAttribute("aria-label", play.title);
                timer = setInterval(() => player.element.isConnected ? player.go(player.at + 1) : player.stop(), lockstep.pace_ms);
                player.go(player.at + 1);
            },
        };
        player.keys = (event) => {
            const act = {ArrowRight: () => player.step(1), ArrowLeft: () => player.step(-1), Home: () => player.step(-last),
                         End: () => player.step(last)}[event.key] ||
                (event.key === " " && !event.target.closest("button, a, summary") && (() => player.toggle()));
            if (!act)
                return false;
            event.preventDefault();
            act();
            return true;
        };
        return player;
    };

    const verdictWords = (run, lock, at) => {
        if (run.verdict === "BROKEN")
            return [make("strong.broken", null, `BROKEN: ${run.reason}`)];
        return [make("strong.holds", null, `HOLDS: only ${listed(insideAfter(run, at))} is inside.`)];
    };

    // The first act: stage 4 loses the lock. `mend` is called when somebody wants to see stage 5.
    const loss = (told, lock, mend) => {
        const run = film(told, lockstep.runOn(told, lock)), code = acting(run, lock), clients = board(run, run.names);
        const says = make("p.sentence", {"aria-live": "polite"}), after = make("div.after");
        const asks = run.rows.findLastIndex((_, at) => run.events(at)[0][2] === "note"); // C tries
        let guess = "";
        const question = () => [
            make("div.answers", {role: "group", "aria-label": "Your guess"}, [["h", "C stays outside"], ["B", "C gets in"]].map(([letter, words], i) =>
                make("button", {type: "button", "data-say": letter, onclick: () => say(letter)}, make("kbd", null, String(i + 1)), " ",
                    make("b", null, letter === "h" ? "Holds" : "Broken"), `: ${words}`)))];
        const ending = () => [
            make(`p.told.${guess === "B" ? "right" : "wrong"}`, null, guess === "B" ? "You guessed right." : "You guessed that the lock holds. It does not."),
            make("p.cause", null, `Lost because ${run.because}`),
            make("button.next.mend", {type: "button", onclick: mend}, "See the mending")];
        const show = (at) => {
            const last = at === run.length, waits = at === asks && !guess;
            run.show(at - 1);
            code.show(at - 1);
            clients.show(at - 1);
            says.replaceChildren(...(waits ? ["C tries next. ", make("b", null, "Will C get in?")]
                : at === 0 ? ["Three clients share one lock. Its lease is 30 seconds. ", make("b", null, "Press Play.")]
                    : last ? verdictWords(run, lock, at - 1) : lockstep.marked(run.sentences(at - 1))));
            after.replaceChildren(...(waits ? question() : last ? ending() : []));
            if (at > 0 && run.bottom() > innerHeight)
                element.scrollIntoView({block: "start"});
        };
        const steps = player(run.length, show, () => guess ? run.length : asks);
        const say = (letter) => {
            guess = letter;
            steps.element.querySelector(".play").focus({preventScroll: true});
            steps.start();
        };
        steps.element.querySelector(".play").dataset.focus = "";
        const element = make("section.film", {"aria-label": "A lock is lost"},
            make("div.told-now", null, says, steps.element, after),
            make("div.screen", null, run.frame, make("div.beside", null, clients, make("h2.file", null, `lock.c of ${lock.short.replace("stage", "stage ")}`), code)));
        return {element, begin: () => steps.go(0), keys: (event) => {
            if (steps.at === asks && !guess && "12".includes(event.key))
                say(event.key === "1" ? "h" : "B");
            else
                return steps.keys(event);
            return true;
        }};
    };

    // [["-" or "+", ...parts]]: what the difference changes in what a release sends.
    const mendedLines = (old, now) => {
        const [before, after] = [old, now].map((lock) => lock.code.split("\n"));
        return lockstep.difference(before, after).flatMap(([sign, text]) =>
            sign === " " || !/redis\.call\(|redis_call\(.*"DEL|redis_eval\(/.test(text) ? []
                : /redis\.call/.test(text) ? [[sign, lockstep.coloured(text.trim())]]
                    : [[sign, ...statement(sign === "-" ? before : after, (sign === "-" ? before : after).indexOf(text) + 1, text.trim())]]);
    };

    // The second act: stage 5 in the same race, beside stage 4.
    const mending = (told, locks) => {
        const runs = locks.map((lock) => film(told, lockstep.runOn(told, lock)));
        const pairs = lockstep.align(...runs);
        const says = locks.map(() => make("p.sentence")), boards = runs.map((run) => board(run, run.names));
        const steps = player(pairs.length - 1, (step) => runs.forEach((run, side) => {
            const at = pairs[step][side], end = step === pairs.length - 1;
            run.show(at);
            boards[side].show(at);
            says[side].replaceChildren(...(end ? verdictWords(run, locks[side], at) : at < 0 ? ["Nobody has the lock."] : lockstep.marked(run.sentences(at))));
        }));
        // Where A asks to release: the two do different things from here on.
        const first = pairs.findIndex(([, at]) => at >= 0 && runs[1].events(at)[0][2] === "request" && runs[1].sentences(at).includes("EVALSHA release"));
        const element = make("section.mending", {"aria-label": "The lock is mended", tabindex: "-1"},
            make("h2", null, "The mending: ask whose lock it is"),
            make("pre.code.diff", {tabindex: "0", "aria-label": "from stage 4 to stage 5"}, mendedLines(...locks).map(([sign, ...parts]) =>
                make(sign === "-" ? "del.line" : "ins.line", null, `${sign} `, parts, "\n"))),
            make("p.small", null, make("a", {href: `#diff/${LOCKS.join("/")}`}, "The whole difference from stage 4 to stage 5"), " · ",
                make("a", {href: `#cell/${RACE}/${LOCKS.join("/")}`}, "both runs with all that belongs to them")),
            steps.element,
            make("div.pair", null, runs.map((run, side) => make("div.side", null,
                make("h3", null, lockstep.longName(locks[side])), says[side], boards[side], run.frame))));
        return {element, begin: () => steps.go(Math.max(first, 0)), keys: steps.keys};
    };

    // --- the ladder and the doors ----------------------------------------------------------

    const documented = () => lockstep.site.races.filter((race) => !race.group.startsWith("bugs/"));
    const ladder = () => lockstep.site.locks.filter((lock) => lock.kind === "stage");
    const isLost = (lock) => (race) => lockstep.verdict(race.name, lock.name) === "B";

    // A small picture of the run that kills a lock, loaded when it comes near.
    const drawn = (race, lock, [width, height]) => make("a.drawn", {href: `#cell/${race.name}/${lock.short}`},
        make("img", {src: `races/${race.name}.${lock.short}.svg`, width, height, loading: "lazy",
            alt: `The run of ${race.name} on ${lock.short}`}));

    const card = (lock) => {
        const races = documented(), lost = races.filter(isLost(lock)).length, killer = lockstep.site.killers[lock.short];
        const race = killer && lockstep.site.race.get(killer.race);
        return make("li.card", {"data-lock": lock.short},
            make("h3", null, make("a", {href: `#lock/${lock.short}`}, lockstep.longName(lock))),
            make("p", null, capital(lock.code.match(/^\/\/ Stage \d+: (.*)/)[1])),
            make("p.lost", null, make("b", null, String(lost)), ` of ${races.length} races lost`,
                make("span.part", {"aria-hidden": "true", style: `--part: ${races.length ? lost / races.length : 0}`})),
            race ? drawn(race, lock, killer.size) : null,
            race ? make("p.small", null, "Lost to ", make("a", {href: `#cell/${race.name}/${lock.short}`}, race.name), `: ${race.title}`) : null);
    };

    // The whole table, a few pixels for each cell.
    const small = () => {
        const races = documented(), locks = ladder(), paths = {B: "", h: "", c: "", i: ""};
        races.forEach((race, x) => locks.forEach((lock, y) => { paths[lockstep.verdict(race.name, lock.name)] += `M${x} ${y}h1v1h-1z`; }));
        return lockstep.html("div.small-table", `<svg viewBox="0 0 ${races.length} ${locks.length}" preserveAspectRatio="none" role="img" ` +
            `aria-label="${races.length} races on ${locks.length} locks">${Object.entries(paths).map(([letter, path]) =>
                `<path class="${lockstep.VERDICTS[letter].kind}" d="${path}"/>`).join("")}</svg>`);
    };

    const door = (href, title, words, ...more) => make("a.door", {href}, make("h3", null, title), make("p", null, words), more);

    lockstep.views.start = async () => {
        const locks = LOCKS.map(lockstep.findLock), told = await lockstep.load("landing");
        let act, mended; // the keys go through the act that has the focus
        const second = make("div");
        const first = loss(told, locks[0], () => {
            act = mended = mending(told, locks);
            second.replaceChildren(act.element);
            act.begin();
            act.element.focus({preventScroll: true});
            act.element.scrollIntoView({block: "start"});
        });
        act = first;
        const view = make("div.landing", null,
            make("h1", null, "This lock works, until it does not."),
            make("p.lead", null, `Lockstep has ten versions of one distributed lock, written in C, and ${documented().length} documented ways to lose it. `,
                "Each way is replayed step by step on a real server, with the same result every time."),
            first.element, second,
            make("section.ladder", null, make("h2", null, "Ten locks, each the answer to the one before"),
                make("ol.cards", null, ladder().map(card))),
            make("section.ways", null, make("h2", null, "Go on"), make("div.doors", null,
                door(`#${GAME}`, "Break it yourself", "You decide what happens next. Bring two clients inside stage 4 at once."),
                door("#quiz", "Predict", "A story and a lock: will it hold? Ten questions in a set."),
                door("#table", "All races", "Every race against every lock. Each cell opens its run.", small()))));
        view.addEventListener("focusin", ({target}) => {
            act = target.closest(".film") ? first : target.closest(".mending") ? mended : act;
        });
        lockstep.keys = (event) => { act.keys(event); };
        view.addEventListener("shown", first.begin); // sizes are known now
        return view;
    };
}
