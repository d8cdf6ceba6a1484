/** Shows a view as the reference host does: in a sandbox on another origin, with the official `AppBridge`. */
import type { CallToolResult, Client, JSONRPCMessage, Tool } from "@modelcontextprotocol/client";
import {
  AppBridge,
  buildAllowAttribute,
  isToolVisibilityModelOnly,
  type McpUiHostContext,
  type McpUiResourceMeta,
  PostMessageTransport,
} from "@modelcontextprotocol/ext-apps/app-bridge";
import { h } from "../../../../features/page/browser/lib/dom.ts";
import { logIn } from "./log.ts";
import { HOST } from "./server.ts";
import { VARIABLES } from "./theme.ts";

/** Pixels, until the view says how high it is. */
const FIRST_HEIGHT = 150;
/** How long a view may take for its teardown. */
const CLOSING_MS = 1_000;
/** For calls, because tools have limits of their own. */
export const NO_LIMIT = { timeout: 2 ** 31 - 1 };

export type Shown = Awaited<ReturnType<typeof show>>;

export interface Scene {
  /** Where the frame is put, and where its log is. */
  readonly stage: HTMLElement;
  readonly list: HTMLElement;
  readonly client: Client;
  readonly tools: readonly Tool[];
}

/**
 * @param content of the view's resource
 * @param tool    whose view it is
 * @param input   arguments of the call that it shows
 * @returns functions for the view: `give` sends the result of its tool, after its input; `cancel` says that there is
 *   none
 */
export async function show(
  { stage, list, client, tools }: Scene,
  content: { readonly text?: string; readonly _meta?: { readonly [name: string]: unknown } | undefined },
  tool: Tool,
  input: object,
  theme: string,
) {
  const log = logIn(list);
  const { csp, permissions, prefersBorder } = (content._meta?.ui ?? {}) as McpUiResourceMeta;
  const allow = buildAllowAttribute(permissions);
  const query = new URLSearchParams({ csp: JSON.stringify(csp ?? null), allow });
  const frame = h("iframe", {
    title: `View of ${tool.name}`,
    sandbox: "allow-scripts allow-same-origin allow-forms",
    allow,
    src: `http://localhost:${location.port}/sandbox?${query}`,
    height: FIRST_HEIGHT,
  });
  stage.classList.toggle("border", prefersBorder ?? false);
  stage.append(frame);

  const context: McpUiHostContext = {
    toolInfo: { tool },
    styles: { variables: VARIABLES as never },
    availableDisplayModes: ["inline", "fullscreen"],
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    platform: "web",
  };
  const shownAs = (displayMode: "inline" | "fullscreen"): McpUiHostContext => {
    stage.dataset.mode = displayMode;
    stage.style.colorScheme = theme;
    const limit = displayMode === "inline" ? { maxHeight: 6_000 } : { height: innerHeight };
    const containerDimensions = { width: frame.clientWidth, ...limit };
    return { ...context, displayMode, theme: theme as "light", containerDimensions };
  };
  const sandbox = { ...(csp && { csp }), ...(permissions && { permissions }) };
  const capabilities = {
    ...{ openLinks: {}, downloadFile: {}, serverTools: {}, serverResources: {}, logging: {}, sandbox },
    ...{ updateModelContext: { text: {}, structuredContent: {} }, message: { text: {} } },
  };
  const bridge = new AppBridge(client, HOST, capabilities, { hostContext: shownAs("inline") });
  const ignore = async () => ({});
  Object.assign(bridge, {
    onmessage: ignore,
    onupdatemodelcontext: ignore,
    onopenlink: ignore,
    ondownloadfile: ignore,
  });
  bridge.onrequestdisplaymode = async ({ mode }) => {
    const can = bridge.getAppCapabilities()?.availableDisplayModes ?? [];
    if (mode !== "pip" && can.includes(mode)) bridge.setHostContext(shownAs(mode));
    return { mode: stage.dataset.mode as "inline" };
  };
  bridge.addEventListener("sizechange", ({ height = frame.clientHeight }) => {
    frame.height = String(height);
  });
  bridge.addEventListener("sandboxready", () => {
    void bridge.sendSandboxResourceReady({ html: content.text ?? "", ...sandbox });
  });
  const begun = new Promise((resolve) => bridge.addEventListener("initialized", resolve));
  const open = new AbortController();
  const listen = ({ source, data }: MessageEvent) => {
    if (source === frame.contentWindow && typeof data?.complaint === "string") log.complained(data.complaint);
  };
  addEventListener("message", listen, open);
  const view = frame.contentWindow as Window;
  await bridge.connect(recorded(new PostMessageTransport(view, view), log.asked, log.answered));
  // A view may not call what is for the model alone: it is for hosts to refuse that ("Visibility"). The bridge's own
  // handler is cleared first: replacing one logs a warning.
  bridge.oncalltool = undefined;
  bridge.oncalltool = async (params, { mcpReq: { signal } }) => {
    const called = tools.find(({ name }) => name === params.name);
    if (called && isToolVisibilityModelOnly(called))
      throw new Error(`${params.name} is for the model alone (visibility)`);
    return client.request({ method: "tools/call", params }, { signal, ...NO_LIMIT });
  };
  bridge.addEventListener("requestteardown", () => void close());
  async function close(): Promise<void> {
    // A page that has never spoken would not answer.
    if (bridge.getAppVersion()) await bridge.teardownResource({}, { timeout: CLOSING_MS }).catch(() => {});
    open.abort();
    await bridge.close();
    frame.remove();
  }
  void begun.then(() => bridge.sendToolInput({ arguments: { ...input } }));
  return {
    give: (result: CallToolResult) => void begun.then(() => bridge.sendToolResult(result)),
    cancel: (reason: string) => void begun.then(() => bridge.sendToolCancelled({ reason })),
    setTheme(next: string): void {
      theme = next;
      bridge.setHostContext(shownAs(stage.dataset.mode as "inline"));
    },
    leaveFullScreen: () => bridge.setHostContext(shownAs("inline")),
    close,
  };
}

type Note = (message: JSONRPCMessage) => void;

/** Notes all messages on their way. */
function recorded(transport: PostMessageTransport, asked: Note, answered: Note): PostMessageTransport {
  transport.onmessage = asked;
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    answered(message);
    return send(message, options);
  };
  return transport;
}
