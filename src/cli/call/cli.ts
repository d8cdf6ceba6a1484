/** `npm run call`: calls a tool from the shell, over any of the three protocols (docs/call.md). */
import type { ParseArgsOptionsConfig } from "node:util";
import { redactor } from "../../client/lib/redact.ts";
import { helpOf, readArguments, runScript, type Script } from "../lib/arguments.ts";
import { keyFor } from "../lib/key.ts";
import { Mistake } from "../lib/mistake.ts";
import { plain, plainJson } from "../lib/plain.ts";
import { upload } from "./attach.ts";
import { checkInput } from "./input/check.ts";
import { readInput } from "./input/read.ts";
import { fromHere, SOURCES } from "./input/sources.ts";
import { type Limit, startLimit } from "./limit.ts";
import { EXIT, helpFor, invalidInput, listOf, USAGE, whatToDo } from "./messages.ts";
import { displayOn } from "./progress.ts";
import { type Done, NO_LIMIT_MS, NotDone, type Person, type Server } from "./protocols/connection.ts";
import { askPerson } from "./questions.ts";
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
  // Not json, which is an option of npm itself.
  swallowed: ["protocol", "url", "remote", "attach", "out", "timeout", "send", "no-check", "config", "env"],
} as const satisfies Script<ParseArgsOptionsConfig>;

type Options = ReturnType<typeof readArguments<(typeof SCRIPT)["options"]>>["values"];

/** What is known when a call fails. */
interface Situation {
  readonly target: Target;
  readonly server: Server;
  chosen?: Chosen;
}

await runScript(main, EXIT.invalid);

async function main(): Promise<void> {
  const { values: options, positionals } = readArguments(SCRIPT);
  const [name, ...words] = positionals;
  if (options.help && name === undefined) return console.log(USAGE);
  const timeoutMs = readTimeout(options.timeout);
  const target = await targetOf(options);
  if (target.isOwn && options.send) throw new Mistake("--send is for servers at --url: this project's own gets all.");
  const key = keyFor(target.base, process.env);
  const limit = startLimit(timeoutMs);
  const recorded = recorder(limit.fail);
  const server: Server = { base: target.base, key, fetch: recorded.fetch, signal: limit.signal };
  const situation: Situation = { target, server };
  const display = displayOn(process.stderr);
  const person = personAt(limit, display);
  const connector = connectorTo(server, person);
  catchInterrupts(limit);
  try {
    if (name === undefined) return await list(connector, target, options);
    situation.chosen = await chooseTool(name, connector, target, options.send ?? [], process.env);
    const { tool } = situation.chosen;
    if (options.help) {
      console.log(plain(helpFor(tool)));
    } else {
      const done = await call(situation.chosen, server, words, options, person);
      display.clear();
      print(done, situation.chosen, options, recorded.last());
    }
  } catch (error) {
    display.clear();
    const cause = limit.signal.aborted ? limit.signal.reason : error;
    if (!(cause instanceof NotDone)) throw shown(cause);
    if (options.json) printJson(cause.response ?? recorded.last());
    explain(cause, situation);
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

async function list(connector: Connector, target: Target, { json }: Options): Promise<void> {
  const { tools } = await listTools(connector, target);
  const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
  if (json) printJson(tools);
  else if (tools.length > 0) console.log(plain(listOf(tools)));
  if (!json) console.error(`\n${count} at ${target.base}; npm run call -- NAME --help shows one.`);
}

async function call(
  { connection, tool, found }: Chosen,
  server: Server,
  words: readonly string[],
  options: Options,
  person: Person,
): Promise<Done> {
  const input = readInput(words, tool.input, SOURCES);
  const problems = options["no-check"] ? [] : checkInput(input, tool.input);
  if (problems.length > 0) throw new Mistake(invalidInput(tool, problems));
  const paths = options.attach ?? [];
  if (paths.length > 0 && !connection.takesAttachments) {
    throw new Mistake("--attach: files cannot be attached over OpenTool: leave out --protocol, or write mcp or oxp.");
  }
  const attachments = await Promise.all(paths.map((path) => upload(fromHere(path), server)));
  if (found && found.set.length > 0 && found.missing.length > 0) {
    person.say(`${found.missing.join(", ")} is not set, so ${found.set.join(", ")} is not sent either.`);
  }
  return connection.call({ tool, input, values: found?.values, attachments }, person);
}

function personAt(limit: Limit, display: ReturnType<typeof displayOn>): Person {
  const isThere = process.stdin.isTTY && process.stderr.isTTY;
  const terminal = { input: process.stdin, output: process.stderr, interrupt: limit.cancel };
  let last: Promise<unknown> = Promise.resolve();
  return {
    progress: display.progress,
    say: display.say,
    // One after the other: a tool may ask several questions at once.
    ask: isThere
      ? (question) => {
          const answer = last.then(() =>
            display.pausedFor(() => limit.pausedFor(() => askPerson(question, terminal, limit.signal))),
          );
          last = answer.catch(() => {});
          return answer;
        }
      : undefined,
  };
}

/** Ctrl+C cancels the call, and pressed again ends this process, whatever the server does. */
function catchInterrupts({ signal, cancel }: Limit): void {
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => (signal.aborted ? process.exit(EXIT.cancelled) : cancel()));
  }
}

function print({ value, files, notes, response }: Done, { tool }: Chosen, { json, out }: Options, raw: unknown): void {
  const saved = saveFiles(files, tool, out === undefined ? undefined : fromHere(out));
  if (json) printJson(response ?? raw);
  else if (typeof value === "string") {
    // A terminal obeys what is in a text; a file or a program gets it as it is.
    const text = process.stdout.isTTY ? plain(value) : value;
    process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
  } else if (value !== undefined) printJson(value);
  for (const note of notes) console.error(plain(note));
  for (const [index, path] of saved.entries()) console.error(`Saved ${path} (${files[index]?.bytes.byteLength} bytes)`);
}

function printJson(value: unknown): void {
  if (value !== undefined) console.log(plainJson(value));
}

/** An error as it may be shown: its message may have names that the server chose. */
function shown(cause: unknown): unknown {
  if (cause instanceof Mistake) return new Mistake(plain(cause.message));
  if (cause instanceof Error) cause.stack = plain(cause.stack ?? cause.message);
  return cause;
}

function explain(cause: NotDone, { target, server, chosen }: Situation): void {
  const todo = whatToDo(cause, target, server.key, chosen?.tool.needs, chosen?.found);
  const lines = [cause.message, ...cause.more, ...todo];
  const { secrets = new Map(), tokens = new Map() } = chosen?.found?.values ?? {};
  const clean = redactor([...(server.key ? [server.key] : []), ...secrets.values(), ...tokens.values()]);
  console.error(lines.map((line) => plain(clean(line))).join("\n"));
  process.exitCode = EXIT[cause.reason];
}
