/** Answers to `POST /streamCall`. */
import type { Reply } from "../../support/reply.ts";
import type { Case, Outcome } from "../cases.ts";
import { ERROR_NULL, FAILED, NO_ACCESS, RESPONSE_NULL, UNAUTHORIZED } from "./outcomes.ts";

const cases: Case[] = [];
export const STREAMS: readonly Case[] = cases;

const add = (name: string, reply: Case["reply"], events: Outcome["events"], outcome: Outcome = {}) =>
  cases.push({
    name: `streamCall: ${name}`,
    method: "streamCall",
    reply,
    outcome: { events: events ?? [], ...outcome },
  });

const SSE = { headers: { "content-type": "text/event-stream" } };
/** An answer with this text as its stream. */
const stream = (name: string, body: string, events: Outcome["events"], outcome?: Outcome, more: Reply = {}) =>
  add(name, { ...SSE, body, ...more }, events, outcome);

const rpc = (result: unknown, more: object = { error: null }) =>
  JSON.stringify({ jsonrpc: "2.0", result, ...more, id: "call-7" });
const error = { code: 500, message: "It has failed" };
const FAILURE = rpc({}, { error });
const START = 'event:start\ndata:{"start":"add"}\n\n';
const DONE = 'event:done\ndata:{"done":"add"}\n\n';
const data = (result: unknown) => `event:data\ndata:${rpc(result)}\n\n`;
const start = ["start", { start: "add" }] as const;
const done = ["done", { done: "add" }] as const;
const three = ["data", { sum: 3, text: "drei €" }] as const;
const WHOLE = START + data(three[1]) + DONE;
const ALL = [start, three, done];
const WRONG = FAILED("It has failed", { code: 500 });

stream("as the Dart SDK writes it", WHOLE, ALL);
stream("with blanks after the colons", WHOLE.replace(/^(event|data):/gm, "$1: "), ALL);
stream("with CRLF", WHOLE.replaceAll("\n", "\r\n"), ALL);
stream("with CRLF, a byte per chunk", WHOLE.replaceAll("\n", "\r\n"), ALL, {}, { chunk: 1 });
stream("with CR", WHOLE.replaceAll("\n", "\r"), ALL);
stream("seven bytes per chunk", WHOLE, ALL, {}, { chunk: 7 });
stream("a byte order mark, and comments", `\ufeff: hello\n\n${WHOLE.replaceAll("data:", ":beat\ndata:")}`, ALL);
stream("ids, times to reconnect, unknown fields", WHOLE.replaceAll("data:", "id:1\nretry: 5\nx\ny:1\ndata:"), ALL);
stream("JSON in several lines", START + data(three[1]).replace(",", ",\ndata:") + DONE, ALL);
for (const first of ["id: 1", "retry: 5", ": hello", "data:{}\nevent:note\n"]) {
  const note = first.startsWith("data") ? [["note", {}] as const] : [];
  stream(`begins with ${JSON.stringify(first)}`, `${first}\n${WHOLE}`, [...note, ...ALL]);
}
stream("text/plain", WHOLE, ALL, {}, { headers: { "content-type": "text/plain" } });
stream("text/plain in bytes, after an empty line", `\n${WHOLE}`, ALL, {}, { headers: {}, chunk: 1 });
stream("201", WHOLE, ALL, {}, { status: 201 });
stream("several results", START + [1, 2, 3].map((n) => data({ n })).join("") + DONE, [
  start,
  ...[1, 2, 3].map((n) => ["data", { n }] as const),
  done,
]);
stream("no done", START + data(three[1]), [start, three]);
stream("no start", data(three[1]) + DONE, [three, done]);
stream("no data", START + DONE, [start, done]);
stream("no empty line at the end", (START + data(three[1])).trimEnd(), [start, three]);
stream("results without a name", `data:${rpc(three[1])}\n\n`, [three]);
stream("a result that is a number", data(3) + DONE, [["data", { value: 3 }], done]);
stream("other events", `event:progress\ndata:{"at":1}\n\nevent:note\ndata:half\n\n${data(three[1])}`, [
  ["progress", { at: 1 }],
  ["note", { value: "half" }],
  three,
]);
stream("nothing is read after done", WHOLE + data({ more: 1 }), ALL);
stream("nothing is awaited after done", WHOLE, ALL, {}, { ending: "hang" });
stream("what follows done may be endless", WHOLE, ALL, {}, { endless: ": beat\n\n".repeat(5_000) });

stream("an error", `${START}event:error\ndata:${FAILURE}\n\n`, [start], WRONG);
stream("an error, and done", `${START}event:error\ndata:${FAILURE}\n\n${DONE}`, [start], WRONG);
stream("an error after a result", `${data({ n: 1 })}event:error\ndata:${FAILURE}\n\n`, [["data", { n: 1 }]], WRONG);
stream("an error alone", `event:error\ndata:${JSON.stringify({ ...error, id: "call-7" })}\n\n`, [], WRONG);
stream("an error in words", "event:error\ndata:No such city\n\n", [], FAILED("No such city"));
stream("an error as data", `event:data\ndata:${FAILURE}\n\n${DONE}`, [], WRONG);
stream("an error without content", `event:error\ndata:${rpc({})}\n\n`, [], ERROR_NULL());
stream("an error of {}", "event:error\ndata:{}\n\n", [], ERROR_NULL());
stream("neither result nor error", 'event:data\ndata:{"jsonrpc":"2.0"}\n\n', [], ERROR_NULL());
stream("null as data", `${START}event:data\ndata:null\n\n`, [start], RESPONSE_NULL());
stream("empty data", `${START}event:data\ndata:\n\n`, [start], RESPONSE_NULL());
stream("data that is no JSON", `${START}event:data\ndata:{"a\n\n`, [start], NO_ACCESS("not-opentool", 200));
stream("an empty stream", "", [], RESPONSE_NULL());
stream("nothing but a comment", ": hello\n\n", [], NO_ACCESS("cut", 200));
stream("nothing but a start", START, [start], NO_ACCESS("cut", 200));
// When a connection breaks, some runtimes throw away what has arrived and was not read yet: so there is no event before.
stream("cut within an event", START.slice(0, 20), [], NO_ACCESS("cut"), { ending: "cut" });
stream("endless beats", START, [start], NO_ACCESS("too-large"), { endless: ": beat\n\n".repeat(5_000) });
stream("an endless line", START, [start], NO_ACCESS("too-large"), { endless: "0".repeat(50_000) });

// From servers that do not stream, or have no such path.
const plain = { body: rpc(three[1]) };
add("JSON in place of a stream", plain, [three]);
add("JSON that says it is a stream", { ...plain, ...SSE }, [three]);
add("an error in JSON", { body: FAILURE }, [], WRONG);
add("null", { body: "null" }, [], RESPONSE_NULL());
add("204", { status: 204 }, [], RESPONSE_NULL(204));
add("a page", { body: "<!doctype html>" }, [], NO_ACCESS("not-opentool", 200));
add("401", { status: 401, body: "data: x\n\n" }, [], UNAUTHORIZED);
for (const status of [404, 405, 501]) {
  add(`${status}: call is asked instead`, { streamCall: { status }, call: plain }, [three]);
}
const otherError = { status: 404, body: JSON.stringify({ error: { message: "Nothing is here" } }) };
add("404 with an error of a framework", { streamCall: otherError, call: plain }, [three]);
add("404, and call fails", { streamCall: { status: 404 }, call: { body: FAILURE } }, [], WRONG);
add("404, and for call, too", { status: 404 }, [], NO_ACCESS("status", 404));
add("404 with an error of OpenTool", { streamCall: { status: 404, body: FAILURE }, call: plain }, [], WRONG);
for (const status of [400, 403, 500, 503]) {
  const name = `${status}: call is not asked, because the tool may have run`;
  add(name, { streamCall: { status }, call: plain }, [], NO_ACCESS("status", status));
}
