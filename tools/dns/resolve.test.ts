import { exports } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";

interface Result {
  readonly success: boolean;
  readonly value?: { readonly records: readonly { readonly data: string }[] };
  readonly error?: Record<string, unknown>;
}

async function post(input: unknown) {
  const response = await exports.default.fetch("http://localhost/tools/call", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ request: { tool_id: "DNS.Resolve@1.0.0", input } }),
  });
  return { status: response.status, body: (await response.json()) as { result: Result } };
}

async function resolve(name: string, type?: string): Promise<Result> {
  return (await post({ name, ...(type && { type }) })).body.result;
}

/** Records the requests that go out, and answers all of them in the same way. */
function resolver(answer: () => Response) {
  const sent: Request[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    sent.push(new Request(input as RequestInfo, init));
    return answer();
  });
  return sent;
}

const answers = (type: number, ...data: string[]) =>
  Response.json({
    Status: 0,
    AD: false,
    Question: [{ name: "example.com.", type }],
    Answer: data.map((text) => ({ name: "example.com.", type, TTL: 300, data: text })),
  });

const dataOf = ({ value }: Result) => value?.records.map(({ data }) => data);

afterEach(() => {
  vi.restoreAllMocks();
});

it("asks the resolver for A records, and names the CNAME that led to them", async () => {
  const sent = resolver(() =>
    Response.json({
      Status: 0,
      AD: true,
      Answer: [
        { name: "www.example.com.", type: 5, TTL: 60, data: "edge.example.net." },
        { name: "edge.example.net.", type: 1, TTL: 30, data: "93.184.215.14" },
      ],
    }),
  );
  expect((await resolve("www.example.com")).value).toEqual({
    status: "NOERROR",
    authenticated: true,
    records: [
      { name: "www.example.com", type: "CNAME", ttl: 60, data: "edge.example.net." },
      { name: "edge.example.net", type: "A", ttl: 30, data: "93.184.215.14" },
    ],
  });
  expect(sent).toHaveLength(1);
  expect(sent[0]?.method).toBe("GET");
  expect(sent[0]?.url).toBe("https://cloudflare-dns.com/dns-query?name=www.example.com&type=A");
  expect(sent[0]?.headers.get("accept")).toBe("application/dns-json");
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
  const sent = resolver(() => answers(number, "some data"));
  const { value } = await resolve("example.com", type);
  expect(value).toMatchObject({ records: [{ type, data: "some data" }] });
  expect(new URL(sent[0]?.url ?? "").searchParams.get("type")).toBe(type);
});

it("writes a type without a name as RFC 3597 does", async () => {
  resolver(() => answers(65280, "\\# 1 00"));
  expect((await resolve("example.com")).value).toMatchObject({ records: [{ type: "TYPE65280" }] });
});

it("joins the pieces of a TXT record (RFC 1035, section 3.3.14) without its quotes", async () => {
  resolver(() => answers(16, '"v=DKIM1; k" "=rsa"', '"say \\"hi\\" \\\\ é"', "bare"));
  expect(dataOf(await resolve("example.com", "TXT"))).toEqual(["v=DKIM1; k=rsa", 'say "hi" \\ é', "bare"]);
});

it("a name that does not exist is a result", async () => {
  resolver(() => Response.json({ Status: 3, AD: true, Answer: [{ name: "a.", type: 5, TTL: 1, data: "b." }] }));
  expect((await resolve("nowhere.example")).value).toEqual({
    status: "NXDOMAIN",
    records: [],
    authenticated: true,
  });
});

it("a name without records of the type is a result too", async () => {
  resolver(() => Response.json({ Status: 0, AD: false }));
  expect((await resolve("example.com", "AAAA")).value).toMatchObject({ status: "NOERROR", records: [] });
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
  const sent = resolver(() => answers(1));
  expect((await resolve(name, type)).success).toBe(true);
  expect(new URL(sent[0]?.url ?? "").searchParams.get("name")).toBe(asked);
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
  const sent = resolver(() => answers(1));
  const { success, error } = await resolve(name);
  expect(success).toBe(false);
  expect(error?.message).toBe("This is not a valid DNS name");
  expect(error?.can_retry).toBe(true);
  expect(sent).toEqual([]);
});

it.each(["-a.example", "a..example", `${"a".repeat(64)}.example`])(
  "the resolver says that %j is no name",
  async (name) => {
    resolver(() => new Response("Invalid query name", { status: 400 }));
    expect((await resolve(name)).error).toMatchObject({
      message: "This is not a valid DNS name",
      can_retry: true,
    });
  },
);

it.each([{ name: 1 }, { name: "example.com", type: "ANY" }, {}])("%o fails the input schema", async (input) => {
  const sent = resolver(() => answers(1));
  expect((await post(input)).status).toBe(422);
  expect(sent).toEqual([]);
});

it("SERVFAIL may pass, other refusals will not", async () => {
  resolver(() => Response.json({ Status: 2 }));
  expect((await resolve("example.com")).error).toMatchObject({
    message: "The name servers of this name gave no answer",
    can_retry: true,
  });
  resolver(() => Response.json({ Status: 5 }));
  expect((await resolve("example.com")).error).toMatchObject({ can_retry: false, developer_message: "RCODE 5" });
});

it.each([
  ["a failure", () => new Response("busy", { status: 503, headers: { "retry-after": "4" } }), 4_000],
  ["no JSON", () => new Response("<html>"), undefined],
  ["other JSON", () => Response.json(null), undefined],
  ["no connection", () => Promise.reject(new TypeError("Network connection lost")) as never, undefined],
])("a resolver that gives %s is tried again later", async (_, answer, wait) => {
  resolver(answer);
  const { error } = await resolve("example.com");
  expect(error).toMatchObject({ message: "The DNS resolver is not available at the moment", can_retry: true });
  expect(error?.retry_after_ms).toBe(wait);
});
