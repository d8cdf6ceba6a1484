/**
 * The network of a call under test: answers its requests, and records those that the test does not expect. It replaces
 * `ctx.fetch`, and during the call also the global `fetch`, which libraries use.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { FakeFetch } from "./types.ts";

export interface Network {
  /** Every request, in order. Their bodies can still be read. */
  readonly requests: readonly Request[];
  /** `GET https://…` of each request that the test does not expect. */
  readonly unexpected: readonly string[];
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Runs `work` with this as its global `fetch`. */
  run<Made>(work: () => Made): Made;
}

const networks = new AsyncLocalStorage<Network>();
const realFetch = globalThis.fetch;
globalThis.fetch = (input, init) => (networks.getStore()?.fetch ?? realFetch)(input as Request, init);

/** @param fake what the test replies; undefined if it expects no request */
export function network(fake: FakeFetch = {}): Network {
  const reply = typeof fake === "function" ? fake : fromTable(fake);
  const requests: Request[] = [];
  const unexpected: string[] = [];
  const own: Network = {
    requests,
    unexpected,
    async fetch(input, init) {
      const request = new Request(input, init);
      requests.push(request.clone() as Request);
      const given = await Promise.race([reply(request), aborted(request.signal)]);
      if (given === undefined) {
        const address = addressOf(request);
        unexpected.push(address);
        throw new TypeError(`The test expects no request ${address}`);
      }
      const response = given instanceof Response ? given : Response.json(given);
      // The runtime does the same for responses that were fetched.
      return Object.defineProperty(response, "url", { value: request.url });
    },
    run: (work) => networks.run(own, work),
  };
  return own;
}

export function unexpectedInWords(subject: string, addresses: readonly string[]): string {
  const [first = ""] = addresses;
  const key = first.replace(/^GET /, "");
  return (
    `${subject} requested ${addresses.join(" and ")}, which the test does not expect: tests make no network requests. ` +
    `Reply to it: { fetch: { ${JSON.stringify(key)}: { … } } }`
  );
}

type Table = Exclude<FakeFetch, (request: Request) => unknown>;

function fromTable(table: Table) {
  const replies = new Map(Object.entries(table).map(([address, reply]) => [normalized(address), reply]));
  return (request: Request) => {
    const reply = replies.get(addressOf(request));
    if (typeof reply === "function") return reply(request);
    // A body can be read only once, and a tool may send the same request again.
    return reply instanceof Response ? reply.clone() : reply;
  };
}

/** `GET https://…`, as a request is noted: without the fragment, which is never sent. */
function addressOf({ method, url }: Pick<Request, "method" | "url">): string {
  const sent = new URL(url);
  sent.hash = "";
  return `${method} ${sent.href}`;
}

/** @throws if the address is not a URL, with or without a method before it */
function normalized(address: string): string {
  const [, method = "GET", url = ""] = /^(?:([A-Z]+) )?(.*)$/s.exec(address) ?? [];
  if (URL.canParse(url)) return addressOf({ method, url });
  throw new Error(`The address ${JSON.stringify(address)} in \`fetch\` is not a URL`);
}

/** Rejects when the signal fires, as a request does. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  });
}
