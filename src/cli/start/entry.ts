/** Shows an entry of the Worker's log, which is a line of JSON, to a person. */
import { styleText } from "node:util";
import type { DescribedError, LogEntry } from "../../core/lib/log.ts";
import { originalFrames } from "./stack.ts";

/** The colours in use: ANSI's names, or none. */
export type Paint = (colour: "red" | "yellow" | "green" | "dim", text: string) => string;

/** Colours texts if they go to a terminal that has colours; knows NO_COLOR and FORCE_COLOR. */
export const paintFor =
  (stream: NodeJS.WriteStream): Paint =>
  (colour, text) =>
    styleText(colour, text, { stream });

const LEVELS = { debug: "dim", info: "dim", warning: "yellow", error: "red" } as const;
/** Outcomes that are not the tool's fault, and need a look all the same. */
const OUTCOMES: ReadonlyMap<unknown, Parameters<Paint>[0]> = new Map([
  ["completed", "green"],
  ["asking", "green"],
  ["failed", "red"],
  ["timed_out", "red"],
]);
/** What a person does not need at once: ids and members that are shown elsewhere. */
const SHOWN_ELSEWHERE = ["level", "message", "time", "callId", "tool", "error", "trace", "principal"];

/** The entry in a line of the Worker's output; undefined for any other text. */
export function readEntry(line: string): LogEntry | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const entry = JSON.parse(line);
    return Object.hasOwn(LEVELS, entry.level) && typeof entry.message === "string" ? entry : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param root the project's folder
 * @param now  the time of entries that have none
 * @returns one line; more only for an error, which has its stack and its causes
 */
export function showEntry(entry: LogEntry, root: string, paint: Paint, now: Date): string {
  const time = paint("dim", clock(typeof entry.time === "string" ? new Date(entry.time) : now));
  const tool = typeof entry.tool === "string" ? entry.tool : undefined;
  if (entry.message === "call" && typeof entry.durationMs === "number") {
    return [time, tool ?? "(no tool)", ...ending(entry, entry.durationMs, paint)].join("  ");
  }
  const members = Object.entries(entry).filter(([name]) => !SHOWN_ELSEWHERE.includes(name));
  const more = members.map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const head = [time, ...(tool ? [tool] : []), paint(LEVELS[entry.level], entry.message), ...more].join("  ");
  const error = entry.error as DescribedError | undefined;
  return error === undefined ? head : [head, ...errorLines(error, root, paint)].join("\n");
}

/** Outcome, duration, protocol and the reason, as in `failed  12 ms  mcp  it requires secret "KEY"`. */
function ending(entry: LogEntry, durationMs: number, paint: Paint): string[] {
  const { outcome, reason, protocol, replayed, completion, detail } = entry;
  const words = reason === undefined ? String(outcome) : `${outcome} (${String(reason).replaceAll("_", " ")})`;
  return [
    paint(OUTCOMES.get(outcome) ?? "yellow", words.replaceAll("_", " ")),
    `${durationMs} ms`,
    String(protocol),
    ...(replayed ? ["replayed"] : []),
    ...(completion ? ["completion"] : []),
    ...(typeof detail === "string" ? [detail.replaceAll(/\s*\n\s*/g, " ")] : []),
  ];
}

/** What the local runtime means by an error that has only a number. */
const NETWORK = "from a fetch, this is usually a host name that does not exist, or no network";

function errorLines(
  { name, message, stack, cause }: DescribedError,
  root: string,
  paint: Paint,
  before = "",
): string[] {
  const isNetwork = /^internal error; reference = \w+$/.test(message);
  return [
    `  ${before}${paint("red", `${name}: ${message}`)}`,
    ...(isNetwork ? [paint("dim", `  (${NETWORK})`)] : []),
    ...originalFrames(stack ?? "", root).map((frame) => `  ${frame}`),
    ...(cause === undefined ? [] : errorLines(cause, root, paint, "caused by ")),
  ];
}

/** The time of day on this machine: `14:03:22`. */
function clock(time: Date): string {
  return time.toTimeString().slice(0, 8);
}
