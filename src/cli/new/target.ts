/** Reads what `npm run new` was asked to write: names, files, and what the new tool needs. Writes nothing. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Kind, nameComplaint, pascalCase, toolkitComplaint } from "../../build/read/paths.ts";
import { Mistake } from "../lib/mistake.ts";

export interface Target {
  readonly kind: Kind;
  /** `weather` */
  readonly toolkit: string;
  /** `forecast` */
  readonly name: string;
  /** `Weather.Forecast` */
  readonly id: string;
  /** `Weather_Forecast`: the name of a prompt. */
  readonly mcpName: string;
  /** `tools/weather/forecast.ts` */
  readonly file: string;
  /** `tools/weather/forecast.test.ts` */
  readonly test: string;
}

/** What a new tool needs. Other files need nothing. */
export interface Needs {
  readonly secret: string | undefined;
  readonly authorization: string | undefined;
  readonly session: boolean;
}

const WORKER = "tools/worker.ts, without a toolkit, is the file that extends the Worker (docs/own-routes.md)";
const INSTRUCTIONS = "tools/instructions.md is what the server tells models (docs/instructions.md)";
/** Names of a tool that are another file's, or that a reader would take for it. */
const TAKEN: ReadonlyMap<string, (toolkit: string) => string> = new Map([
  ["toolkit", (toolkit: string) => `tools/${toolkit}/toolkit.ts is the toolkit's own file (docs/tools.md)`],
  ["worker", () => WORKER],
  ["instructions", () => INSTRUCTIONS],
  ["index", () => "a toolkit has no index, because each file is a tool"],
]);
const TAKEN_TOOLKITS: ReadonlyMap<string, string> = new Map([
  ["worker", WORKER],
  ["instructions", INSTRUCTIONS],
]);

/**
 * @param text `weather/forecast`; also `tools/weather/forecast.ts`, as a shell completes it
 * @throws {Mistake} if discovery would refuse the name, or a file of that name exists
 */
export function readTarget(text: string, kind: Kind, root: string): Target {
  const path = text.replace(/^(\.\/)?tools\//, "").replace(/\.ts$/, "");
  const [toolkit = "", name = "", ...rest] = path.split("/");
  if (toolkit === "" || name === "" || rest.length > 0) {
    throw new Mistake(
      `"${text}" is not TOOLKIT/NAME: the toolkit is a folder in tools/, as in \`npm run new -- weather/forecast\`.`,
    );
  }
  if (name.includes("@")) {
    throw new Mistake(
      `"${text}": a further version begins as a copy of the tool's file: docs/tools.md says how to name it.`,
    );
  }
  const taken = kind === "tool" ? TAKEN.get(name)?.(toolkit) : undefined;
  const rule = taken ?? TAKEN_TOOLKITS.get(toolkit);
  if (rule) throw new Mistake(`"${text}": ${rule}: choose another name.`);
  const complaint = toolkitComplaint(toolkit) ?? nameComplaint(name, undefined, kind);
  if (complaint) throw new Mistake(`${complaint.problem}: ${complaint.fix}.`);
  const ending = kind === "tool" ? "" : `.${kind}`;
  const file = `tools/${toolkit}/${name}${ending}.ts`;
  const test = `tools/${toolkit}/${name}${ending}.test.ts`;
  const existing = [file, test].find((one) => existsSync(join(root, one)));
  if (existing) throw new Mistake(`${existing} exists already, and is left as it is: choose another name, or edit it.`);
  const id = `${toolkitName(toolkit, root)}.${pascalCase(name)}`;
  const mcpName = id.replace(".", "_");
  if (mcpName.length > 64) throw new Mistake(`${mcpName} is longer than 64 characters: choose a shorter name.`);
  return { kind, toolkit, name, id, mcpName, file, test };
}

/** @throws {Mistake} if a name is not in the usual spelling */
export function readNeeds(values: { secret?: string; authorization?: string; session?: boolean }): Needs {
  const { secret, authorization, session = false } = values;
  if (secret !== undefined && !/^[A-Z][A-Z0-9_]*$/.test(secret)) {
    throw new Mistake(
      `--secret: "${secret}" is not the name of a secret: write capitals, digits and _, as in API_KEY.`,
    );
  }
  if (authorization !== undefined && !/^[a-z][a-z0-9-]*$/.test(authorization)) {
    throw new Mistake(
      `--authorization: "${authorization}" is not the id of a service: ` +
        "write lower-case letters, digits and -, as in google.",
    );
  }
  return { secret, authorization, session };
}

/** The spelling in the toolkit's own file, such as SMS, or else that of its folder. */
function toolkitName(toolkit: string, root: string): string {
  const file = join(root, "tools", toolkit, "toolkit.ts");
  const [, own] = (existsSync(file) && /\bname:\s*["'`](\w+)["'`]/.exec(readFileSync(file, "utf8"))) || [];
  return own ?? pascalCase(toolkit);
}
