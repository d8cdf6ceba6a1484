/**
 * The first reference: what a call costs without a framework, checks or choices. Parses the body, checks two numbers
 * and answers with the same bytes as Trivet. Listings are fixed texts from a binding.
 */
interface Given {
  readonly OXP: string;
  readonly OPENTOOL: string;
  readonly LEGACY: string;
  readonly MODERN: string;
}

const HEADERS = { "content-type": "application/json", "x-content-type-options": "nosniff" };
const LISTING_HEADERS = { ...HEADERS, etag: '"1"', "cache-control": "private, no-cache", vary: "origin" };
const SERVER = { "io.modelcontextprotocol/serverInfo": { name: "trivet", version: "1.0.0" } };

function sum({ a, b }: { a: unknown; b: unknown }): number {
  if (typeof a !== "number" || typeof b !== "number") throw new TypeError("not two numbers");
  return a + b;
}

export default {
  async fetch(request: Request, given: Given): Promise<Response> {
    const { url } = request;
    if (request.method === "GET") {
      if (url.endsWith("/tools")) return new Response(given.OXP, { headers: LISTING_HEADERS });
      if (url.endsWith("/load")) return new Response(given.OPENTOOL, { headers: LISTING_HEADERS });
      return new Response("", { headers: HEADERS });
    }
    const { id, method, params, ...body } = JSON.parse(await request.text());
    if (url.endsWith("/mcp")) {
      const isModern = request.headers.get("mcp-protocol-version") === "2026-07-28";
      if (method === "tools/list") {
        const result = isModern ? given.MODERN : given.LEGACY;
        return new Response(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`, { headers: HEADERS });
      }
      const value = sum(params.arguments);
      const content = [{ type: "text", text: String(value) }];
      const result = isModern
        ? { resultType: "complete", content, structuredContent: value, _meta: SERVER }
        : { content, structuredContent: { value } };
      return new Response(JSON.stringify({ jsonrpc: "2.0", id, result }), { headers: HEADERS });
    }
    if (url.endsWith("/opentool/call")) {
      const value = sum(params);
      return new Response(JSON.stringify({ jsonrpc: "2.0", result: { value }, error: null, id }), { headers: HEADERS });
    }
    const value = sum(body.request.input);
    const result = { call_id: crypto.randomUUID(), duration: 0, success: true, value };
    return new Response(JSON.stringify({ $schema: "urn:oxp:1.0", result }), { headers: HEADERS });
  },
};
