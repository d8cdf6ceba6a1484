/**
 * `npm run weight [-- COMMIT]`: prints what the framework weighs as a Markdown table, beside what it weighs in another
 * commit: the size of a Worker with one small tool, and the bytes of memory that a call of it allocates. CI adds it to
 * the summary of a pull request. Neither figure depends on the speed of the machine.
 */
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Field } from "./bench/contestants.ts";
import { allocation } from "./bench/inspector.ts";
import { SCENARIOS } from "./bench/scenarios.ts";
import { FIGURES } from "./figures.ts";
import { oneTool } from "./size.ts";
import { execFileSync } from "./support/node/processes.ts";

const ROOT = resolve(import.meta.dirname, "..");

/** Figures by what they say. */
type Weight = Readonly<Record<string, number>>;

async function weigh(): Promise<Weight> {
  const weight: Record<string, number> = { "Worker with one tool, KiB after gzip": (await oneTool()).size };
  const field = await Field.open();
  try {
    const deployment = await field.deployment("one");
    const given = { credentials: await field.trust.credentials() };
    for (const protocol of Object.keys(FIGURES.bytesPerCall)) {
      const scenario = SCENARIOS.find(({ name }) => name === `${protocol}: call`);
      if (scenario === undefined) throw new Error(`no scenario is called ${protocol}: call`);
      const bytes = await allocation({ name: `weight-${protocol}`, ...deployment }, scenario, given, field.folder);
      weight[`${protocol} call, bytes`] = Math.round(bytes);
    }
  } finally {
    await field.end();
  }
  return weight;
}

/**
 * Weighs another commit with its own script, which fits its code. If it has none yet, this one's tests are tried.
 * Returns the reason as a text if it cannot be weighed, such as a commit that is unknown here.
 */
function weighCommit(commit: string): Weight | string {
  const home = mkdtempSync(join(tmpdir(), "trivet-weight-"));
  const tree = join(home, "tree");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
  try {
    git("worktree", "add", "--detach", tree, commit);
    const sameLock = git("diff", "--name-only", commit, "HEAD", "--", "package-lock.json") === "";
    if (!existsSync(join(tree, "test/weight.ts"))) {
      rmSync(join(tree, "test"), { recursive: true });
      cpSync(join(ROOT, "test"), join(tree, "test"), { recursive: true });
    }
    if (sameLock) symlinkSync(join(ROOT, "node_modules"), join(tree, "node_modules"));
    else execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: tree, stdio: "pipe" });
    const printed = execFileSync(process.execPath, ["test/weight.ts", "--json"], {
      cwd: tree,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    return JSON.parse(printed.trim().split("\n").at(-1) ?? "");
  } catch (error) {
    const { message, stderr } = error as Error & { stderr?: string };
    return (/^(?:\w*Error|fatal)\b.*: .*/m.exec(stderr || message) ?? [message])[0];
  } finally {
    rmSync(home, { recursive: true, force: true });
    git("worktree", "prune");
  }
}

function table(now: Weight, before: Weight | string | undefined): string {
  const base = typeof before === "object" ? before : {};
  const lines = Object.entries(now).map(([name, value]) => {
    const old = base[name];
    const change = old === undefined ? "" : `${value < old ? "" : "+"}${((value / old - 1) * 100).toFixed(1)} %`;
    return `| ${name} | ${old ?? ""} | ${value} | ${change} |`;
  });
  const note = typeof before === "string" ? [`The base could not be weighed: ${before}`] : [];
  return ["| | base | here | change |", "| --- | --: | --: | --: |", ...lines, "", ...note].join("\n");
}

if (import.meta.main) {
  const [wanted] = process.argv.slice(2);
  const now = await weigh();
  if (wanted === "--json") console.log(JSON.stringify(now));
  else console.log(table(now, wanted ? weighCommit(wanted) : undefined));
}
