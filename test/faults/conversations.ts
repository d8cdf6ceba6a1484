/** Drives many MCP sessions at once from inside the rig's process, and checks what they remember in the end. */
import type { Bindings } from "./rig.ts";
import type { Location } from "./wire.ts";

export interface Conversations {
  readonly store: "kv" | "objects";
  readonly sessions: number;
  readonly calls: number;
}

const PRINCIPALS = 25;
const ABREAST = 50;
/** A store goes on writing for this long after its last call, plus a second. */
const QUIET_MS = 4_000;

export const sleep = (ms: number) => new Promise((resume) => setTimeout(resume, ms));

/** Every session uses the same two key names, among others: mixed-up sessions would show there. */
const keyOf = (index: number, call: number) => (call < 2 ? `key ${call}` : `${index} ${call}`);

export async function converse({ store, sessions, calls }: Conversations, env: Bindings): Promise<object> {
  const wrong: string[] = [];
  let requests = 0;
  const post = async (at: Location, principal: string, message: object, session: Record<string, string> = {}) => {
    requests++;
    const response = await env[at].fetch("http://rig/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "x-principal": principal,
        "x-sessions": store,
        ...session,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
    });
    return { headers: response.headers, text: await response.text() };
  };
  const tool = (name: string, input: object) => ({ method: "tools/call", params: { name, arguments: input } });

  const one = async (index: number) => {
    const principal = `s${index % PRINCIPALS}`;
    const home: Location = index % 2 ? "one" : "other";
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "rig", version: "1" } };
    const { headers } = await post(home, principal, { method: "initialize", params });
    const session = {
      "mcp-session-id": headers.get("mcp-session-id") ?? "",
      "mcp-protocol-version": "2025-11-25",
    };
    const write = async (call: number) => {
      const at = store === "kv" ? home : call % 2 ? "one" : "other";
      // Without a pause the process has no time for timers, and the store needs timers for its late writes.
      await sleep(5 + Math.random() * 45);
      const input = { key: keyOf(index, call), value: `${principal}/${index}/${call}` };
      const { text } = await post(at, principal, tool("Rig_Remember", input), session);
      if (!text.includes(input.key)) wrong.push(`${index}: ${text.slice(0, 200)}`);
    };
    const numbers = Array.from({ length: calls }, (_, call) => call);
    if (store === "objects") await Promise.all(numbers.map(write));
    else for (const call of numbers) await write(call);
    return { principal, home, session, index };
  };

  const all: Awaited<ReturnType<typeof one>>[] = [];
  let next = 0;
  const lane = async () => {
    while (next < sessions) all.push(await one(next++));
  };
  await Promise.all(Array.from({ length: ABREAST }, lane));
  await sleep(QUIET_MS);

  for (const { principal, home, session, index } of all) {
    const keys = Array.from({ length: calls }, (_, call) => keyOf(index, call));
    const expected = JSON.stringify(keys.map((key, call) => `${key}=${principal}/${index}/${call}`));
    const { text } = await post(home, principal, tool("Rig_Recall", { keys }), session);
    const recalled = JSON.parse(text).result?.content?.[0]?.text ?? text;
    if (recalled !== expected) wrong.push(`${index} remembers ${recalled.slice(0, 200)}`);
    // Another principal uses the same session id.
    const foreign = await post(home, `s${(index + 1) % PRINCIPALS}`, tool("Rig_Recall", { keys }), session);
    if (foreign.text.includes(`/${index}/`)) wrong.push(`${index} leaks to another principal`);
  }
  if (store === "kv") {
    const world = env.WORLD.getByName("world") as unknown as { entries(prefix: string): Promise<[string, string][]> };
    const kept = (await world.entries("session:")).map(([, text]) => JSON.parse(text).values as Record<string, string>);
    const births = await env.WORLD.getByName("world").births();
    if (births !== 1) wrong.push(`the rig's KV was forgotten ${births - 1} times: this says nothing of the store`);
    const whole = kept.filter((values) => Object.keys(values).length === calls).length;
    if (whole !== sessions) wrong.push(`KV has ${whole} of ${sessions} sessions whole`);
  }
  return { wrong: [...wrong.slice(0, 20), ...wrong.slice(20).slice(-1)], count: wrong.length, requests };
}
