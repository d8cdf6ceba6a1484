/** Starts the page: finds out who is calling, reads what the server has, and shows what the address says. */

import { Access } from "./api/access.ts";
import { loadCatalog } from "./api/catalog.ts";
import { NeedsCredential } from "./api/failures.ts";
import { fill, h } from "./lib/dom.ts";
import type { Catalog } from "./lib/model.ts";
import { linkTo, type Route, routeOf } from "./lib/route.ts";
import { failed, type Page, view } from "./parts/view.ts";
import { connectView, siteOf } from "./views/connect.ts";
import { homeView } from "./views/home.ts";
import { keyView } from "./views/key.ts";
import { listIn } from "./views/list.ts";
import { promptView } from "./views/prompt.ts";
import { resourceView, templateView } from "./views/resource.ts";
import { toolView } from "./views/tool.ts";

const LOOK_MS = 3_000;
const main = byId("main");
const list = listIn(byId("list"));
const accessButton = byId("access") as HTMLButtonElement;
const serverTitle = byId("name").textContent ?? "";
const access = new Access();
/** undefined while nothing is loaded, or nobody may see it. */
let catalog: Catalog | undefined;
let signIn: Page["signIn"];
/** When changes were last looked for: each time is a few requests. */
let looked = Date.now();
/** The view that asks for a credential, while there is no catalog. */
let asked: HTMLElement | undefined;
let loads = 0;
/** Views that were opened, so that what was filled in is still there when a person comes back. */
let opened = new Map<string, HTMLElement>();

addEventListener("hashchange", () => {
  if (routeOf(location.hash)) show(true);
});
// For example, the author of a tool has saved it, and comes back to see it.
addEventListener("focus", lookForChanges);
accessButton.addEventListener("click", () => {
  if (access.state === "nobody") location.hash = linkTo({ kind: "key" });
  else {
    // The address may have the name of a tool that only the key showed.
    history.replaceState(null, "", linkTo({ kind: "home" }));
    enter(undefined);
  }
});
await start();

async function start(): Promise<void> {
  const problem = await access.finishSignIn().then(() => undefined, failed);
  await load();
  if (problem) main.prepend(problem);
}

async function load(): Promise<void> {
  const mine = ++loads;
  opened = new Map();
  fill(byId("news"));
  const signInPlace = access.signInAt();
  const before = access.state;
  try {
    const loaded = await loadCatalog(access);
    // Another load has begun since, perhaps for another caller.
    if (mine !== loads) return;
    catalog = loaded;
    signIn = await signInPlace;
  } catch (error) {
    if (mine !== loads) return;
    signIn = await signInPlace;
    if (error instanceof NeedsCredential) {
      const hasEnded = before !== access.state;
      if (!hasEnded) return ask(error.message);
      // Without the sign-in, there may still be something that everyone may see.
      await load();
      return main.prepend(failed(error));
    }
    forget();
    const again = h("button.main", { click: load }, "Try again");
    return put(view("The tools could not be read", failed(error), h("p", again)), "item");
  }
  byId("version").textContent = catalog.server.version;
  list.show(catalog);
  accessButton.classList.remove("unknown");
  accessButton.textContent = { nobody: "Use a key", key: "Forget the key", "signed in": "Sign out" }[access.state];
  show(false);
}

/**
 * Goes on as another caller.
 *
 * @param key undefined to go on as nobody
 */
function enter(key: string | undefined): void {
  try {
    if (key === undefined) access.forget();
    else access.useKey(key);
  } catch (error) {
    ask((error as Error).message);
    return;
  }
  if (routeOf(location.hash)?.kind === "key") history.replaceState(null, "", linkTo({ kind: "home" }));
  forget();
  load();
}

/** Asks for a credential, because the server does. Until then, nothing of the server is kept. */
function ask(why: string): void {
  forget();
  const goOn = h("button.quiet", { click: () => enter(undefined) }, "Go on without a key");
  asked = h(
    "div.view",
    keyView(access, "This server asks who you are", why, enter),
    access.state !== "nobody" && h("p", goOn),
  );
  showUncatalogued();
}

/** Removes what the last caller saw. */
function forget(): void {
  catalog = undefined;
  asked = undefined;
  opened = new Map();
  list.show(undefined);
  accessButton.classList.add("unknown");
  document.title = serverTitle;
  byId("version").textContent = "";
  fill(main, h("p.status", { role: "status" }, "Loading…"));
}

/** Shows the question for a credential or, at `#/connect`, how to connect a client: it may sign in without the page. */
function showUncatalogued(): void {
  if (!asked) return;
  const route = routeOf(location.hash);
  const site = { origin: access.origin, name: serverTitle, isOpen: false, signIn };
  put(route?.kind === "connect" ? connectView(site) : asked, "item");
}

/** Offers to read the catalog again if it has changed. Never replaces it unasked: somebody may be filling in a form. */
async function lookForChanges(): Promise<void> {
  const before = catalog;
  if (!before || Date.now() - looked < LOOK_MS) return;
  looked = Date.now();
  const now = await loadCatalog(access).catch(() => before);
  if (catalog !== before || JSON.stringify(now) === JSON.stringify(before)) return;
  const again = h("button.small", { click: load }, "Show them");
  fill(byId("news"), h("p.box.acts", { role: "status" }, "The tools have changed.", again));
}

/** @param isMove whether the person went there, so that the heading gets the focus */
function show(isMove: boolean): void {
  if (!catalog) {
    showUncatalogued();
    return;
  }
  const page: Page = { access, catalog, signIn };
  const route = routeOf(location.hash) ?? { kind: "home" };
  const known = opened.get(location.hash);
  const element = known ?? viewOf(page, route);
  opened.set(location.hash, element);
  put(element, route.kind === "home" ? "list" : "item");
  list.mark(route);
  document.title = route.kind === "home" ? serverTitle : `${titleOf(route)} – ${serverTitle}`;
  if (!isMove) return;
  scrollTo(0, 0);
  const host = route.kind === "connect" && route.name !== "" ? document.getElementById(`connect-${route.name}`) : null;
  host?.scrollIntoView();
  (host ?? element.querySelector<HTMLElement>("h2"))?.focus();
}

function titleOf(route: Route): string {
  if (route.kind === "key") return "Use a key";
  return ("name" in route && route.name) || "Connect";
}

function viewOf(page: Page, route: Route): HTMLElement {
  const { tools, prompts, resources, templates } = page.catalog;
  if (route.kind === "key") return keyView(access, "Use a key", "It may show more than everyone may see.", enter);
  if (!("name" in route)) return homeView(page);
  if (route.kind === "connect") return connectView(siteOf(page));
  const { kind, name } = route;
  const tool = kind === "tool" && tools.find(({ id }) => id === name);
  if (tool) return toolView(page, tool);
  const prompt = kind === "prompt" && prompts.find((prompt) => prompt.name === name);
  if (prompt) return promptView(page, prompt);
  const resource = kind === "resource" && resources.find(({ uri }) => uri === name);
  if (resource) return resourceView(page, resource);
  const template = kind === "resource" && templates.find(({ uriTemplate }) => uriTemplate === name);
  if (template) return templateView(page, template);
  return view(`There is no ${kind} ${name}`, h("p", "It may have been renamed, or this credential may not see it."));
}

/** @param what "list": phones show the list below it */
function put(element: HTMLElement, what: "list" | "item"): void {
  document.body.dataset.view = what;
  main.removeAttribute("aria-busy");
  fill(main, element);
}

function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`index.html has no #${id}`);
  return element;
}
