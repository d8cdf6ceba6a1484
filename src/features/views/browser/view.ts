/** A view's side of MCP Apps (2026-01-26): its tool's input and results, the host, and what it can ask of the host. */
import type { Channel } from "./channel.ts";
import type { Given, InputOf, OutputOf, ToolName } from "./tools.ts";

const REVISION = "2026-01-26";

export type DisplayMode = "inline" | "fullscreen" | "pip";

/** What the host tells of itself, and of where the view is ("Host Context"). A host may leave out any of it. */
export interface HostContext {
  readonly theme?: "light" | "dark";
  readonly styles?: {
    /** CSS variables by name: `--color-text-primary`. */
    readonly variables?: Readonly<Record<string, string | undefined>>;
    readonly css?: { readonly fonts?: string };
  };
  readonly displayMode?: DisplayMode;
  readonly availableDisplayModes?: readonly string[];
  /** In pixels. `height` and `width` are fixed; up to `maxHeight` and `maxWidth` the view decides. */
  readonly containerDimensions?: {
    readonly height?: number;
    readonly maxHeight?: number;
    readonly width?: number;
    readonly maxWidth?: number;
  };
  /** BCP 47: `en-US`. */
  readonly locale?: string;
  /** IANA: `Europe/Berlin`. */
  readonly timeZone?: string;
  readonly platform?: "web" | "desktop" | "mobile";
  readonly safeAreaInsets?: Readonly<Record<"top" | "right" | "bottom" | "left", number>>;
  readonly [more: string]: unknown;
}

export interface McpResult {
  readonly content?: readonly { readonly type: string; readonly text?: string; readonly [more: string]: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Thrown by `call` if the tool fails. */
export class CallFailed extends Error {
  override readonly name = "CallFailed";
  readonly result: McpResult;
  constructor(result: McpResult) {
    super(textOf(result));
    this.result = result;
  }
}

export interface OpenOptions {
  /** The ways in which the view can be shown. Default: inline only. */
  readonly displayModes?: readonly DisplayMode[];
}

export interface View<Name> {
  /** Settles when the host has answered. Until then it takes no requests; requests made earlier wait for it. */
  readonly ready: Promise<HostContext>;
  /** What the host has told so far. */
  readonly host: HostContext;
  /** The arguments of the call that the view shows. */
  onInput(handler: (input: InputOf<Name>) => void): void;
  /** The arguments so far, while the model writes them. Any of them may be missing or change. */
  onPartialInput(handler: (input: Partial<InputOf<Name>>) => void): void;
  /** What the call returned. */
  onResult(handler: (value: OutputOf<Name>, result: McpResult) => void): void;
  /** Called if the call fails or is cancelled. */
  onFailure(handler: (message: string) => void): void;
  /** Called when the host tells of itself: at the start, and whenever something changes. */
  onHost(handler: (host: HostContext) => void): void;
  /** Called when the view is about to be removed. The host waits for a promise that it returns. */
  onClose(handler: () => unknown): void;
  /**
   * Calls a tool of this server, as the same user.
   *
   * @throws {CallFailed} if the tool fails; {HostError} if the host does not allow the call
   */
  call<Other extends ToolName>(name: Other, ...given: Given<Other>): Promise<OutputOf<Other>>;
  /** Says something in the user's name: the model answers it. The host may ask the user first. */
  say(text: string): Promise<void>;
  /** Tells the model what the view shows, for when the user writes next. Replaces what was told before. */
  tellModel(text: string, data?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Opens a link outside the view. */
  openLink(url: string): Promise<void>;
  /** @returns the mode that the host has chosen */
  display(mode: DisplayMode): Promise<DisplayMode>;
}

/** A handler, and the latest values for it: a handler that is set later gets them at once. */
class Latest<Values extends readonly unknown[]> {
  #handler: ((...values: Values) => void) | undefined;
  #values: Values | undefined;
  handle = (handler: (...values: Values) => void): void => {
    this.#handler = handler;
    if (this.#values) handler(...this.#values);
  };
  set(...values: Values): void {
    this.#values = values;
    this.#handler?.(...values);
  }
}

/**
 * Begins the conversation with the host.
 *
 * @param name      of the view's own tool
 * @param wrapped   names of tools whose values older clients get as `{ value }`
 * @param onContext called with what the host tells, before the handlers
 */
export function connect<Name extends ToolName>(
  channel: Channel,
  name: Name,
  wrapped: ReadonlySet<string>,
  { displayModes = ["inline"] }: OpenOptions = {},
  onContext: (host: HostContext) => void = () => {},
): View<Name> {
  let host: HostContext = {};
  let close: () => unknown = () => {};
  const inputs = new Latest<[InputOf<Name>]>();
  const partial = new Latest<[Partial<InputOf<Name>>]>();
  const results = new Latest<[OutputOf<Name>, McpResult]>();
  const failures = new Latest<[string]>();
  const told = new Latest<[HostContext]>();
  const valueIn = (tool: string, { structuredContent: value }: McpResult): unknown =>
    wrapped.has(tool) && isOnlyValue(value) ? value.value : value;
  const tell = (context: HostContext) => {
    host = { ...host, ...context };
    onContext(host);
    told.set(host);
  };

  channel.on("ui/notifications/tool-input", (params) => inputs.set((params.arguments ?? {}) as InputOf<Name>));
  channel.on("ui/notifications/tool-input-partial", (params) => partial.set((params.arguments ?? {}) as never));
  channel.on("ui/notifications/tool-result", (result: McpResult) => {
    if (result.isError) failures.set(textOf(result));
    else results.set(valueIn(name, result) as OutputOf<Name>, result);
  });
  channel.on("ui/notifications/tool-cancelled", ({ reason }) =>
    failures.set(`Cancelled${reason ? `: ${reason}` : ""}`),
  );
  channel.on("ui/notifications/host-context-changed", tell);
  channel.serve("ping", () => ({}));
  channel.serve("ui/resource-teardown", async () => {
    await close();
  });

  const start = async (): Promise<HostContext> => {
    const begun = await channel.request<{ readonly hostContext?: HostContext }>("ui/initialize", {
      appInfo: { name, version: "1.0.0" },
      appCapabilities: { availableDisplayModes: displayModes },
      protocolVersion: REVISION,
    });
    tell(begun.hostContext ?? {});
    channel.notify("ui/notifications/initialized");
    return host;
  };
  const ready = start();
  const ask = async <Result>(method: string, params: object): Promise<Result> => {
    await ready;
    return channel.request(method, params as Record<string, unknown>);
  };
  const requestOrThrow = async (method: string, params: object, refusal: string): Promise<void> => {
    const { isError } = await ask<{ readonly isError?: boolean }>(method, params);
    if (isError) throw new Error(refusal);
  };

  return {
    ready,
    get host() {
      return host;
    },
    onInput: inputs.handle,
    onPartialInput: partial.handle,
    onResult: results.handle,
    onFailure: failures.handle,
    onHost: told.handle,
    onClose(handler) {
      close = handler;
    },
    async call(other, input?: unknown) {
      const result = await ask<McpResult>("tools/call", { name: other, arguments: input ?? {} });
      if (result.isError) throw new CallFailed(result);
      return valueIn(other, result) as never;
    },
    say: (text) =>
      requestOrThrow(
        "ui/message",
        { role: "user", content: [{ type: "text", text }] },
        "The host did not take the message",
      ),
    tellModel: (text, data) =>
      requestOrThrow(
        "ui/update-model-context",
        { content: [{ type: "text", text }], ...(data && { structuredContent: data }) },
        "The host did not take the context",
      ),
    openLink: (url) => requestOrThrow("ui/open-link", { url }, `The host did not open ${url}`),
    async display(mode) {
      const { mode: chosen } = await ask<{ readonly mode: DisplayMode }>("ui/request-display-mode", { mode });
      return chosen;
    },
  };
}

function isOnlyValue(value: unknown): value is { readonly value: unknown } {
  return typeof value === "object" && value !== null && Object.keys(value).join() === "value";
}

function textOf({ content = [] }: McpResult): string {
  return content.flatMap(({ text }) => text ?? []).join("\n") || "The call has failed";
}
