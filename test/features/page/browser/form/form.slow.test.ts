/** The form as a whole: problems at their fields, the JSON side, odd schemas, and how it looks and sounds. */
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { violationsIn } from "../../../../support/node/axe.ts";
import { findChromium, launch } from "../../../../support/node/chromium.ts";
import { POOR_CONTRASTS } from "../../../../support/node/contrasts.ts";
import { type FormPage, openForms } from "../../../../support/node/forms.ts";

const executablePath = findChromium("test/features/page/browser/form/form.slow.test.ts");
const text = { type: "string" };
const ADDRESS = { type: "object", properties: { city: text, zip: { type: "integer" } }, required: ["city"] };
const ORDER = {
  type: "object",
  properties: { name: text, address: ADDRESS, items: { type: "array", items: ADDRESS }, "a.b": text, pay: ADDRESS },
  required: ["name", "address"],
};

/** One of each kind of field. */
const ALL = {
  type: "object",
  properties: {
    name: { type: "string", title: "Name", description: "Who it is for.", minLength: 1, examples: ["Ada"] },
    body: { type: "string", examples: ["Hello"], deprecated: true },
    due: { type: "string", format: "date-time" },
    secret: { type: "string", format: "password" },
    count: { type: "integer", minimum: 1, maximum: 200, default: 5 },
    sure: { type: "boolean" },
    usual: { type: "boolean", default: true },
    unit: { enum: ["C", "F"] },
    colour: { enum: ["red", "green", "blue", "black"] },
    many: { enum: Array.from({ length: 60 }, (_, index) => `value ${index}`) },
    kind: { const: "fixed" },
    id: { type: "string", readOnly: true },
    flags: { type: "array", items: { enum: ["a", "b"] } },
    tags: { type: "array", items: text, minItems: 2 },
    pair: { type: "array", prefixItems: [text, { type: "number" }], items: false },
    address: ADDRESS,
    billing: ADDRESS,
    headers: { type: "object", additionalProperties: text },
    shape: { oneOf: [ADDRESS, { type: "string", title: "by name" }] },
    comment: { type: ["string", "null"] },
    anything: {},
  },
  required: ["name", "body", "count", "unit", "colour", "kind", "tags", "pair", "address", "shape", "anything"],
};

describe.skipIf(!executablePath)("in Chromium", () => {
  let browser: Browser;
  let forms: FormPage;
  beforeAll(async () => {
    browser = await launch(executablePath as string);
    forms = await openForms(browser);
  });
  afterEach(() => expect(forms.complaints).toEqual([]));
  afterAll(() => browser?.close());
  const label = (name: string) => forms.page.getByLabel(name, { exact: true });
  const button = (name: string) => forms.page.getByRole("button", { name, exact: true });
  const json = () => label("Input as JSON");
  const focused = () =>
    forms.run<string>("document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent");

  describe("problems", () => {
    it("are at their fields, by any way to write a path, and go away when the field changes", async () => {
      const initial = { name: "", address: { city: "" }, items: [{ city: "a" }, { city: "b" }], "a.b": "" };
      await forms.make(ORDER, { initial });
      await forms.showProblems({
        "address.zip": "Too small",
        "items[0].city": "Unknown city",
        "items.1.zip": "Missing",
        items: "Too many",
        "a.b": "Too short",
        "pay.city": "Missing",
        other: "Not known",
        "": "Something else",
      });
      const problemOf = async (name: string, index = 0) => {
        const control = forms.page.getByLabel(name, { exact: true }).nth(index);
        expect(await control.getAttribute("aria-invalid")).toBe("true");
        return forms.page.locator(`#${await control.getAttribute("aria-errormessage")}`).textContent();
      };
      expect(await problemOf("zip")).toBe("Too small");
      expect(await problemOf("city", 1)).toBe("Unknown city");
      expect(await problemOf("zip", 2)).toBe("Missing");
      expect(await problemOf("a.b")).toBe("Too short");
      await forms.page
        .getByRole("group", { name: "items", exact: true })
        .getByText("Too many", { exact: true })
        .waitFor();
      await forms.page.getByRole("group", { name: "pay", exact: true }).getByText("city: Missing").waitFor();
      expect(await focused()).toBe("other: Not known\nSomething else");
      await label("a.b").fill("x");
      expect(await label("a.b").getAttribute("aria-invalid")).toBeNull();
      expect(await forms.page.locator(".form-problem:visible").count()).toBe(6);
      await forms.showProblems({ pay: "No", "address.city": "No such city" });
      expect(await forms.page.locator(".form-problem:visible").count()).toBe(2);
      expect(await focused()).toBe("city");
      await forms.showProblems({});
      expect(await forms.page.locator(".form-problem:visible").count()).toBe(0);
    });

    it("that are certain are found without asking the server", async () => {
      const schema = { ...ORDER, properties: { ...ORDER.properties, name: { ...text, minLength: 1 } } };
      await forms.make(schema, { initial: { name: "", address: { city: "x" }, pay: {} } });
      await forms.page.getByRole("group", { name: "pay" }).getByLabel("zip").fill("1.5");
      expect(await forms.page.locator(".form-problem:visible").count()).toBe(0);
      await forms.showOwnProblems();
      expect(await focused()).toBe("name");
      await forms.page.getByRole("textbox", { name: "name", description: "This is required." }).waitFor();
      expect(await forms.read()).toEqual({
        problems: {
          name: "This is required.",
          "pay.city": "This is required.",
          "pay.zip": "This must be a whole number.",
        },
      });
    });
  });

  describe("as JSON", () => {
    it("is the same value, and what the form does not know survives", async () => {
      await forms.make(ORDER);
      await label("name").fill("Ada");
      await button("JSON").press("Enter");
      expect(JSON.parse(await json().inputValue())).toEqual({ name: "Ada", address: {} });
      const value = {
        name: "Bo",
        address: { city: "Ulm", planet: "Earth" },
        more: { deep: [1, { a: null }] },
        items: [],
      };
      await json().fill(JSON.stringify(value));
      expect(await forms.read()).toEqual({ value });
      await button("Form").press("Enter");
      expect(await label("city").inputValue()).toBe("Ulm");
      await forms.page.getByText("Also sent, to change as JSON: more").waitFor();
      await label("city").fill("Bonn");
      expect(await forms.read()).toEqual({ value: { ...value, address: { city: "Bonn", planet: "Earth" } } });
      await button("JSON").click();
      expect(JSON.parse(await json().inputValue())).toHaveProperty("more.deep", [1, { a: null }]);
    });

    it("says in which line it is no JSON, and keeps the text", async () => {
      await forms.make(ORDER);
      await button("JSON").click();
      const problems: Record<string, string> = {
        '{\n  "name": "a"\n  "x": 1\n}': "Line 3: expected a comma or }.",
        '{"name": "a",}': "Line 1: expected a name in double quotes.",
        '{"name" "a"}': "Line 1: expected a colon.",
        "{'name': 1}": "Line 1: expected a name in double quotes.",
        '{\n"a":\nundefined}': "Line 3: expected a value.",
        '{"a": [1, 2}': "Line 1: expected a comma or ].",
        '{"a": 01}': "Line 1: expected a value.",
        '{"a": "\n"}': "Line 1: expected a value.",
        '{"a": 1}\n\nx': "Line 3: expected nothing more.",
        '{\n"a": [\n': "Line 2: the text ends too early.",
        '{"a": 9007199254740993}': "9007199254740993 would be rounded to 9007199254740992.",
        '{"a": 1e999}': "This number is too large.",
        "[1]": "This must be an object: { … }.",
      };
      for (const [written, problem] of Object.entries(problems)) {
        await json().fill(written);
        expect(await forms.read(), written).toEqual({ problems: { "": problem } });
      }
      await button("Form").click();
      expect(await json().inputValue()).toBe("[1]");
      expect(await json().getAttribute("aria-invalid")).toBe("true");
      await forms.page.getByRole("textbox", { description: "This must be an object: { … }." }).waitFor();
      await json().fill("");
      expect(await forms.read()).toEqual({ value: {} });
    });

    it("loses nothing of a form that was not complete", async () => {
      await forms.make({ type: "object", properties: { any: {}, count: { type: "number" } } });
      await label("any").fill("{not yet");
      await button("JSON").click();
      await button("Form").click();
      expect(await label("any").inputValue()).toBe("{not yet");
    });

    it("shows what is filled in at first, and the server's problems with their paths", async () => {
      const initial = { name: "x", address: { city: "y" } };
      await forms.make(ORDER, { initial });
      await button("JSON").press("Enter");
      expect(JSON.parse(await json().inputValue())).toEqual(initial);
      await forms.showProblems({});
      expect(await focused()).toBe("JSON");
      await forms.showProblems({ "address.city": "Unknown" });
      await forms.page.getByText("address.city: Unknown").waitFor();
      expect(await json().evaluate((control) => control.ownerDocument.activeElement === control)).toBe(true);
      await button("Form").click();
      expect(await label("city").inputValue()).toBe("y");
    });
  });

  describe("any schema", () => {
    const node = {
      type: "object",
      properties: { name: text, children: { type: "array", items: { $ref: "#/$defs/node" } } },
    };
    const nested = (depth: number): object =>
      depth === 0 ? text : { type: "object", properties: { in: nested(depth - 1) }, required: ["in"] };
    const ODD: readonly object[] = [
      {},
      { type: "object" },
      { type: "array" },
      { type: 5, properties: [], required: "x", enum: 3, oneOf: {}, allOf: 1 },
      {
        type: "object",
        properties: { a: true, b: false, c: null, d: 5, e: { type: "what" }, "": text, __proto__x: text },
      },
      {
        type: "object",
        properties: { a: { $ref: "https://a.example/b" }, b: { $ref: "#/%zz" }, c: { $ref: "#/toString" } },
      },
      { $ref: "#" },
      { type: "object", properties: { me: { $ref: "#" } }, required: ["me"] },
      { type: "object", properties: { l: { $ref: "#" }, r: { $ref: "#" } }, required: ["l", "r"] },
      { anyOf: [{ $ref: "#" }, { type: "null" }] },
      { oneOf: [{ $ref: "#" }] },
      {
        type: "object",
        properties: { a: { $ref: "#/$defs/l" } },
        $defs: { l: { type: "array", items: { $ref: "#/$defs/l" } } },
      },
      { type: "object", properties: { a: { enum: [] }, b: { type: [] }, c: { oneOf: [] }, d: { items: [] } } },
      { type: "object", properties: { a: { type: "string", pattern: "(", examples: [{}], default: 5 } } },
      { type: "object", properties: { a: { type: "constructor" }, b: { type: "string", format: "constructor" } } },
      { allOf: [{ properties: { a: text } }, { properties: { b: text }, required: ["a"] }] },
    ];

    it("makes a form, and an empty one can be read", async () => {
      for (const schema of ODD) {
        await forms.make(schema);
        expect(Object.keys(await forms.read()), JSON.stringify(schema)).toHaveLength(1);
        await forms.make(schema, { initial: { any: [1] } });
        expect(await forms.read(), JSON.stringify(schema)).toMatchObject(
          JSON.stringify(schema).includes("required") ? {} : { value: { any: [1] } },
        );
      }
    });

    it("may hold itself", async () => {
      await forms.make({ ...node, $defs: { node } });
      await button("Add to children").click();
      await forms.page.getByRole("group", { name: "children 1" }).getByRole("button", { name: "Add" }).click();
      await label("name").last().fill("x");
      expect(await forms.read()).toEqual({ value: { children: [{ children: [{ name: "x" }] }] } });
    });

    it("may be deep and wide", async () => {
      await forms.make(nested(8));
      await label("in").last().fill("deep");
      expect(await forms.read()).toHaveProperty(`value.${"in.".repeat(8).slice(0, -1)}`, "deep");
      const names = Array.from({ length: 200 }, (_, index) => `p${index}`);
      await forms.make({ type: "object", properties: Object.fromEntries(names.map((name) => [name, text])) });
      await label("p199").fill("last");
      expect(await forms.read()).toEqual({ value: { p199: "last" } });
    });

    it("without anything to fill in says so", async () => {
      await forms.make({ type: "object", properties: {}, required: [] });
      await forms.page.getByText("There is nothing to fill in.").waitFor();
      expect(await forms.page.getByRole("button").count()).toBe(0);
      expect(await forms.read()).toEqual({ value: {} });
    });
  });

  describe("of a schema or with values that would make more fields than a page can hold", () => {
    /** Each is there at once, or the test does not end. */
    const list = (length: number) => Array.from({ length }, (_, index) => index);

    it.each(["allOf", "anyOf", "oneOf"])("because %s refers twice to the next", async (keyword) => {
      const $defs = Object.fromEntries(
        list(40).map((at) => {
          const next = { $ref: `#/$defs/d${at + 1}` };
          return [`d${at}`, { [keyword]: [next, next], required: ["a"] }];
        }),
      );
      const properties = { a: { $ref: "#/$defs/d0", default: {} }, b: { type: "string" } };
      await forms.make({
        type: "object",
        properties: { ...properties, c: { $ref: "#/$defs/d1" } },
        required: ["a"],
        $defs,
      });
      await label("b").fill("x");
      expect(await forms.read()).toEqual({ value: { a: {}, b: "x" } });
    });

    it.each([
      ["a list", { type: "array", items: { type: "string" } }, list(20_000).map(String)],
      [
        "a list of lists",
        { type: "array", items: { type: "array", items: { type: "string" } } },
        list(190).map(() => list(190).map(String)),
      ],
      [
        "a tuple",
        { type: "array", prefixItems: list(20_000).map(() => ({ type: "string" })) },
        list(20_000).map(String),
      ],
      ["values by name", { additionalProperties: { type: "number" } }, Object.fromEntries(list(20_000).entries())],
      ["a group", { properties: Object.fromEntries(list(20_000).map((at) => [`n${at}`, {}])) }, { n5: 5 }],
    ])("because %s is long: it is JSON", async (_, schema, value) => {
      const object = (more: object) => ({ type: "object", properties: { a: { ...schema, ...more } }, required: ["a"] });
      await forms.make(object({ default: value }));
      expect(await forms.read()).toEqual({ value: { a: value } });
      expect(await forms.page.locator("form input, form textarea").count()).toBeLessThan(1_500);
      await forms.make(object({}), { initial: { a: value } });
      expect(await forms.read()).toEqual({ value: { a: value } });
      expect(await forms.page.locator("form input, form textarea").count()).toBeLessThan(1_500);
    });

    it("has fields for a list of 200 entries", async () => {
      const tags = list(200).map(String);
      await forms.make({ properties: { tags: { type: "array", items: { type: "string" } } } }, { initial: { tags } });
      expect(await label("tags 200").inputValue()).toBe("199");
    });
  });

  it("shows text of the server as text, and tells of every change", async () => {
    const hostile = "<img src=x onerror=alert(1)>";
    await forms.make({
      type: "object",
      properties: { [hostile]: { type: "string", title: hostile, description: hostile } },
    });
    await forms.showProblems({ [hostile]: hostile, other: hostile });
    expect(await forms.page.locator("form img").count()).toBe(0);
    await label(hostile).fill("x");
    expect(await forms.run("forms.changes()")).toBe(1);
    await forms.make(ORDER);
    await button("Add to items").click();
    await button("Remove items 1").click();
    await button("Add pay").click();
    expect(await forms.run("forms.changes()")).toBe(3);
  });

  describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
    it("has nothing that axe finds, texts that can be read, and room on a phone at double size", async () => {
      const look = await openForms(browser, { colorScheme, viewport: { width: 320, height: 800 } });
      const { page } = look;
      await look.make(ALL);
      await page.getByRole("button", { name: "Add billing" }).click();
      await page.getByRole("button", { name: "Add a name to headers" }).click();
      await page.getByRole("group", { name: "Form of shape" }).getByRole("radio").first().check();
      expect(await violationsIn(page)).toEqual([]);
      await look.showOwnProblems();
      await look.page.evaluate(`forms.show([["address", "Wrong"], ["tags", "Wrong"], ["unit", "Wrong"], ["x", "Wrong"],
        ["kind", "Wrong"], ["comment", "Wrong"], ["flags", "Wrong"], ["colour", "Wrong"], ["count", "Wrong"]])`);
      expect(await page.locator(".form-problem:visible").count()).toBe(9);
      expect(await violationsIn(page)).toEqual([]);
      expect(await page.evaluate<string[]>(POOR_CONTRASTS)).toEqual([]);
      const small = await page.evaluate<string[]>(`[...document.querySelectorAll(
        "form button, form select, form textarea, form input:not([type=radio], [type=checkbox]), .form-option")]
        .filter((control) => control.getBoundingClientRect().height < 39.9).map((control) => control.outerHTML)`);
      expect(small).toEqual([]);
      const wide = () => page.evaluate<number>("document.documentElement.scrollWidth");
      expect(await wide()).toBeLessThanOrEqual(320);
      await page.evaluate('document.documentElement.style.fontSize = "200%"');
      expect(await wide()).toBeLessThanOrEqual(320);
      expect(look.complaints).toEqual([]);
      await page.close();
    });
  });
});
