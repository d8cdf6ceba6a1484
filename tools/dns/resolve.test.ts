import { expect, it } from "vitest";
import { callTool, type FakeFetch } from "#test";

/** Looks up a name; `reply` answers every request to the resolver. */
function resolve(name: string, type?: string, reply: FakeFetch = () => answers(1)) {
  return callTool("DNS.Resolve", { name, ...(type && { type }) }, { fetch: reply });
}

const answers = (type: number, ...data: string[]) => ({
  Status: 0,
  AD: false,
  Question: [{ name: "example.com.", type }],
  Answer: data.map((text) => ({ name: "example.com.", type, TTL: 300, data: text })),
});

it("asks the resolver for A records, and names the CNAME that led to them", async () => {
  const reply = {
    Status: 0,
    AD: true,
    Answer: [
      { name: "www.example.com.", type: 5, TTL: 60, data: "edge.example.net." },
      { name: "edge.example.net.", type: 1, TTL: 30, data: "93.184.215.14" },
    ],
  };
  const fetch = { "https://cloudflare-dns.com/dns-query?name=www.example.com&type=A": reply };
  const { value, requests } = await callTool("DNS.Resolve", { name: "www.example.com" }, { fetch });
  expect(value).toEqual({
    status: "NOERROR",
    authenticated: true,
    records: [
      { name: "www.example.com", type: "CNAME", ttl: 60, data: "edge.example.net." },
      { name: "edge.example.net", type: "A", ttl: 30, data: "93.184.215.14" },
    ],
  });
  expect(requests.map(({ headers }) => headers.get("accept"))).toEqual(["application/dns-json"]);
});

it.each([
  ["A", 1],
  ["AAAA", 28],
  ["CNAME", 5],
  ["MX", 15],
  ["NS", 2],
  ["SRV", 33],
  ["SOA", 6],
  ["PTR", 12],
])("asks for %s and names it", async (type, number) => {
  const { value, requests } = await resolve("example.com", type, () => answers(number, "some data"));
  expect(value).toMatchObject({ records: [{ type, data: "some data" }] });
  expect(new URL(requests[0]?.url ?? "").searchParams.get("type")).toBe(type);
});

it("writes a type without a name as RFC 3597 does", async () => {
  const { value } = await resolve("example.com", "A", () => answers(65280, "\\# 1 00"));
  expect(value).toMatchObject({ records: [{ type: "TYPE65280" }] });
});

it("joins the pieces of a TXT record (RFC 1035, section 3.3.14) without its quotes", async () => {
  const reply = () => answers(16, '"v=DKIM1; k" "=rsa"', '"say \\"hi\\" \\\\ é"', "bare");
  const { records } = (await resolve("example.com", "TXT", reply)).value;
  expect(records.map(({ data }) => data)).toEqual(["v=DKIM1; k=rsa", 'say "hi" \\ é', "bare"]);
});

it("a name that does not exist is a result", async () => {
  const reply = { Status: 3, AD: true, Answer: [{ name: "a.", type: 5, TTL: 1, data: "b." }] };
  const { value } = await resolve("nowhere.example", "A", () => reply);
  expect(value).toEqual({ status: "NXDOMAIN", records: [], authenticated: true });
});

it("a name without records of the type is a result too", async () => {
  const { value } = await resolve("example.com", "AAAA", () => ({ Status: 0, AD: false }));
  expect(value).toMatchObject({ status: "NOERROR", records: [] });
});

it.each([
  ["example.com.", "A", "example.com."],
  ["_dmarc.example.com", "TXT", "_dmarc.example.com"],
  ["*.example.com", "A", "*.example.com"],
  ["com", "NS", "com"],
  [".", "NS", "."],
  ["1.2", "A", "1.2"],
  ["10.2.0.192.in-addr.arpa", "PTR", "10.2.0.192.in-addr.arpa"],
])("%j for %s is asked as %s", async (name, type, asked) => {
  const { error, requests } = await resolve(name, type);
  expect(error).toBeUndefined();
  expect(new URL(requests[0]?.url ?? "").searchParams.get("name")).toBe(asked);
});

it.each([
  "https://example.com",
  "example.com/path",
  "example.com:443",
  "a b.example",
  "",
  "bücher.example",
  "bücher.example?x",
  "a&type=MX",
  `${"a.".repeat(127)}a`,
])("%j is no name, and is not asked for", async (name) => {
  const { error } = await callTool("DNS.Resolve", { name });
  expect(error).toMatchObject({ message: "This is not a valid DNS name", canRetry: true });
});

it.each(["-a.example", "a..example", `${"a".repeat(64)}.example`])(
  "the resolver says that %j is no name",
  async (name) => {
    const { error } = await resolve(name, "A", () => new Response("Invalid query name", { status: 400 }));
    expect(error).toMatchObject({ message: "This is not a valid DNS name", canRetry: true });
  },
);

it.each([{ name: 1 }, { name: "example.com", type: "ANY" }, {}])("%o fails the input schema", async (input) => {
  expect((await callTool("DNS.Resolve", input as never)).error?.reason).toBe("invalid");
});

it("SERVFAIL may pass, other refusals will not", async () => {
  const failed = await resolve("example.com", "A", () => ({ Status: 2 }));
  expect(failed.error).toMatchObject({ message: "The name servers of this name gave no answer", canRetry: true });
  const refused = await resolve("example.com", "A", () => ({ Status: 5 }));
  expect(refused.error).toMatchObject({ canRetry: false, developerMessage: "RCODE 5" });
});

it.each([
  ["a failure", () => new Response("busy", { status: 503, headers: { "retry-after": "4" } }), 4_000],
  ["no JSON", () => new Response("<html>"), undefined],
  ["other JSON", () => null, undefined],
  ["no connection", () => Promise.reject(new TypeError("Network connection lost")), undefined],
])("a resolver that gives %s is tried again later", async (_, reply, wait) => {
  const { error } = await resolve("example.com", "A", reply);
  expect(error).toMatchObject({ message: "The DNS resolver is not available at the moment", canRetry: true });
  expect(error?.retryAfterMs).toBe(wait);
});
