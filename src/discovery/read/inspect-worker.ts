/** Checks what `tools/worker.ts` exports, so that nothing it registers is silently ignored. */
import { readFileSync } from "node:fs";
import { Hono } from "hono";
import { isRecord } from "../../core/lib/json.ts";
import type { OwnWorker } from "../../tool.ts";
import { describeFailure } from "./evaluate.ts";
import type { Inspected } from "./inspected.ts";
import type { WorkerFile } from "./paths.ts";
import type { Complaint } from "./problem.ts";

const MEMBERS: readonly string[] = ["routes", "scheduled", "queue", "email"] satisfies (keyof OwnWorker)[];
const WRITE = "write export default defineWorker({ routes(app) { … } })";

type Routes = (...given: unknown[]) => unknown;

/** Calls the worker's `routes` with an app that serves nothing, to see what it registers. */
export async function inspectWorker(exports: Readonly<Record<string, unknown>>, file: WorkerFile): Promise<Inspected> {
  const lines = readFileSync(file.path, "utf8").split("\n");
  const complaints: Complaint[] = [];
  const complain = (begins: RegExp, problem: string, fix: string) => {
    const at = lines.findIndex((line) => begins.test(line));
    complaints.push({ problem, fix, line: at < 0 ? undefined : at + 1 });
  };
  const { default: worker, ...others } = exports;
  for (const name of Object.keys(others)) {
    const fix = "remove the export, or move it to a file of its own, such as tools/_shared.ts";
    complain(declaration(name), `it exports ${name}, and only its default export is served`, fix);
  }
  if (worker === undefined) complain(/^(?!)/, "it has no default export", WRITE);
  else if (!isRecord(worker) || Object.keys(worker).length === 0) {
    complain(/^export default/, "its default export defines no part of a Worker", WRITE);
  } else {
    for (const [name, value] of Object.entries(worker)) {
      if (!MEMBERS.includes(name)) {
        const fix = `remove it, or write one of ${MEMBERS.join(", ")}`;
        complain(member(name), `a worker has no member "${name}"`, fix);
      } else if (typeof value !== "function") {
        complain(member(name), `its ${name} is not a function`, `write ${name}() { … }, or leave it out`);
      } else if (name === "routes") {
        const wrong = await register(value as Routes);
        if (wrong) complain(member(name), ...wrong);
      }
    }
  }
  return { complaints };
}

/** Registers the routes, as the Worker does when it starts. @returns a problem and its fix, if there is one */
async function register(routes: Routes): Promise<[problem: string, fix: string] | undefined> {
  const app = new Hono();
  app.notFound = () => {
    throw new Error("app.notFound would never run, because the server itself answers what no route does");
  };
  const joined: [path: string, routes: readonly unknown[], count: number][] = [];
  const { route } = app;
  app.route = ((path: string, other: Hono) => {
    joined.push([path, other.routes, other.routes.length]);
    return route.call(app, path, other);
  }) as never;
  try {
    const registering = routes(app, { authenticate: () => {} });
    if (registering instanceof Object && "then" in registering) {
      await registering;
      return [
        'its "routes" is async: a route registered after an await would never run',
        "register all before it returns",
      ];
    }
    const idle = app.routes.find(({ handler }) => typeof handler !== "function");
    if (idle) return [`its route ${idle.method} ${idle.path} has no handler`, "add a handler (c) => { … }"];
    const head = app.routes.find(({ method }) => method === "HEAD");
    if (head) return [`its route HEAD ${head.path} would never run`, "write app.get: it answers HEAD as well"];
    const [late] = joined.find(([, now, count]) => now.length > count) ?? [];
    if (late !== undefined) {
      const problem = `routes that would never run were registered after app.route(${JSON.stringify(late)}, …)`;
      return [problem, "call app.route last"];
    }
    // Hono parses the paths only at the first match.
    app.router.match("GET", "/");
    return undefined;
  } catch (error) {
    return [`its routes cannot be registered: ${describeFailure(error)}`, "correct what the message names"];
  }
}

/** Matches the line of a member in the worker's definition. */
function member(name: string): RegExp {
  return new RegExp(`^\\s+(async\\s+)?\\W?${escaped(name)}\\b`);
}

/** Matches the line that exports a name. */
function declaration(name: string): RegExp {
  return new RegExp(`^export\\b.*\\b${escaped(name)}\\b`);
}

function escaped(name: string): string {
  return name.replace(/\W/g, "\\$&");
}
