/** A fork with a view, as its author has it: `npm start` serves what is saved, and types are checked for a browser. */

import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Fork, makeFork, type Started, start, until } from "../support/node/fork.ts";
import { mayStart, spawnSync } from "../support/node/processes.ts";
import { tool } from "../support/node/project.ts";
import { clients, SHOWS } from "../support/node/views.ts";

// A fork of its own: discovery, and the type checker.
mayStart(5);

const script = (text: string) => `import { openView } from "#view";

const view = openView("Weather_Forecast");
view.onResult((value) => {
  document.body.textContent = \`${text} \${value.toUpperCase()}\`;
});
void view.call("Weather_Forecast", { a: "x" });
`;

let fork: Fork;
let started: Started;
beforeAll(async () => {
  fork = makeFork({ "weather/forecast.ts": tool(), "weather/forecast.view.ts": script("first") });
  started = await start(fork);
});
afterAll(async () => {
  await started?.stop();
  fork?.remove();
});

/** The view's URI and its page, as each era has them. */
async function read(): Promise<{ uri: string; text: string }[]> {
  return Promise.all(
    (await clients(started.url, SHOWS)).map(async (client) => {
      const { uri } = (await client.ask("resources/list")).result.resources[0];
      return (await client.ask("resources/read", { uri })).result.contents[0];
    }),
  );
}

it("a saved view is served, under another URI", async () => {
  const before = await read();
  for (const { text } of before) expect(text).toContain("first");
  fork.write("tools/weather/forecast.view.ts", script("second"));
  await until(async () => (await read()).every(({ text }) => text.includes("second")));
  const after = await read();
  expect(after.map(({ uri }) => uri)).not.toContain(before[0]?.uri);
});

it("a mistake leaves the view as it was, and is reported", async () => {
  fork.write("tools/weather/forecast.view.ts", "const = 1;\n");
  await until(async () => started.printed().includes("tools/weather/forecast.view.ts:1"));
  for (const { text } of await read()) expect(text).toContain("second");
});

const check = (config = "src/view") =>
  spawnSync(process.execPath, [join(fork.root, "node_modules/typescript/bin/tsc"), "-p", config], {
    cwd: fork.root,
    encoding: "utf8",
  }).stdout;

it("a call with other arguments, and a value of another type, are type errors; what is right is none", async () => {
  fork.write("tools/weather/forecast.view.ts", script("third"));
  expect(check()).toBe("");
  fork.write(
    "tools/weather/forecast.view.ts",
    script("third").replace('{ a: "x" }', "{ a: 1 }").replace("toUpperCase", "toFixed"),
  );
  const errors = check();
  expect(errors).toMatch(/forecast\.view\.ts\(5,.*toFixed/);
  expect(errors).toMatch(/forecast\.view\.ts\(7,.*Type 'number' is not assignable to type 'string'/);
});

it("pictures, fonts and styles have types in a view, and none in a tool, which cannot import them", () => {
  const endings = ["svg", "png", "jpg", "jpeg", "gif", "webp", "woff2"];
  const names = endings.map((ending) => `_a.${ending}`);
  const imports = endings.map((ending, at) => `import ${ending} from "./${names[at]}";`).join("\n");
  for (const name of names) fork.write(`tools/weather/${name}`, "");
  fork.write("tools/weather/_a.css", "");
  const texts = `export const all: readonly string[] = [${endings}];\n`;
  fork.write("tools/weather/forecast.view.ts", `${imports}\nimport "./_a.css";\n${texts}`);
  expect(check()).toBe("");
  fork.write("tools/weather/_of-a-tool.ts", `${imports}\n${texts}`);
  const errors = check(".");
  for (const name of names) expect(errors).toContain(`'./${name}'`);
});
