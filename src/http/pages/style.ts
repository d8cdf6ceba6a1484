/** The look of the pages of sign-in and of files. */
import { html } from "./html.ts";

/** The project's mark (docs/pictures/mark.svg), for the top of a page. */
export const MARK = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><path class="ember" d="M8 10a8 8 0 0 1 16 0z"/><path d="M4 14h24M8.5 14 5 28M16 14v14M23.5 14 27 28"/></svg>
`;

/**
 * The stylesheet of the pages: one column, the system's font, light or dark as the user prefers, in colours of
 * src/features/page/browser/style/colours.css. A button that was just clicked ignores further clicks (the rule with
 * pointer-events), because the second click of a double click would cancel the first.
 */
export const STYLE = `
:root{color-scheme:light dark;--text:#241f1b;--quiet:#635a51;--back:#faf8f5;--code-back:#f3eee7;--line:#8a7f75;--accent:#b93d07;--on-accent:#ffffff;--bad:#9b0d3c;--warn:#7d5300}
@media (prefers-color-scheme:dark){:root{--text:#f0ebe5;--quiet:#b8ada2;--back:#181412;--code-back:#2b2521;--line:#857a70;--accent:#ff8f4f;--on-accent:#1f1007;--bad:#ff8fa6;--warn:#f1bf5b}}
*{box-sizing:border-box}
body{margin:0;padding:1.5rem 1rem 3rem;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:32rem;margin:0 auto}
.mark{display:block;width:2rem;margin:0 0 1rem;fill:none;stroke:var(--text);stroke-width:4;stroke-linecap:round}
.ember{fill:var(--accent);stroke:none}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}
h2{font-size:1.1rem;margin:1.75rem 0 .5rem}
h3{font-size:1rem;margin:1rem 0 .25rem}
p{margin:.5rem 0}
details{margin:.5rem 0}
summary{font-weight:600;cursor:pointer}
ul{margin:.25rem 0;padding-left:1.25rem}
dl{margin:1rem 0;padding:.75rem 1rem;background:var(--code-back);border-radius:.5rem}
dt{color:var(--quiet);font-size:.9rem}
dd{margin:0 0 .5rem;font-weight:600}
dd:last-child{margin:0}
code{font:.95em ui-monospace,monospace}
fieldset{margin:1rem 0;padding:.5rem 1rem .75rem;border:1px solid var(--line);border-radius:.5rem}
legend{padding:0 .25rem;font-weight:600}
label{font-weight:600}
.tick{display:flex;gap:.6rem;align-items:baseline;padding:.4rem 0 0}
.tick input{width:1.1rem;height:1.1rem;flex:none;accent-color:var(--accent);transform:translateY(.15rem)}
.quiet{color:var(--quiet);font-size:.9rem;font-weight:400}
.under{margin:0 0 .25rem 1.7rem}
.warn{padding:.75rem 1rem;background:var(--code-back);border-left:.25rem solid var(--warn);border-radius:.5rem}
.bad{padding:.75rem 1rem;border:2px solid var(--bad);border-radius:.5rem;color:var(--bad);font-weight:600}
input[type=password]{display:block;width:100%;margin:.35rem 0;padding:.6rem .7rem;font:inherit;color:inherit;background:var(--back);border:1px solid var(--line);border-radius:.4rem}
input[aria-invalid]{border:2px solid var(--bad)}
.acts{display:flex;flex-wrap:wrap;gap:.75rem;align-items:center;margin:1.5rem 0 0}
button,.acts a{min-height:2.75rem;padding:.55rem 1.25rem;font:inherit;font-weight:600;border-radius:.4rem;border:1px solid var(--accent);cursor:pointer}
button{background:var(--accent);color:var(--on-accent)}
button.plain,.acts a{background:none;color:var(--accent)}
a{color:var(--accent)}
button:focus:not(:focus-visible,:active){pointer-events:none}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
`.replaceAll("\n", "");
