/** The type checker, a test or the server may read a generated file while discovery writes it: it is there, and whole. */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { project, tool } from "../../support/node/project.ts";

it.each([
  ["the catalogue", "catalog.ts", {}],
  ["the types of the tools", "tools.d.ts", {}],
  ["what npm start serves", "dev/current.js", { WRANGLER_COMMAND: "dev" }],
])("%s: who has it open keeps the whole old one", async (_, file, env) => {
  const made = project({ "kit/add.ts": tool() });
  expect((await made.discover(env)).code).toBe(0);
  const path = join(dirname(made.out), file);
  const before = readFileSync(path, "utf8");
  const open = openSync(path, "r");
  try {
    made.write({ "kit/sub.ts": tool() });
    expect((await made.discover(env)).code).toBe(0);
    expect(readFileSync(path, "utf8")).not.toBe(before);
    expect(readFileSync(open, "utf8")).toBe(before);
  } finally {
    closeSync(open);
  }
  expect(readdirSync(dirname(path)).filter((name) => name.endsWith(".new"))).toEqual([]);
});

it("npm start keeps the type of the features: the type checker of a running test may read them", async () => {
  const made = project({ "kit/add.ts": tool() });
  expect((await made.discover({ WRANGLER_COMMAND: "dev" })).code).toBe(0);
  const features = readFileSync(join(dirname(made.out), "features.ts"), "utf8");
  expect(features).toMatch(/^\/\/ @ts-nocheck\nimport type \{ Feature \}/);
  expect(features).toContain("export const features: readonly Feature[] = current;");
  const { exclude } = JSON.parse(readFileSync(join(import.meta.dirname, "../../../tsconfig.json"), "utf8"));
  expect(exclude).toContain("src/generated/dev");
});

it("npm start leaves the modules that the catalogue of a test imports", async () => {
  const skill = "---\nname: kit\ndescription: About it.\n---\n";
  const made = project({ "kit/add.ts": tool(), "kit/SKILL.md": skill });
  expect((await made.discover({})).code).toBe(0);
  const module = join(dirname(made.out), "skills/kit.ts");
  expect(existsSync(module)).toBe(true);
  expect((await made.discover({ WRANGLER_COMMAND: "dev" })).code).toBe(0);
  expect(existsSync(module)).toBe(true);
});

it("a second npm start in a clone leaves what the first one serves as it is, and both serve the next state", async () => {
  const made = project({ "kit/add.ts": tool(), "kit/SKILL.md": "---\nname: kit\ndescription: About it.\n---\n" });
  const folder = join(dirname(made.out), "dev");
  const serve = async () => expect((await made.discover({ WRANGLER_COMMAND: "dev" })).code).toBe(0);
  const files = () =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.includes("/"))
      .map((path) => `${path} ${statSync(join(folder, path)).ino}`);
  await serve();
  const before = files();
  await serve();
  expect(files()).toEqual(before);

  made.write({ "kit/sub.ts": tool() });
  await serve();
  // The first one may be bundling it.
  expect(files()).toEqual(expect.arrayContaining(before));
  const current = readFileSync(join(folder, "current.js"), "utf8");
  await serve();
  expect(readFileSync(join(folder, "current.js"), "utf8")).toBe(current);
});
