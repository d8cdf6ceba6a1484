/** Events in tools/: what discovery makes of them, and that every mistake names the file, the problem and the fix. */
import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { beforeAll, describe, expect, it } from "vitest";
import { outboxLines } from "../../../src/discovery/settings/available.ts";
import { about } from "../../support/node/discovery.ts";
import { testSettings } from "../../support/node/fork.ts";
import { WORKFLOW } from "../../support/node/long.ts";
import { type Project, project, tool } from "../../support/node/project.ts";

const IMPORTS = 'import * as v from "valibot";\nimport { defineEvent, jsonSchema } from "#tool";\n';
const event = (members: string) =>
  `${IMPORTS}export default defineEvent({\n  ${members.replaceAll("; ", ",\n  ")},\n} as never);\n`;
const GOOD = 'description: "E"; payload: v.object({ id: v.number() })';
const WITH_OUTBOX = `${testSettings()}\n${outboxLines("wrangler.toml")}\n`;

/** An event's members, the problem, the fix, and its line. */
const MISTAKES: readonly (readonly [members: string, problem: string, fix: string, line?: number])[] = [
  ["description: 1", "its default export is not an event definition", "write export default defineEvent({"],
  [GOOD, "it has no name", 'name: "notes.changed"', 3],
  [`name: "a b"; ${GOOD}`, 'its name "a b" is not words joined by dots', "up to 128 characters", 4],
  [`name: "a..b"; ${GOOD}`, 'its name "a..b" is not words joined by dots', "notes.changed", 4],
  [`name: "${"n".repeat(129)}"; ${GOOD}`, "is not words joined by dots", "128 characters", 4],
  [`name: "task.done"; ${GOOD}`, 'begins with "task.", as only the server\'s own events do', "job.finished", 4],
  ['name: "a.1"; payload: v.object({})', "it has no description", "When it occurs.", 3],
  ['name: "a.2"; description: "E"', "it has no payload", "add payload: v.object("],
  ['name: "a.3"; description: "E"; payload: v.string()', "its payload is not an object", "payload: v.object(", 6],
  [
    'name: "a.4"; description: "E"; payload: { type: "object" }',
    "its payload is a plain JSON Schema",
    "import { defineEvent",
    6,
  ],
  [
    'name: "a.5"; description: "E"; payload: v.object({ at: v.date() })',
    "its payload cannot become a JSON Schema",
    "v.pipe(v.string(), v.isoTimestamp())",
  ],
  [
    `name: "a.6"; ${GOOD}; input: v.object({ id: v.number() })`,
    'the parameter "id" has no description',
    "v.description(",
    7,
  ],
  [`name: "a.7"; ${GOOD}; input: v.string()`, "its input is not an object", "input: v.object(", 7],
  [
    `name: "a.8"; ${GOOD}; input: jsonSchema({ type: "object" })`,
    "its input is a JSON Schema that nothing checks",
    "give jsonSchema a function",
    7,
  ],
  [`name: "a.9"; ${GOOD}; delivery: []`, "its delivery is not a list of", 'delivery: ["poll", "push"]', 7],
  [`name: "a.10"; ${GOOD}; delivery: ["mail"]`, "its delivery is not a list of", "leave it out", 7],
  [`name: "a.11"; ${GOOD}; matches: true`, "its matches is not a function", "matches: (args, data)", 7],
  [`name: "a.12"; ${GOOD}; scopes: ["a b"]`, 'its "scopes" is not a list of scopes', "scopes: [", 7],
  [`name: "a.13"; ${GOOD}; rate: 10`, 'an event has no member "rate"', "name, description, payload, input", 7],
];

/** The entries in a generated catalogue, which has code that runs in workerd only. */
function eventsIn({ out }: Project): unknown {
  const [, lines = ""] = /^ {2}events: \[\n(.*?)^ {2}\],/ms.exec(readFileSync(out, "utf8")) ?? [];
  return JSON.parse(JSON.stringify(runInNewContext(`[${lines.replace(/load: \(\) => import\(.*?\)/g, "")}]`)));
}

describe("a mistake in an event", () => {
  let stderr = "";
  beforeAll(async () => {
    const files = MISTAKES.map(([members], at) => [`kit/e-x${at}.event.ts`, event(members)]);
    ({ stderr } = await project({ ...Object.fromEntries(files), "../wrangler.toml": WITH_OUTBOX }).discover());
  });

  it.each(MISTAKES.map((mistake, at) => ({ at, mistake })))("$mistake.1", ({ at, mistake }) => {
    const [, problem, fix, line] = mistake;
    const file = `tools/kit/e-x${at}.event.ts`;
    const said = about(stderr, file);
    expect(said).toContain(problem);
    expect(said).toContain(fix);
    if (line !== undefined) expect(said).toContain(`${file}:${line}\n`);
  });
});

it("two events of one name, and a file whose name is none", async () => {
  const { code, stderr } = await project({
    "kit/one.event.ts": event(`name: "kit.changed"; ${GOOD}`),
    "kit/two.event.ts": event(`name: "kit.changed"; ${GOOD}`),
    "kit/three@1.event.ts": event(`name: "kit.three"; ${GOOD}`),
    "kit/Four.event.ts": event(`name: "kit.four"; ${GOOD}`),
    "../wrangler.toml": WITH_OUTBOX,
  }).discover();
  expect(code).toBe(1);
  expect(stderr).toContain("it is the event kit.changed, and so is tools/kit/one.event.ts");
  expect(stderr).toContain("an event has no versions");
  expect(stderr).toContain('"Four" is not an event name');
  expect(stderr).toContain("rename the file to four.event.ts");
});

it("an event without an outbox: says which lines to add, and with them it is found", async () => {
  const made = project({
    "kit/add.ts": tool(),
    "kit/changed.event.ts": event(`name: "kit.changed"; ${GOOD}`),
    "../wrangler.toml": testSettings(),
  });
  const { code, stderr } = await made.discover();
  expect([code, stderr.trimEnd().split("\n")]).toEqual([
    1,
    [
      "1 problem(s) in tools:",
      "tools/kit/changed.event.ts",
      "  problem: it is an event, and wrangler.toml has no outbox to keep it in",
      "  fix:     add these lines to wrangler.toml (docs/events.md):",
      ...outboxLines("wrangler.toml")
        .split("\n")
        .map((line) => `           ${line}`),
    ],
  ]);
  made.write({ "../wrangler.toml": WITH_OUTBOX });
  const again = await made.discover();
  expect(again).toMatchObject({ code: 0, stderr: "" });
  expect(again.stdout).toContain("discovered 1 tool and 1 event\n");
  expect(again.stdout).toContain("kit.changed (event)");
});

describe("the catalogue", () => {
  it("has each event with its schemas, flat, and its scopes among those that are demanded", async () => {
    const made = project({
      "kit/b.event.ts": event(`name: "kit.b"; ${GOOD}; scopes: ["kit:read"]; delivery: ["poll", "webhook"]`),
      "kit/a.event.ts": event(
        'name: "kit.a"; description: "A"; payload: v.intersect([v.object({ x: v.string() }), v.object({ y: v.number() })]);' +
          ' input: v.object({ session: v.pipe(v.string(), v.description("Which.")) })',
      ),
      "../wrangler.toml": WITH_OUTBOX,
    });
    expect(await made.discover()).toMatchObject({ code: 0, stderr: "" });
    expect(eventsIn(made)).toEqual([
      {
        name: "kit.a",
        toolkit: "kit",
        options: {},
        about: {
          description: "A",
          delivery: ["webhook", "push", "poll"],
          input: {
            type: "object",
            properties: { session: { type: "string", description: "Which." } },
            required: ["session"],
          },
          payload: {
            type: "object",
            properties: { x: { type: "string" }, y: { type: "number" } },
            required: ["x", "y"],
          },
        },
      },
      {
        name: "kit.b",
        toolkit: "kit",
        options: { scopes: ["kit:read"] },
        about: {
          description: "E",
          delivery: ["webhook", "poll"],
          input: { type: "object", properties: {} },
          payload: { type: "object", properties: { id: { type: "number" } }, required: ["id"] },
        },
      },
    ]);
    expect(readFileSync(made.out, "utf8")).toContain('scopes: ["kit:read"],');
  });

  it("has `task.finished` if there are long tools and an outbox, and not otherwise", async () => {
    const names = async (settings: string, more: Record<string, string>) => {
      const made = project({ "kit/add.ts": tool(more), "../wrangler.toml": settings });
      expect((await made.discover()).code).toBe(0);
      return readFileSync(made.out, "utf8").match(/^ {2}events: \[[^\]]*\]/m)?.[0];
    };
    expect(await names(WITH_OUTBOX + WORKFLOW, { long: "true" })).toBe("  events: [\n    taskFinished,\n  ]");
    expect(await names(WITH_OUTBOX, {})).toBeUndefined();
    expect(await names(testSettings() + WORKFLOW, { long: "true" })).toBeUndefined();
  });
});
