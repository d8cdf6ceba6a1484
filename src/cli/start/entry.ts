/** Shows an entry of the Worker's log, which is a line of JSON, to a person. */
import { styleText } from "node:util";
import { isRecord } from "../../core/lib/json.ts";
import { type DescribedError, type LogEntry, MAX_CAUSES } from "../../core/lib/log.ts";
import { originalFrames } from "./stack.ts";

/** Colours a text, or returns it as it is. */
export type Paint = (colour: "red" | "yellow" | "green" | "dim", text: string) => string;

/** Colours texts if they go to a terminal that has colours; knows NO_COLOR and FORCE_COLOR. */
export const paintFor =
  (stream: NodeJS.WriteStream): Paint =>
  (colour, text) =>
    styleText(colour, text, { stream });

const LEVELS = { debug: "dim", info: "dim", warning: "yellow", error: "red" } as const;
/** The colour of each outcome. All others are yellow: not the tool's fault, but worth a look. */
const OUTCOMES: ReadonlyMap<unknown, Parameters<Paint>[0]> = new Map([
  ["completed", "green"],
  ["asking", "green"],
  ["failed", "red"],
  ["timed_out", "red"],
]);
/** What a person does not need at once: ids and members that are shown elsewhere. */
const SHOWN_ELSEWHERE = ["level", "message", "time", "callId", "tool", "error", "trace", "principal"];

/** What to do about an outcome that has a reason outside the tool's code. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ["requirements", "write NAME=value in .dev.vars and start again, or send it with the call"],
  ["unknown_tool", 'npm run discover lists the tools; views alone see those with visibility "app"'],
  ["timed_out", "wait for less, or raise timeoutMs in the definition"],
]);

export interface Project {
  readonly root: string;
  /** The file of a tool, prompt or resource by its name in the log; undefined if there is none. */
  readonly fileOf: (name: string) => string | undefined;
}

/** What a terminal obeys instead of showing it, the ends of lines, and what reverses the direction of a text. */
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * A value in one line of visible characters. Callers and tools choose ids, messages and data, so without this they
 * could clear the terminal, or print a line that passes for an entry.
 */
function visible(value: unknown): string {
  const text = typeof value === "string" ? value : String(JSON.stringify(value));
  return text.replace(INVISIBLE, (character) => {
    const escaped = JSON.stringify(character).slice(1, -1);
    return escaped === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}` : escaped;
  });
}

/** The same for a text of several lines, all but the first indented, so that none begins as an entry does. */
export function indented(text: string): string {
  return text.split(/\r?\n/).map(visible).join("\n    ");
}

/** The entry in a line of the Worker's output; undefined for any other text, such as what a tool prints itself. */
export function readEntry(line: string): LogEntry | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const entry = JSON.parse(line);
    return isEntry(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** Checks only the members that are used without another check. All others may be anything. */
function isEntry(entry: unknown): entry is LogEntry {
  if (!isRecord(entry) || typeof entry.level !== "string" || !Object.hasOwn(LEVELS, entry.level)) return false;
  return typeof entry.message === "string" && (entry.error === undefined || isDescribed(entry.error));
}

function isDescribed(error: unknown, causes = MAX_CAUSES): error is DescribedError {
  if (!isRecord(error) || typeof error.name !== "string" || typeof error.message !== "string") return false;
  const { stack, cause } = error;
  if (stack !== undefined && typeof stack !== "string") return false;
  return cause === undefined || (causes > 0 && isDescribed(cause, causes - 1));
}

/**
 * @param now the time of entries that have none
 * @returns one line; more only for an error, which has its stack and its causes
 */
export function showEntry(entry: LogEntry, { root, fileOf }: Project, paint: Paint, now: Date): string {
  const time = paint("dim", clock(entry.time, now));
  const tool = typeof entry.tool === "string" ? visible(entry.tool) : undefined;
  if (entry.message === "call" && typeof entry.durationMs === "number") {
    return [time, tool ?? "(no tool)", ...ending(entry, entry.durationMs, paint, fileOf)].join("  ");
  }
  const members = Object.entries(entry).filter(([name]) => !SHOWN_ELSEWHERE.includes(name));
  const more = members.map(([name, value]) => `${visible(name)}=${visible(value)}`);
  const head = [time, ...(tool ? [tool] : []), paint(LEVELS[entry.level], visible(entry.message)), ...more].join("  ");
  const error = entry.error as DescribedError | undefined;
  if (error === undefined) return head;
  const lines = errorLines(error, root, paint);
  // An error of the framework about the tool, such as a wrong result, has no line in tools/.
  const file = tool && !lines.some((line) => line.includes("tools/")) ? fileOf(tool) : undefined;
  return [file === undefined ? head : `${head}  ${file}`, ...lines].join("\n");
}

/** Outcome, duration, protocol and reason, as in `failed  12 ms  mcp  tools/kit/add.ts: it requires secret "KEY"`. */
function ending(entry: LogEntry, durationMs: number, paint: Paint, fileOf: Project["fileOf"]): string[] {
  const { outcome, reason, protocol, replayed, completion } = entry;
  const words = visible(outcome) + (reason === undefined ? "" : ` (${visible(reason)})`);
  return [
    paint(OUTCOMES.get(outcome) ?? "yellow", words.replaceAll("_", " ")),
    `${durationMs} ms`,
    visible(protocol),
    ...(replayed ? ["replayed"] : []),
    ...(completion ? ["completion"] : []),
    ...why(entry, fileOf),
  ];
}

/** The tool's file, what went wrong, and what to do. Nothing for a call that went well. */
function why({ outcome, reason, detail, tool }: LogEntry, fileOf: Project["fileOf"]): string[] {
  if (OUTCOMES.get(outcome) === "green") return [];
  const file = typeof tool === "string" ? fileOf(tool) : undefined;
  const words = typeof detail === "string" ? visible(detail.replaceAll(/\s*\n\s*/g, " ")) : undefined;
  const hint = HINTS.get(String(reason ?? outcome));
  const said = [file, words].filter((text) => text !== undefined).join(": ");
  return said === "" && hint === undefined ? [] : [hint === undefined ? said : `${said} (${hint})`.trim()];
}

/** What an error of the local runtime usually means if it has only a reference number. */
const NETWORK = "from a fetch, this is usually a host name that does not exist, or no network";

function errorLines(
  { name, message, stack, cause }: DescribedError,
  root: string,
  paint: Paint,
  before = "",
): string[] {
  const isNetwork = /^internal error; reference = \w+$/.test(message);
  return [
    `  ${before}${paint("red", indented(`${name}: ${message}`))}`,
    ...(isNetwork ? [paint("dim", `  (${NETWORK})`)] : []),
    ...originalFrames(framesIn(stack, message), root).map((frame) => `  ${visible(frame)}`),
    ...(cause === undefined ? [] : errorLines(cause, root, paint, "caused by ")),
  ];
}

/** A stack without its head: a line of the message may look like a frame. */
function framesIn(stack = "", message: string): string {
  const at = stack.indexOf(message);
  return at < 0 ? stack : stack.slice(at + message.length);
}

/** The time of day on this machine: `14:03:22`. */
function clock(time: unknown, now: Date): string {
  const written = typeof time === "string" ? new Date(time) : now;
  return (Number.isNaN(written.getTime()) ? now : written).toTimeString().slice(0, 8);
}
