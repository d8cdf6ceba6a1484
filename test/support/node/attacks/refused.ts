/** Checks that a refusal has its protocol's shape, and, by the external counter, that no tool ran. */
import { expect } from "vitest";
import type { Counter, Deployment } from "./deployment.ts";
import { type Answer, CALLS, type Headers, type Sent, send, withHeaders } from "./wire.ts";

/** One call of each protocol. */
export const WIRES = ["OXP /tools/call", "MCP bare", "OpenTool call"] as const;
export type Wire = (typeof WIRES)[number];

/** Expects an error in the shape of the protocol that was called. */
export function expectShape(wire: string, { body, headers }: Answer): void {
  expect(headers["content-type"]).toBe("application/json");
  const message = expect.any(String);
  if (wire.startsWith("OXP")) expect(body).toMatchObject({ $schema: "urn:oxp:1.0", message });
  else if (wire.startsWith("MCP")) expect(body).toMatchObject({ jsonrpc: "2.0", error: { code: -32600, message } });
  else expect(body).toMatchObject({ jsonrpc: "2.0", result: {}, error: { code: expect.any(Number), message } });
}

export interface Attack {
  readonly headers?: Headers;
  /** Changes anything in the request except its headers. */
  readonly change?: (sent: Sent) => Sent;
  /** Set if the changed path no longer belongs to the protocol, so that its error shape does not apply. */
  readonly elsewhere?: true;
  /** Default 401. Requests that are not valid HTTP are refused by the runtime. */
  readonly status?: number | readonly number[];
}

/** Calls a tool that every key may use, over each protocol, and expects that it is refused and nothing ran. */
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

/** Expects the opposite: each protocol's call runs. A suite in which nothing ever runs would prove nothing. */
export async function expectAdmitted(headers: Headers, deployment: Deployment, counter: Counter): Promise<void> {
  for (const wire of WIRES) {
    const before = counter.ran.length;
    const answer = await send(deployment.url, withHeaders(CALLS[wire]?.("Vault.Peek") as Sent, headers));
    expect(answer.status, answer.text).toBe(200);
    expect(counter.ran.slice(before)).toEqual(["vault.peek"]);
  }
}
