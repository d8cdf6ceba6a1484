/** What discovery keeps of wrangler.toml on disk: it must never be told what an earlier text said. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { project, tool } from "../../support/node/project.ts";

const NEEDS = { "kit/add.ts": tool({ env: '["PLACE"]' }) };
const settings = (vars: string) => `name = "kept"\n[vars]\n${vars}\n`;

it("what discovery says of a changed wrangler.toml, and of one changed back, is what its text says", async () => {
  const { folder, discover } = project(NEEDS);
  const after = async (vars: string) => {
    writeFileSync(join(folder, "wrangler.toml"), settings(vars));
    const { code, stderr } = await discover();
    return { code, stderr };
  };
  const missing = { code: 1, stderr: expect.stringContaining("its env has PLACE") };
  for (let time = 0; time < 2; time++) {
    expect(await after('PLACE = "here"')).toMatchObject({ code: 0 });
    expect(await after('OTHER = "here"')).toEqual(missing);
  }
});

it("a variable that is a date is the same at each reading", async () => {
  const { folder, discover } = project({ "kit/add.ts": tool() });
  writeFileSync(join(folder, "wrangler.toml"), settings(`SERVER_NAME = 2026-01-0${1 + (process.pid % 9)}`));
  const [first, second] = [await discover(), await discover()];
  expect(second).toEqual(first);
});
