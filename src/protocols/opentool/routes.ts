/** The HTTP endpoints of OpenTool 1.0: version, load and call, and streamCall of newer SDKs. */

import type { Catalog } from "../../core/catalog/catalog.ts";
import { sha256 } from "../../core/crypto/digest.ts";
import { isRecord } from "../../core/lib/json.ts";
import { describeError } from "../../core/lib/log.ts";
import { type Client, NO_CONTEXT } from "../../core/model/call.ts";
import type { CallResult } from "../../core/model/call-result.ts";
import type { CatalogEntry } from "../../core/model/catalog-entry.ts";
import { type ReadBody, readJson } from "../../http/body.ts";
import { checkedKey, idempotencyKeyOf } from "../../http/idempotency-key.ts";
import { answerListing, type Listing, listingOf, listingTag, withoutQuery } from "../../http/listing.ts";
import type { MaybeResponse, Protocol, RequestContext } from "../../http/request-context.ts";
import { json, jsonText, logIfLarge, retryAfter } from "../../http/response.ts";
import { jsonInTime } from "../../http/slow-json.ts";
import { eventStream, keepChecking } from "../../http/sse.ts";
import { readTrace } from "../../http/trace.ts";
import { describe } from "./describe.ts";
import { type ReadCall, readCall } from "./read.ts";
import { CODE, failure, render } from "./render.ts";

/** Name of this protocol in listings and calls. */
export const LISTING = "opentool";

/** Version of the description document's format (OpenTool Specification 1.1.0). */
const FORMAT_VERSION = "1.1.0";

export const opentool: Protocol = {
  endpoints: [
    { method: "GET", path: "/opentool/version", serve: ({ server }) => json({ version: server.version }) },
    { method: "GET", path: "/opentool/load", serve: load },
    { method: "POST", path: "/opentool/call", serve: call },
    { method: "POST", path: "/opentool/streamCall", serve: streamCall },
  ],
  httpError: (status, message, headers) => json(failure({ code: status, message }, null), status, headers),
};

function load(context: RequestContext): MaybeResponse {
  const { request, runtime, toolkit } = context;
  const { catalog } = runtime;
  const documents = catalog.listing(LISTING, toolkit, (): Documents => ({ functions: functions(catalog, toolkit) }));
  const { last } = documents;
  const address = withoutQuery(request);
  return last?.url === address ? answerListing(context, last.listing) : loadFrom(address, context, documents);
}

/**
 * Renders the document. Its ETag covers all of it: a digest for the head, and the catalogue's revision and view for the
 * functions.
 */
async function loadFrom(address: string, context: RequestContext, documents: Documents): Promise<Response> {
  const { runtime, server, toolkit } = context;
  const url = new URL(address);
  const head = JSON.stringify({
    opentool: FORMAT_VERSION,
    info: {
      title: server.title ?? server.name,
      // JSON leaves out undefined.
      description: runtime.catalog.instructions(toolkit),
      version: server.version,
    },
    server: { url: url.origin + url.pathname.replace(/\/[^/]+\/?$/, "") },
  });
  const tag = listingTag(runtime, `${LISTING}-${await sha256(head)}`, toolkit);
  const text = `${head.slice(0, -1)},"functions":[${documents.functions}]}`;
  documents.last = { url: address, listing: listingOf(tag, text) };
  return answerListing(context, documents.last.listing);
}

/** The document contains its own URL. Only the latest is cached, because most deployments have a single URL. */
interface Documents {
  readonly functions: string;
  last?: { readonly url: string; readonly listing: Listing };
}

function functions(catalog: Catalog, toolkit: string | undefined): string {
  return catalog.latest(toolkit).map(fragment).join(",");
}

function fragment({ name, json }: CatalogEntry): string {
  const description = describe({ input: JSON.parse(json.input), output: JSON.parse(json.output) });
  return `{"name":"${name}","description":${json.description},${JSON.stringify(description).slice(1)}`;
}

/** Errors inside a JSON-RPC body have status 200: clients report any other status as "no access to server". */
function call(context: RequestContext): Promise<Response> {
  return jsonInTime(context, async (client) => {
    const read = readRequest(await readJson(context));
    if (read instanceof Response) return read;
    const answered = await answer(context, read, client);
    return jsonText(textOf(answered, context), answered.status, answered.headers);
  });
}

function textOf({ body, result }: RpcAnswer, context: RequestContext): string {
  const text = JSON.stringify(body);
  if (result) logIfLarge(text, result, context);
  return text;
}

/**
 * Like `call`, but responds with events: `start`, then `data` or `error`, then `done`.
 *
 * The published Dart client matches `event:(\w+)\ndata:(.*?)\n\n` against each chunk of the body as it arrives. So
 * there is no space after a colon, no id and no comment, and each event is written in one chunk.
 */
async function streamCall(context: RequestContext): Promise<Response> {
  const read = readRequest(await readJson(context));
  if (read instanceof Response) return read;
  const stop = new AbortController();
  const stream = eventStream(() => stop.abort(), ":");
  stream.send(JSON.stringify({ start: read.method }), "start");
  const cut = () => {
    stream.close();
    stop.abort();
  };
  // Send empty lines to keep the connection alive: the Dart client ignores them, but does not understand comments.
  const endChecks = keepChecking(context, cut, () => stream.emptyLine());
  context.largeBody?.keep();
  const run = async () => {
    try {
      // These clients cannot handle an answer that tells them to ask again.
      const client: Client = {
        signal: stop.signal,
        get isOver() {
          return stop.signal.aborted;
        },
        isPatient: true,
        keepInput: (until) => context.largeBody?.keepUntil(until),
      };
      const answered = await answer(context, read, client);
      stream.send(textOf(answered, context), answered.body.error === null ? "data" : "error");
      stream.close({ data: JSON.stringify({ done: read.method }), event: "done" });
    } catch (error) {
      // Callers and tools cannot make this throw, so it is a bug of ours. The status has already been sent.
      context.runtime.log({ level: "error", message: "unhandled", error: describeError(error) });
      stream.send(JSON.stringify(failure({ code: CODE.failed, message: "Internal error" }, read.id)), "error");
    } finally {
      context.largeBody?.release();
      endChecks();
      stream.close();
    }
  };
  run();
  return stream.response;
}

/** Returns the call, or an error response if the request is malformed. */
function readRequest(body: ReadBody): ReadCall | Response {
  if ("bad" in body) {
    const { status, message, value, headers } = body.bad;
    return json(failure({ code: status, message }, isRecord(value) ? (value.id ?? null) : null), status, headers);
  }
  const read = readCall(body.value);
  if (!("problem" in read)) return read;
  return json(failure({ code: CODE.badRequest, message: read.problem }, read.id), 400);
}

async function answer(context: RequestContext, read: ReadCall, client: Client): Promise<RpcAnswer> {
  const { id, tool, params, attachments, callback } = read;
  const { headers, runtime, principal, toolkit } = context;
  // Simple JSON-RPC clients number their requests 1, 2, 3, so `id` cannot serve as the idempotency key.
  const key = idempotencyKeyOf(headers);
  const malformed = (message: string) => ({ body: failure({ code: CODE.badRequest, message }, id), status: 200 });
  if (key !== undefined && checkedKey(key) === undefined)
    return malformed("The Idempotency-Key header must have 1 to 255 characters of UTF-8");
  if (attachments === "malformed")
    return malformed('context.attachments must be a list of objects with the string "file_id"');
  const result = await context.execute(
    {
      callId: crypto.randomUUID(),
      protocol: LISTING,
      tool,
      toolkit,
      input: params,
      key,
      principal,
      context: NO_CONTEXT,
      attachments,
      callback,
      origin: () => new URL(context.request.url).origin,
      trace: () => readTrace(headers),
      client,
    },
    runtime,
  );
  return withHttp(result, id, key !== undefined, context);
}

function withHttp(result: CallResult, id: unknown, hasKey: boolean, context: RequestContext): RpcAnswer {
  const { outcome, replayed } = result;
  const body = render(outcome, id, hasKey);
  if (replayed) return { body, status: 200, headers: { "idempotency-replayed": "true" } };
  switch (outcome.kind) {
    case "completed":
    case "failed":
    case "invalid":
    case "timed_out":
    case "cancelled":
    case "asking":
      return { body, status: 200, result };
    case "accepted":
      return { body, status: 200, headers: retryAfter(outcome.task.pollMs) };
    case "refused": {
      const { refusal } = outcome;
      // OAuth clients ask for more scopes only if the status and header tell them to.
      if (refusal.reason === "scope") return { body, ...context.challenge(refusal.scopes) };
      return { body, status: 200, ...("retryAfterMs" in refusal && { headers: retryAfter(refusal.retryAfterMs) }) };
    }
  }
}

interface RpcAnswer {
  readonly body: Record<string, unknown>;
  readonly status: number;
  readonly headers?: Record<string, string>;
  /** Set if the tool has just run: then a large result is logged. */
  readonly result?: CallResult;
}
