/** What tools ask and know of the official MCP clients, over real HTTP: a model with tools, pages, the client's name. */
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fork, makeFork, type Served, serveBuilt, testSettings } from "../support/node/fork.ts";

let fork: Fork;
let served: Served;
beforeAll(async () => {
  fork = makeFork("test/fixtures/tools");
  fork.write(".dev.vars.example", "FIXTURE_SETTING=\n");
  fork.write("wrangler.toml", testSettings().replace("[vars]", '[vars]\nFIXTURE_SETTING = "a setting"'));
  served = await serveBuilt(fork);
});
afterAll(async () => {
  await served?.stop();
  fork?.remove();
});

const INFO = { name: "trivet-test", version: "1.0.0", title: "Trivet's test" };
const CAPABILITIES = { sampling: { tools: {} }, elicitation: { form: {}, url: {} } };

interface Asked {
  readonly mode?: string;
  readonly url?: string;
  readonly elicitationId?: string;
  readonly messages?: readonly { readonly content: unknown }[];
}

/** What a client does when it is asked. */
interface Person {
  visit(asked: Asked): Promise<void>;
  think(asked: Asked): { content: unknown; stopReason: string };
  /** Hears that the user is done with a page. */
  done(id: string): void;
}

interface Connected {
  call(name: string, args?: Record<string, unknown>): Promise<{ structuredContent?: unknown }>;
  close(): Promise<void>;
}

const sampled = (person: Person, asked: unknown) =>
  ({ role: "assistant", model: "test-model", ...person.think(asked as Asked) }) as never;
const accepted = async (person: Person, asked: unknown) => {
  await person.visit(asked as Asked);
  return { action: "accept" as const };
};

async function connectV1(person: Person): Promise<Connected> {
  const client = new ClientV1(INFO, { capabilities: CAPABILITIES });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => accepted(person, params));
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => sampled(person, params));
  client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) =>
    person.done(params.elicitationId),
  );
  // The SDK's own types disagree under exactOptionalPropertyTypes.
  const transport = new TransportV1(new URL(`${served.url}/mcp`)) as Parameters<ClientV1["connect"]>[0];
  await client.connect(transport);
  return {
    call: (name, args = {}) => client.callTool({ name, arguments: args }) as ReturnType<Connected["call"]>,
    close: () => client.close(),
  };
}

const connectV2 = (isModern: boolean) => async (person: Person) => {
  const options = isModern ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {};
  const client = new ClientV2(INFO, { ...options, capabilities: CAPABILITIES });
  client.setRequestHandler("elicitation/create", ({ params }) => accepted(person, params));
  client.setRequestHandler("sampling/createMessage", ({ params }) => sampled(person, params));
  if (!isModern) {
    client.setNotificationHandler("notifications/elicitation/complete", ({ params }) =>
      person.done(params.elicitationId),
    );
  }
  await client.connect(new TransportV2(new URL(`${served.url}/mcp`)));
  const connected: Connected = {
    call: (name, args = {}) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
  return connected;
};

const nobody: Person = {
  visit: () => Promise.reject(new Error("not asked")),
  think() {
    throw new Error("not asked");
  },
  done() {},
};
const idIn = ({ url = "" }: Asked) => new URL(url).searchParams.get("id") ?? "";

describe.each([
  { name: "v1, @modelcontextprotocol/sdk", revision: "2025-11-25", connect: connectV1 },
  { name: "v2, @modelcontextprotocol/client", revision: "2025-11-25", connect: connectV2(false) },
  { name: "v2, pinned to 2026-07-28", revision: "2026-07-28", connect: connectV2(true) },
])("$name", ({ connect, revision }) => {
  const isModern = revision === "2026-07-28";

  it("lets its model use a function of a tool, as often as the tool permits", async () => {
    const thought: Asked[] = [];
    const { call, close } = await connect({
      ...nobody,
      think(asked) {
        thought.push(asked);
        if (thought.length > 2) return { content: { type: "text", text: "A pear is dearer." }, stopReason: "endTurn" };
        const fruit = ["apple", "pear"][thought.length - 1];
        const use = { type: "tool_use", id: `u${thought.length}`, name: "price_of", input: { fruit } };
        return { content: [use], stopReason: "toolUse" };
      },
    });
    const { structuredContent } = await call("Talk_Prices", { question: "Which fruit is dearer?" });
    expect(structuredContent).toEqual({ text: "A pear is dearer.", stopReason: "endTurn" });
    expect(thought.at(-1)?.messages).toHaveLength(5);
    expect(JSON.stringify(thought.at(-1))).toContain("3 €");
    expect(thought[0]).toMatchObject({ modelPreferences: { hints: [{ name: "haiku" }], costPriority: 1 } });
    await close();
  });

  it("sends its user to a page, which the tool knows by its id in all rounds", async () => {
    const pages: Asked[] = [];
    const heard: string[] = [];
    const other = await connect(nobody);
    const { call, close } = await connect({
      ...nobody,
      async visit(asked) {
        pages.push(asked);
        await other.call("Talk_FinishPage", { id: idIn(asked) });
      },
      done: (id) => void heard.push(id),
    });
    const { structuredContent } = await call("Talk_Pay", { how: "when done" });
    const [page = {}] = pages;
    expect(structuredContent).toEqual({ answers: [{ action: "accept", content: { id: idIn(page) } }] });
    expect(pages).toHaveLength(1);
    // 2026-07-28 has neither.
    expect([page.elicitationId, heard]).toEqual(isModern ? [undefined, []] : [idIn(page), [idIn(page)]]);
    await close();
    await other.close();
  });

  it("is known by its name", async () => {
    const { call, close } = await connect(nobody);
    expect((await call("Talk_Who")).structuredContent).toEqual({
      ...INFO,
      ...{ protocol: "mcp", revision },
      capabilities: ["form", "page", "sample", "sample-tools"],
    });
    await close();
  });
});
