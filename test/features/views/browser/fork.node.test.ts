/** A fork with a view, as its author has it: `npm start` serves what is saved, and types are checked for a browser. */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fork, makeFork, type Started, start, until } from "../../../support/node/fork.ts";
import { mayStart, spawnSync } from "../../../support/node/processes.ts";
import { project, tool } from "../../../support/node/project.ts";
import { clients, SHOWS } from "../../../support/node/views.ts";
import { isSlow } from "../../../support/tier.ts";

// A fork of its own: discovery, and the type checker, of views and of a tool; and npm start.
mayStart(4);

const script = (text: string) => `import { openView } from "#view";

const view = openView("Weather_Forecast");
view.onResult((value) => {
  document.body.textContent = \`${text} \${value.toUpperCase()}\`;
});
void view.call("Weather_Forecast", { a: "x" });
`;

let fork: Fork;
beforeAll(() => {
  fork = makeFork({ "weather/forecast.ts": tool(), "weather/forecast.view.ts": script("first") }, { copied: true });
});
afterAll(() => fork?.remove());

describe("the discovery of npm start", () => {
  const made = project({ "weather/forecast.ts": tool(), "weather/forecast.view.ts": script("first") });
  const discover = () => made.discover({ WRANGLER_COMMAND: "dev" });
  const read = (name: string) => readFileSync(join(dirname(made.out), name), "utf8");
  const served = () => ({ uris: read("dev/views.json"), text: read("views/weather.forecast.ts") });

  it("gives a saved view another URI, and leaves it as it was after a mistake, which it reports", async () => {
    expect((await discover()).code).toBe(0);
    const before = served();
    expect(before.text).toContain("first");
    made.write({ "weather/forecast.view.ts": script("second") });
    expect((await discover()).code).toBe(0);
    const after = served();
    expect(after.text).toContain("second");
    expect(after.uris).toMatch(/^\["ui:\/\/weather\/forecast-/);
    expect(after.uris).not.toBe(before.uris);
    made.write({ "weather/forecast.view.ts": "const = 1;\n" });
    const { code, stderr } = await discover();
    expect(code).toBe(0);
    expect(stderr).toContain("tools/weather/forecast.view.ts:1");
    expect(stderr).toContain("The server keeps running with the previous tools");
    expect(served()).toEqual(after);
  });
});

describe.runIf(isSlow)("npm start", () => {
  let started: Started;
  beforeAll(async () => {
    started = await start(fork);
  });
  afterAll(() => started?.stop());

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
});

function check(config: string): string[] {
  const tsc = join(fork.root, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", config], { cwd: fork.root, encoding: "utf8" });
  return stdout.split("\n").filter((line) => /^\S/.test(line));
}

describe("types", () => {
  const endings = ["svg", "png", "jpg", "jpeg", "gif", "webp", "woff2"];
  const names = endings.map((ending) => `_a.${ending}`);
  const imports = endings.map((ending, at) => `import ${ending} from "./${names[at]}";`).join("\n");
  const texts = `export const all: readonly string[] = [${endings}];\n`;
  beforeAll(() => {
    fork.write("tools/weather/forecast.view.ts", script("third"));
    // By the fork itself: the types that this project's discovery writes are those of this project.
    const { status } = spawnSync(process.execPath, ["src/discovery/cli.ts"], { cwd: fork.root });
    expect(status).toBe(0);
    for (const name of names) fork.write(`tools/weather/${name}`, "");
    fork.write("tools/weather/_a.css", "");
  });

  it("of a view: other arguments of a call, and a value of another type, are errors; what is right is none, nor are pictures, fonts and styles", () => {
    fork.write("tools/weather/right.view.ts", script("third"));
    fork.write("tools/weather/pictures.view.ts", `${imports}\nimport "./_a.css";\n${texts}`);
    fork.write(
      "tools/weather/forecast.view.ts",
      script("third").replace('{ a: "x" }', "{ a: 1 }").replace("toUpperCase", "toFixed"),
    );
    expect(check("src/features/views/browser")).toEqual([
      expect.stringMatching(/forecast\.view\.ts\(5,.*toFixed/),
      expect.stringMatching(/forecast\.view\.ts\(7,.*Type 'number' is not assignable to type 'string'/),
    ]);
  });

  it("of a tool, which cannot import pictures and fonts: there are none for them", () => {
    fork.write("tools/weather/_of-a-tool.ts", `${imports}\n${texts}`);
    // As for the whole fork, with all declarations, but without the rest of its code.
    const include = ["tools/weather/_of-a-tool.ts", "src/**/*.d.ts"];
    fork.write("of-a-tool.json", JSON.stringify({ extends: "./tsconfig.json", include }));
    const errors = check("of-a-tool.json").join("\n");
    for (const name of names) expect(errors).toContain(`'./${name}'`);
  });
});
