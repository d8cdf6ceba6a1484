/** The official MCP clients against the built Worker, over real HTTP, in every era that they support. */
import {
  Client as ClientV2,
  type ClientOptions as OptionsV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveAtEdge } from "../conformance/runner/edge.ts";
import { type Cable, layCable } from "../support/node/cable.ts";
import { type Fork, makeFork, type Served, serveBuilt, testSettings, until } from "../support/node/fork.ts";
import { post as postTo } from "../support/node/http.ts";
import { WORKFLOW } from "../support/node/long.ts";

const forks: Fork[] = [];
const servers: Served[] = [];
let plain: Served;
let suite: Served;
/** The same server behind a proxy that passes on when a client disconnects. */
let edge: Served;
beforeAll(async () => {
  plain = await serve("test/fixtures/tools");
  suite = await serve("test/conformance/tools");
  edge = await serve("test/conformance/tools", serveAtEdge);
});
afterAll(async () => {
  for (const served of servers) await served.stop();
  for (const fork of forks) fork.remove();
});

async function serve(tools: string, by: (fork: Fork) => Promise<Served> = serveBuilt): Promise<Served> {
  const fork = makeFork(tools);
  fork.write(".dev.vars.example", "FIXTURE_SETTING=\n");
  forks.push(fork);
  // Some of the fixtures have it in their `env`.
  fork.write("wrangler.toml", testSettings().replace("[vars]", '[vars]\nFIXTURE_SETTING = "a setting"') + WORKFLOW);
  const served = await by(fork);
  servers.push(served);
  return served;
}

const INFO = { name: "trivet-test", version: "1.0.0" };
type Answer = { action: "accept" | "decline" | "cancel"; content?: Record<string, string> };
/** The user's answers to a form. */
type Person = (message: string) => Answer;

interface Connected {
  readonly client: ClientV1 | ClientV2;
  terminate(): Promise<void>;
}

async function connectV1(url: string, person?: Person): Promise<Connected> {
  const client = new ClientV1(INFO, { capabilities: person ? { elicitation: {} } : {} });
  if (person) client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params.message));
  const transport = new TransportV1(new URL(`${url}/mcp`));
  // The SDK's own types disagree under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<ClientV1["connect"]>[0]);
  return { client, terminate: () => transport.terminateSession() };
}

function connectV2(options: OptionsV2) {
  return async (url: string, person?: Person): Promise<Connected> => {
    const client = new ClientV2(INFO, { ...options, capabilities: person ? { elicitation: {} } : {} });
    if (person) client.setRequestHandler("elicitation/create", ({ params }) => person(params.message));
    const transport = new TransportV2(new URL(`${url}/mcp`));
    await client.connect(transport);
    return { client, terminate: () => transport.terminateSession() };
  };
}

interface Kind {
  readonly name: string;
  readonly revision: string;
  connect(url: string, person?: Person): Promise<Connected>;
}

const KINDS: readonly Kind[] = [
  { name: "v1, @modelcontextprotocol/sdk", revision: "2025-11-25", connect: connectV1 },
  { name: "v2, @modelcontextprotocol/client", revision: "2025-11-25", connect: connectV2({}) },
  {
    name: "v2, negotiating",
    revision: "2026-07-28",
    connect: connectV2({ versionNegotiation: { mode: "auto" } }),
  },
  {
    name: "v2, pinned to 2026-07-28",
    revision: "2026-07-28",
    connect: connectV2({ versionNegotiation: { mode: { pin: "2026-07-28" } } }),
  },
];

describe.each(KINDS)("$name", ({ connect, revision }) => {
  const isModern = revision === "2026-07-28";

  it("connects, lists and calls", async () => {
    const { client } = await connect(plain.url);
    expect(client.getServerVersion()).toMatchObject({ name: "trivet", version: "1.0.0" });
    if (client instanceof ClientV2) expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("Math_Add");
    const result = await client.callTool({ name: "Math_Add", arguments: { a: 10, b: 5 } });
    expect(result.content).toEqual([{ type: "text", text: "15" }]);
    expect(result.structuredContent).toEqual(isModern ? 15 : { value: 15 });
    await client.close();
  });

  it("gets a tool's error as a result, and an unknown tool as an error", async () => {
    const { client } = await connect(plain.url);
    const failed = await client.callTool({ name: "Math_Add", arguments: { a: 10, b: "infinity" } });
    expect(failed.isError).toBe(true);
    expect(failed.content).toEqual([{ type: "text", text: "Invalid arguments: b: Must be a number" }]);
    await expect(client.callTool({ name: "No_Such", arguments: {} })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  it("receives progress", async () => {
    const { client } = await connect(suite.url);
    const heard: unknown[] = [];
    const result = await call(client, "test_tool_with_progress", {}, { onprogress: (step) => heard.push(step) });
    expect(heard).toEqual([
      { progress: 0, total: 100, message: "Begun" },
      { progress: 50, total: 100, message: "Half done" },
      { progress: 100, total: 100, message: "Done" },
    ]);
    expect(textOf(result)).toBe("Progress was reported.");
    await client.close();
  });

  it.each([
    ["that has sent something", false],
    ["that has sent nothing", true],
  ])("stops a call %s", async (_, silent) => {
    const { client } = await connect(edge.url);
    const name = crypto.randomUUID();
    const howStopped = async () => textOf(await call(client, "test_how_stopped", { name }));
    const stop = new AbortController();
    const called = call(client, "test_wait", { name, silent }, { signal: stop.signal, onprogress: () => {} });
    const rejected = expect(called).rejects.toThrow("no longer wanted");
    await until(async () => (await howStopped()) === "running");
    stop.abort(new Error("no longer wanted"));
    await rejected;
    await until(async () => (await howStopped()) === "AbortError");
    await client.close();
  });

  it("asks its user a tool's question", async () => {
    const questions: string[] = [];
    const { client } = await connect(suite.url, (message) => {
      questions.push(message);
      return { action: "accept", content: { username: "ada", email: "ada@example.com" } };
    });
    const result = await call(client, "test_elicitation", { message: "Who are you?" });
    expect(questions).toEqual(["Who are you?"]);
    expect(textOf(result)).toBe("The user is ada, ada@example.com.");
    await client.close();
  });

  it("asks its user twice, and passes on a refusal", async () => {
    const questions: string[] = [];
    const { client } = await connect(suite.url, (message) => {
      questions.push(message);
      return message.startsWith("Step 1") ? { action: "accept", content: { name: "Ada" } } : { action: "decline" };
    });
    const result = await call(client, "test_input_required_result_multi_round", {});
    expect(questions).toHaveLength(2);
    expect(textOf(result)).toBe("Ada likes no colour best.");
    await client.close();
  });

  it("gets an error if a tool asks something that it does not support", async () => {
    const { client } = await connect(suite.url);
    const called = call(client, "test_elicitation", { message: "Who are you?" });
    if (isModern) await expect(called).rejects.toMatchObject({ code: -32021 });
    else expect(await called).toMatchObject({ isError: true });
    await client.close();
  });

  it("gets prompts and reads resources", async () => {
    const { client } = await connect(suite.url);
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toContain("test_prompt_with_arguments");
    const prompt = await client.getPrompt({
      name: "test_prompt_with_arguments",
      arguments: { arg1: "one", arg2: "two" },
    });
    const said = { type: "text", text: 'The first is "one", the second is "two".' };
    expect(prompt.messages).toEqual([{ role: "user", content: said }]);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain("test://static-text");
    const { contents } = await client.readResource({ uri: "test://template/123/data" });
    expect(contents).toMatchObject([{ uri: "test://template/123/data", mimeType: "application/json" }]);
    const ref = { type: "ref/prompt", name: "test_prompt_with_arguments" } as const;
    const { completion } = await client.complete({ ref, argument: { name: "arg1", value: "test" } });
    expect(completion.values).toEqual(["test one", "test two"]);
    await client.close();
  });

  it("reads a resource again each time, unless the resource says how long it may be cached", async () => {
    const { client } = await connect(plain.url);
    const readFourTimes = async (uri: string) => {
      const texts: unknown[] = [];
      for (let time = 0; time < 4; time++) texts.push((await client.readResource({ uri })).contents[0]);
      return new Set(texts.map((contents) => JSON.stringify(contents))).size;
    };
    expect(await readFourTimes("talk://reads")).toBe(4);
    // Only revisions since 2026-07-28 can express that.
    expect(await readFourTimes(`talk://kept/${crypto.randomUUID()}`)).toBe(isModern ? 1 : 4);
    await client.close();
  });

  it.runIf(!isModern)("ends its session", async () => {
    const { client, terminate } = await connect(plain.url);
    const count = async () => textOf(await call(client, "Talk_Count", {}));
    expect([await count(), await count()]).toEqual(["1", "2"]);
    await terminate();
    // The client forgets the session's id, and calls without one.
    expect(await count()).toBe("-1");
    await client.close();
  });

  it.runIf(isModern)("has no session", async () => {
    const { client, terminate } = await connect(plain.url);
    expect(textOf(await call(client, "Talk_Count", {}))).toBe("-1");
    await terminate();
    expect(textOf(await call(client, "Talk_Count", {}))).toBe("-1");
    await client.close();
  });
});

describe.each(KINDS.filter(({ revision }) => revision === "2025-11-25"))(
  "$name, on a connection that breaks without a word to the server",
  ({ connect }) => {
    const lost = async (breakOff: (cable: Cable, isOver: () => Promise<boolean>) => Promise<void>) => {
      const cable = await layCable(plain.url);
      const { client } = await connect(cable.url);
      const direct = await connect(plain.url);
      const name = crypto.randomUUID();
      const isOver = async () => textOf(await call(direct.client, "Talk_HowWaits", { name })) === "done";
      const heard: unknown[] = [];
      let broken: Promise<void> | undefined;
      const onprogress = ({ progress }: { progress: number }) => {
        heard.push(progress);
        broken ??= breakOff(cable, isOver);
      };
      const waits = { name, ms: 1_500, progress: true };
      const result = await call(client, "Talk_Wait", waits, { onprogress } as CallOptions);
      await broken;
      expect(textOf(result)).toBe(`${name} waited`);
      expect(heard.slice(0, 2)).toEqual([1, 2]);
      await client.close();
      await direct.client.close();
      cable.stop();
    };

    it("gets the result of a call that goes on", async () => {
      await lost(async (cable) => cable.cut());
    });

    it("gets the result of a call that ended while the client was disconnected", async () => {
      await lost(async (cable, isOver) => {
        cable.mute();
        await until(isOver, 10_000);
        cable.cut();
      });
    });
  },
);

describe("notifications", () => {
  it("reaches a client that subscribed to a resource (2025-11-25)", async () => {
    const { client } = (await connectV2({})(suite.url)) as { client: ClientV2 };
    const updated: string[] = [];
    const changed: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void updated.push(params.uri));
    client.setNotificationHandler("notifications/tools/list_changed", ({ method }) => void changed.push(method));
    await client.subscribeResource({ uri: "test://watched-resource" });
    await until(async () => {
      await call(client, "test_touch_watched_resource", {});
      return updated.includes("test://watched-resource");
    });
    await call(client, "test_trigger_tool_change", {});
    await until(async () => changed.length > 0);
    await client.close();
  });

  it("reaches a client that listens (2026-07-28)", async () => {
    const connect = connectV2({ versionNegotiation: { mode: "auto" } });
    const { client } = (await connect(suite.url)) as { client: ClientV2 };
    const updated: string[] = [];
    const changed: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void updated.push(params.uri));
    client.setNotificationHandler("notifications/prompts/list_changed", ({ method }) => void changed.push(method));
    client.setNotificationHandler("notifications/tools/list_changed", ({ method }) => void changed.push(method));
    const subscription = await client.listen({
      promptsListChanged: true,
      resourceSubscriptions: ["test://watched-resource"],
    });
    await call(client, "test_trigger_tool_change", {});
    await call(client, "test_trigger_prompt_change", {});
    await call(client, "test_touch_watched_resource", {});
    await until(async () => updated.length > 0);
    expect(updated).toEqual(["test://watched-resource"]);
    // Nothing arrived that the client had not asked for.
    expect(changed).toEqual(["notifications/prompts/list_changed"]);
    await subscription.close();
    await client.close();
  });
});

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (step: unknown) => void;
}

/** Calls a tool: the two clients take a call's options in different parameters. */
function call(
  client: ClientV1 | ClientV2,
  name: string,
  args: Record<string, unknown>,
  options?: CallOptions,
): Promise<unknown> {
  const params = { name, arguments: args };
  return client instanceof ClientV1 ? client.callTool(params, undefined, options) : client.callTool(params, options);
}

function textOf(result: unknown): string | undefined {
  const { content } = result as { content: { type: string; text?: string }[] };
  return content[0]?.text;
}

it("a call of OpenTool's stream is stopped when its client disconnects", async () => {
  const name = crypto.randomUUID();
  const post = (path: string, method: string, params: object, signal?: AbortSignal) =>
    postTo(`${edge.url}/opentool/${path}`, { jsonrpc: "2.0", id: "1", method, params }, {}, signal);
  const howStopped = async () => (await post("call", "test_how_stopped", { name })).text();
  const hangUp = new AbortController();
  const { body } = await post("streamCall", "test_wait", { name, silent: true }, hangUp.signal);
  await body?.getReader().read();
  await until(async () => (await howStopped()).includes("running"));
  hangUp.abort();
  await until(async () => !(await howStopped()).includes("running"), 30_000);
  expect(await howStopped()).toContain("AbortError");
});
