// What all views share: data, elements, and which view the address asks for.
//
// An address is index.html#VIEW/WORD/WORD@STEP?NAME=VALUE. A view is a function that
// gets the words and returns an element; it is called again when the address
// changes. The step and the values are in lockstep.asked.
"use strict";

const lockstep = {
    views: {},
    site: null,
    kept: new Map(), // by a file's name: what its script brought
};

// --- data, which come as scripts ---------------------------------------------

// The lines of code are coloured when the site is built (colours.py). Here they stand by their text.
const colours = new Map();
const LETTERS = {lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'"};

// The text of coloured lines, which keep their colours from now on.
lockstep.textOf = (coloured) => coloured.split("\n").map((line) => {
    const text = line.replace(/<[^>]*>/g, "").replace(/&(lt|gt|amp|quot|#39);/g, (_, name) => LETTERS[name]);
    colours.set(text, line).set(text.trim(), line.replace(/^((?:<[^>]*>)*)\s+/, "$1"));
    return text;
}).join("\n");

// A line of code, to stand in an element.
lockstep.coloured = (text) => colours.has(text) ? lockstep.html("span", colours.get(text)) : text;

lockstep.keepSite = (site) => {
    lockstep.site = site;
    for (const lock of site.locks.filter(({code}) => code))
        lock.code = lockstep.textOf(lock.code);
    site.lock = new Map(site.locks.map((lock) => [lock.name, lock]));
    site.race = new Map(site.races.map((race) => [race.name, race]));
};

lockstep.keep = (name, data) => lockstep.kept.set(name, data);

lockstep.unpack = async (text) => {
    const letters = atob(text), bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) // Uint8Array.from() takes several times as long
        bytes[i] = letters.charCodeAt(i);
    const stream = new Blob([bytes]).stream();
    return new Response(stream.pipeThrough(new DecompressionStream("deflate"))).json();
};

// What data/NAME.js brings; the script is loaded once. Unpacked, if it is packed.
lockstep.load = async (name) => {
    if (!lockstep.kept.has(name))
        await new Promise((resolve, reject) => {
            const script = document.createElement("script");
            script.src = `data/${name}.js`;
            script.onload = resolve;
            script.onerror = () => reject(new Error(`${script.src} is missing`));
            document.head.append(script);
        });
    const data = lockstep.kept.get(name);
    if (data.packed) {
        Object.assign(data, await lockstep.unpack(data.packed));
        delete data.packed;
    }
    return data;
};

// --- elements ----------------------------------------------------------------

// make("a.big", {href: "#x"}, "text", child, …)
lockstep.make = (kind, properties, ...children) => {
    const [tag, ...classes] = kind.split(".");
    const element = document.createElement(tag);
    if (classes.length)
        element.className = classes.join(" ");
    for (const [name, value] of Object.entries(properties || {})) {
        if (name.startsWith("on"))
            element.addEventListener(name.slice(2), value);
        else if (value === true)
            element.setAttribute(name, "");
        else if (value !== false && value !== null && value !== undefined)
            element.setAttribute(name, value);
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return element;
};

// Text that the generator has made into HTML.
lockstep.html = (kind, text) => {
    const element = lockstep.make(kind);
    element.innerHTML = text;
    return element;
};

// Once a mouse has chosen, the keys belong to the view again.
lockstep.choice = (label, options, chosen, change) => {
    const {make} = lockstep;
    let byMouse = false;
    const select = make("select", {
        "aria-label": label, onpointerdown: () => { byMouse = true; }, onkeydown: () => { byMouse = false; },
        onchange: () => {
            if (byMouse)
                select.blur();
            change(select.value);
        }},
        options.map(([value, text]) => make("option", {value, selected: value === chosen}, text)));
    return make("label.choice", null, make("span", null, label), select);
};

// For those who hear the page.
lockstep.say = (text) => {
    document.getElementById("said").textContent = text;
};

lockstep.copyable = (text) => {
    const {make} = lockstep;
    const line = make("code", {tabindex: "0"}, text);
    const button = make("button", {type: "button", onclick: async () => {
        try {
            await navigator.clipboard.writeText(text);
            button.textContent = "Copied";
        } catch {
            getSelection().selectAllChildren(line); // on file:// some browsers refuse
            button.textContent = "Selected";
        }
        setTimeout(() => { button.textContent = "Copy"; }, 2000);
    }}, "Copy");
    return make("div.copyable", null, line, button);
};

// --- words -------------------------------------------------------------------

lockstep.VERDICTS = {
    B: {word: "BROKEN", sign: "✕", kind: "broken", means: "the lock did not keep its promise"},
    h: {word: "holds", sign: "✓", kind: "holds", means: "the lock kept its promise in this race"},
    c: {word: "cannot happen", sign: "–", kind: "cannot",
        means: "the lock never does what the story needs"},
    i: {word: "inconclusive", sign: "?", kind: "cannot", means: "nothing can be said"},
};

lockstep.ENGINES = {mariadb: "MariaDB", zookeeper: "ZooKeeper"}; // beside Redis

lockstep.verdict = (race, lock) =>
    lockstep.site.verdicts[race][lockstep.site.locks.findIndex((known) => known.name === lock)];

lockstep.badge = (letter) => {
    const {word, sign, kind} = lockstep.VERDICTS[letter];
    return lockstep.make(`span.badge.${kind}`, null, `${sign} ${word}`);
};

// "4" and "GETSET": what stands above a column, and its name.
lockstep.nameOfLock = (lock) => lock.name.replace(/^(stage\d+|detour|road)_/, "").replaceAll("_", " ");
lockstep.longName = (lock) => (lock.kind === "stage" ? lock.short.replace("stage", "Stage ") + ", "
    : `${lock.kind === "road" ? "Road" : "Detour"}: `) + lockstep.nameOfLock(lock);

// A lock by its name, its short name or its number.
lockstep.findLock = (word) => lockstep.site.locks.find((lock) =>
    [lock.name, lock.short, lock.short.replace("stage", "")].includes(word));

// --- which view --------------------------------------------------------------

lockstep.keys = null; // the view's own keys: a function of the event

// Where Escape leads: from what the search has found to the search, and else to the table.
const up = ([view, name, lock]) => view === "search" && name ? "search"
    : ["cell", "race", "lock", "diff"].includes(view) ? lockstep.addressOfTable(name, lock) : null;

const ALSO = {matrix: "table"}; // old addresses

// An address that leads nowhere: a view throws it, with a sentence for the reader.
lockstep.Nowhere = class extends Error {};

lockstep.noPage = (why) => {
    document.title = "No such page · Lockstep";
    return lockstep.make("div", null, lockstep.make("h1", null, "There is no such page"),
        lockstep.make("p", null, `${why} `, lockstep.make("a", {href: "#table"}, "To all races"), " · ",
            lockstep.make("a", {href: "#start"}, "To the start")));
};

// The views that show no code but that of the ladder.
const WITHOUT_CODES = ["start", "table"];

// Each lock.c belongs to its lock. Those of the ladder are in data/site.js.
lockstep.loadCodes = async () => {
    const codes = await lockstep.load("codes");
    for (const [name, code] of Object.entries(codes))
        lockstep.site.lock.get(name).code = lockstep.textOf(code);
};

const decoded = (text) => {
    try {
        return decodeURIComponent(text);
    } catch { // a % that belongs to no letter
        return text;
    }
};

// {words, step, values}; the step is a text, or undefined.
const addressParts = (address) => {
    const [path, query] = address.split(/\?(.*)/s), [place, step] = path.split("@");
    return {words: decoded(place).split("/"), step, values: new URLSearchParams(query)};
};

lockstep.asked = addressParts("");

// --- the address follows the view ---------------------------------------------

const FOLLOWS_MS = 100; // browsers refuse an address that changes more often
let pending = null, timer = 0, written = null;

// Writes the address that has waited. Whoever leaves the view calls it first.
lockstep.settle = () => {
    clearTimeout(timer);
    timer = 0;
    if (pending === null)
        return;
    written = pending;
    pending = null;
    location.replace(`#${written}`);
    document.getElementById("view").dataset.shows = written;
};

// The view shows something else now, which has this address. The history has no new entry.
lockstep.follow = (address) => {
    pending = address;
    if (timer)
        return;
    lockstep.settle();
    timer = setTimeout(lockstep.settle, FOLLOWS_MS);
};

lockstep.leaveTo = (address) => {
    lockstep.settle();
    location.hash = address;
};

// A step of a run in the address: 14, or "end". The rows are counted from 0, and null is the end.
lockstep.stepAsked = (count) => {
    const {step} = lockstep.asked, at = Number(step) - 1;
    if (step === undefined)
        return lockstep.firstStep();
    if (step === "end")
        return null;
    if (!(Number.isInteger(at) && at >= 0 && at < count))
        throw new lockstep.Nowhere(`This run has ${count} steps, and no step ${step}.`);
    return at;
};

// Another step is shown.
lockstep.followStep = (at) =>
    lockstep.follow(lockstep.asked.words.join("/") + (at === null ? "@end" : at < 0 ? "" : `@${at + 1}`));

let shown = 0;

lockstep.show = async () => {
    written = pending = null;
    lockstep.asked = addressParts(location.hash.slice(1));
    const [first, ...words] = lockstep.asked.words, asked = first || "start", name = ALSO[asked] || asked;
    const number = ++shown, main = document.getElementById("view");
    lockstep.keys = null;
    document.title = "Lockstep";
    if (!WITHOUT_CODES.includes(name))
        await lockstep.loadCodes();
    let view;
    try {
        if (!lockstep.views[name])
            throw new lockstep.Nowhere(`“${asked}” is no part of this site.`);
        view = await lockstep.views[name](...words);
    } catch (error) {
        if (!(error instanceof lockstep.Nowhere))
            throw error;
        view = lockstep.noPage(error.message);
    }
    if (number !== shown)
        return; // another was asked for meanwhile
    main.replaceChildren(view);
    for (const element of [view, ...view.querySelectorAll(".opens")]) // sizes are known now
        element.dispatchEvent(new Event("shown"));
    for (const link of document.querySelectorAll("header nav a"))
        link.toggleAttribute("aria-current", link.getAttribute("href") === `#${name}`);
    window.scrollTo(0, 0);
    const begin = main.querySelector("[data-focus]");
    (begin || main).focus({preventScroll: true});
    view.dispatchEvent(new Event("placed")); // a view that comes back scrolls to where it was
    main.dataset.shows = location.hash.slice(1) || "start"; // tests wait for this
};

lockstep.begin = () => {
    addEventListener("hashchange", () => {
        if (location.hash.slice(1) !== written) // or else the view has written it itself
            lockstep.show();
    });
    addEventListener("click", lockstep.settle, true);
    addEventListener("keydown", (event) => {
        const typing = event.target.matches("input, select, textarea");
        if (typing || event.ctrlKey || event.metaKey || event.altKey)
            return;
        const above = event.key === "Escape" && up(lockstep.asked.words);
        if (above)
            lockstep.leaveTo(above);
        else
            lockstep.keys?.(event);
    });
    document.body.prepend(lockstep.html("div.unseen",
        `<svg width="0" height="0" aria-hidden="true" class="run"><defs>${lockstep.site.definitions}</defs></svg>`));
    lockstep.show();
};
