/**
 * Long tools and other people's sessions, over real HTTP: two people with one plain API key, or behind one address, who
 * send the same call with the same idempotency key. Neither gets what the tool has read from the other's session, nor
 * anything that leads to it.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keysOf } from "../../support/node/deployed.ts";
import { type Served, until } from "../../support/node/fork.ts";
import { handshake, postJson } from "../../support/node/http.ts";
import { callModern, callOxp, type Long, modern, newName, serveLong, TASKS } from "../../support/node/long.ts";

/** Keeps a note in its session, or reads it: where `read` says. */
const tool = (read: "run" | "prepare" | "step") => `import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "Keeps a note, or reads it.",
  long: true,
  session: true,
  input: v.object({ 
    note: v.pipe(v.optional(v.string()), v.description("What to keep.")),
    gate: v.pipe(v.optional(v.string()), v.description("A URL that answers when the tool may go on.")),
  }),
  output: v.string(),
  ${read === "prepare" ? 'async prepare(_, ctx) { return (await ctx.session?.get<string>("note")) ?? "none"; },' : ""}
  async run({ note, gate }, ctx) {
    if (note !== undefined) { await ctx.session?.set("note", note); return note; }
    if (gate) await fetch(gate);
    const read = async () => (await ctx.session?.get<string>("note")) ?? "none";
    return ${{ run: "read()", prepare: "String(ctx.prepared)", step: 'ctx.step("read", read)' }[read]};
  },
});
`;

/** Paths at which tools wait, with what lets each go on. */
const waiting = new Map<string, () => void>();
const gates = createServer(({ url = "" }, response) => waiting.set(url, () => response.end()));

let server: Long;
/** Everyone is welcome. */
let open: Served;
let key: Record<string, string>;
beforeAll(async () => {
  await once(gates.listen(0, "127.0.0.1"), "listening");
  const tools = { "notes/run.ts": tool("run"), "notes/prepare.ts": tool("prepare"), "notes/step.ts": tool("step") };
  server = await serveLong({ tools, closed: true });
  open = await server.also({ closed: false });
  const { text } = await (await keysOf(server)).makeKey({ name: "shared", scopes: ["*"] });
  key = { authorization: `Bearer ${text}` };
});
afterAll(async () => {
  await open?.stop();
  await server?.stop();
  gates.close();
});

// biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
type Message = any;
/** A caller with a session of its own, who can say something in it, and may lose it. */
interface Person {
  call(tool: string, args: object): Promise<Message>;
  reconnect(): Promise<void>;
}

type Open = (url: string, headers: Record<string, string>) => Promise<Person>;
const legacy: Open = async (url, headers) => {
  let session = await handshake(`${url}/mcp`, headers);
  return {
    async call(name, args) {
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
      const answer = await postJson(`${url}/mcp`, message, { accept: "application/json", ...headers, ...session });
      return answer.body;
    },
    async reconnect() {
      session = await handshake(`${url}/mcp`, headers);
    },
  };
};
const young: Open = async (url, headers) => {
  let session: string | undefined;
  return {
    async call(name, args) {
      const message = await callModern(url, name, { ...args, session }, { headers, capabilities: {} });
      session ??= message.result?._meta?.session;
      return message;
    },
    async reconnect() {
      session = undefined;
    },
  };
};

const WHOSE: readonly [string, () => [string, Record<string, string>]][] = [
  ["a plain key that two share", () => [server.url, key]],
  ["two strangers behind one address", () => [open.url, {}]],
];
const CLIENTS: readonly [string, Open][] = [
  ["2025-11-25", legacy],
  ["2026-07-28", young],
];

describe.concurrent.each(WHOSE)("%s", (_, where) => {
  describe.concurrent.each(CLIENTS)("over %s", (_revision, opened) => {
    it.each(["Notes_Run", "Notes_Prepare", "Notes_Step"])(
      "%s: another session gets nothing of the first",
      async (tool) => {
        const [url, headers] = where();
        const [alice, bob] = await Promise.all([opened(url, headers), opened(url, headers)]);
        const secret = newName();
        expect((await alice.call(tool, { note: secret })).result.content[0].text).toContain(secret);
        const path = `/${newName()}`;
        const gate = `http://127.0.0.1:${(gates.address() as AddressInfo).port}${path}`;
        const args = { gate, idempotency_key: newName() };
        const working = await alice.call(tool, args);
        const id = working.result._meta.task_id;
        expect(id).toEqual(expect.any(String));

        const heard: unknown[] = [await bob.call(tool, args)];
        const following = { headers, capabilities: TASKS };
        heard.push((await modern(url, "tools/call", { name: tool, arguments: args }, following)).body);
        heard.push(
          (await callOxp(url, tool.replace("_", "."), { gate }, { call_id: args.idempotency_key }, headers)).body,
        );
        expect(JSON.stringify(heard)).not.toContain(id);
        expect(JSON.stringify(heard)).not.toMatch(/task_?id|"session"|session: /i);
        for (const one of heard) expect(JSON.stringify(one)).toContain("still running");

        await until(async () => waiting.has(path));
        waiting.get(path)?.();
        let done = working;
        // The first has a new session after its connection has broken, and comes back with the task's id.
        await alice.reconnect();
        while (done.result._meta?.task_id) done = await alice.call(tool, { ...args, task_id: id });
        expect(done.result.content[0].text).toContain(secret);

        const late = [
          await bob.call(tool, args),
          (await modern(url, "tools/call", { name: tool, arguments: args }, following)).body,
        ];
        expect(JSON.stringify(late)).not.toContain(secret);
        for (const one of late) expect(JSON.stringify(one)).toContain("in another session");
      },
    );
  });
});
