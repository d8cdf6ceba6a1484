import * as v from "valibot";
import { defineTool, ToolError } from "#tool";
import { toQueryName } from "./_names.ts";
import { type Answer, TYPES, toRecord, withoutDot } from "./_records.ts";

const RESOLVER = "https://cloudflare-dns.com/dns-query";
const TIMEOUT_MS = 10_000;

interface DnsJson {
  readonly Status: number;
  readonly AD?: boolean;
  readonly Answer?: readonly Answer[];
}

/** RFC 1035, section 4.1.1, RCODE. */
const NOERROR = 0;
const SERVFAIL = 2;
const NXDOMAIN = 3;

export default defineTool({
  version: "1.0.0",
  title: "Resolve a DNS name",
  description:
    "Looks up the DNS records of a name: addresses, mail servers, name servers, texts such as SPF and DKIM, and others. A name that does not exist is a result with status NXDOMAIN.",
  annotations: { readOnly: true, idempotent: true, openWorld: true },
  timeoutMs: 15_000,
  input: v.object({
    name: v.pipe(
      v.string(),
      v.nonEmpty(),
      v.description("Domain name, such as example.com or _dmarc.example.com. For PTR an IP address will do."),
    ),
    type: v.optional(v.pipe(v.picklist(TYPES), v.description("Type of the records. A when left out.")), "A"),
  }),
  output: v.object({
    name: v.pipe(v.string(), v.description("The name that was looked up.")),
    type: v.pipe(v.string(), v.description("The type that was looked up.")),
    status: v.pipe(v.picklist(["NOERROR", "NXDOMAIN"]), v.description("NXDOMAIN where the name does not exist.")),
    records: v.pipe(
      v.array(
        v.object({
          name: v.string(),
          type: v.string(),
          ttl: v.pipe(v.number(), v.description("Seconds for which the record may be kept.")),
          data: v.string(),
        }),
      ),
      v.description("The records, with the CNAME records that led to them."),
    ),
    authenticated: v.pipe(v.boolean(), v.description("Whether DNSSEC vouches for the answer.")),
  }),
  async run({ name, type }, ctx) {
    const queryName = toQueryName(name, type);
    if (queryName === undefined) {
      throw new ToolError("This is not a name that DNS can hold", {
        canRetry: true,
        additionalPromptContent:
          "name takes a domain name without scheme, port or path, such as example.com; labels of at most 63 letters, digits, - and _",
      });
    }
    const { Status, AD, Answer } = await ask(queryName, type, ctx);
    switch (Status) {
      case NOERROR:
      case NXDOMAIN: {
        const status = Status === NOERROR ? ("NOERROR" as const) : ("NXDOMAIN" as const);
        // A CNAME may lead to a name that does not exist: that answer holds records too, of a name that was not asked for.
        const answers = Status === NOERROR ? (Answer ?? []) : [];
        const records = answers.map(toRecord);
        return { name: withoutDot(queryName), type, status, records, authenticated: AD === true };
      }
      case SERVFAIL:
        throw new ToolError("The name servers of this name did not answer, or their DNSSEC signatures are wrong", {
          developerMessage: "SERVFAIL",
          canRetry: true,
          retryAfterMs: 2_000,
        });
      default:
        throw new ToolError("The resolver refused to look this name up", { developerMessage: `RCODE ${Status}` });
    }
  },
});

interface Caller {
  readonly fetch: (url: URL, init: RequestInit) => Promise<Response>;
  readonly signal: AbortSignal;
}

async function ask(name: string, type: string, ctx: Caller): Promise<DnsJson> {
  const url = new URL(RESOLVER);
  url.searchParams.set("name", name);
  url.searchParams.set("type", type);
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const response = await ctx.fetch(url, { headers: { accept: "application/dns-json" }, signal });
    if (!response.ok) throw unavailable(`status ${response.status}`, response.headers.get("retry-after"));
    const body = (await response.json()) as DnsJson | null;
    if (typeof body?.Status !== "number") throw unavailable("an answer without Status");
    return body;
  } catch (error) {
    throw error instanceof ToolError ? error : unavailable("no readable answer", null, error);
  }
}

function unavailable(what: string, retryAfter: string | null = null, cause?: unknown): ToolError {
  const seconds = Number(retryAfter);
  return new ToolError("The DNS resolver is not available at the moment", {
    developerMessage: `${RESOLVER} gave ${what}`,
    canRetry: true,
    retryAfterMs: seconds > 0 ? seconds * 1_000 : 1_000,
    cause,
  });
}
