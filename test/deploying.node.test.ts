/** What a deployment from elsewhere reads: a Deploy button's data, and the workflow that a fork gets. */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { main as copy } from "../src/cli/copy/make-copy.ts";
import { makeFork, testSettings } from "./support/node/fork.ts";
import { runMain } from "./support/node/script.ts";

const ROOT = resolve(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

/** Cloudflare: Workers, Deploy to Cloudflare buttons. The button asks for what these describe. */
describe("a Deploy button", () => {
  const described = Object.entries<{ description: string }>(JSON.parse(read("package.json")).cloudflare.bindings);

  it("describes each binding that the framework needs, and each variable that its owner should look at", () => {
    const { kv_namespaces, durable_objects } = unstable_readConfig({
      config: join(ROOT, "test/support/wrangler.toml"),
    });
    const names = [
      ...kv_namespaces.map(({ binding }: { binding: string }) => binding),
      ...durable_objects.bindings.map(({ name }: { name: string }) => name),
    ];
    const known = described.map(([name]) => name);
    expect(names.length).toBeGreaterThan(3);
    expect(known).toEqual(expect.arrayContaining([...names, "SERVER_NAME", "PUBLIC"]));
    for (const [name, { description }] of described) expect(description, name).toMatch(/\S/);
  });
});

describe("the workflow", () => {
  const workflow = read(".github/workflows/deploy.yml");

  it("does nothing in a repository that is not set up, such as upstream: every job waits for the guarded one", () => {
    const [, ...jobs] = workflow.slice(workflow.indexOf("\njobs:")).split(/^ {2}(?=[a-z]+:$)/m);
    expect(jobs.map((job) => job.slice(0, job.indexOf(":")))).toEqual(["test", "preview", "deploy"]);
    expect(jobs[0]).toContain("if: vars.CLOUDFLARE_ACCOUNT_ID != ''");
    for (const job of jobs.slice(1)) expect(job).toMatch(/^ {4}needs: test$/m);
  });

  it("runs scripts that exist", () => {
    const { scripts } = JSON.parse(read("package.json"));
    const named = [...workflow.matchAll(/npm (?:run )?(test|check|copy|doctor|deploy)\b/g)].map(
      ([, name = ""]) => name,
    );
    expect(new Set(named)).toEqual(new Set(["test", "check", "copy", "doctor", "deploy"]));
    for (const name of named) expect(scripts).toHaveProperty(name);
  });

  // The preview must be separate however wrangler.toml is written.
  it.each([
    ["one line", 'name = "acme"\n', 'routes = [{ pattern = "tools.example.com", custom_domain = true }]\n', ""],
    ["single quotes", "name = 'acme'\n", "route = 'tools.example.com/*'\n", ""],
    ["tables", 'name="acme"\n', "", '[[routes]]\npattern = "tools.example.com"\ncustom_domain = true\n'],
  ])(
    "previews under another name, off the domain of production and with its own storage: %s",
    async (_, name, top, tables) => {
      const fork = makeFork({});
      try {
        const storage = `
[[r2_buckets]]
binding = "FILES"
bucket_name = "files"
[[d1_databases]]
binding = "DB"
database_name = "orders"
database_id = "11111111-2222-3333-4444-555555555555"
`;
        fork.write("wrangler.toml", testSettings().replace(/^name = .*\n/m, name + top) + tables + storage);
        const lines = [...workflow.matchAll(/^ {6}- run: (.*)$/gm)].map(([, line = ""]) => line);
        const at = lines.findIndex((line) => line.startsWith("npm run deploy -- --config"));
        // Without bindings to share, the shell makes nothing of $SHARE.
        const [, words = ""] = /^npm run copy -- (.*) \$SHARE$/.exec(lines[at - 1] ?? "") ?? [];
        expect(await runMain(copy, fork, words.split(" "))).toMatchObject({ code: 0, stderr: "" });
        const file = lines[at]?.split(" ").at(-1) ?? "";
        const preview = unstable_readConfig({ config: join(fork.root, file) });
        expect(preview).toMatchObject({ name: "acme-preview", r2_buckets: [{ bucket_name: "files-preview" }] });
        expect(preview.d1_databases).toEqual([{ binding: "DB", database_name: "orders-preview" }]);
        expect([preview.routes, preview.route]).toEqual([undefined, undefined]);
      } finally {
        fork.remove();
      }
    },
  );
});
