/** Forms of the page at / in a real browser, alone on a page with the policy and the style that the page has. */
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { build } from "esbuild";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

const ROOT = resolve(import.meta.dirname, "../../..");
const CODE = `
import { inputForm } from "./form.ts";
let form;
let changes = 0;
let questions = [];
const complete = (name, value) => new Promise((resolve, reject) => questions.push({ name, value, resolve, reject }));
document.querySelector("form").addEventListener("input", () => { changes += 1; });
globalThis.forms = {
  make(schema, { completes, ...options } = {}) {
    form = inputForm(JSON.parse(schema), { ...options, ...(completes && { complete }) });
    changes = 0;
    questions = [];
    document.querySelector("form").replaceChildren(form.element);
  },
  read() {
    const result = form.read();
    return JSON.stringify("value" in result ? result : { problems: Object.fromEntries(result.problems) });
  },
  show: (problems) => form.showProblems(new Map(problems)),
  showRead: () => form.showProblems(form.read().problems ?? new Map()),
  changes: () => changes,
  asked: () => questions.map(({ name, value }) => [name, value]),
  answer: (index, values) => questions[index].resolve(values),
  fail: (index) => questions[index].reject(new Error("No completions")),
};`;

let bundled: Promise<{ script: string; style: string }> | undefined;
/** The form with what tests call, and the style of the whole page, as it has its colours. */
function bundle() {
  const folder = resolve(ROOT, "src/features/page/browser");
  const common = { bundle: true, write: false, charset: "utf8" } as const;
  bundled ??= Promise.all([
    build({ ...common, stdin: { contents: CODE, resolveDir: resolve(folder, "form") } }),
    build({ ...common, entryPoints: [resolve(folder, "style/main.css")] }),
  ]).then(([script, style]) => ({
    script: script.outputFiles[0]?.text ?? "",
    style: style.outputFiles[0]?.text ?? "",
  }));
  return bundled;
}

export type Read = { readonly value: Record<string, unknown> } | { readonly problems: Record<string, string> };
interface Options {
  readonly idPrefix?: string;
  readonly initial?: object;
  readonly passwordNote?: string;
  /** Whether texts are completed, by whoever calls `forms.answer(index, values)` or `forms.fail(index)`. */
  readonly completes?: boolean;
}

export interface FormPage {
  readonly page: Page;
  /** What the browser complained about: exceptions, and violations of the policy. */
  readonly complaints: readonly string[];
  make(schema: object, options?: Options): Promise<void>;
  read(): Promise<Read>;
  /** Fills in a value as a person can fill in any: as JSON. */
  write(value: object): Promise<void>;
  /** By path. */
  showProblems(problems: Record<string, string>): Promise<void>;
  /** Shows what `read` finds wrong, as a view does before a call. */
  showOwnProblems(): Promise<void>;
  /** Reads each value from a new form of its schema that has it filled in. */
  roundTrips(cases: readonly (readonly [schema: object, value: object])[]): Promise<Read[]>;
  /** Evaluates code, which may call all that `forms` has above. */
  run<T>(code: string): Promise<T>;
}

export async function openForms(browser: Browser, look: BrowserContextOptions = {}): Promise<FormPage> {
  const { script, style } = await bundle();
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; form-action 'none'`;
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
<style>${style}</style><main><h1>Form</h1><form novalidate></form></main><script>${script}</script></html>`,
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
    make: (schema, options = {}) => run(`forms.make(${text(schema)}, JSON.parse(${text(options)}))`),
    async write(value) {
      const mode = (name: string) => page.getByRole("button", { name, exact: true });
      await mode("JSON").click();
      await page.getByLabel("Input as JSON").fill(JSON.stringify(value));
      await mode("Form").click();
    },
    showProblems: (problems) => run(`forms.show(${JSON.stringify(Object.entries(problems))})`),
    showOwnProblems: () => run("forms.showRead()"),
    async roundTrips(cases) {
      const texts = cases.map(([schema, value]) => [JSON.stringify(schema), JSON.stringify(value)]);
      const results = await run<string[]>(`${JSON.stringify(texts)}.map(([schema, value]) => {
        forms.make(schema, { initial: JSON.parse(value) });
        return forms.read();
      })`);
      return results.map((result) => JSON.parse(result));
    },
  };
}
