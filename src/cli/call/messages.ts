/** The texts of `npm run call`: usage, lists, help, and what to do about failures. call-tool.ts makes them plain. */
import { USER_ID, variableOf } from "../../connect/variables.ts";
import { KEY } from "../lib/key.ts";
import { plain } from "../lib/plain.ts";
import { type Problem, schemaAt } from "./input/check.ts";
import { parametersOf, synopsis } from "./input/describe.ts";
import type { Needs, NotDone, Reason, Tool } from "./protocols/connection.ts";
import type { Chosen } from "./route.ts";
import type { Target } from "./server.ts";

/** Exit codes, as docs/call.md lists them. */
export const EXIT = {
  done: 0,
  failed: 1,
  invalid: 2,
  refused: 3,
  unauthorized: 3,
  unreachable: 4,
  "timed out": 5,
  "needs an answer": 6,
  /** 128 and the number of SIGINT, as shells have it. */
  cancelled: 130,
} as const satisfies Record<Reason | "done", number>;

export const USAGE = `Calls a tool, and prints what it returns.

npm run call                                     lists the tools
npm run call -- Hello.Greet name=Ada             calls one
npm run call -- Hello.Greet --help               shows its parameters
npm run call -- Hello.Greet '{"name": "Ada"}'    the same as JSON; - reads JSON from stdin
    name=value               read as the tool's schema says; a list: repeat it; a member: address.street=value
    name=@file, name=@-      the text of a file, or of stdin; @@ for a text that begins with @

    --protocol oxp|mcp|opentool   instead of what suits the call
    --remote                 the deployment, instead of \`npm start\` on this machine
    --url https://…          another server; /mcp, /opentool or /tools at its end says which protocol
    --attach FILE            a file for the tool (several times for several)
    --out DIR                where to save pictures and other files of the result
    --timeout SECONDS        how long to wait (600)
    --send NAME              let the server at --url have this variable, which its tool requires
    --no-check               send the input even if it does not fit the tool's schema
    --json                   print the whole response, or the list, as JSON
    --config FILE, --env NAME  as in wrangler

The key is in the variable ${KEY}, and what a tool requires in variables of its own; the list says which.
The exit code: 0 done, 1 the tool failed, 2 wrong usage or input, 3 refused, 4 no server, 5 too late,
6 the tool needs an answer and nobody can be asked, 130 cancelled.
In a pipe, write \`npm run -s call -- …\`, so that npm prints nothing of its own.`;

/** All tools: how each is called, what it does, its older versions, and what it requires. */
export function listOf(tools: readonly Tool[]): string {
  const byName = Map.groupBy(tools, ({ name }) => name);
  const blocks = [...byName.values()].map((versions) => {
    const tool = versions.at(-1) as Tool;
    const older = versions.slice(0, -1).map(({ version }) => `@${version}`);
    const needs = needsInWords(tool.needs);
    return [
      `${tool.id} ${synopsis(tool.input)}`.trimEnd(),
      `    ${oneLine(tool)}`,
      ...(older.length > 0 ? [`    older: ${older.join(", ")}`] : []),
      ...(needs.length > 0 ? [`    requires ${needs.join(", ")}`] : []),
    ].join("\n");
  });
  return blocks.join("\n");
}

export function helpFor(tool: Tool): string {
  const rows = parametersOf(tool.input);
  const width = Math.max(0, ...rows.map(({ path }) => path.length));
  const lines = rows.flatMap(({ path, kind, description }) => [
    `  ${path.padEnd(width)}  ${kind}`,
    ...(description === "" ? [] : [`  ${" ".repeat(width)}  ${description.replaceAll("\n", " ")}`]),
  ]);
  const needs = needsInWords(tool.needs);
  return [
    `${tool.id}${tool.version === undefined ? "" : `@${tool.version}`}: ${tool.description}`,
    "",
    ...(lines.length > 0 ? lines : ["  It takes no parameters."]),
    ...(needs.length > 0 ? ["", `It requires ${needs.join(", ")}, from you or from the server.`] : []),
    "",
    `npm run call -- ${tool.id} ${synopsis(tool.input)}`.trimEnd(),
  ].join("\n");
}

/** Every parameter that does not fit, with its description. */
export function invalidInput({ id, input }: Tool, problems: readonly Problem[]): string {
  const lines = problems.map(({ path, what }) => {
    const { description } = schemaAt(path.split("."), input);
    const about = description === undefined ? "" : `. (${description})`;
    return `  ${path === "" ? "the input" : path} ${what}${about}`;
  });
  return [
    `${id} cannot be called with this, so nothing was sent:`,
    ...lines,
    `Its parameters: npm run call -- ${id} --help`,
  ].join("\n");
}

/** @returns lines that say what the person can do about a failure */
export function whatToDo(
  { reason, message }: NotDone,
  target: Target,
  key: string | undefined,
  chosen: Chosen | undefined,
): string[] {
  const lines: string[] = [];
  const { found } = chosen ?? {};
  if (reason === "unauthorized") {
    const make = `npm run keys -- create NAME${target.base.startsWith("https") ? " --remote" : ""}`;
    if (key === undefined) lines.push(`Set the key: export ${KEY}=trivet_… (\`${make}\` makes one).`);
    else lines.push(`${KEY} is set, and this server does not accept it: it may be of another one, revoked or expired.`);
  }
  if (reason === "unreachable" && target.isOwn) {
    lines.push("Start it with `npm start`, or name another one: --remote, --url https://….");
  }
  if (reason === "needs an answer") {
    lines.push("Questions are asked over MCP, in a terminal: run it there, without --protocol, and not in a pipe.");
  }
  const lacks = reason === "refused" && / requires .*, which this server has not been given$/.test(message);
  if (lacks && found === undefined) {
    const or = "leave out --protocol, or let the server's owner set them there";
    lines.push(`Values of yours are sent over OXP only: ${or}.`);
  }
  const words = needsInWords(chosen?.tool.needs);
  if (words.length > 0 && found?.values === undefined && / requires? /.test(message)) {
    const variables = found?.missing ?? [];
    const set = variables.map((name) => `${name}=…`).join(" ");
    const send = target.isOwn ? "" : ` and add ${variables.map((name) => `--send ${name}`).join(" ")}`;
    lines.push(`It requires ${words.join(", ")}: write \`export ${set}\`${send},`);
    lines.push("or let the server's owner set them there (docs/requirements.md).");
  }
  return lines;
}

/** What a caller may have to send, with the variable of each: "CARRIER_KEY (a secret)". */
function needsInWords({ secrets = [], tokens = [], userId = false }: Partial<Needs> = {}): string[] {
  const named = (id: string, what: string) => {
    const variable = variableOf(id);
    return variable === id ? `${id} (a ${what})` : `${variable} (the ${what} "${id}")`;
  };
  return [
    ...secrets.map((id) => named(id, "secret")),
    ...tokens.map((id) => named(id, "token")),
    ...(userId ? [`${USER_ID} (the user's id)`] : []),
  ];
}

/** The first sentence of a tool's description, in one line. */
function oneLine({ description }: Tool): string {
  const [first = ""] = plain(description)
    .trim()
    .split(/\n|(?<=[.!?])\s/);
  return first.length > 100 ? `${first.slice(0, 99)}…` : first;
}
