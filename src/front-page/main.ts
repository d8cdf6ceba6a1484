/** Starts the page: finds out who is calling, reads what the server has, and shows what the address says. */

import { Access } from "./api/access.ts";
import { loadCatalog } from "./api/catalog.ts";
import { NeedsCredential } from "./api/failures.ts";
import { fill, h } from "./lib/dom.ts";
import type { Catalog } from "./lib/model.ts";
import { type Route, routeOf } from "./lib/route.ts";
import { failed, type Page, view } from "./parts/view.ts";
import { connectView } from "./views/connect.ts";
import { homeView } from "./views/home.ts";
import { keyView } from "./views/key.ts";
import { listIn } from "./views/list.ts";
import { promptView } from "./views/prompt.ts";
import { resourceView, templateView } from "./views/resource.ts";
import { toolView } from "./views/tool.ts";

const main = byId("main");
const list = listIn(byId("list"));
const accessButton = byId("access") as HTMLButtonElement;
const serverTitle = byId("name").textContent ?? "";
const access = new Access();
/** undefined while nothing is loaded, or nobody may see it. */
let catalog: Catalog | undefined;
let signIn: Page["signIn"];
/** Views that were opened, so that what was filled in is still there when a person comes back. */
let opened = new Map<string, HTMLElement>();

addEventListener("hashchange", () => {
  if (routeOf(location.hash)) show(true);
});
accessButton.addEventListener("click", () => {
  if (access.state === "nobody") ask("Use another credential: it may show more.");
  else {
    access.forget();
    load();
  }
});
await start();

async function start(): Promise<void> {
  try {
    await access.finishSignIn();
  } catch (error) {
    return ask(textOf(error));
  }
  await load();
}

/** Reads the catalogue, and shows it. */
async function load(): Promise<void> {
  opened = new Map();
  try {
    [catalog, signIn] = await Promise.all([loadCatalog(access), access.signInAt()]);
  } catch (error) {
    catalog = undefined;
    if (error instanceof NeedsCredential) return ask(error.message);
    list.show(undefined);
    const again = h("button", { type: "button", class: "main", click: load }, "Try again");
    return put(view("The tools could not be read", failed(error), h("p", {}, again)), "item");
  }
  byId("version").textContent = catalog.server.version;
  list.show(catalog);
  showAccess();
  show(false);
}

/** Asks for a credential. Nothing of the server is shown meanwhile. */
function ask(why: string): void {
  list.show(undefined);
  accessButton.classList.add("unknown");
  put(
    keyView(access, why, (key) => {
      try {
        access.useKey(key);
      } catch (error) {
        return ask(textOf(error));
      }
      load();
    }),
    "item",
  );
}

function showAccess(): void {
  accessButton.classList.remove("unknown");
  accessButton.textContent = { nobody: "Use a key", key: "Forget the key", "signed in": "Sign out" }[access.state];
}

/** @param isMove whether the person went there, so that the heading gets the focus */
function show(isMove: boolean): void {
  if (!catalog) return;
  const page: Page = { access, catalog, signIn, reload: load };
  const route = routeOf(location.hash) ?? { kind: "home" };
  const known = opened.get(location.hash);
  const element = known ?? viewOf(page, route);
  opened.set(location.hash, element);
  put(element, route.kind === "home" ? "list" : "item");
  list.mark(route);
  document.title = route.kind === "home" ? serverTitle : `${route.name || "Connect"} – ${serverTitle}`;
  if (!isMove) return;
  scrollTo(0, 0);
  const host = route.kind === "connect" && route.name !== "" ? document.getElementById(`connect-${route.name}`) : null;
  host?.scrollIntoView();
  (host ?? element.querySelector<HTMLElement>("h2"))?.focus();
}

function viewOf(page: Page, route: Route): HTMLElement {
  const { tools, prompts, resources, templates } = page.catalog;
  if (route.kind === "home") return homeView(page);
  if (route.kind === "connect") return connectView(page);
  const { kind, name } = route;
  const tool = kind === "tool" && tools.find(({ id }) => id === name);
  if (tool) return toolView(page, tool);
  const prompt = kind === "prompt" && prompts.find((prompt) => prompt.name === name);
  if (prompt) return promptView(page, prompt);
  const resource = kind === "resource" && resources.find(({ uri }) => uri === name);
  if (resource) return resourceView(page, resource);
  const template = kind === "resource" && templates.find(({ uriTemplate }) => uriTemplate === name);
  if (template) return templateView(page, template);
  return view(
    `There is no ${kind} ${name}`,
    h("p", {}, "It may have been renamed, or this credential may not see it."),
  );
}

/** @param what "list": phones show the list below it */
function put(element: HTMLElement, what: "list" | "item"): void {
  document.body.dataset.view = what;
  main.removeAttribute("aria-busy");
  fill(main, element);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`index.html has no #${id}`);
  return element;
}
