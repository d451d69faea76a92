// What a published library reads in a report or a workflow (standard input), as JSON.
//
//     node read.mjs tap      tap-parser, of the author of TAP 14's specification
//     node read.mjs junit    junit2json
//     node read.mjs workflow @action-validator/core, by the schema of GitHub's workflows
import { text } from "node:stream/consumers";

const READERS = {
    tap: async (report) => {
        const { Parser } = await import("tap-parser");
        return new Promise((resolve) => {
            const points = [], strange = [];
            const parser = new Parser({ strict: true }, (results) => resolve({
                ok: results.ok, planned: results.plan.end, strange,
                failures: results.failures.filter((one) => one.tapError).map((one) => one.tapError),
                points }));
            parser.on("assert", ({ ok, id, name, skip, diag }) => points.push({ ok, id, name, skip: Boolean(skip), diag }));
            parser.on("extra", (line) => strange.push(line));
            parser.end(report);
        });
    },
    junit: async (report) => (await import("junit2json")).parse(report),
    workflow: async (text) => (await import("@action-validator/core")).validateWorkflow(text),
};

console.log(JSON.stringify(await READERS[process.argv[2]](await text(process.stdin))));
