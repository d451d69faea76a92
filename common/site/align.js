// Two runs of one race, row by row beside each other. Rows have no common
// numbers: one lock sends two commands where the other sends one. But both runs
// have the race's own steps: its notes, its operations, its faults, its time.
// Rows that begin the same step stand beside each other; between them, the side
// with fewer rows waits.
"use strict";

{
    // The operation that a command belongs to: the next one that this client ends.
    const operation = (steps, from, actor) =>
        steps.slice(from).find(([, who, event]) => who === actor && event === "result")?.[3] || "";

    // [name of the step that this row begins, or null], for all rows.
    const beginnings = (run) => {
        const inside = new Set(); // of an operation
        return run.rows.map(([, first], at) => {
            const [[ms, actor, kind, , , , , says]] = run.events(at);
            if (kind === "clock")
                return `clock ${ms}`;
            let name = kind === "note" ? says : `${actor} ${kind}`;
            if (kind === "request" && !inside.has(actor)) {
                name = `${actor} ${operation(run.steps, first, actor)}`;
                inside.add(actor);
            } else if (["request", "answer", "ran", "result"].includes(kind))
                name = null;
            for (const [, who, what] of run.events(at))
                if (what === "result")
                    inside.delete(who);
            return name;
        });
    };

    // [[row, row]]: in each, the last row that is seen on either side. It starts before the first rows.
    lockstep.align = (one, other) => {
        const names = [one, other].map(beginnings);
        const places = names.map((list) => list.flatMap((name, at) => name === null ? [] : [at]));
        const common = lockstep.difference(...places.map((list, side) => list.map((at) => names[side][at])));
        const ends = [one.length, other.length], last = [-1, -1], pairs = [[-1, -1]];
        const upTo = (rows) => { // the rows before these, the shorter side waiting
            const counts = rows.map((row, side) => row - 1 - last[side]);
            for (let i = 1; i <= Math.max(...counts); i++)
                pairs.push(counts.map((count, side) => last[side] + Math.min(i, count)));
            counts.forEach((count, side) => { last[side] += count; });
        };
        const met = [0, 0]; // of the places
        for (const [sign] of common) {
            if (sign === " ") {
                upTo(places.map((list, side) => list[met[side]]));
                last[0]++;
                last[1]++;
                pairs.push([...last]);
            }
            met[0] += sign !== "+";
            met[1] += sign !== "-";
        }
        upTo(ends);
        return pairs;
    };
}
