// One run: its picture, which can be gone through step by step. A veil hides
// what has not happened yet, and a line below says what happens now, in the
// sentences that the run's events bring.
"use strict";

{
    const {make} = lockstep;
    const LANE = 164, COLUMN = 230; // as wide as the lock's lane stays in sight, and as a client's column
    const HEAD = 56; // the height of a picture's title
    const SVG = "http://www.w3.org/2000/svg";

    const rectangle = (svg, name) => {
        const element = document.createElementNS(SVG, "rect");
        element.setAttribute("class", name);
        element.setAttribute("x", 0);
        element.setAttribute("width", svg.viewBox.baseVal.width);
        svg.append(element);
        return element;
    };

    const place = (element, from, to) => {
        element.setAttribute("y", from);
        element.setAttribute("height", Math.max(0, to - from));
    };

    const seconds = (ms) => (ms / 1000).toFixed(3);

    const lockWords = (states) => states.map((state) => !state ? "-"
        : state[1] === null ? `${state[0]}, no TTL` : `${state[0]}, ${state[1] / 1000} s`).join("; ");

    // Sentences as elements: commands and answers, which stand in quotes, as code; who is inside, in bold.
    lockstep.marked = (text) => text.split(/("[^"]*"|\b[A-Z]\w* is (?:still )?(?:inside|outside)\b(?:[^.]|\.(?=\d))*\.)/).map((part, i) =>
        i % 2 === 0 ? part : make(part[0] === '"' ? "code" : "b", null, part.replace(/^"|"$/g, "")));

    lockstep.runOn = (told, lock) => told.runs.findIndex((run) => run.lock === lock.name);

    // One run of a file, by its number, as a widget. `told` is what
    // data/runs/RACE.js brings; `moved` is called with the lines of lock.c that
    // send something.
    lockstep.run = (told, index, moved) => {
        const steps = told.steps[index];
        const frame = lockstep.html("div.picture", told.pictures[index]);
        const svg = frame.querySelector("svg");
        const places = svg.dataset.rows.trim().split(" ");
        const end = Number(places.pop());
        const rows = places.map((word) => word.split(":").map(Number));
        const now = rectangle(svg, "now"), veil = rectangle(svg, "veil");
        const says = make("p.says", {"aria-live": "polite"}), state = make("p.state");
        const run = {...told.runs[index], trace: told.traces[index], length: rows.length, at: null,
            frame, svg, rows, steps, end, ending: [], began: false};

        svg.setAttribute("aria-label", "The run as a picture; the trace below has the same as text");
        frame.tabIndex = 0;
        svg.insertBefore(now, svg.querySelector("rect.page").nextSibling);

        // Where time passes, a row says so before the event that comes then. Otherwise several
        // rows may show one event, and several events may have one row.
        const eventsOf = (at, first, next) => {
            const now_ms = steps[first][0], before_ms = at > 0 ? steps[rows[at - 1][1]][0] : 0;
            if (now_ms > before_ms)
                return [steps.slice(0, first + 1).findLast((event) => event[2] === "clock")];
            return steps.slice(first, Math.max(next, first + 1)).filter((event) => event[0] === now_ms);
        };

        // Scrolls to the row, and in a narrow window to the client's column, beside the lock's lane.
        const uncover = (actor) => {
            const name = [...svg.querySelectorAll(".name")].find((text) => text.textContent === actor);
            const before = frame.scrollLeft;
            now.scrollIntoView({block: "nearest", inline: "nearest"});
            frame.scrollLeft = before;
            if (name) {
                const box = frame.getBoundingClientRect(), there = name.getBoundingClientRect().left - 40;
                frame.scrollLeft += Math.min(there - box.left - LANE, Math.max(0, there + COLUMN - box.right));
            }
        };

        // The events that the row `at` tells.
        run.events = (at) => eventsOf(at, rows[at][1], at + 1 < rows.length ? rows[at + 1][1] : steps.length);

        // What they mean, in sentences.
        run.sentences = (at) => [...new Set(run.events(at).map((event) => event[7]))].filter(Boolean).join(" ");

        // The row `at` is the last that is seen; before the first row, -1, none is. Later words are
        // taken out of the picture, so that a search in the page does not find them.
        run.cover = (at) => {
            const bottom = at + 1 < rows.length ? rows[at + 1][0] : end;
            place(now, at < 0 ? 0 : rows[at][0], at < 0 ? 0 : bottom);
            place(veil, bottom, svg.viewBox.baseVal.y + svg.viewBox.baseVal.height);
            for (const text of svg.querySelectorAll("text")) {
                const y = Number((text.hasAttribute("y") ? text : text.firstElementChild).getAttribute("y"));
                text.classList.toggle("later", y > bottom);
            }
        };

        // What is shown with the end only: the verdict, and what gives it away.
        run.withEnd = (...elements) => {
            run.ending.push(...elements);
            return elements;
        };

        // As cover(); null: all rows are seen, and the verdict.
        run.go = (at, scroll = true) => {
            go(at, scroll);
            run.lane?.go(run.at, false);
            run.moved?.(run.at);
        };

        const go = (at, scroll) => {
            run.at = at === null || rows.length === 0 ? null : Math.min(Math.max(at, -1), rows.length - 1);
            frame.classList.toggle("stepping", run.at !== null);
            run.ending.forEach((element) => { element.hidden = run.at !== null; });
            if (run.at === null) {
                place(now, 0, 0);
                place(veil, 0, 0);
                svg.querySelectorAll("text.later").forEach((text) => text.classList.remove("later"));
                says.textContent = !rows.length ? "Nothing happens." : run.began ? `The end, after ${rows.length} steps.`
                    : `${rows.length} steps. → shows the first.`;
                state.textContent = "";
                moved?.([]);
                return;
            }
            run.began = true;
            run.cover(run.at);
            if (run.at < 0) {
                says.textContent = `${rows.length} steps. → shows the first.`;
                state.textContent = "";
                moved?.([]);
                return;
            }
            const events = run.events(run.at);
            const last = events[events.length - 1];
            says.replaceChildren(make("span.count", null, `${run.at + 1}/${rows.length}`), " ",
                make("time", null, seconds(events[0][0])), " ", ...lockstep.marked(run.sentences(run.at)));
            state.replaceChildren(make("b", null, "lock: "), lockWords((events.findLast((event) => event[7]) || last)[5]));
            moved?.(events.flatMap((event) => event[6]));
            if (scroll)
                uncover(last[1]);
        };
        // The end stays; but a run that was shown whole begins with the first step.
        run.step = (by) => run.go(run.at === null ? (by < 0 ? rows.length - 1 : run.began ? null : 0)
            : run.at + by >= rows.length ? null : Math.max(0, run.at + by));
        const button = (text, label, act) => make("button", {type: "button", "aria-label": label, title: label,
                                                             onclick: act}, text);
        run.controls = (all = [run]) => make("div.controls", {role: "group", "aria-label": "Steps"},
            button("|◀", "First step (Home)", () => all.forEach((one) => one.go(0))),
            button("◀", "Step back (←)", () => all.forEach((one) => one.step(-1))),
            button("▶", "Next step (→)", () => all.forEach((one) => one.step(1))),
            button("▶|", "All of it (End)", () => all.forEach((one) => one.go(null))));
        run.says = says;
        run.state = state;
        run.go(null, false);
        return run;
    };

    // A run whose letters keep their size: in a narrow window the picture moves to the client that acts,
    // and the lock's lane, which is drawn a second time, stays in sight. The page has its title.
    lockstep.runWithLane = (told, index, moved) => {
        const run = lockstep.run(told, index, moved), {svg, frame} = run;
        const {width, height} = svg.viewBox.baseVal, name = svg.querySelector(".name");
        const right = name ? Number(name.getAttribute("x")) - 60 : 0;
        const crop = (picture, wide) => {
            picture.setAttribute("viewBox", `0 ${HEAD} ${wide} ${height - HEAD}`);
            picture.setAttribute("width", wide);
            picture.setAttribute("height", height - HEAD);
        };
        svg.classList.add("whole");
        crop(svg, width);
        if (right <= 0)
            return run;
        run.lane = lockstep.run(told, index);
        const lane = run.lane.svg;
        lane.classList.add("lane");
        lane.setAttribute("aria-hidden", "true");
        crop(lane, right);
        lane.style.left = `${Math.min(0, LANE - right)}px`;
        svg.style.marginLeft = `${-right}px`;
        frame.classList.add("with-lane");
        frame.prepend(lane);
        return run;
    };

    // Is the verdict shown at once? Only if somebody has asked for it: remembered by the browser, where
    // it remembers anything for a file.
    const AT_ONCE = "lockstep verdict at once";
    let atOnce = null;

    lockstep.verdictAtOnce = () => {
        if (atOnce === null)
            try {
                atOnce = localStorage.getItem(AT_ONCE) === "yes";
            } catch {
                atOnce = false;
            }
        return atOnce;
    };

    lockstep.verdictSwitch = () => {
        const box = make("input", {type: "checkbox", checked: lockstep.verdictAtOnce(), onchange: () => {
            atOnce = box.checked;
            try {
                localStorage.setItem(AT_ONCE, atOnce ? "yes" : "no");
            } catch { /* then until the page is left */ }
            lockstep.followStep(-1);
            lockstep.settle();
            lockstep.show();
        }});
        return make("label.box", null, box, "Verdict at once");
    };

    // Where a run begins.
    lockstep.firstStep = () => lockstep.verdictAtOnce() ? null : -1;

    // The keys of a view that shows runs.
    lockstep.stepKeys = (...runs) => (event) => {
        const act = {ArrowRight: (run) => run.step(1), ArrowLeft: (run) => run.step(-1),
                     Home: (run) => run.go(0), End: (run) => run.go(null)}[event.key];
        if (!act)
            return false;
        event.preventDefault();
        runs.forEach(act);
        return true;
    };

    // Verdict, cause, and the line that replays it.
    lockstep.runVerdict = (run, letter) => make(`div.verdict.${lockstep.VERDICTS[letter].kind}`, null,
        make("p", null, lockstep.badge(letter), " ", make("strong", null, run.reason)),
        run.because ? make("p", null, `${run.verdict === "HOLDS" ? "Held" : "Lost"} because ${run.because}`) : null,
        run.answered_by ? make("p.answer", null, run.answered_by) : null);
}
