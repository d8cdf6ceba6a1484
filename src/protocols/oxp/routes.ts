/** The HTTP endpoints of OXP 1.0: health, listing, call. Each reads its request, executes the call and renders it. */

import { isRecord } from "../../core/lib/json.ts";
import { type BadBody, hasBody, type ReadBody, readJson } from "../../http/body.ts";
import { checkedKey, idempotencyKeyOf } from "../../http/idempotency-key.ts";
import { answerListing, listingOf, listingTag } from "../../http/listing.ts";
import type { Protocol, RequestContext } from "../../http/request-context.ts";
import { json } from "../../http/response.ts";
import { type JsonClient, jsonInTime } from "../../http/slow-json.ts";
import { readTrace } from "../../http/trace.ts";
import { listTools } from "./list.ts";
import { isSupportedVersion, type ReadCall, readCall, readVersion, UNSUPPORTED_VERSION } from "./read.ts";
import { render, renderLate, serverError } from "./render.ts";

/** Name of this protocol in listings and calls. */
export const LISTING = "oxp";

export const oxp: Protocol = {
  endpoints: [
    { method: "GET", path: "/health", open: true, serve: () => json({ status: "ok" }) },
    // LangChain's REST client requests this first.
    { method: "GET", path: "/info", serve: ({ server }) => json({ version: server.version }) },
    { method: "GET", path: "/tools", serve: list },
    { method: "POST", path: "/tools/call", serve: call },
    // Every example in the OXP documents posts here.
    { method: "POST", path: "/call", serve: call },
  ],
  httpError: (status, message, headers) => serverError(status, message, undefined, headers),
};

/** OXP 1.0, List Tools. Clients that cannot send a body with GET send the version in a query parameter or a header. */
async function list(context: RequestContext): Promise<Response> {
  const { request, headers } = context;
  const named = request.url.includes("?") ? new URL(request.url).searchParams.get("$schema") : null;
  const header = headers.get("oxp-version");
  if (named !== null && !isSupportedVersion(named)) return serverError(400, UNSUPPORTED_VERSION);
  if (header !== null && header !== "1.0" && !isSupportedVersion(header)) return serverError(400, UNSUPPORTED_VERSION);
  const problem = hasBody(context) ? rejectBody(await readJson(context)) : undefined;
  return problem ?? listing(context);
}

/** Returns an error if the body of a listing request is malformed or names an unsupported version. */
function rejectBody(body: ReadBody): Response | undefined {
  if ("bad" in body) return rejected(body.bad);
  if (!isRecord(body.value)) return serverError(400, "The request body must be a JSON object");
  const problem = readVersion(body.value);
  return problem === undefined ? undefined : serverError(400, problem);
}

function listing(context: RequestContext): Response {
  const { runtime, toolkit } = context;
  const { catalog } = runtime;
  const made = catalog.listing(LISTING, toolkit, () =>
    listingOf(listingTag(runtime, LISTING, toolkit), listTools(catalog, toolkit)),
  );
  return answerListing(context, made);
}

/** @param toRequest turns the body into an OXP request, for endpoints with bodies of another form */
export function call(http: RequestContext, toRequest?: (body: unknown) => unknown): Promise<Response> {
  return jsonInTime(http, (client) => answer(http, client, toRequest));
}

/** Returns only the call, so that nothing holds the rest of the body in memory while it runs; or an error response. */
function readRequest(body: ReadBody, toRequest: ((body: unknown) => unknown) | undefined): ReadCall | Response {
  if ("bad" in body) return rejected(body.bad);
  const read = readCall(toRequest ? toRequest(body.value) : body.value);
  return "problem" in read ? serverError(400, read.problem) : read;
}

function rejected({ status, message, headers }: BadBody): Response {
  return serverError(status, message, undefined, headers);
}

async function answer(
  http: RequestContext,
  client: JsonClient,
  toRequest: ((body: unknown) => unknown) | undefined,
): Promise<Response> {
  const { request, headers, runtime, principal, toolkit } = http;
  const read = readRequest(await readJson(http), toRequest);
  if (read instanceof Response) return read;
  const { tool, input, traceId, context, attachments, callback } = read;
  // The call_id takes precedence: it identifies the call even if a proxy adds headers of its own.
  const key = read.callId ?? idempotencyKeyOf(headers);
  if (key !== undefined && checkedKey(key) === undefined) {
    return serverError(400, "The Idempotency-Key header must have 1 to 255 characters of UTF-8");
  }
  const callId = key ?? crypto.randomUUID();
  const result = await http.execute(
    {
      callId,
      showsCallId: true,
      protocol: LISTING,
      tool,
      toolkit,
      input,
      key,
      principal,
      context,
      attachments,
      callback,
      origin: () => new URL(request.url).origin,
      trace: () => (traceId === undefined ? readTrace(headers) : { ...readTrace(headers), id: traceId }),
      client,
    },
    runtime,
  );
  return client.hasBegun ? renderLate(result, callId, http) : render(result, callId, http);
}
