import * as v from "valibot";
import { defineTool, retryAfterMs, ToolError } from "#tool";

const RESOLVER = "https://cloudflare-dns.com/dns-query?";

/** IANA, "Resource Record (RR) TYPEs". */
const TYPES = { A: 1, AAAA: 28, CNAME: 5, MX: 15, NS: 2, TXT: 16, SRV: 33, CAA: 257, SOA: 6, PTR: 12 };

/** One answer of the JSON format that Google's and Cloudflare's resolvers share. */
interface Answer {
  readonly name: string;
  readonly type: number;
  readonly TTL: number;
  readonly data: string;
}

/** `Status` is the RCODE of RFC 1035, section 4.1.1. */
interface DnsJson {
  readonly Status: number;
  readonly AD?: boolean;
  readonly Answer?: readonly Answer[];
}

export default defineTool({
  version: "1.0.0",
  description: "Looks up DNS records. A name that does not exist has status NXDOMAIN.",
  annotations: { readOnly: true, idempotent: true, openWorld: true },
  timeoutMs: 15_000,
  input: v.object({
    name: v.pipe(v.string(), v.description("Domain name.")),
    type: v.optional(v.pipe(v.picklist(Object.keys(TYPES)), v.description("Type of the records.")), "A"),
  }),
  output: v.object({
    status: v.string(),
    records: v.array(v.object({ name: v.string(), type: v.string(), ttl: v.number(), data: v.string() })),
    authenticated: v.pipe(v.boolean(), v.description("Whether DNSSEC validated the answer.")),
  }),
  async run({ name, type }, ctx) {
    // The resolver knows best which names are valid. Only refuse names that are too long (RFC 1035, section 2.3.4) or
    // have characters that no name has; international names must be written as xn--….
    if (!/^[\w.*-]{1,254}$/.test(name)) throw noName();
    const query = new URLSearchParams({ name, type });
    const init = { headers: { accept: "application/dns-json" }, signal: ctx.signal };
    const response = await ctx.fetch(RESOLVER + query, init).catch(unavailable);
    if (response.status === 400) throw noName();
    if (!response.ok) throw unavailable(undefined, response);
    const { Status, AD, Answer = [] } = (await response.json<DnsJson | null>().catch(unavailable)) ?? unavailable();
    if (Status !== 0 && Status !== 3) {
      // SERVFAIL (2): the name servers did not answer, or DNSSEC validation failed.
      throw new ToolError("The name servers of this name gave no answer", {
        developerMessage: `RCODE ${Status}`,
        canRetry: Status === 2,
      });
    }
    return {
      status: Status === 0 ? "NOERROR" : "NXDOMAIN",
      // If a CNAME points to a name that does not exist, the answer has records too, but not of the requested name.
      records: Status === 0 ? Answer.map(toRecord) : [],
      authenticated: AD === true,
    };
  },
});

function toRecord({ name, type, TTL, data }: Answer) {
  // RFC 3597, section 5: how to write a type without a name.
  const [typeName] = Object.entries(TYPES).find(([, number]) => number === type) ?? [`TYPE${type}`];
  return { name: name.replace(/\.$/, ""), type: typeName, ttl: TTL, data: type === TYPES.TXT ? unquoted(data) : data };
}

/** A long text is split into strings of up to 255 bytes: `"v=DKIM1; k" "=rsa"` is one text. */
function unquoted(data: string): string {
  return data.replace(/^"|" "|"$/g, "").replace(/\\(["\\])/g, "$1");
}

function noName(): ToolError {
  return new ToolError("This is not a valid DNS name", { canRetry: true });
}

function unavailable(cause?: unknown, response?: Response): never {
  throw new ToolError("The DNS resolver is not available at the moment", {
    canRetry: true,
    retryAfterMs: response && retryAfterMs(response),
    cause,
  });
}
