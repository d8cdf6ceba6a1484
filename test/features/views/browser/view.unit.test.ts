/** What views import as #view, against a host at the other end of a real MessageChannel (MCP Apps, 2026-01-26). */
import { afterEach, describe, expect, it } from "vitest";
import { Channel, HostError } from "../../../../src/features/views/browser/channel.ts";
import {
  CallFailed,
  connect,
  type HostContext,
  type OpenOptions,
  type View,
} from "../../../../src/features/views/browser/view.ts";

interface Message {
  readonly jsonrpc: string;
  readonly id?: number;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON may come
  readonly params?: any;
  readonly result?: unknown;
  readonly error?: unknown;
}

const open: MessagePort[] = [];
afterEach(() => {
  for (const port of open.splice(0)) port.close();
});

interface Host {
  readonly view: View<string>;
  readonly told: HostContext[];
  /** The methods of all messages, in the order in which they came. */
  readonly heard: (string | undefined)[];
  /** The next message of this method, or the next answer. */
  next(method?: string): Promise<Message>;
  send(message: object): void;
}

/** A host that has got `ui/initialize` and not answered it. */
function meet(options?: OpenOptions): Host {
  const { port1, port2 } = new MessageChannel();
  open.push(port1, port2);
  const got: Message[] = [];
  const heard: (string | undefined)[] = [];
  const waiting: (() => void)[] = [];
  port1.onmessage = ({ data }: MessageEvent) => {
    got.push(data);
    heard.push(data.method);
    for (const wake of waiting.splice(0)) wake();
  };
  const channel = new Channel((message) => port2.postMessage(message));
  port2.onmessage = ({ data }: MessageEvent) => channel.receive(data);
  const told: HostContext[] = [];
  const view = connect<string>(channel, "Kit_List", new Set(["Kit_List"]), options, (host) => told.push(host));
  return {
    view,
    told,
    heard,
    async next(method) {
      for (;;) {
        const at = got.findIndex((message) => message.method === method);
        if (at >= 0) return got.splice(at, 1)[0] as Message;
        await new Promise<void>((wake) => waiting.push(wake));
      }
    },
    send: (message) => port1.postMessage({ jsonrpc: "2.0", ...message }),
  };
}

/** A host that has answered, and heard that the view is ready. */
async function met(hostContext: object = {}, options?: OpenOptions): Promise<Host> {
  const host = meet(options);
  const { id } = await host.next("ui/initialize");
  host.send({ id, result: { protocolVersion: "2026-01-26", hostCapabilities: {}, hostInfo: {}, hostContext } });
  await host.next("ui/notifications/initialized");
  return host;
}

const result = (structuredContent: unknown, more = {}) => ({ content: [], structuredContent, ...more });

describe("the beginning", () => {
  it("says who it is, which modes it has, and the revision; and is ready after the answer, not before", async () => {
    const host = meet({ displayModes: ["inline", "fullscreen"] });
    const calling = host.view.call("Kit_Add", { text: "x" });
    const { id, params } = await host.next("ui/initialize");
    expect(params).toEqual({
      appInfo: { name: "Kit_List", version: "1.0.0" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
      protocolVersion: "2026-01-26",
    });
    host.send({ id, result: { hostContext: { theme: "dark" } } });
    await host.next("ui/notifications/initialized");
    const call = await host.next("tools/call");
    expect(call.params).toEqual({ name: "Kit_Add", arguments: { text: "x" } });
    host.send({ id: call.id, result: result({ id: 1 }) });
    expect(await calling).toEqual({ id: 1 });
    expect(host.told).toEqual([{ theme: "dark" }]);
    expect(host.heard).toEqual(["ui/initialize", "ui/notifications/initialized", "tools/call"]);
  });

  it("a host that refuses it makes what the view asks fail", async () => {
    const host = meet();
    const saying = host.view.say("Hello");
    const { id } = await host.next("ui/initialize");
    host.send({ id, error: { code: -32_000, message: "Not now" } });
    await expect(saying).rejects.toThrow(new HostError("Not now", -32_000));
    await expect(host.view.ready).rejects.toMatchObject({ code: -32_000 });
  });
});

describe("the call that it shows", () => {
  it("gives the input and the value to handlers, also to those that come later", async () => {
    const host = await met();
    const seen: unknown[] = [];
    host.view.onPartialInput((input) => seen.push(["part", input]));
    host.view.onInput((input) => seen.push(["input", input]));
    host.send({ method: "ui/notifications/tool-input-partial", params: { arguments: { a: 1 } } });
    host.send({ method: "ui/notifications/tool-input", params: { arguments: { a: 12 } } });
    const full = result([1, 2], { _meta: { more: true } });
    host.send({ method: "ui/notifications/tool-result", params: full });
    await new Promise<void>((resolve) => host.view.onResult(() => resolve()));
    host.view.onResult((value, whole) => seen.push(["result", value, whole]));
    expect(seen).toEqual([
      ["part", { a: 1 }],
      ["input", { a: 12 }],
      ["result", [1, 2], full],
    ]);
  });

  it.each([
    ["Kit_List", { value: [1] }, [1]],
    ["Kit_List", [1], [1]],
    ["Kit_Other", { value: [1] }, { value: [1] }],
    ["Kit_List", undefined, undefined],
  ])(
    "%s returning %j gives %j: only values that older clients get wrapped are unwrapped",
    async (name, sent, value) => {
      const host = await met();
      const calling = host.view.call(name);
      const { id, params } = await host.next("tools/call");
      expect(params.arguments).toEqual({});
      host.send({ id, result: result(sent) });
      expect(await calling).toEqual(value);
    },
  );

  it("tells a failure in the words of the tool, and a cancellation with its reason", async () => {
    const host = await met();
    const failures: string[] = [];
    const both = new Promise<void>((resolve) => {
      host.view.onFailure((message) => failures.push(message) === 2 && resolve());
    });
    const content = [{ type: "text", text: "No such city" }];
    host.send({ method: "ui/notifications/tool-result", params: { content, isError: true } });
    host.send({ method: "ui/notifications/tool-cancelled", params: { reason: "by the user" } });
    await both;
    expect(failures).toEqual(["No such city", "Cancelled: by the user"]);
  });
});

describe("what it asks of the host", () => {
  it("a call that the tool fails throws its words and its result", async () => {
    const host = await met();
    const calling = host.view.call("Kit_Add");
    const { id } = await host.next("tools/call");
    const failure = { isError: true, content: [{ type: "text", text: "Full" }], _meta: { can_retry: true } };
    host.send({ id, result: failure });
    const error = await calling.catch((thrown) => thrown);
    expect(error).toBeInstanceOf(CallFailed);
    expect(error).toMatchObject({ message: "Full", result: failure });
  });

  it.each([
    ["say", ["Hi"], "ui/message", { role: "user", content: [{ type: "text", text: "Hi" }] }],
    [
      "tellModel",
      ["Oslo", { n: 1 }],
      "ui/update-model-context",
      { content: [{ type: "text", text: "Oslo" }], structuredContent: { n: 1 } },
    ],
    ["openLink", ["https://a.example"], "ui/open-link", { url: "https://a.example" }],
  ] as const)("%s", async (name, given, method, params) => {
    for (const answer of [{ result: {} }, { result: { isError: true } }, { error: { code: -1, message: "Denied" } }]) {
      const host = await met();
      const asking = (host.view[name] as (...given: readonly unknown[]) => Promise<void>)(...given);
      const outcome = asking.then(
        () => "done",
        (error: Error) => error.message,
      );
      const request = await host.next(method);
      expect(request.params).toEqual(params);
      host.send({ id: request.id, ...answer });
      expect(await outcome).toMatch(
        "error" in answer ? /^Denied$/ : answer.result.isError ? /^The host did not/ : /^done$/,
      );
    }
  });

  it("display gives the mode that the host has chosen", async () => {
    const host = await met();
    const showing = host.view.display("fullscreen");
    const { id } = await host.next("ui/request-display-mode");
    host.send({ id, result: { mode: "inline" } });
    expect(await showing).toBe("inline");
  });
});

describe("what the host tells and asks", () => {
  it("adds what has changed to what is known", async () => {
    const host = await met({ theme: "light", locale: "de" });
    host.send({ method: "ui/notifications/host-context-changed", params: { theme: "dark" } });
    await new Promise<void>((resolve) => {
      host.view.onHost(({ theme }) => theme === "dark" && resolve());
    });
    expect(host.view.host).toEqual({ theme: "dark", locale: "de" });
  });

  it("answers a ping, lets the view end its work before it is removed, and refuses what it does not know", async () => {
    const host = await met();
    let closed = false;
    host.view.onClose(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      closed = true;
    });
    host.send({ id: 1, method: "ping" });
    expect(await host.next()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    host.send({ id: 2, method: "ui/resource-teardown", params: {} });
    expect(await host.next()).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
    expect(closed).toBe(true);
    host.send({ id: 3, method: "tools/list" });
    expect(await host.next()).toMatchObject({ id: 3, error: { code: -32_601 } });
  });

  it("passes over what is no message of a host", async () => {
    const host = await met();
    for (const odd of ["text", null, 7, { method: "ping", id: 1 }, []]) open[0]?.postMessage(odd);
    host.send({ id: 9, result: {} });
    host.send({ method: "notifications/unknown" });
    host.send({ id: 4, method: "ping" });
    expect(await host.next()).toEqual({ jsonrpc: "2.0", id: 4, result: {} });
  });
});
