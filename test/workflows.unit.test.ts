/**
 * GitHub runs `.github/workflows` in every fork that enables workflows. So they must cost nothing there unless its owner
 * asks for them, and must name what exists: nobody sees a mistake before they run.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { isUpstream } from "./support/node/upstream.ts";

const ROOT = resolve(import.meta.dirname, "..");
const read = (path: string) => readFileSync(resolve(ROOT, path), "utf8");

interface Step {
  readonly env?: Readonly<Record<string, string>>;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly env?: Readonly<Record<string, string>>;
  readonly if?: string;
  readonly needs?: string;
  readonly "timeout-minutes"?: number;
  readonly "continue-on-error"?: boolean;
  readonly strategy?: { readonly matrix: Readonly<Record<string, unknown>> };
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly permissions: unknown;
  readonly concurrency?: { readonly group: string; readonly "cancel-in-progress": boolean };
  readonly jobs: Readonly<Record<string, Job>>;
}

const workflow = (name: string): Workflow => parse(read(`.github/workflows/${name}.yml`));
const { scripts } = JSON.parse(read("package.json"));
const runsOf = ({ steps }: Job) => steps.flatMap(({ run = [] }) => run);

/** What a repository must have for the jobs of each workflow to run, and how many minutes a job may last. */
const WORKFLOWS = {
  ci: { guard: "contains(github.event.repository.topics, 'trivet-ci')", minutes: 10 },
  nightly: { guard: "vars.TRIVET_NIGHTLY == 'true'", minutes: 30 },
  deploy: { guard: "vars.CLOUDFLARE_ACCOUNT_ID != ''", minutes: undefined },
} as const;

it("every workflow is tested here", () => {
  const names = globSync("*.yml", { cwd: resolve(ROOT, ".github/workflows") });
  expect(names.sort()).toEqual(
    Object.keys(WORKFLOWS)
      .map((name) => `${name}.yml`)
      .sort(),
  );
});

describe.each(Object.entries(WORKFLOWS))("%s.yml", (name, { guard, minutes }) => {
  const { jobs, permissions } = workflow(name);

  it("runs no job in a repository whose owner does not ask for it", () => {
    for (const [id, job] of Object.entries(jobs)) {
      const first = job.needs === undefined ? job : jobs[job.needs];
      expect(first?.if, id).toBe(guard);
    }
  });

  it("may read the repository, and nothing else", () => {
    expect(permissions).toEqual({ contents: "read" });
  });

  it("ends jobs that hang", () => {
    if (minutes === undefined) return;
    for (const [id, job] of Object.entries(jobs)) expect(job["timeout-minutes"], id).toBe(minutes);
  });

  it("runs scripts and files that exist", () => {
    const runs = Object.values(jobs).flatMap(runsOf);
    expect(runs.length).toBeGreaterThan(1);
    for (const run of runs) {
      for (const [, script = ""] of run.matchAll(/\bnpm (?:run (?:--silent )?)?(?!install\b|ci\b)([\w:]+)/g))
        expect(scripts, run).toHaveProperty([script]);
      for (const [, file = ""] of run.matchAll(/\bnode (\S+)/g))
        expect(existsSync(resolve(ROOT, file)), run).toBe(true);
    }
  });

  it("gives secrets to single steps, and none to the install scripts of packages", () => {
    for (const { env, steps } of Object.values(jobs)) {
      const installing = steps.filter(({ uses, run = "" }) => uses !== undefined || /^npm (ci|install)\b/.test(run));
      expect(installing.length).toBeGreaterThan(1);
      for (const given of [env, ...installing.map((step) => step.env)])
        expect(JSON.stringify(given ?? {})).not.toContain("secrets.");
    }
  });

  it("takes no text of a pull request into a command, and actions of one version each", () => {
    const steps = Object.values(jobs).flatMap(({ steps }) => steps);
    // An expression there would be code by whoever names a branch. In `env:` it is a value.
    for (const { run } of steps) expect(run ?? "").not.toContain("${{");
    const used = new Set(steps.flatMap(({ uses = [] }) => uses));
    expect([...used].sort()).toEqual(["actions/checkout@v5", "actions/setup-node@v5"]);
  });
});

describe("ci.yml", () => {
  const { jobs, concurrency } = workflow("ci");

  it.skipIf(!isUpstream)(
    "runs the README's two commands as written, on each Node from the oldest that it promises",
    () => {
      const [, ...commands] = /```sh\n(npm install.*)\n(npm install.*)\n```/.exec(read("README.md")) ?? [];
      expect(commands).toHaveLength(2);
      const runs = runsOf(jobs.readme as Job).join("\n");
      for (const command of commands) expect(runs).toContain(command.replace(/ +#.*/, ""));
      expect(jobs.readme?.strategy?.matrix.node).toEqual([20, 22, 24]);
      expect(JSON.parse(read("package.json")).engines.node).toBe(">=20");
    },
  );

  it("checks and tests", () => {
    const runs = Object.values(jobs).flatMap(runsOf);
    expect(runs).toEqual(expect.arrayContaining(["npm run check", "npm run test:all"]));
  });

  it("cannot fail because of a system that nobody has tried", () => {
    expect(Object.keys(jobs).filter((id) => jobs[id]?.["continue-on-error"])).toEqual(["untried"]);
    expect(jobs.untried?.strategy?.matrix.system).toEqual(["windows-latest", "macos-latest"]);
  });

  it("ends the run of an older push, and not that of another branch", () => {
    expect(concurrency).toEqual({ group: `ci-\${{ github.ref }}`, "cancel-in-progress": true });
  });
});
