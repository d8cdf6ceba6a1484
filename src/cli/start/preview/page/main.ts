/** The preview page: lists the views, and shows one with sample data until its next version is built. */
import "./no-eval.ts";
import {
  type CallToolResult,
  Client,
  SERVER_INFO_META_KEY,
  StreamableHTTPClientTransport,
  type Tool,
} from "@modelcontextprotocol/client";
import { getToolUiResourceUri, RESOURCE_MIME_TYPE } from "@modelcontextprotocol/ext-apps/app-bridge";
import { exampleOf } from "../../../../front-page/form/example.ts";
import { h } from "../../../../front-page/lib/dom.ts";
import { HOST, type Look, NO_LIMIT, type Shown, show } from "./frame.ts";
import { insist, PATIENCE } from "./insist.ts";

const $ = <Type extends HTMLElement>(id: string) => document.getElementById(id) as Type;
const [input, result] = [$<HTMLTextAreaElement>("input"), $<HTMLTextAreaElement>("result")];
const [theme, width] = [$<HTMLSelectElement>("theme"), $<HTMLSelectElement>("width")];
const server = document.querySelector<HTMLMetaElement>("meta[name=server]")?.content ?? "";

/** How often the server is asked whether it serves a build. */
const AGAIN_MS = 150;

let client: Client | undefined;
let tools: readonly Tool[] = [];
/** What is shown: the tool's name, the view's URI, and the text of the sample beside it. */
let current: { readonly name: string; readonly uri: string; readonly sample: string } | undefined;
let shown: Shown | undefined;

const uriOf = (tool: Tool | undefined) => tool && getToolUiResourceUri(tool);
/** `ui://tide/heights-1f2e3d4c.html` is the view of the files `tide/heights`. */
const fileOf = (uri: string) => uri.replace("ui://", "").replace(/-[0-9a-f]{8}\.html$/, "");
const toolNamed = (name: string) => tools.find((tool) => tool.name === name);
/** The name of a tool that is in the address: `#/Tide_Heights`. */
const chosen = () => decodeURIComponent(location.hash.slice(2));
const pretty = (value: unknown) => JSON.stringify(value, null, 2);
const look = (): Look => ({ theme: theme.value as Look["theme"], width: Number(width.value) || undefined });

function say(text: string, isBad = false): void {
  $("status").textContent = text;
  $("status").className = isBad ? "bad" : "";
}

/** @throws {Error} that names what is no JSON */
function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name} is no JSON: ${(error as Error).message}`);
  }
}

/** The value in a box; undefined if it is empty. */
function read(box: HTMLTextAreaElement): unknown {
  return box.value.trim() === "" ? undefined : parse(box.value, box.labels[0]?.textContent ?? "");
}

async function list(): Promise<void> {
  const listing = await insist(async () => {
    client ??= await connect();
    return client.listTools({}, { cacheMode: "refresh", ...PATIENCE });
  });
  tools = listing.tools;
  const entries = tools.filter(uriOf).map((tool) => {
    const isCurrent = tool.name === chosen() && "page";
    return h(
      "li",
      {},
      h("a", { class: "entry", href: `#/${tool.name}`, "aria-current": isCurrent }, tool.title ?? tool.name),
    );
  });
  $("views").replaceChildren(...entries);
}

async function connect(): Promise<Client> {
  const extensions = { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } };
  const made = new Client(HOST, { versionNegotiation: { mode: "auto" }, capabilities: { extensions } });
  await made.connect(new StreamableHTTPClientTransport(new URL("/mcp", server)));
  return made;
}

/** Opens the view that the address names. A tool that changes nothing is called, unless there is a sample. */
async function open(): Promise<void> {
  await list();
  const tool = toolNamed(chosen());
  const uri = uriOf(tool);
  $("main").hidden = !uri;
  $("start").hidden = uri !== undefined || !tools.some(uriOf);
  await clear();
  if (!tool || !uri) {
    if (chosen() !== "") return say(`There is no view of "${chosen()}"`, true);
    return say(tools.some(uriOf) ? "" : "No tool has a view (docs/views.md)");
  }
  $("title").textContent = tool.title ?? tool.name;
  $("about").textContent = tool.description ?? "";
  $("title").focus();
  const sample = await sampleOf(uri);
  current = { name: tool.name, uri, sample };
  input.value = pretty(exampleOf(tool.inputSchema as never));
  result.value = "";
  takeSample(sample);
  if (result.value === "" && tool.annotations?.readOnlyHint) await call();
  else await present();
}

/** Removes what is shown. */
async function clear(): Promise<void> {
  current = undefined;
  await shown?.close();
  shown = undefined;
  $("waiting").hidden = true;
  $("log").replaceChildren();
}

async function sampleOf(uri: string): Promise<string> {
  return (await fetch(`/samples/${fileOf(uri)}`)).text();
}

/** @throws {Error} that names the file if it is no sample */
function takeSample(text: string): void {
  const file = `tools/${fileOf(current?.uri ?? "")}.view.sample.json`;
  const sample = parse(text, file) as { readonly input?: object; readonly result?: object } | null;
  if (sample === null) return;
  const isObject = (value: unknown) => Object(value) === value && !Array.isArray(value);
  const isMember = ([name, value]: [string, unknown]) => (name === "input" || name === "result") && isObject(value);
  const members = isObject(sample) ? Object.entries(sample) : [];
  if (members.length === 0 || !members.every(isMember))
    throw new Error(`${file} is no sample: write { "input": { … }, "result": { "structuredContent": … } }`);
  input.value = pretty(sample.input ?? {});
  result.value = sample.result === undefined ? "" : pretty(sample.result);
}

/** Shows the view anew, with the input and the result of the boxes. */
async function present(isCalled = false): Promise<void> {
  const [tool, given] = [toolNamed(current?.name ?? ""), read(result) as CallToolResult | undefined];
  if (!client || !tool || !current) return;
  const asked = (read(input) ?? {}) as object;
  await shown?.close();
  const scene = { stage: $("stage"), list: $("log"), client, tools };
  shown = await show(scene, current.uri, tool, asked, look());
  if (given) shown.give({ ...given, content: given.content ?? [] });
  $("waiting").hidden = isCalled || given !== undefined;
  say(given ? "" : "The view has its input, and waits for a result");
}

/** Calls the tool as a model would: the view is there with the input, and gets the result when the call has ended. */
async function call(): Promise<void> {
  const params = { name: current?.name ?? "", arguments: (read(input) ?? {}) as Record<string, unknown> };
  result.value = "";
  await present(true);
  say("The tool runs");
  try {
    const returned = withoutServer((await client?.callTool(params, NO_LIMIT)) as CallToolResult);
    result.value = pretty(returned);
    shown?.give(returned);
    say(returned.isError ? "The tool has failed" : "");
  } catch (error) {
    shown?.cancel((error as Error).message);
    throw error;
  }
}

/** Without what each answer of 2026-07-28 says of its server, which is no news here. */
function withoutServer({
  _meta: { [SERVER_INFO_META_KEY]: _server, ...meta } = {},
  ...rest
}: CallToolResult): CallToolResult {
  return { ...rest, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
}

async function keep(): Promise<void> {
  const sample = { input: read(input) ?? {}, result: read(result) };
  if (!current) return;
  const text = `${pretty(sample)}\n`;
  const { ok } = await fetch(`/samples/${fileOf(current.uri)}`, { method: "PUT", body: text });
  if (!ok) throw new Error("The sample could not be written");
  current = { ...current, sample: text };
  say(`Kept in tools/${fileOf(current.uri)}.view.sample.json`);
}

/** After a build: shows the view again if it or its sample has changed. What is in the boxes stays. */
async function refresh(): Promise<void> {
  await list();
  const uri = uriOf(toolNamed(current?.name ?? ""));
  if (!current || !uri) return open();
  const sample = await sampleOf(uri);
  const [isNewView, isNewSample] = [uri !== current.uri, sample !== current.sample];
  current = { ...current, uri, sample };
  if (isNewSample) takeSample(sample);
  if (isNewView || isNewSample) await present();
}

/** One thing after the other, so that no two views are shown at once. */
let last: Promise<unknown> = Promise.resolve();
function run(act: () => unknown): void {
  last = last.then(act).catch((error: Error) => say(error.message, true));
}
const onClick = (id: string, act: () => unknown) => $(id).addEventListener("click", () => run(act));

theme.value = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
for (const choice of [theme, width]) choice.addEventListener("change", () => shown?.look(look()));
onClick("call", call);
onClick("show", () => present());
onClick("keep", keep);
onClick("back", () => shown?.back());
addEventListener("hashchange", () => run(open));
run(open);

/** The latest build, as JSON: the URIs of its views, and what is wrong with what was saved since. */
let built = "";
new EventSource("/builds").addEventListener("message", async ({ data }) => {
  built = data;
  const { uris, problems } = JSON.parse(data) as { readonly uris: readonly string[]; readonly problems: string | null };
  $("problems").hidden = problems === null;
  $("problems")
    .querySelector("pre")
    ?.replaceChildren(problems ?? "");
  // The server loads a build a moment after it is there.
  const isServed = () =>
    list().then(() => JSON.stringify(tools.map(uriOf).filter(Boolean).sort()) === JSON.stringify(uris));
  while (built === data && !(await isServed().catch(() => false))) await new Promise((go) => setTimeout(go, AGAIN_MS));
  if (built === data) run(refresh);
});
