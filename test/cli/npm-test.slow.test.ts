/**
 * `npm test` in a fork with tools of its own: those of docs/testing.md and docs/tasks.md, which so are true. Each run
 * tests several things, because it starts the type checker and a Worker.
 */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Copy, copyProject } from "../support/node/copy.ts";
import { moveToJson, testSettings, until } from "../support/node/fork.ts";
import { WORKFLOW } from "../support/node/long.ts";
import { execFile, spawn } from "../support/node/processes.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const GREET = read("test/fixtures/samples/hello/greet.ts");
/** The blocks that begin with the path of their file, without those that test what another page has. */
const DOCUMENTED = Array.from(
  read("docs/testing.md").matchAll(/```ts\n\/\/ (tools\/(?:hello|pizza)\/\S+)\n([\s\S]*?)```/g),
  ([, path = "", text = ""]) => [path, text] as const,
);
/** The tools of docs/tasks.md. */
const LONG_TOOLS = Array.from(
  read("docs/tasks.md").matchAll(/This is `(tools\/\S+)`:\s+```ts\n([\s\S]*?)```/g),
  ([, path = "", text = ""]) => [path, text] as const,
);
/** docs/testing.md, Long tools: "runs a long tool to its end: `prepare`, then `run`, with `answers` for both". */
const LONG_TEST = `import { expect, it } from "vitest";
import { callTool } from "#test";

it("fills three crates of the size that the user chose", async () => {
  const answers = { size: { action: "accept", content: { size: "L" } } } as const;
  const { value, progress } = await callTool("Orchard.Harvest", { orchard: "North" }, { answers });
  expect(value).toEqual({ crates: ["North 1", "North 2", "North 3"], size: "L" });
  expect(progress.at(-1)).toEqual({ done: 3, total: 3, message: "Filled crate 3" });
});
`;

let copy: Copy;
beforeAll(() => {
  copy = copyProject();
  copy.write("wrangler.toml", testSettings() + WORKFLOW);
  for (const [path, text] of [...DOCUMENTED, ...LONG_TOOLS]) copy.write(path, text);
  copy.write("tools/orchard/harvest.test.ts", LONG_TEST);
  // Formatted as nobody would.
  copy.write("tools/hello/greet.ts", GREET.replaceAll("  ", "      "));
});
afterAll(() => copy.remove());

/** A person's environment: without what vitest sets in this process. */
function options() {
  const env = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_ENV$|MODE$|DEV$|PROD$)/.test(name));
  return { cwd: copy.root, env: { ...Object.fromEntries(env), NO_COLOR: "1" } };
}

function npmTest(...args: string[]): Promise<{ readonly code: number; readonly printed: string }> {
  return new Promise((ended) => {
    execFile("npm", ["test", "--", ...args], options(), (error, stdout, stderr) => {
      ended({ code: error === null ? 0 : Number(error.code ?? -1), printed: stdout + stderr });
    });
  });
}

it("is green with the tools and tests of docs/testing.md, although a file is not formatted", async () => {
  expect(DOCUMENTED.map(([path]) => path)).toEqual([
    "tools/hello/greet.test.ts",
    "tools/pizza/order.ts",
    "tools/pizza/order.test.ts",
  ]);
  const { code, printed } = await npmTest();
  expect([code, printed]).toEqual([0, expect.stringMatching(/Tests +6 passed/)]);
});

it("takes the settings of wrangler.jsonc, here and below", async () => {
  moveToJson(copy.root);
  const { code, printed } = await npmTest("tools/pizza");
  expect([code, printed]).toEqual([0, expect.stringContaining("Tests")]);
});

it("runs the tests of one folder whatever the types of another say, and is red because of them", async () => {
  copy.write(
    "tools/pizza/order.test.ts",
    'import { callTool } from "#test";\n\nawait callTool("Pizza.Ordr", { kind: "x" });\n',
  );
  const { code, printed } = await npmTest("tools/hello");
  expect(printed).toMatch(/Tests +2 passed/);
  expect(printed).toMatch(/The types have mistakes:\n\n.*tools\/pizza\/order\.test\.ts\D*3\D.*"Pizza\.Ordr"/s);
  expect(code).toBe(1);
});

it("is red if a test fails, names its line, and says what the tool threw", async () => {
  copy.write(
    "tools/pizza/order.ts",
    GREET.replace("return", 'if (name === "x") throw new TypeError("no oven");\n    return'),
  );
  const test = [
    'import { expect, it } from "vitest";',
    'import { callTool } from "#test";',
    "",
    "interface Lines {",
    "  readonly that: string;",
    "}",
    'it("bakes", async () => {',
    '  const lines: Lines = { that: "move" };',
    '  const { value } = await callTool("Pizza.Order", { name: "x" });',
    "  expect(value).toBe(lines.that);",
    "});",
    "",
  ];
  copy.write("tools/pizza/order.test.ts", test.join("\n"));
  const { code, printed } = await npmTest("tools/pizza");
  expect(printed).toContain("Pizza.Order failed: The tool failed because of an internal error.");
  expect(printed).toContain("It threw TypeError: no oven");
  expect(printed).toMatch(/tools\/pizza\/order\.test\.ts:9:\d+/);
  expect(printed).toMatch(/Caused by: TypeError: no oven\s+❯ .*tools\/pizza\/order\.ts:13:/);
  expect(printed).not.toContain("The types have mistakes");
  // The Worker's log is shown as by `npm start`.
  expect(printed).toMatch(
    /^[\d:]{8} {2}Pizza\.Order@1\.0\.0 .*internal error\.\n {2}TypeError: no oven\n {6}at .*\(tools\/pizza\/order\.ts:13:/m,
  );
  expect(printed).not.toMatch(/^\{"level"/m);
  expect(code).toBe(1);
});

it("is red if a definition is wrong, a folder has no tests, or a tool imports what is for tests", async () => {
  const empty = await npmTest("tools/helo");
  expect([empty.code, empty.printed]).toEqual([1, expect.stringContaining("No test files found")]);
  copy.write("tools/pizza/order.ts", `import "#test";\n${GREET}`);
  const { code, printed } = await npmTest("tools/hello");
  expect(printed).toContain("1 problem(s) in tools:\ntools/pizza/order.ts");
  expect(printed).toContain("#test is for tests");
  expect(code).toBe(1);
});

it("npm run test:watch runs what a saved or added file touches, after discovery", async () => {
  copy.write("tools/pizza/order.ts", GREET);
  copy.write("tools/pizza/order.test.ts", "");
  const watching = spawn("npm", ["run", "test:watch"], {
    ...options(),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [watching.stdout, watching.stderr]) stream.on("data", (chunk) => (printed += chunk));
  const says = (words: RegExp) => until(async () => words.test(printed)).catch(() => expect(printed).toMatch(words));
  // Vitest says that it waits before its watcher does, so a file is saved again until it is seen.
  const sees = async (words: RegExp, save: () => void) => {
    const saving = setInterval(save, 15_000);
    save();
    await says(words).finally(() => clearInterval(saving));
  };
  try {
    await says(/Waiting for file changes/);
    await sees(/expected 'Hallo, world!' to be 'Hello, world!'/, () =>
      copy.write("tools/hello/greet.ts", GREET.replace("Hello,", "Hallo,")),
    );
    await sees(/✓ .*tools\/soup\/ladle\.test\.ts \(2 tests\)/, () => {
      copy.write("tools/soup/ladle.ts", GREET);
      copy.write("tools/soup/ladle.test.ts", DOCUMENTED[0]?.[1].replaceAll("Hello.Greet", "Soup.Ladle") ?? "");
    });
  } finally {
    process.kill(-(watching.pid as number), "SIGTERM");
  }
});
