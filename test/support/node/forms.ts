/** Forms of the page at / in a real browser, alone on a page with the policy and the colours that the page has. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "esbuild";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

const ROOT = resolve(import.meta.dirname, "../../..");
const CODE = `
import { inputForm } from "./form.ts";
let form;
let changes = 0;
const asked = [];
const answer = { complete: async (name, value) => (asked.push([name, value]), [value + "-one", value + "-two"]) };
globalThis.forms = {
  make(text, options) {
    const { completes, ...rest } = JSON.parse(options);
    form = inputForm(JSON.parse(text), { ...rest, ...(completes && answer) });
    changes = 0;
    form.onChange(() => { changes += 1; });
    document.querySelector("form").replaceChildren(form.element);
  },
  read() {
    const result = form.read();
    return JSON.stringify("value" in result ? result : { problems: Object.fromEntries(result.problems) });
  },
  write: (text) => form.write(JSON.parse(text)),
  show: (problems) => form.showProblems(new Map(problems)),
  showRead: () => form.showProblems(form.read().problems ?? new Map()),
  focus: () => form.focus(),
  changes: () => changes,
  asked: () => asked,
};`;

const COLOURS = `
:root { --text: #1b1b1f; --quiet: #5a5d66; --back: #fff; --panel: #f4f5f7; --line: #d5d8de; --accent: #0b57d0;
  --on-accent: #fff; --bad: #b3261e; --good: #146c2e; --radius: 6px; color-scheme: light; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e6ea; --quiet: #a3a7b0; --back: #16171b; --panel: #212329;
  --line: #3a3d45; --accent: #8ab4f8; --on-accent: #10131a; --bad: #ff9a92; --good: #7bd88f; color-scheme: dark; } }
body { background: var(--back); color: var(--text); font: 16px/1.5 sans-serif; margin: 1rem; }`;

let bundled: Promise<string> | undefined;
function bundle(): Promise<string> {
  const folder = resolve(ROOT, "src/front-page/form");
  bundled ??= build({
    stdin: { contents: CODE, resolveDir: folder },
    bundle: true,
    write: false,
    charset: "utf8",
  }).then(({ outputFiles: [file] }) => file?.text ?? "");
  return bundled;
}

export type Read = { readonly value: Record<string, unknown> } | { readonly problems: Record<string, string> };
interface Options {
  readonly idPrefix?: string;
  readonly initial?: object;
  /** Whether texts are completed: with what was typed and -one, -two. */
  readonly completes?: boolean;
}

export interface FormPage {
  readonly page: Page;
  /** What the browser complained about: exceptions, and violations of the policy. */
  readonly complaints: readonly string[];
  make(schema: object, options?: Options): Promise<void>;
  read(): Promise<Read>;
  write(value: object): Promise<void>;
  /** By path. */
  showProblems(problems: Record<string, string>): Promise<void>;
  /** Shows what `read` finds wrong, as a view does before a call. */
  showOwnProblems(): Promise<void>;
  /** Writes each value to a new form of its schema, and reads it. */
  roundTrips(cases: readonly (readonly [schema: object, value: object])[]): Promise<Read[]>;
  run<T>(code: string): Promise<T>;
}

export async function openForms(browser: Browser, look: BrowserContextOptions = {}): Promise<FormPage> {
  const script = await bundle();
  const css = COLOURS + readFileSync(resolve(ROOT, "src/front-page/style/form.css"), "utf8");
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(css)}; form-action 'none'`;
  const page = await browser.newPage(look);
  const complaints: string[] = [];
  // The browser's advice, such as on several secrets in a form, is no complaint.
  page.on("console", (message) => /^(warning|error)$/.test(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.route("http://form.test/", (route) =>
    route.fulfill({
      contentType: "text/html; charset=utf-8",
      headers: { "content-security-policy": policy },
      body: `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Form</title>
<style>${css}</style><main><h1>Form</h1><form novalidate></form></main><script>${script}</script></html>`,
    }),
  );
  await page.goto("http://form.test/");
  const run = <T>(code: string) => page.evaluate<T>(code);
  const text = (value: unknown) => JSON.stringify(JSON.stringify(value));
  const read = async () => JSON.parse(await run<string>("forms.read()")) as Read;
  return {
    page,
    complaints,
    run,
    read,
    make: (schema, options = {}) => run(`forms.make(${text(schema)}, ${text(options)})`),
    write: (value) => run(`forms.write(${text(value)})`),
    showProblems: (problems) => run(`forms.show(${JSON.stringify(Object.entries(problems))})`),
    showOwnProblems: () => run("forms.showRead()"),
    async roundTrips(cases) {
      const texts = cases.map(([schema, value]) => [JSON.stringify(schema), JSON.stringify(value)]);
      const results = await run<string[]>(`${JSON.stringify(texts)}.map(([schema, value]) => {
        forms.make(schema, "{}");
        forms.read();
        forms.write(value);
        return forms.read();
      })`);
      return results.map((result) => JSON.parse(result));
    },
  };
}
