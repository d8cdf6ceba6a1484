/** Answers to `POST /call`: what is a result, and which exception it is otherwise. */
import type { Reply } from "../../support/reply.ts";
import type { Case, Outcome } from "../cases.ts";
import { ERROR_NULL, FAILED, NO_ACCESS, RESPONSE_NULL, returned, UNAUTHORIZED } from "./outcomes.ts";

const cases: Case[] = [];
export const CALLS: readonly Case[] = cases;

const add = (name: string, reply: Reply, outcome: Outcome) =>
  cases.push({ name: `call: ${name}`, method: "call", reply, outcome });
/** An answer with this JSON. */
const json = (name: string, body: unknown, outcome: Outcome, status = 200) =>
  add(name, { status, body: JSON.stringify(body) }, outcome);

const SUM = { sum: 3, text: "drei €" };
const ANSWER = { jsonrpc: "2.0", result: SUM, error: null, id: "call-7" };
const WRONG = { code: 500, message: "It has failed" };
const FAILURE = { jsonrpc: "2.0", result: {}, error: WRONG, id: "call-7" };
const CODE = { code: 500 };

// OpenTool 1.0, section 2, Success Response; and what other servers make of it.
json("as in the document", ANSWER, returned(SUM));
json("jsonrpc 2.0.0, no error", { jsonrpc: "2.0.0", result: SUM, id: "call-7" }, returned(SUM));
json("a number as id", { ...ANSWER, id: 7 }, returned(SUM));
json("no id, no jsonrpc", { result: SUM }, returned(SUM));
json("error is false", { ...ANSWER, error: false }, returned(SUM));
json("error is an empty text", { ...ANSWER, error: "" }, returned(SUM));
json("error is 0", { ...ANSWER, error: 0 }, returned(SUM));
json("a result that is null", { ...ANSWER, result: null }, returned({}));
json("a result that is a number", { ...ANSWER, result: 3 }, returned({ value: 3 }));
json("a result that is false", { ...ANSWER, result: false }, returned({ value: false }));
json("a result that is a text", { ...ANSWER, result: "" }, returned({ value: "" }));
json("a result that is a list", { ...ANSWER, result: [1, { a: 2 }] }, returned({ value: [1, { a: 2 }] }));
json("201", ANSWER, returned(SUM), 201);
const body = JSON.stringify(ANSWER);
add("text/plain", { body, headers: { "content-type": "text/plain" } }, returned(SUM));
add("text/html", { body, headers: { "content-type": "text/html; charset=iso-8859-1" } }, returned(SUM));
add("a byte order mark", { body: `\ufeff${body}` }, returned(SUM));
add("blanks around", { body: `\r\n ${body}\n\n` }, returned(SUM));
add("a byte per chunk", { body, chunk: 1 }, returned(SUM));

// Section 2, Error Response.
json("an error as in the document", FAILURE, FAILED("It has failed", CODE));
json("an error beside a result of null", { ...FAILURE, result: null }, FAILED("It has failed", CODE));
json("an error without a result", { error: WRONG }, FAILED("It has failed", CODE));
json("an error beside a result", { ...FAILURE, result: SUM }, FAILED("It has failed", CODE));
const busy = { code: 429, message: "Busy", data: { can_retry: true, retry_after_ms: 500 } };
json("an error with data", { error: busy }, FAILED("Busy", { code: 429, data: busy.data }));
json("an error with a code that is a text", { error: { code: "E1", message: "Busy" } }, FAILED("Busy"));
json("an error without a message", { error: { code: 500 } }, FAILED('{"code":500}', CODE));
json(
  "an error with an empty message",
  { error: { code: 500, message: "" } },
  FAILED('{"code":500,"message":""}', CODE),
);
json("an error with an object as message", { error: { message: { en: "No" } } }, FAILED('{"message":{"en":"No"}}'));
json("an error that is a text", { error: "No such city" }, FAILED("No such city"));
json("a list of errors", { error: ["a", "b"] }, FAILED('["a","b"]'));
for (const status of [400, 403, 404, 422, 500, 503]) {
  json(`an error with the status ${status}`, FAILURE, FAILED("It has failed", CODE), status);
}

// Section 6, "Error field is null".
for (const error of [{}, [], true, 500, " "]) {
  json(`an error that is ${JSON.stringify(error)}`, { ...ANSWER, error }, ERROR_NULL());
}
json("neither result nor error", { jsonrpc: "2.0", id: "call-7" }, ERROR_NULL());
json("no result, error is null", { jsonrpc: "2.0", error: null, id: "call-7" }, ERROR_NULL());
json("no result, error is false", { error: false }, ERROR_NULL());
json("an object of something else, 202", { accepted: true }, ERROR_NULL(202), 202);

// Section 6, "Response is null".
add("an empty body", {}, RESPONSE_NULL());
add("an empty body, 201", { status: 201 }, RESPONSE_NULL(201));
add("204", { status: 204 }, RESPONSE_NULL(204));
add("blanks", { body: " \n" }, RESPONSE_NULL());
add("null", { body: "null" }, RESPONSE_NULL());

// Section 6, "Unauthorized": whatever the body says.
add("401", { status: 401 }, UNAUTHORIZED);
add("401 with a text", { status: 401, body: "Invalid authorization token" }, UNAUTHORIZED);
json("401 with an error", FAILURE, UNAUTHORIZED, 401);

// Section 6, "No access to server".
for (const status of [300, 304, 400, 402, 403, 404, 405, 429, 500, 502, 503]) {
  add(`${status}`, { status }, NO_ACCESS("status", status));
}
const html = { body: "<!doctype html><title>404</title>", headers: { "content-type": "text/html" } };
add("404 with a page", { ...html, status: 404 }, NO_ACCESS("status", 404));
json("403 of a proxy", { message: "Forbidden" }, NO_ACCESS("status", 403), 403);
json("404 of a framework", { status: 404, error: "Not Found", path: "/" }, NO_ACCESS("status", 404), 404);
json("404 with an error that is not JSON-RPC's", { error: WRONG }, NO_ACCESS("status", 404), 404);
json("500 with an empty error", { error: {} }, NO_ACCESS("status", 500), 500);
json("500 with an empty error of JSON-RPC", { jsonrpc: "2.0", error: {} }, ERROR_NULL(500), 500);
json("500 with JSON-RPC 2.0.0", { jsonrpc: "2.0.0", error: WRONG }, FAILED("It has failed", CODE), 500);
json("500 with a result", ANSWER, NO_ACCESS("status", 500), 500);
add("200 with a page", html, NO_ACCESS("not-opentool", 200));
add("a text", { body: "ok" }, NO_ACCESS("not-opentool", 200));
add("half of the JSON", { body: body.slice(0, 30) }, NO_ACCESS("not-opentool", 200));
for (const value of [[ANSWER], "ok", 3, true]) {
  json(`JSON that is ${typeof value}`, value, NO_ACCESS("not-opentool", 200));
}
