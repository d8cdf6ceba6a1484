/**
 * The page on which a person uploads a file for a tool, and those that say why there is nothing to upload. They load
 * nothing from elsewhere, and run no script but ours. Decides nothing.
 */
import type { UploadPage } from "../../../core/ports/files.ts";
import { displayName, type Html, html } from "../../../http/pages/html.ts";
import { MARK, STYLE } from "../../../http/pages/style.ts";
import { acceptInWords, sizeInWords } from "../accept.ts";
import { SCRIPT } from "./page-script.ts";

/** @param server its title, or its name */
export function uploadPage(server: string, { tool, message, accept, maxBytes }: UploadPage): Promise<Response> {
  const kinds = acceptInWords(accept);
  const hint = `${kinds === "" ? "Any file" : kinds}, up to ${sizeInWords(maxBytes)}.`;
  const body = html`<h1>Upload a file</h1>
<p><bdi>${displayName(tool)}</bdi>, a tool of <bdi>${displayName(server)}</bdi>, asks:</p>
<blockquote>${message}</blockquote>
<form id="form" data-most="${maxBytes}" data-kinds="${kinds}">
<div id="drop"><label for="file">Your file</label>
<input type="file" id="file" accept="${accept.join(",")}" aria-describedby="why hint">
<p class="quiet" id="hint">${hint} <span class="mouse">You can also drop it here.</span></p></div>
<p class="bad" role="alert" id="why" hidden></p>
<div id="going" hidden><progress id="bar" max="1" value="0" aria-label="Uploaded"></progress><p class="quiet" id="share"></p></div>
<p class="unseen" role="status" id="status"></p>
<p class="quiet">The file goes only to the call that asked for it, and to repeats of it by the same user. Go on only if your own assistant sent you here, just now.</p>
<p class="acts"><button id="send" disabled>Upload</button><button type="button" class="plain" id="stop" hidden>Cancel</button></p>
</form>
<noscript><p class="bad">This page needs JavaScript to send the file.</p></noscript>`;
  return page(200, "Upload a file", body, SCRIPT);
}

/** A page with a message and without a form. */
export function endPage(status: number, heading: string, text: string): Promise<Response> {
  return page(status, heading, html`<h1>${heading}</h1><p role="alert">${text}</p>`);
}

const OWN_STYLE = `
[hidden]{display:none!important}
blockquote{margin:1rem 0;padding:.25rem 0 .25rem 1rem;border-left:.25rem solid var(--accent);font-size:1.1rem;white-space:pre-line}
#drop{margin:1rem 0;padding:1rem;border:2px dashed var(--line);border-radius:.5rem}
#drop.over{border-color:var(--accent);background:var(--code-back)}
#file{display:block;width:calc(100% + .5rem);margin:.5rem -.25rem;padding:.25rem;font:inherit;color:inherit;border-radius:.4rem}
#file::file-selector-button{min-height:2.75rem;margin-right:.75rem;padding:.5rem 1rem;font:inherit;font-weight:600;color:var(--accent);background:none;border:1px solid var(--accent);border-radius:.4rem;cursor:pointer}
progress{width:100%;height:1rem;accent-color:var(--accent)}
#share{min-height:1.5em;font-variant-numeric:tabular-nums}
#send,#stop{pointer-events:auto}
#send:disabled{opacity:.5;cursor:default}
@media (hover:none){.mouse{display:none}}
.unseen{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%)}
`.replaceAll("\n", "");

async function page(status: number, title: string, body: Html, script = ""): Promise<Response> {
  const style = STYLE + OWN_STYLE;
  const rules = [
    "default-src 'none'",
    `style-src '${await hashOf(style)}'`,
    ...(script === "" ? [] : [`script-src '${await hashOf(script)}'`, "connect-src 'self'"]),
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ];
  const { text } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title><style>`;
  const main = `<main>${MARK.text}${body.text}</main>`;
  const end = script === "" ? "" : `<script>${script}</script>`;
  return new Response(`${text}${style}</style></head>\n<body>${main}${end}</body></html>\n`, {
    status,
    headers: {
      "content-security-policy": rules.join("; "),
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    },
  });
}

/** The name of an inline script or style in a policy (Content Security Policy Level 3, section 2.3.1, hash-source). */
async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${new Uint8Array(digest).toBase64()}`;
}
