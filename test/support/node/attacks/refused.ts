/** What a refusal must be, whichever protocol it is of; and that nothing ran is the word of a server outside. */
import { expect } from "vitest";
import type { Counter, Deployment } from "./deployment.ts";
import { type Answer, CALLS, type Headers, type Sent, send, withHeaders } from "./wire.ts";

/** One call of each protocol. */
export const WIRES = ["OXP /tools/call", "MCP bare", "OpenTool call"] as const;
export type Wire = (typeof WIRES)[number];

/** An error in the words of the protocol that was asked. */
export function expectShape(wire: string, { body, headers }: Answer): void {
  expect(headers["content-type"]).toBe("application/json");
  const message = expect.any(String);
  if (wire.startsWith("OXP")) expect(body).toMatchObject({ $schema: "urn:oxp:1.0", message });
  else if (wire.startsWith("MCP")) expect(body).toMatchObject({ jsonrpc: "2.0", error: { code: -32600, message } });
  else expect(body).toMatchObject({ jsonrpc: "2.0", result: {}, error: { code: expect.any(Number), message } });
}

export interface Attack {
  readonly headers?: Headers;
  /** Changes the request besides its headers. */
  readonly change?: (sent: Sent) => Sent;
  /** The path is none of this protocol's any more: neither is the answer's shape. */
  readonly elsewhere?: true;
  /** 401 where it says nothing else; the runtime refuses what is no HTTP by itself. */
  readonly status?: number | readonly number[];
}

/** Sends it with a call of a tool that is open to each key, over each protocol. Refused, and nothing ran. */
export async function expectRefused(
  { headers = [], change = (sent) => sent, elsewhere, status = 401 }: Attack,
  deployment: Deployment,
  counter: Counter,
): Promise<void> {
  const before = counter.ran.length;
  for (const wire of WIRES) {
    const call = CALLS[wire]?.("Vault.Peek") as Sent;
    const answer = await send(deployment.url, change(withHeaders(call, headers)));
    expect([status].flat()).toContain(answer.status);
    if (answer.status === 401) {
      if (!elsewhere) expectShape(wire, answer);
      // RFC 9110, section 15.5.2: "The server generating a 401 response MUST send a WWW-Authenticate header field".
      expect(answer.headers["www-authenticate"]).toMatch(/^Bearer realm="/);
    }
    for (const [, value] of headers) {
      if (value.length > 20) expect(answer.text + JSON.stringify(answer.headers)).not.toContain(value.slice(-20));
    }
  }
  expect(counter.ran.slice(before)).toEqual([]);
}

/** The other way round: each protocol's call runs. A suite in which nothing ever runs proves nothing. */
export async function expectAdmitted(headers: Headers, deployment: Deployment, counter: Counter): Promise<void> {
  for (const wire of WIRES) {
    const before = counter.ran.length;
    const answer = await send(deployment.url, withHeaders(CALLS[wire]?.("Vault.Peek") as Sent, headers));
    expect(answer.status, answer.text).toBe(200);
    expect(counter.ran.slice(before)).toEqual(["vault.peek"]);
  }
}
