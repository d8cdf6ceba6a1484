/** What a deployment from elsewhere reads: a Deploy button's data, and the workflow that a fork gets. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { makeFork, testSettings } from "./support/node/fork.ts";

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

  it("asks for no secret that a deployment can do without: it would not go on without a value", () => {
    const lines = read(".dev.vars.example").split("\n");
    const offered = lines.flatMap((line) => /^# ([A-Z_]+)=$/.exec(line)?.[1] ?? []);
    expect(lines.filter((line) => line !== "" && !line.startsWith("#"))).toEqual([]);
    expect(offered.length).toBeGreaterThan(0);
    expect(described.map(([name]) => name)).toEqual(expect.arrayContaining(offered));
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
    const named = [...workflow.matchAll(/npm (?:run )?(test|check|doctor|deploy)\b/g)].map(([, name = ""]) => name);
    expect(new Set(named)).toEqual(new Set(["test", "check", "doctor", "deploy"]));
    for (const name of named) expect(scripts).toHaveProperty(name);
  });

  it("previews under another name, and never on the domain of production", () => {
    const fork = makeFork({});
    try {
      const domain = 'routes = [{ pattern = "tools.example.com", custom_domain = true }]\n';
      const other = '\n[[workflows]]\nname = "other"\nbinding = "W"\nclass_name = "W"\n';
      fork.write("wrangler.toml", domain + testSettings() + other);
      const [, command = ""] = /- run: (sed .*)$/m.exec(workflow) ?? [];
      execFileSync("sh", ["-c", command], { cwd: fork.root });
      const preview = unstable_readConfig({ config: join(fork.root, "wrangler.preview.toml") });
      const original = unstable_readConfig({ config: join(fork.root, "wrangler.toml") });
      expect(original.routes).toHaveLength(1);
      const { name, topLevelName, routes, configPath, userConfigPath, ...rest } = original;
      expect(preview).toMatchObject({ ...rest, name: `${name}-preview` });
      expect(preview.routes).toBeUndefined();
    } finally {
      fork.remove();
    }
  });
});
