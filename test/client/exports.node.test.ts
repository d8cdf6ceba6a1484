/** What other projects may import (docs/clients.md): `exports` in package.json, and the files that it is made from. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const own = JSON.parse(readFileSync(resolve(ROOT, "package.json"), "utf8")) as {
  readonly private: unknown;
  readonly files: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
};
const names = Object.keys(own.exports).map((name) => name.replace(/^\.\//, ""));

it("every name leads to a source, by the place where the compiler puts it", () => {
  expect(own.exports).toEqual(Object.fromEntries(names.map((name) => [`./${name}`, `./dist/client/${name}.js`])));
  expect(names.filter((name) => !existsSync(resolve(ROOT, `src/client/${name}.ts`)))).toEqual([]);
});

it("every file directly in src/client can be imported", () => {
  const files = globSync("*.ts", { cwd: resolve(ROOT, "src/client") }).map((file) => file.replace(/\.ts$/, ""));
  expect(files.length).toBeGreaterThan(2);
  expect(names).toEqual(expect.arrayContaining(files));
});

it("every name is on the page that says how to import", () => {
  const page = readFileSync(resolve(ROOT, "docs/clients.md"), "utf8");
  expect(names.filter((name) => !page.includes(`\`trivet/${name}\``))).toEqual([]);
});

it("a package has the clients and nothing else, is never published, and runs nothing where it is installed", () => {
  expect(own.private).toBe(true);
  expect(own.files).toEqual(["dist/client"]);
  // npm runs `prepare` in a project, and before it packs; these, in every project that installs the package.
  expect(Object.keys(own.scripts).filter((name) => /^(pre|post)?install$/.test(name))).toEqual([]);
});
