/**
 * The pages that the user sees: one that asks for the key, one that asks for consent, and one for every other result.
 * Plain HTML without scripts. Everything that a client chose is escaped and cut short. Decides nothing.
 */

import { displayName, type Html, html } from "../../http/pages/html.ts";
import { MARK, STYLE } from "../../http/pages/style.ts";
import type { Grantable, GrantableItem } from "./grantable.ts";
import { placeOf } from "./redirects.ts";

/** The app that asks for access. */
export interface Who {
  /** Any name that the app chose. */
  readonly name: string;
  /** The domain that hosts the app's client id, if the id is a URL: unlike the name, this is verified. */
  readonly domain?: string | undefined;
  /** Where the redirect URI leads, which gets the access: its host, or the scheme of an app on the user's machine. */
  readonly host: string;
  /** Whether that is on the user's own machine. */
  readonly loopback: boolean;
}

/** What a page's form sends besides the user's input. */
export interface Form {
  /** Query string of the page's URL, with the question mark. */
  readonly query: string;
  /** Identifies the saved state (see authorize.ts). */
  readonly handle: string;
  /** Cookies that belong to the handle. */
  readonly headers: Headers;
}

/** Why the page asks for the key again. */
export interface Trouble {
  readonly status: number;
  readonly message: string;
}

/** Maximum number of entries, or of scopes on the key page, that are listed one by one. */
const MANY = 40;

interface Page {
  readonly status: number;
  readonly title: string;
  readonly body: Html;
  /** Cookies to set. */
  readonly headers?: Headers | undefined;
  /** Whether submitting the form may redirect to another site. */
  readonly leaves?: boolean;
}

/**
 * The page that asks for an API key.
 *
 * @param cancel URL that tells the app that the user declined
 * @param trouble why the key entered before was refused, if there was one
 */
export function keyPage(
  server: string,
  who: Who,
  scopes: readonly string[],
  form: Form,
  cancel: string,
  trouble?: Trouble,
): Response {
  const body = html`<h1>Connect <bdi>${displayName(who.name)}</bdi> to <bdi>${displayName(server)}</bdi></h1>
${facts(who)}
${scopes.length > 0 && html`<p>It asks for: ${list(scopes.slice(0, MANY))}${scopes.length > MANY && ", …"}. You choose on the next page.</p>`}
${formStart(form)}
${trouble && html`<p class="bad" role="alert" id="why">${trouble.message}</p>`}
<label for="key">API key</label>
<input id="key" name="key" type="password" required autofocus autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="${trouble && "why "}hint"${trouble && html` aria-invalid="true"`}>
<p class="quiet" id="hint">It starts with <code>trivet_</code>. The operator of this server can create one for you. The app never sees it.</p>
<p class="acts"><button>Continue</button><a href="${cancel}">Cancel</a></p>
</form>`;
  const title = `${trouble ? "Error: " : ""}Sign in · ${displayName(server)}`;
  return page({ status: trouble?.status ?? 200, title, body, headers: form.headers });
}

/** The page that shows what the app would get, and asks for consent. */
export function consentPage(
  server: string,
  who: Who,
  { scopes, items }: Grantable,
  keyId: string,
  form: Form,
): Response {
  const open = items.filter(({ lacks }) => lacks.length === 0);
  const closed = items.filter(({ lacks }) => lacks.length > 0);
  const body = html`<h1>Allow <bdi>${displayName(who.name)}</bdi> to use this server?</h1>
${facts(who)}
<p class="quiet">You signed in with the key <code>trivet_${keyId}_…</code></p>
<h2>${open.length === 0 ? "Nothing" : counted(open)}</h2>
${open.length === 0 && html`<p>With the scopes it asks for, this key gives access to nothing.</p>`}
${toolkits(open, ({ scopes }) => scopes)}
${closed.length > 0 && html`<h2>Not included</h2><p>These need scopes that the app does not ask for.</p>`}
${toolkits(closed, ({ lacks }) => lacks)}
${formStart(form)}
${scopes.length > 0 && html`<fieldset><legend>Scopes</legend>${scopes.map((scope, at) => tick(scope, at, open))}</fieldset>`}
<p class="quiet">Access ends when the key is revoked, when the app gives it up, or after 30 days without use.</p>
<p class="acts"><button name="decision" value="allow">Allow</button><button class="plain" name="decision" value="deny">Deny</button></p>
</form>`;
  const title = `Allow access · ${displayName(server)}`;
  return page({ status: 200, title, body, headers: form.headers, leaves: true });
}

export function endPage(status: number, heading: string, text: string, headers?: Headers): Response {
  const body = html`<h1>${heading}</h1><p role="alert">${text}</p><p>You can close this page.</p>`;
  return page({ status, title: heading, body, headers });
}

/**
 * An end page with a link back to the app, which the user need not follow.
 *
 * @param href URL that tells the app about the result
 */
export function linkBackPage(status: number, heading: string, text: string, href: string, headers?: Headers): Response {
  const body = html`<h1>${heading}</h1><p role="alert">${text}</p>
<p>You can close this page, or go back to the app if you know it: <a href="${href}">${placeOf(href)}</a></p>`;
  return page({ status, title: heading, body, headers });
}

function formStart({ query, handle }: Form): Html {
  return html`<form method="post" action="/authorize${query}"><input type="hidden" name="handle" value="${handle}">`;
}

/** What MCP requires a consent page to show about the client (security best practices, Confused Deputy). */
function facts({ name, domain, host, loopback }: Who): Html {
  const publisher = domain === undefined ? "Not verified: the app chose its name itself" : domain;
  return html`<dl><dt>App</dt><dd><bdi>${displayName(name)}</bdi></dd>
<dt>Published by</dt><dd>${publisher}</dd>
<dt>Access is sent to</dt><dd>${host}${loopback && " (this computer)"}</dd></dl>
${loopback && html`<p class="warn">This gives access to an app on your computer. Go on only if you started it yourself, just now.</p>`}`;
}

function list(scopes: readonly string[]): Html[] {
  return scopes.map((scope, at) => html`${at > 0 && ", "}<code>${displayName(scope)}</code>`);
}

/** `2 tools, 1 prompt` */
function counted(items: readonly GrantableItem[]): string {
  const kinds = [...Map.groupBy(items, ({ kind }) => kind)];
  return kinds.map(([kind, { length }]) => `${length} ${kind}${length === 1 ? "" : "s"}`).join(", ");
}

function tick(scope: string, at: number, open: readonly GrantableItem[]): Html {
  const needing = open.filter(({ scopes }) => scopes.includes(scope)).map(({ id }) => id);
  const note = needing.length === 0 ? "Basic access" : `Needed by ${needing.join(", ")}`;
  return html`<div class="tick"><input type="checkbox" name="scope" value="${scope}" id="s${at}" checked aria-describedby="n${at}"><label for="s${at}"><code>${scope}</code></label></div>
<p class="quiet under" id="n${at}">${note}</p>`;
}

/** @param scopesOf selects the scopes to show with an item */
function toolkits(items: readonly GrantableItem[], scopesOf: (grantable: GrantableItem) => readonly string[]): Html[] {
  return [...Map.groupBy(items, ({ toolkit }) => toolkit)].map(([toolkit, members]) => {
    const items = members.map((grantable) => {
      const scopes = scopesOf(grantable);
      const kind = grantable.kind === "tool" ? "" : ` (${grantable.kind})`;
      return html`<li>${grantable.id}${kind}${scopes.length > 0 && html` <span class="quiet">with ${list(scopes)}</span>`}</li>`;
    });
    // A long list is collapsed to toolkits, so that the question stays in view.
    return items.length > MANY
      ? html`<details><summary>${toolkit} (${members.length})</summary><ul>${items}</ul></details>`
      : html`<h3>${toolkit}</h3><ul>${items}</ul>`;
  });
}

function page({ status, title, body, headers = new Headers(), leaves = false }: Page): Response {
  const nonce = crypto.randomUUID();
  // Chromium applies form-action to every redirect that follows the form, and we do not know where the client's own URL
  // redirects to. So the page that asks for the key has it, and a page whose form leads back to the client does not.
  const forms = leaves ? "" : "; form-action 'self'";
  headers.set(
    "content-security-policy",
    `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'${forms}`,
  );
  headers.set("content-type", "text/html; charset=utf-8");
  headers.set("cache-control", "no-store");
  headers.set("referrer-policy", "no-referrer");
  headers.set("x-content-type-options", "nosniff");
  headers.set("x-frame-options", "DENY");
  const { text } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title><style nonce="${nonce}">`;
  return new Response(`${text}${STYLE}</style></head>\n<body><main>${MARK.text}${body.text}</main></body></html>\n`, {
    status,
    headers,
  });
}
