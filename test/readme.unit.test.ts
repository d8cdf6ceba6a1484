/** Compares the README with the project: its commands are those of CI, and its samples are tested files. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
const read = (path: string) => readFileSync(resolve(ROOT, path), "utf8");
const readme = read("README.md");

it("gives the sample that start.node.test.ts adds", () => {
  expect(readme).toContain(`\`\`\`ts\n${read("test/fixtures/samples/hello/greet.ts")}\`\`\``);
});

it("gives the worker.ts that extend.node.test.ts runs", () => {
  expect(readme).toContain(`\`\`\`ts\n${read("test/fixtures/workers/readme.ts")}\`\`\``);
});

it("gives existing commands, and those that CI runs", () => {
  const { scripts } = JSON.parse(read("package.json"));
  expect(readme).toContain("npm install && npm start");
  expect(readme).toContain("npm install && npm test");
  for (const [, script = ""] of readme.matchAll(/npm run ([a-z-]+)/g)) expect(scripts).toHaveProperty([script]);
  expect(read(".ci/run")).toContain("npm install && npm test");
});

it("gives the limits that the source has", () => {
  const limit = (path: string, name: string) =>
    Number(new RegExp(`const ${name} = ([\\d_]+);`).exec(read(path))?.[1]?.replaceAll("_", ""));
  const words = readme.replaceAll(/\s+/g, " ");
  expect(words).toContain(`any beyond ${limit("src/stores/claims.ts", "MAX_WAITING")} that wait for one key`);
  const secret = limit("src/protocols/oxp/read.ts", "MAX_SECRET").toLocaleString("en");
  expect(words).toContain(`each token in \`authorization\`, has up to ${secret} characters`);
  expect(words).toContain(
    `An input of over ${limit("src/core/model/schema.ts", "MAX_VALUES_IN_FULL").toLocaleString("en")} values`,
  );
  expect(words).toContain(
    `inputs of up to ${limit("src/core/model/schema.ts", "MAX_VALUES").toLocaleString("en")} values`,
  );
});
