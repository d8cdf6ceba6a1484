/**
 * The pages that a person sees: the key is asked for, then what it would open is shown, or why it ends here. Plain HTML
 * without a script; everything a client chose is escaped and cut short. Decides nothing.
 */
import { type Html, html, shown } from "./html.ts";
import type { Offer, Offered } from "./offer.ts";
import { STYLE } from "./style.ts";

/** The app that wants in, as far as it is known. */
export interface Who {
  readonly name: string;
  /** Of an app whose id is a document on a domain of its own: that domain. Others say any name they like. */
  readonly domain?: string | undefined;
  /** Where its user is sent, and the access with them. */
  readonly host: string;
  readonly loopback: boolean;
}

/** What a page's form sends along. */
export interface Form {
  /** Of the page's address, with its question mark. */
  readonly query: string;
  readonly handle: string;
  /** Cookies that go with the handle. */
  readonly headers: Headers;
}

/** Why the key is asked for again. */
export interface Trouble {
  readonly status: number;
  readonly message: string;
}

/** Most entries, or scopes before a key is given, that are listed one by one. */
const MANY = 40;

interface Page {
  readonly status: number;
  readonly title: string;
  readonly body: Html;
  /** Cookies. */
  readonly headers?: Headers | undefined;
  /** Whether a form may lead away from here. */
  readonly leaves?: boolean;
}

/** @param cancel where the app hears that its user would rather not */
export function keyPage(
  server: string,
  who: Who,
  scopes: readonly string[],
  form: Form,
  cancel: string,
  trouble?: Trouble,
): Response {
  const body = html`<h1>Connect <bdi>${shown(who.name)}</bdi> to <bdi>${shown(server)}</bdi></h1>
${facts(who)}
${scopes.length > 0 && html`<p>It asks for: ${list(scopes.slice(0, MANY))}${scopes.length > MANY && ", …"}. You choose on the next page.</p>`}
${formStart(form)}
${trouble && html`<p class="bad" role="alert" id="why">${trouble.message}</p>`}
<label for="key">API key</label>
<input id="key" name="key" type="password" required autofocus autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="${trouble && "why "}hint"${trouble && html` aria-invalid="true"`}>
<p class="quiet" id="hint">It starts with <code>trivet_</code>. Whoever runs this server makes one for you. The app does not get to see it.</p>
<p class="acts"><button>Continue</button><a href="${cancel}">Cancel</a></p>
</form>`;
  const title = `${trouble ? "Error: " : ""}Sign in · ${shown(server)}`;
  return page({ status: trouble?.status ?? 200, title, body, headers: form.headers });
}

export function consentPage(server: string, who: Who, { scopes, offered }: Offer, keyId: string, form: Form): Response {
  const open = offered.filter(({ lacks }) => lacks.length === 0);
  const closed = offered.filter(({ lacks }) => lacks.length > 0);
  const body = html`<h1>Allow <bdi>${shown(who.name)}</bdi> to use this server?</h1>
${facts(who)}
<p class="quiet">You signed in with the key <code>trivet_${keyId}_…</code></p>
<h2>${open.length === 0 ? "Nothing" : counted(open)}</h2>
${open.length === 0 && html`<p>With what it asks for, this key opens nothing.</p>`}
${toolkits(open, ({ scopes }) => scopes)}
${closed.length > 0 && html`<h2>Not included</h2><p>These need scopes that the app does not ask for.</p>`}
${toolkits(closed, ({ lacks }) => lacks)}
${formStart(form)}
${scopes.length > 0 && html`<fieldset><legend>Scopes</legend>${scopes.map((scope, at) => tick(scope, at, open))}</fieldset>`}
<p class="quiet">Access ends when the key is revoked, when the app gives it up, or after 30 days without use.</p>
<p class="acts"><button name="decision" value="allow">Allow</button><button class="plain" name="decision" value="deny">Deny</button></p>
</form>`;
  return page({ status: 200, title: `Allow access · ${shown(server)}`, body, headers: form.headers, leaves: true });
}

export function endPage(status: number, heading: string, text: string, headers?: Headers): Response {
  const body = html`<h1>${heading}</h1><p role="alert">${text}</p><p>You can close this page.</p>`;
  return page({ status, title: heading, body, headers });
}

/**
 * An end page with a link back to the app, which the person may follow or not.
 *
 * @param href where the app hears of it
 */
export function linkBackPage(status: number, heading: string, text: string, href: string, headers?: Headers): Response {
  const body = html`<h1>${heading}</h1><p role="alert">${text}</p>
<p>You can close this page, or go back to the app if you know it: <a href="${href}">${new URL(href).host}</a></p>`;
  return page({ status, title: heading, body, headers });
}

function formStart({ query, handle }: Form): Html {
  return html`<form method="post" action="/authorize${query}"><input type="hidden" name="handle" value="${handle}">`;
}

/** What the protocol wants shown of a client (MCP, security best practices, Confused Deputy). */
function facts({ name, domain, host, loopback }: Who): Html {
  const publisher = domain === undefined ? "Not verified: the app chose its name itself" : domain;
  return html`<dl><dt>App</dt><dd><bdi>${shown(name)}</bdi></dd>
<dt>Published by</dt><dd>${publisher}</dd>
<dt>Access is sent to</dt><dd>${host}${loopback && " (this computer)"}</dd></dl>
${loopback && html`<p class="warn">This gives access to an app on your computer. Go on only if you started it yourself, just now.</p>`}`;
}

function list(scopes: readonly string[]): Html[] {
  return scopes.map((scope, at) => html`${at > 0 && ", "}<code>${shown(scope)}</code>`);
}

/** `2 tools, 1 prompt` */
function counted(offered: readonly Offered[]): string {
  const kinds = [...Map.groupBy(offered, ({ kind }) => kind)];
  return kinds.map(([kind, { length }]) => `${length} ${kind}${length === 1 ? "" : "s"}`).join(", ");
}

function tick(scope: string, at: number, open: readonly Offered[]): Html {
  const needing = open.filter(({ scopes }) => scopes.includes(scope)).map(({ id }) => id);
  const note = needing.length === 0 ? "Basic access" : `Needed by ${needing.join(", ")}`;
  return html`<div class="tick"><input type="checkbox" name="scope" value="${scope}" id="s${at}" checked aria-describedby="n${at}"><label for="s${at}"><code>${scope}</code></label></div>
<p class="quiet under" id="n${at}">${note}</p>`;
}

/** @param scopesOf which of an offer's scopes to name */
function toolkits(offered: readonly Offered[], scopesOf: (offer: Offered) => readonly string[]): Html[] {
  return [...Map.groupBy(offered, ({ toolkit }) => toolkit)].map(([toolkit, members]) => {
    const items = members.map((offer) => {
      const scopes = scopesOf(offer);
      const kind = offer.kind === "tool" ? "" : ` (${offer.kind})`;
      return html`<li>${offer.id}${kind}${scopes.length > 0 && html` <span class="quiet">with ${list(scopes)}</span>`}</li>`;
    });
    // Of many, the toolkits are what fits before the question; each opens to show its own.
    return offered.length > MANY
      ? html`<details><summary>${toolkit} (${members.length})</summary><ul>${items}</ul></details>`
      : html`<h3>${toolkit}</h3><ul>${items}</ul>`;
  });
}

function page({ status, title, body, headers = new Headers(), leaves = false }: Page): Response {
  const nonce = crypto.randomUUID();
  // Chromium holds the whole chain of redirects after a form to form-action, and where a client's own address leads on
  // to is not known. So it stands where a key is typed, and is left out where the answer leads back to the client.
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
  return new Response(`${text}${STYLE}</style></head>\n<body><main>${body.text}</main></body></html>\n`, {
    status,
    headers,
  });
}
