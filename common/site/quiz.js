// A quiz made of the matrix: the story, the lock, and three answers. Sets are
// numbered, and the same for everybody who types the number. The first sets go
// through the races of the course; the others draw from all documented races, and
// begin with the early stages.
"use strict";

{
    const {make} = lockstep;
    const LENGTH = 10, LETTERS = ["B", "h", "c"];
    const answers = new Map(); // by set: what was said, by question

    // Numbers from 0 to 1 that follow from a seed (mulberry32).
    const numbers = (seed) => () => {
        seed = (seed + 0x6d2b79f5) | 0;
        let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };

    // The first sets: a race of the course, on the stage that answers it or on the one before.
    const ofCourse = (set) => {
        const {course, locks} = lockstep.site, next = numbers(set * 7919);
        const stages = locks.filter((lock) => lock.kind === "stage");
        return course.slice((set - 1) * LENGTH, set * LENGTH).map(([race, rung]) =>
            [lockstep.site.race.get(race), stages[next() < 0.5 ? rung - 1 : rung]]);
    };

    // First the verdict is drawn, so that no answer is right more often than the others:
    // "cannot happen" a little less.
    const drawn = (set) => {
        const {site} = lockstep, next = numbers(set * 7919), found = [];
        const races = site.races.filter((race) => !race.group.startsWith("bugs/"));
        const cells = {B: [], h: [], c: []};
        for (const race of races)
            for (const lock of site.locks)
                if (lock.kind === "stage")
                    cells[lockstep.verdict(race.name, lock.name)]?.push([race, lock]);
        for (let tries = 0; found.length < LENGTH && tries < 1000; tries++) {
            const part = next(), letter = part < 0.4 ? "B" : part < 0.8 ? "h" : "c";
            const cell = cells[letter][Math.floor(next() * cells[letter].length)];
            if (cell && !found.some(([race]) => race === cell[0] && races.length >= 4 * LENGTH) && !found.includes(cell))
                found.push(cell);
        }
        return found.sort((one, other) => site.locks.indexOf(one[1]) - site.locks.indexOf(other[1]) ||
            races.indexOf(one[0]) - races.indexOf(other[0]));
    };

    // [[race, lock]]
    lockstep.quizSet = (set) => (set - 1) * LENGTH < lockstep.site.course.length ? ofCourse(set) : drawn(set);

    const score = (set, asked) => {
        const said = answers.get(set), right = asked.filter(([race, lock], i) =>
            said[i] === lockstep.verdict(race.name, lock.name)).length;
        const count = Object.keys(said).length;
        return make("p.score", null, count ? `Right: ${right} of ${count}` : `${asked.length} questions. No answer so far.`);
    };

    const numbered = (word, what, last) => {
        const number = word === undefined || word === "" ? 1 : Number(word);
        if (!(Number.isInteger(number) && number >= 1 && number <= last))
            throw new lockstep.Nowhere(`There is no ${what} ${word} in the quiz.`);
        return number;
    };

    lockstep.views.quiz = async (setWord, numberWord) => {
        const set = numbered(setWord, "set", 9999), asked = lockstep.quizSet(set);
        const number = numbered(numberWord, "question", asked.length), [race, lock] = asked[number - 1];
        const told = await lockstep.load(`runs/${race.name}`);
        const right = lockstep.verdict(race.name, lock.name);
        if (!answers.has(set))
            answers.set(set, {});
        const said = answers.get(set);
        const holder = make("div.question");
        const next = number < asked.length ? `quiz/${set}/${number + 1}` : `quiz/${set + 1}/1`;

        const reveal = () => {
            const run = lockstep.runWithLane(told, lockstep.runOn(told, lock));
            const steps = lockstep.stepKeys(run), isRight = said[number - 1] === right;
            const at = isRight || !run.length ? null : run.decided;
            if (at !== null)
                holder.addEventListener("filled", () => run.go(at), {once: true}); // it is in the page now
            lockstep.keys = (event) => event.key === "n" ? void (location.hash = next) : void steps(event);
            return [make(`p.told.${isRight ? "right" : "wrong"}`, {role: "status"},
                isRight ? "Right." : `You said: ${lockstep.VERDICTS[said[number - 1]].word}.`),
                lockstep.runVerdict(run, right), at === null ? null : make("p", null, "The run stands at the step that decides."),
                run.controls(), run.says, run.state, run.frame,
                make("p", null, make("a", {href: `#cell/${race.name}/${lock.short}${at === null ? "" : `@${at + 1}`}`},
                    "The whole page of this run"))].filter(Boolean);
        };
        const ask = () => {
            lockstep.keys = (event) => {
                if (LETTERS["123".indexOf(event.key)])
                    say(LETTERS["123".indexOf(event.key)]);
            };
            return [make("p.answers", {role: "group", "aria-label": "Your prediction"}, LETTERS.map((letter, i) =>
                make("button", {type: "button", "data-say": letter, onclick: () => say(letter)},
                    make("kbd", null, String(i + 1)), ` ${lockstep.VERDICTS[letter].word}: ${lockstep.VERDICTS[letter].means}`)))];
        };
        const fill = () => {
            const open = said[number - 1] === undefined;
            holder.replaceChildren(...(open ? ask() : reveal()),
                make("p.controls", null, score(set, asked), open ? null : make("a.next", {href: `#${next}`}, make("kbd", null, "n"),
                    number < asked.length ? " Next question" : ` Set ${set + 1}`)));
            holder.dispatchEvent(new Event("filled"));
        };
        const say = (letter) => {
            said[number - 1] = letter;
            fill();
            holder.querySelector(".next").focus({preventScroll: true});
        };
        fill();
        document.title = `Quiz ${set}.${number} · Lockstep`;
        return make("div.quiz", null,
            make("p.where", null, `Set ${set}, question ${number} of ${asked.length}`),
            make("h1", null, `Does ${lock.short.replace("stage", "stage ")} keep its promise here?`),
            make("div.halves", null,
                make("section", null, make("h2", null, `${race.name}: ${race.title}`), lockstep.html("div", told.story),
                    make("details", null, make("summary", null, "The race's code"), lockstep.code(lockstep.textOf(told.code)))),
                make("section", null, make("h2", null, lockstep.longName(lock)), make("p", null, lock.says),
                    make("details", null, make("summary", null, "lock.c"), lockstep.code(lock.code)))),
            holder);
    };
}
