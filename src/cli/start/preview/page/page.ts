/** The preview page: lists the views, and shows one with sample data until its next version is built. */
import "./no-eval.ts";
import { type CallToolResult, SERVER_INFO_META_KEY, type Tool } from "@modelcontextprotocol/client";
import { getToolUiResourceUri } from "@modelcontextprotocol/ext-apps/app-bridge";
import { exampleOf } from "../../../../features/page/browser/form/example.ts";
import { fill, h } from "../../../../features/page/browser/lib/dom.ts";
import { NO_LIMIT, type Shown, show } from "./frame.ts";
import { connected, listTools, PATIENCE } from "./server.ts";

const $ = <Type extends HTMLElement>(id: string) => document.getElementById(id) as Type;
const [input, result] = [$<HTMLTextAreaElement>("input"), $<HTMLTextAreaElement>("result")];
const theme = $<HTMLSelectElement>("theme");

/** The pause between requests to a server that does not answer, and after how many of them the page says so. */
const [PAUSE_MS, QUIET_TRIES] = [200, 25];

/** The latest build, as JSON: the URIs of its views, and the mistakes in what was saved since. */
let built = "";
let tools: readonly Tool[] = [];
/** What is shown: the tool's name, the view's URI, and the text of the sample beside it. */
let current: { readonly name: string; readonly uri: string; readonly sample: string } | undefined;
let shown: Shown | undefined;
/** What the page was about to show when another build interrupted it. */
let unfinished: "call" | "present" | undefined;

const uriOf = (tool: Tool | undefined) => tool && getToolUiResourceUri(tool);
/** `ui://tide/heights-1f2e3d4c.html` is the view of the files `tide/heights`. */
const fileOf = (uri: string) => uri.replace("ui://", "").replace(/-[0-9a-f]{8}\.html$/, "");
const sampleFile = (uri: string) => `tools/${fileOf(uri)}.view.sample.json`;
const toolNamed = (name: string) => tools.find((tool) => tool.name === name);
/** The name of a tool that is in the address: `#/Tide_Heights`. */
const chosen = () => decodeURIComponent(location.hash.slice(2));
const pretty = (value: unknown) => JSON.stringify(value, null, 2);

function say(text: string, isBad = false): void {
  fill($("status"), text && h("span", { class: isBad && "complaint" }, text));
}

/**
 * Asks the server until it answers: it may lose a request, or refuse it, while it loads a build. Rejects only if
 * another build or another address has made the answer useless.
 */
async function patiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const [before, address] = [built, location.hash];
  for (let tries = 1; ; tries++) {
    try {
      const answer = await ask();
      if (tries > QUIET_TRIES) say("");
      return answer;
    } catch (error) {
      if (built !== before || location.hash !== address) throw error;
      if (tries === QUIET_TRIES) say(`The server does not answer yet: ${(error as Error).message}`, true);
      await new Promise((resume) => setTimeout(resume, PAUSE_MS));
    }
  }
}

/** @throws {Error} that names what is not JSON */
function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name} is not JSON: ${(error as Error).message}`);
  }
}

/** The value in a box; undefined if it is empty. */
function read(box: HTMLTextAreaElement): unknown {
  return box.value.trim() === "" ? undefined : parse(box.value, box.labels[0]?.textContent?.trim() ?? "");
}

async function list(): Promise<void> {
  tools = await listTools();
  const entries = tools.filter(uriOf).map(({ name, title = name }) => {
    const isCurrent = name === chosen() && "page";
    return h("li", {}, h("a", { class: "entry", href: `#/${name}`, "aria-current": isCurrent }, title));
  });
  fill($("views"), entries);
}

/** Opens the view that the address names. A tool that changes nothing is called, unless there is a sample. */
async function open(): Promise<void> {
  await patiently(list);
  const tool = toolNamed(chosen());
  const uri = uriOf(tool);
  current = undefined;
  unfinished = undefined;
  await shown?.close();
  shown = undefined;
  $("main").hidden = !uri;
  if (!tool || !uri) {
    if (chosen() !== "") return say(`There is no view of "${chosen()}"`, true);
    const hasViews = tools.some(uriOf);
    return say(hasViews ? "Choose a view: it opens here, as a host shows it." : "No tool has a view (docs/views.md)");
  }
  $("title").textContent = tool.title ?? tool.name;
  $("about").textContent = tool.description ?? "";
  $("title").focus();
  const sample = await sampleOf(uri);
  current = { name: tool.name, uri, sample };
  input.value = pretty(exampleOf(tool.inputSchema as never));
  result.value = "";
  takeSample(uri, sample);
  if (result.value === "" && tool.annotations?.readOnlyHint) await call();
  else await present();
}

async function sampleOf(uri: string): Promise<string> {
  return (await fetch(`/samples/${fileOf(uri)}`)).text();
}

/** @throws {Error} that names the file if it is not a sample */
function takeSample(uri: string, text: string): void {
  const sample = parse(text, sampleFile(uri)) as { readonly input?: object; readonly result?: object } | null;
  if (sample === null) return;
  const isObject = (value: unknown) => Object(value) === value && !Array.isArray(value);
  const isMember = ([name, value]: [string, unknown]) => (name === "input" || name === "result") && isObject(value);
  const members = isObject(sample) ? Object.entries(sample) : [];
  if (members.length === 0 || !members.every(isMember))
    throw new Error(
      `${sampleFile(uri)} is not a sample: write { "input": { … }, "result": { "structuredContent": … } }`,
    );
  input.value = pretty(sample.input ?? {});
  result.value = sample.result === undefined ? "" : pretty(sample.result);
}

/** Shows the view again, with the input and the result of the boxes. */
async function present(isCalled = false): Promise<void> {
  const [tool, given] = [toolNamed(current?.name ?? ""), read(result) as CallToolResult | undefined];
  if (!tool || !current) return;
  const { uri } = current;
  const asked = (read(input) ?? {}) as object;
  await shown?.close();
  shown = undefined;
  unfinished = isCalled ? "call" : "present";
  const client = await connected();
  const [content] = (await patiently(() => client.readResource({ uri }, PATIENCE))).contents;
  shown = await show({ stage: $("stage"), list: $("log"), client, tools }, content ?? {}, tool, asked, theme.value);
  unfinished = undefined;
  if (given) shown.give({ ...given, content: given.content ?? [] });
  const waits = "The view has its input, and waits for a result: Call the tool, or show a result without a call.";
  say(given || isCalled ? "" : waits);
}

/** Calls the tool as a model would: the view is there with the input, and gets the result when the call has ended. */
async function call(): Promise<void> {
  const params = { name: current?.name ?? "", arguments: (read(input) ?? {}) as Record<string, unknown> };
  result.value = "";
  await present(true);
  say("The tool runs");
  try {
    const { _meta, ...rest } = (await (await connected()).callTool(params, NO_LIMIT)) as CallToolResult;
    // Each answer of 2026-07-28 names its server, which is left out of the result.
    const { [SERVER_INFO_META_KEY]: _server, ...meta } = _meta ?? {};
    const returned: CallToolResult = { ...rest, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
    result.value = pretty(returned);
    shown?.give(returned);
    say(returned.isError ? "The tool has failed" : "");
  } catch (error) {
    shown?.cancel((error as Error).message);
    throw error;
  }
}

async function keep(): Promise<void> {
  if (!current) return;
  const sample = `${pretty({ input: read(input) ?? {}, result: read(result) })}\n`;
  const { ok } = await fetch(`/samples/${fileOf(current.uri)}`, { method: "PUT", body: sample });
  if (!ok) throw new Error("The sample could not be written");
  current = { ...current, sample };
  say(`Kept in ${sampleFile(current.uri)}`);
}

/** After a build: shows the view again if it or its sample has changed. What is in the boxes stays. */
async function refresh(uris: string): Promise<void> {
  // The server loads a build a moment after it was written.
  await patiently(async () => {
    await list();
    if (JSON.stringify(tools.map(uriOf).filter(Boolean).sort()) !== uris) throw new Error("it loads the last build");
  });
  const uri = uriOf(toolNamed(current?.name ?? ""));
  if (!current || !uri) return open();
  const sample = await sampleOf(uri);
  const [isNewView, isNewSample] = [uri !== current.uri, sample !== current.sample];
  current = { ...current, uri, sample };
  if (isNewSample) takeSample(uri, sample);
  if (unfinished === "call") await call();
  else if (isNewView || isNewSample || unfinished) await present();
}

/** One thing after the other, so that no two views are shown at once. */
let last: Promise<unknown> = Promise.resolve();
function run(act: () => unknown): void {
  last = last.then(act).catch((error: Error) => say(error.message, true));
}
const onClick = (id: string, act: () => unknown) => $(id).addEventListener("click", () => run(act));

theme.value = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
theme.addEventListener("change", () => shown?.setTheme(theme.value));
onClick("call", call);
onClick("show", () => present());
onClick("keep", keep);
$("back").addEventListener("click", () => shown?.leaveFullScreen());
addEventListener("hashchange", () => run(open));
run(open);
new EventSource("/builds").addEventListener("message", ({ data }) => {
  built = data;
  const { uris, problems } = JSON.parse(data) as { readonly uris: readonly string[]; readonly problems: string | null };
  $("problems").hidden = problems === null;
  $("problems").lastElementChild?.replaceChildren(problems ?? "");
  run(() => built === data && refresh(JSON.stringify(uris)));
});
