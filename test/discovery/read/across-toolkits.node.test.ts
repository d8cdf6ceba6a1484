/** A tool may import from another toolkit's folder: it is one module, under `npm start` as in a deployment. */
import { expect, it } from "vitest";
import { project, tool } from "../../support/node/project.ts";

const FILES = {
  "a/x.ts": tool({ run: "() => String(next())" }, 'import { next } from "../b/_count.ts";'),
  "b/y.ts": tool({ run: "() => String(next())" }, 'import { next } from "./_count.ts";'),
  "b/_count.ts": "let count = 0;\nexport const next = () => ++count;\n",
};

// biome-ignore lint/suspicious/noExplicitAny: any tool
const run = async (entry: any): Promise<string> => (await entry.load()).default.run();

it.each([{}, { WRANGLER_COMMAND: "dev" }])("both toolkits share the module's state: %j", async (env) => {
  const made = project(FILES);
  // With a warning about that state.
  expect(await made.discover(env)).toMatchObject({ code: 0 });
  const { entries } = await made.catalog();
  const [first, second] = [entries.find(({ id }) => id === "A.X"), entries.find(({ id }) => id === "B.Y")];
  expect([await run(first), await run(second)]).toEqual(["1", "2"]);
});

it("but not in a cycle", async () => {
  const { stderr } = await project({
    "a/x.ts": tool({ run: "() => one" }, 'import { one } from "../b/y.ts";\nexport const two = "2";'),
    "b/y.ts": tool({ run: "() => two" }, 'import { two } from "../a/x.ts";\nexport const one = "1";'),
  }).discover();
  expect(stderr).toContain("it imports itself in a cycle: tools/a/x.ts → tools/b/y.ts → tools/a/x.ts");
});
