// What the search finds: for each stage and property a shortest schedule that
// loses it; and what each lock takes for granted.
"use strict";

{
    const {make} = lockstep;

    const answerCell = (found, name) => {
        const said = found.properties[name], lock = lockstep.site.lock.get(found.lock);
        if (!said)
            return make("td");
        if (said.answer === "lost")
            return make("td.broken", null, make("a", {href: `#search/${lock.short}/${name}`,
                "aria-label": `${lock.short} loses ${name} in ${said.steps} steps`}, String(said.steps)));
        return make(`td.${said.answer === "clean" ? "holds" : "cannot"}`, null,
            make("span", {title: said.missing || said.answer}, said.answer === "clean" ? "✓" : "–"));
    };

    const answers = (data, names) => make("table.answers-table.numbers", null,
        make("thead", null, make("tr", null, make("td"), names.map((name) => make("th", {scope: "col"}, name)))),
        make("tbody", null, data.searches.map((found) => {
            const lock = lockstep.site.lock.get(found.lock);
            return make("tr", null, make("th", {scope: "row"}, make("a", {href: `#lock/${lock.short}`}, lockstep.longName(lock))),
                names.map((name) => answerCell(found, name)));
        })));

    const assumptionCell = (words, meaning) => {
        const kind = {always: "holds", never: "broken", "-": "cannot"}[words];
        if (kind)
            return make(`td.${kind}`, null, make("span", null, words === "-" ? "–" : words));
        return make("td.under", null, words.split(" ").flatMap((set, i) => [
            i ? make("i", null, " or ") : null,
            ...[...set].map((letter) => make("abbr", {title: meaning.get(letter)}, letter))]));
    };

    const assumptions = ({names, rows, letters, bounds}) => {
        const meaning = new Map(letters.map(([letter, word, says]) => [letter, `${word}: ${says}`]));
        return [
            make("div.wide", {tabindex: "0", role: "region", "aria-label": "Assumptions"}, make("table.answers-table", null,
                make("thead", null, make("tr", null, make("td"), names.map((name) => make("th", {scope: "col"}, name)))),
                make("tbody", null, rows.map((row) => {
                    const lock = lockstep.site.lock.get(row.lock);
                    return make("tr", null, make("th", {scope: "row"}, lockstep.longName(lock)),
                        row.cells.map((words) => assumptionCell(words, meaning)));
                })))),
            make("dl.letters", null, letters.flatMap(([letter, word, says]) => [
                make("dt", null, make("abbr", null, letter)), make("dd", null, make("b", null, word), ` ${says}`)])),
            make("p.small", null, `"always" and "never" are meant ${bounds}. A dash: not tried.`)];
    };

    const overview = (data) => {
        const first = data.searches[0], isLost = (name) => data.searches.some((search) => search.properties[name]?.lost);
        // No lock of ours loses progress: a column that says so nine times has no place on a phone.
        const names = Object.keys(first.properties).filter((name) => name !== "progress" || isLost(name));
        return make("div", null, make("h1", null, "The search"),
            make("p.lead", null, "A race is one order of events that somebody thought of. The search tries all orders within ",
                "bounds. A number is the length of a shortest schedule that loses a property: click it to see that run. ",
                make("a", {href: "docs/explore.html"}, "The page on the search"), " says what is tried."),
            make("div.wide", {tabindex: "0", role: "region", "aria-label": "What the search finds"}, answers(data, names)),
            make("dl.letters", null, names.flatMap((name) => [make("dt", null, name), make("dd", null, first.properties[name].meaning)])),
            make("h2", null, "What each lock takes for granted"),
            make("p.lead", null, "The letters are assumptions. A property is clean if all the letters of one group hold."),
            assumptions(data.assumptions));
    };

    lockstep.views.search = async (word, name) => {
        const data = await lockstep.load("search");
        document.title = "The search · Lockstep";
        const found = word && data.searches.find((one) => lockstep.site.lock.get(one.lock) === lockstep.findLock(word));
        const said = found?.properties[name];
        if (word && said?.run === undefined)
            throw new lockstep.Nowhere(`The search has no run that loses ${name || "a property"} on ${word}.`);
        if (!word)
            return overview(data);
        const lock = lockstep.site.lock.get(found.lock);
        document.title = `${name} on ${lock.short} · Lockstep`;
        const view = make("div.cell", null,
            make("p.where", null, make("a", {href: "#search"}, "Search"), ` › ${lockstep.longName(lock)}`),
            make("h1", null, name, make("small", null, ` ${said.meaning}`)),
            make("p", null, `A shortest schedule that loses this has ${said.steps} steps. The search has tried `,
                `${found.positions.toLocaleString("en")} positions and ${found.transitions.toLocaleString("en")} transitions.`),
            lockstep.wholeRun(data, said.run, lock));
        return view;
    };
}
