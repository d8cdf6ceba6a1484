/** Shows a view as the reference host does: in a sandbox on another origin, with the official `AppBridge`. */
import type { CallToolResult, Client, Tool } from "@modelcontextprotocol/client";
import {
  AppBridge,
  buildAllowAttribute,
  isToolVisibilityModelOnly,
  type McpUiHostContext,
  type McpUiResourceMeta,
  PostMessageTransport,
} from "@modelcontextprotocol/ext-apps/app-bridge";
import { h } from "../../../../front-page/lib/dom.ts";
import { insist, PATIENCE } from "./insist.ts";
import { type Log, logIn } from "./log.ts";
import { VARIABLES } from "./theme.ts";

export const HOST = { name: "Trivet", version: "1.0.0" };
/** Before the view says how high it is. */
const FIRST_HEIGHT = 150;
/** How long a view may take to say goodbye. */
const CLOSING_MS = 1_000;
/** Tools end by their own limits. */
export const NO_LIMIT = { timeout: 2 ** 31 - 1 };

export interface Look {
  readonly theme: "light" | "dark";
  /** In CSS pixels; undefined: as wide as there is room. */
  readonly width: number | undefined;
}

export interface Shown {
  /** Sends the result of its tool. The view has its input before. */
  give(result: CallToolResult): void;
  /** Tells it that there is no result. */
  cancel(reason: string): void;
  look(look: Look): void;
  /** Ends full screen. */
  back(): void;
  close(): Promise<void>;
}

export interface Scene {
  /** Where the frame is put. */
  readonly stage: HTMLElement;
  readonly list: HTMLElement;
  readonly client: Client;
  readonly tools: readonly Tool[];
}

/**
 * @param uri   of the view
 * @param tool  whose view it is
 * @param input arguments of the call that it shows
 * @returns when the view has begun
 */
export async function show(scene: Scene, uri: string, tool: Tool, input: object, look: Look): Promise<Shown> {
  const { stage, client, tools } = scene;
  const log = logIn(scene.list);
  const { contents } = await insist(() => client.readResource({ uri }, PATIENCE));
  const [content] = contents;
  const html = content && "text" in content ? content.text : "";
  const { csp, permissions, prefersBorder } = (content?._meta?.ui ?? {}) as McpUiResourceMeta;
  const frame = h("iframe", {
    title: `View of ${tool.name}`,
    sandbox: "allow-scripts allow-same-origin allow-forms",
    allow: buildAllowAttribute(permissions),
    src: `http://localhost:${location.port}/sandbox?csp=${encodeURIComponent(JSON.stringify(csp ?? null))}`,
  });
  frame.height = String(FIRST_HEIGHT);
  stage.dataset.border = String(prefersBorder ?? false);

  let mode: "inline" | "fullscreen" = "inline";
  const contextOf = ({ theme, width }: Look): McpUiHostContext => ({
    toolInfo: { tool },
    theme,
    styles: { variables: VARIABLES as never },
    displayMode: mode,
    availableDisplayModes: ["inline", "fullscreen"],
    containerDimensions: {
      width: frame.clientWidth,
      ...(mode === "inline" ? { maxHeight: 6_000 } : { height: innerHeight }),
    },
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    platform: width === undefined ? "web" : "mobile",
  });
  const apply = (next: Look) => {
    look = next;
    stage.dataset.mode = mode;
    stage.style.colorScheme = look.theme;
    frame.style.width = look.width === undefined || mode === "fullscreen" ? "100%" : `${look.width}px`;
  };
  stage.append(frame);
  apply(look);

  const capabilities = { openLinks: {}, downloadFile: {}, serverTools: {}, serverResources: {}, logging: {} };
  const told = { updateModelContext: { text: {}, structuredContent: {} }, message: { text: {} } };
  const sandbox = { ...(csp && { csp }), ...(permissions && { permissions }) };
  const bridge = new AppBridge(client, HOST, { ...capabilities, ...told, sandbox }, { hostContext: contextOf(look) });
  bridge.onmessage = async () => ({});
  bridge.onupdatemodelcontext = async () => ({});
  bridge.onopenlink = async () => ({});
  bridge.ondownloadfile = async () => ({});
  const display = (next: typeof mode) => {
    mode = next;
    apply(look);
    bridge.setHostContext(contextOf(look));
  };
  bridge.onrequestdisplaymode = async ({ mode: wanted }) => {
    const can = bridge.getAppCapabilities()?.availableDisplayModes ?? [];
    if ((wanted === "inline" || wanted === "fullscreen") && can.includes(wanted)) display(wanted);
    return { mode };
  };
  bridge.addEventListener("sizechange", ({ height }) => {
    if (height !== undefined) frame.height = String(height);
  });
  bridge.addEventListener("sandboxready", () => {
    void bridge.sendSandboxResourceReady({ html, ...sandbox });
  });
  const begun = new Promise((resolve) => bridge.addEventListener("initialized", resolve));
  const stopListening = listenForComplaints(frame, log);
  await bridge.connect(
    recorded(new PostMessageTransport(frame.contentWindow as Window, frame.contentWindow as Window), log),
  );
  refuseOthers(bridge, client, tools);
  bridge.addEventListener("requestteardown", () => void close());

  async function close(): Promise<void> {
    // A page that has never spoken would not answer.
    if (bridge.getAppVersion()) await bridge.teardownResource({}, { timeout: CLOSING_MS }).catch(() => {});
    stopListening();
    await bridge.close();
    frame.remove();
  }
  void begun.then(() => bridge.sendToolInput({ arguments: { ...input } }));
  return {
    give: (result) => void begun.then(() => bridge.sendToolResult(result)),
    cancel: (reason) => void begun.then(() => bridge.sendToolCancelled({ reason })),
    look(next) {
      apply(next);
      bridge.setHostContext(contextOf(next));
    },
    back: () => display("inline"),
    close,
  };
}

/** A view may not call what is for the model alone: it is for hosts to refuse that ("Visibility"). */
function refuseOthers(bridge: AppBridge, client: Client, tools: readonly Tool[]): void {
  // Clears the bridge's own handler first: replacing one logs a warning.
  bridge.oncalltool = undefined;
  bridge.oncalltool = async (params, { mcpReq: { signal } }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool && isToolVisibilityModelOnly(tool)) throw new Error(`${params.name} is for the model alone (visibility)`);
    return client.request({ method: "tools/call", params }, { signal, ...NO_LIMIT });
  };
}

/** Notes all messages on their way. */
function recorded(transport: PostMessageTransport, log: Log): PostMessageTransport {
  transport.onmessage = log.asked;
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    log.answered(message);
    return send(message, options);
  };
  return transport;
}

function listenForComplaints(frame: HTMLIFrameElement, log: Log): () => void {
  const listen = ({ source, data }: MessageEvent) => {
    if (source === frame.contentWindow && typeof data?.complaint === "string") log.complained(data.complaint);
  };
  addEventListener("message", listen);
  return () => removeEventListener("message", listen);
}
