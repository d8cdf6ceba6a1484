/** `npm run call`: calls a tool from the shell, over any of the three protocols (docs/call.md). */
import type { ParseArgsOptionsConfig } from "node:util";
import { redactor } from "../../client/lib/redact.ts";
import { exitCodeOf, helpOf, readArguments, type Script } from "../lib/arguments.ts";
import type { Io } from "../lib/io.ts";
import { keyFor } from "../lib/key.ts";
import { Mistake } from "../lib/mistake.ts";
import { plain, plainJson } from "../lib/plain.ts";
import { upload } from "./attach.ts";
import { checkInput } from "./input/check.ts";
import { fromHere, readInput, sourcesOf } from "./input/read-input.ts";
import { type Limit, startLimit } from "./limit.ts";
import { EXIT, helpFor, invalidInput, listOf, USAGE, whatToDo } from "./messages.ts";
import { displayOn } from "./progress.ts";
import { NO_LIMIT_MS, NotDone, type Person, type Server } from "./protocols/connection.ts";
import { askPerson, type Terminal } from "./questions.ts";
import { recorder } from "./recorder.ts";
import { type Chosen, type Connector, chooseTool, connectorTo, listTools } from "./route.ts";
import { saveFiles } from "./save.ts";
import { type Target, targetOf } from "./server.ts";

const SCRIPT = {
  name: "call",
  options: {
    protocol: { type: "string" },
    url: { type: "string" },
    remote: { type: "boolean" },
    attach: { type: "string", multiple: true },
    out: { type: "string" },
    timeout: { type: "string" },
    send: { type: "string", multiple: true },
    "no-check": { type: "boolean" },
    json: { type: "boolean" },
    config: { type: "string", short: "c" },
    env: { type: "string", short: "e" },
    help: { type: "boolean", short: "h" },
  },
  // Without json, which is an option of npm itself.
  swallowed: ["protocol", "url", "remote", "attach", "out", "timeout", "send", "no-check", "config", "env"],
} as const satisfies Script<ParseArgsOptionsConfig>;

type Options = ReturnType<typeof readArguments<(typeof SCRIPT)["options"]>>["values"];

/** What a call uses of `process`, besides its {@link Io}: streams that it reads and writes as it runs, and signals. */
export interface Streams {
  readonly stdin: Terminal["input"] & { readonly isTTY?: boolean; readonly fd: number };
  readonly stdout: { readonly isTTY?: boolean };
  readonly stderr: Terminal["output"];
  on(signal: "SIGINT" | "SIGTERM", interrupt: () => void): unknown;
  exit(code: number): never;
}

/** @returns the exit code */
export function main(argv: readonly string[], io: Io, streams: Streams): Promise<number> {
  return exitCodeOf(io, () => run(argv, io, streams), EXIT.invalid);
}

async function run(argv: readonly string[], io: Io, streams: Streams): Promise<number | undefined> {
  const { values: options, positionals } = readArguments(SCRIPT, argv, io.env);
  const [name, ...words] = positionals;
  if (options.help && name === undefined) return void io.console.log(USAGE);
  const timeoutMs = readTimeout(options.timeout);
  const target = await targetOf(options, io);
  if (target.isOwn && options.send) throw new Mistake("--send is for servers at --url: this project's own gets all.");
  const key = keyFor(target.base, io.env);
  const limit = startLimit(timeoutMs);
  const recorded = recorder(limit.fail);
  const server: Server = { base: target.base, key, fetch: recorded.fetch, signal: limit.signal };
  let chosen: Chosen | undefined;
  const display = displayOn(streams.stderr);
  const person = personAt(limit, display, streams);
  const connector = connectorTo(server, person);
  catchInterrupts(limit, streams);
  try {
    if (name === undefined) return await list(connector, target, options, io);
    chosen = await chooseTool(name, connector, target, options.send ?? [], io.env);
    const { tool } = chosen;
    if (options.help) return void io.console.log(plain(helpFor(tool)));
    const input = readInput(words, tool.input, sourcesOf(io, streams.stdin));
    const problems = options["no-check"] ? [] : checkInput(input, tool.input);
    if (problems.length > 0) throw new Mistake(invalidInput(tool, problems));
    const paths = (options.attach ?? []).map((path) => fromHere(path, io));
    if (paths.length > 0 && !chosen.connection.takesAttachments) {
      throw new Mistake("--attach: files cannot be attached over OpenTool: leave out --protocol, or write mcp or oxp.");
    }
    const attachments = await Promise.all(paths.map((path) => upload(path, server)));
    const { set = [], missing = [], values } = chosen.found ?? {};
    if (set.length > 0 && missing.length > 0) {
      person.say(`${missing.join(", ")} is not set, so ${set.join(", ")} is not sent either.`);
    }
    const done = await chosen.connection.call({ tool, input, values, attachments }, person);
    display.clear();
    const out = options.out === undefined ? undefined : fromHere(options.out, io);
    const saved = saveFiles(done.files, tool, out);
    const { value, files, notes, response = recorded.last() } = done;
    if (typeof value !== "string" || options.json) printJson(options.json ? response : value, io);
    // A terminal would obey control characters, so they are removed. A file or a program gets the text as it is.
    else io.console.log((streams.stdout.isTTY ? plain(value) : value).replace(/\n$/, ""));
    for (const note of notes) io.console.error(plain(note));
    for (const [at, path] of saved.entries()) io.console.error(`Saved ${path} (${files[at]?.bytes.byteLength} bytes)`);
    return EXIT.done;
  } catch (error) {
    display.clear();
    const cause = limit.signal.aborted ? limit.signal.reason : error;
    if (!(cause instanceof NotDone)) throw shown(cause);
    if (options.json) printJson(cause.response ?? recorded.last(), io);
    io.console.error(explained(cause, target, server.key, chosen));
    return EXIT[cause.reason];
  } finally {
    limit.stop();
    await connector.close();
  }
}

function readTimeout(text = "600"): number {
  const seconds = Number(text);
  if (seconds > 0 && seconds * 1_000 <= NO_LIMIT_MS) return seconds * 1_000;
  throw new Mistake(`--timeout: "${text}" is not a number of seconds: ${helpOf("call")}.`);
}

async function list(connector: Connector, target: Target, { json }: Options, io: Io): Promise<undefined> {
  const { tools } = await listTools(connector, target);
  const { size } = new Set(tools.map(({ name }) => name));
  const count = size === 1 ? "1 tool" : `${size} tools`;
  if (json) printJson(tools, io);
  else if (tools.length > 0) io.console.log(plain(listOf(tools)));
  if (!json) io.console.error(`\n${count} at ${target.base}; npm run call -- NAME --help shows one.`);
}

function personAt(limit: Limit, display: ReturnType<typeof displayOn>, { stdin, stderr }: Streams): Person {
  const terminal = { input: stdin, output: stderr, interrupt: limit.cancel };
  let last: Promise<unknown> = Promise.resolve();
  const ask: Person["ask"] = (question) => {
    const work = () => limit.pausedFor(() => askPerson(question, terminal, limit.signal));
    // One after the other: a tool may ask several questions at once.
    const answer = last.then(() => display.pausedFor(work));
    last = answer.catch(() => {});
    return answer;
  };
  return { progress: display.progress, say: display.say, ask: stdin.isTTY && stderr.isTTY ? ask : undefined };
}

/** Ctrl+C cancels the call. Pressed again, it ends this process, whatever the server does. */
function catchInterrupts({ signal, cancel }: Limit, streams: Streams): void {
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    streams.on(name, () => (signal.aborted ? streams.exit(EXIT.cancelled) : cancel()));
  }
}

function printJson(value: unknown, { console }: Io): void {
  if (value !== undefined) console.log(plainJson(value));
}

/** The error without control characters: its message may contain names that the server chose. */
function shown(cause: unknown): unknown {
  if (cause instanceof Mistake) return new Mistake(plain(cause.message));
  if (cause instanceof Error) cause.stack = plain(cause.stack ?? cause.message);
  return cause;
}

function explained(cause: NotDone, target: Target, key: string | undefined, chosen: Chosen | undefined): string {
  const lines = [cause.message, ...cause.more, ...whatToDo(cause, target, key, chosen)];
  const { secrets = [], authorization = [] } = chosen?.found?.values ?? {};
  const sent = [...secrets.map(({ value }) => value), ...authorization.map(({ token }) => token)];
  const clean = redactor(key ? [key, ...sent] : sent);
  return lines.map((line) => plain(clean(line))).join("\n");
}
