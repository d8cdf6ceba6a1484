/** What a person can fill in, by label and by keyboard, and what is sent of it. */
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { findChromium, launch } from "../../../../support/node/chromium.ts";
import { type FormPage, openForms } from "../../../../support/node/forms.ts";

const executablePath = findChromium("test/features/page/browser/form/fields.slow.test.ts");
const object = (properties: object, required: string[] = [], more: object = {}) => ({
  type: "object",
  properties,
  required,
  ...more,
});

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
  const described = (name: string) =>
    label(name).evaluate(
      (control: {
        getAttribute(name: string): string | null;
        ownerDocument: { getElementById(id: string): { textContent: string } };
      }) =>
        (control.getAttribute("aria-describedby") ?? "")
          .split(" ")
          .map((id) => control.ownerDocument.getElementById(id).textContent)
          .join(" "),
    );
  const button = (name: string) => forms.page.getByRole("button", { name, exact: true });
  const radio = (group: string, name: string) =>
    forms.page.getByRole("group", { name: group, exact: true }).getByRole("radio", { name, exact: true });

  describe("text", () => {
    it("is left out if it is optional and untouched, or was cleared; the default is said", async () => {
      await forms.make(object({ city: { type: "string", default: "Bern" }, note: { type: "string" } }));
      expect(await forms.read()).toEqual({ value: {} });
      expect(await label("city").getAttribute("placeholder")).toBe("Bern");
      await forms.page.getByText("text · default: Bern").waitFor();
      await label("city").fill("Zürich 🌍");
      expect(await forms.read()).toEqual({ value: { city: "Zürich 🌍" } });
      await label("city").fill("");
      expect(await forms.read()).toEqual({ value: {} });
    });

    it("is missing if it is required and empty, but may have been written so", async () => {
      const properties = { any: { type: "string" }, some: { type: "string", minLength: 1 }, page: { format: "uri" } };
      await forms.make(object(properties, ["any", "some", "page"]));
      const missing = "This is required.";
      expect(await forms.read()).toEqual({ problems: { any: missing, some: missing, page: missing } });
      await forms.write({ any: "" });
      expect(await forms.read()).toEqual({ problems: { some: missing, page: missing } });
      await label("some").fill("x");
      await label("page").fill("https://a.example/");
      expect(await forms.read()).toEqual({ value: { any: "", some: "x", page: "https://a.example/" } });
    });

    it("has several lines if it is long, and grows", async () => {
      await forms.make(object({ body: { type: "string" }, about: { type: "string", maxLength: 500 } }));
      const height = async () => (await label("body").boundingBox())?.height ?? 0;
      const before = await height();
      await label("body").fill("1\n2\n3\n4\n5");
      await label("about").fill("a\nb");
      expect(await height()).toBeGreaterThan(before);
      expect(await forms.read()).toEqual({ value: { body: "1\n2\n3\n4\n5", about: "a\nb" } });
    });

    it("keeps an empty text and several lines that were written, until they are changed", async () => {
      await forms.make(object({ a: { type: "string" }, b: { type: "string" }, c: { type: "string" } }));
      const value = { a: "", b: "one\ntwo", c: "one\r\ntwo" };
      await forms.write(value);
      expect(await forms.read()).toEqual({ value });
      await label("b").press("Control+Home");
      await label("b").pressSequentially("!");
      expect(await forms.read()).toEqual({ value: { ...value, b: "!one\ntwo" } });
    });

    it("is asked for with the control of its format, and nothing is completed by the browser", async () => {
      const formats = { email: "email", uri: "url", date: "date", "date-time": "datetime-local", password: "password" };
      await forms.make(
        object(Object.fromEntries(Object.keys(formats).map((format) => [format, { type: "string", format }]))),
      );
      for (const [format, type] of Object.entries(formats)) {
        expect(await label(format).getAttribute("type")).toBe(type);
        expect(await label(format).getAttribute("autocomplete")).toBe("off");
      }
      await label("date").fill("2026-02-03");
      await label("date-time").fill("2026-02-03T10:30");
      expect(await forms.read()).toEqual({
        value: { date: "2026-02-03", "date-time": new Date("2026-02-03T10:30").toISOString() },
      });
      const written = { "date-time": "2026-02-03T10:30:00+05:30", date: "next week" };
      await forms.write(written);
      expect(await forms.read()).toEqual({ value: written });
      expect(await label("date").inputValue()).toBe("next week");
    });

    it("is checked for its length", async () => {
      await forms.make(object({ short: { type: "string", maxLength: 2 }, long: { type: "string", minLength: 3 } }));
      await label("short").fill("abc");
      await label("long").fill("ab");
      expect(await forms.read()).toEqual({
        problems: {
          short: "This has 3 characters, and may have 2.",
          long: "This needs at least 3 characters.",
        },
      });
      // Characters, not UTF-16.
      await label("short").fill("😀😀");
      await label("long").fill("abc");
      expect(await forms.read()).toEqual({ value: { short: "😀😀", long: "abc" } });
    });

    it("is told its pattern, which the server checks: it could take for ever", async () => {
      const slow = "^(a+)+$";
      const properties = { slow: { type: "string", pattern: slow }, odd: { type: "string", pattern: "(?<!" } };
      await forms.make(object(properties, ["slow"]));
      await forms.page.getByText(`required · text · pattern: ${slow}`, { exact: true }).waitFor();
      expect(await forms.read()).toEqual({ problems: { slow: "This is required." } });
      const value = { slow: `${"a".repeat(60)}!`, odd: "abc" };
      for (const [name, text] of Object.entries(value)) await label(name).fill(text);
      expect(await forms.read()).toEqual({ value });
    });

    it("has a note at secrets, if there is one, which is read out with them", async () => {
      const secret = { type: "string", format: "password", description: "Your PIN." };
      const schema = object({ secret, maybe: { ...secret, type: ["string", "null"] }, open: { type: "string" } });
      await forms.make(schema, { passwordNote: "Enter no key here." });
      expect(await forms.page.getByText("Enter no key here.").count()).toBe(2);
      for (const name of ["secret", "maybe"]) {
        expect(await described(name)).toMatch(/ Your PIN\. Enter no key here\.$/);
      }
      expect(await described("open")).toBe("text");
      await forms.make(schema);
      expect(await forms.page.getByText("Enter no key here.").count()).toBe(0);
    });
  });

  describe("suggestions", () => {
    const person = object({
      name: { type: "string", examples: ["Ada"] },
      secret: { type: "string", format: "password" },
    });
    const asked = (count: number) =>
      vi.waitUntil(async () => (await forms.run<unknown[]>("forms.asked()")).length >= count, { timeout: 20_000 });
    const suggested = () =>
      forms.run<string[]>('[...document.querySelector("datalist").options].map(({ value }) => value)');
    /** As fast as no person types. */
    const type = (name: string, ...texts: string[]) =>
      label(name).evaluate((input: { value: string } & EventTarget, texts) => {
        for (const text of texts) {
          input.value = text;
          input.dispatchEvent(new Event("input", { bubbles: true }));
        }
      }, texts);

    it("are examples, and the server's completions of what was typed after a pause", async () => {
      await forms.make(person, { completes: true });
      await type("name", "G", "Gr", "Gra");
      await asked(1);
      await forms.run('forms.answer(0, ["Grace"])');
      expect(await suggested()).toEqual(["Grace", "Ada"]);
      await label("name").focus();
      await asked(2);
      expect(await forms.run("forms.asked()")).toEqual([
        ["name", "Gra"],
        ["name", "Gra"],
      ]);
    });

    it("are not asked for with secrets", async () => {
      await forms.make(person, { completes: true });
      await type("secret", "hidden");
      await type("name", "a");
      await asked(1);
      expect(await forms.run("forms.asked()")).toEqual([["name", "a"]]);
    });

    it("stay those of the last question, whichever is answered last", async () => {
      await forms.make(person, { completes: true });
      for (const [index, text] of ["a", "ab", "a"].entries()) {
        await type("name", text);
        await asked(index + 1);
      }
      await forms.run('forms.answer(2, ["new"])');
      expect(await suggested()).toEqual(["new", "Ada"]);
      await forms.run('forms.answer(0, ["old"])');
      await forms.run('forms.answer(1, ["older"])');
      expect(await suggested()).toEqual(["new", "Ada"]);
    });

    it("are the examples alone, without a word, if the server has none or fails", async () => {
      await forms.make(person, { completes: true });
      await type("name", "a");
      await asked(1);
      await forms.run('forms.answer(0, ["Ann"])');
      await type("name", "ab");
      await asked(2);
      await forms.run("forms.fail(1)");
      expect(await suggested()).toEqual(["Ada"]);
      expect(await forms.read()).toEqual({ value: { name: "ab" } });
      expect(await forms.page.locator(".form-problem:visible").count()).toBe(0);
    });
  });

  describe("numbers", () => {
    it("are checked for their range, and for what JavaScript would round", async () => {
      const properties = {
        count: { type: "integer", minimum: 1, maximum: 200 },
        ratio: { type: "number", exclusiveMinimum: 0, default: 0.5 },
        big: { type: "integer" },
      };
      await forms.make(object(properties, ["count"]));
      await forms.page.getByText("required · whole number, 1 to 200").waitFor();
      await forms.page.getByText("number, more than 0 · default: 0.5").waitFor();
      expect(await forms.read()).toEqual({ problems: { count: "This is required." } });
      for (const [typed, problem] of [
        ["0", "This must be at least 1."],
        ["201", "This must be at most 200."],
        ["1.5", "This must be a whole number."],
      ] as const) {
        await label("count").fill(typed);
        expect(await forms.read()).toEqual({ problems: { count: problem } });
      }
      await label("count").fill("7");
      await label("ratio").fill("0");
      expect(await forms.read()).toEqual({ problems: { ratio: "This must be more than 0." } });
      await label("ratio").fill("1e-7");
      await label("big").fill("9007199254740993");
      expect(await forms.read()).toEqual({
        problems: { big: "9007199254740993 would be rounded to 9007199254740992." },
      });
      await label("big").fill("-0");
      expect(await forms.read()).toEqual({ value: { count: 7, ratio: 1e-7, big: 0 } });
      await label("ratio")
        .fill("1e999")
        .catch(() => label("ratio").pressSequentially("1e999"));
      expect(await forms.read()).toHaveProperty("problems.ratio");
    });

    it("say so if what is typed is no number", async () => {
      await forms.make(object({ n: { type: "number" } }));
      await label("n").pressSequentially("1e");
      expect(await forms.read()).toEqual({ problems: { n: "This is not a number." } });
    });
  });

  it("yes or no: required, with a default, and with a third state", async () => {
    const boolean = { type: "boolean" };
    await forms.make(object({ sure: boolean, usual: { ...boolean, default: true }, maybe: boolean }, ["sure"]));
    expect(await forms.read()).toEqual({ value: { sure: false } });
    expect(await label("usual").isChecked()).toBe(true);
    expect(await radio("maybe", "not set").isChecked()).toBe(true);
    await label("usual").press("Space");
    await label("sure").press("Space");
    await radio("maybe", "not set").press("ArrowUp");
    expect(await forms.read()).toEqual({ value: { sure: true, usual: false, maybe: false } });
    await radio("maybe", "no").press("ArrowDown");
    expect(await forms.read()).toEqual({ value: { sure: true, usual: false } });
  });

  describe("choices", () => {
    it("are radio buttons, a select, or an input with suggestions, with values of any type", async () => {
      const many = Array.from({ length: 500 }, (_, index) => `value ${index}`);
      const properties = {
        unit: { enum: ["C", "F"], enumNames: ["Celsius", "Fahrenheit"], default: "C" },
        any: { enum: [1, "1", null, true, { a: [1] }] },
        colour: { oneOf: ["Red", "Green", "Blue", "Black"].map((title, index) => ({ const: `#${index}`, title })) },
        one: { enum: many },
        kind: { const: "fixed" },
      };
      await forms.make(object(properties, ["colour", "kind"]));
      expect(await forms.read()).toEqual({ problems: { colour: "This is required." } });
      await radio("unit", "Fahrenheit").check();
      await label("any").selectOption("1 (1)");
      await label("colour").selectOption("Blue");
      await label("one").fill("value 499");
      expect(await forms.read()).toEqual({
        value: { unit: "F", any: 1, colour: "#2", one: "value 499", kind: "fixed" },
      });
      await label("any").selectOption('{"a":[1]}');
      await label("one").fill("value 500");
      expect(await forms.read()).toEqual({ problems: { one: "This is not one of the suggestions." } });
      await forms.write({ unit: "K", any: null, colour: "#3", kind: "fixed" });
      expect(await forms.read()).toEqual({ value: { unit: "K", any: null, colour: "#3", kind: "fixed" } });
    });

    it("of which several may be chosen are checkboxes", async () => {
      const items = {
        anyOf: [
          { const: "r", title: "Red" },
          { const: "g", title: "Green" },
        ],
      };
      await forms.make(object({ colours: { type: "array", items, maxItems: 1 } }));
      await forms.page.getByText("any of 2, at most 1 entry").waitFor();
      expect(await forms.read()).toEqual({ value: {} });
      const box = (name: string) => forms.page.getByRole("group", { name: "colours" }).getByRole("checkbox", { name });
      await box("Green").press("Space");
      expect(await forms.read()).toEqual({ value: { colours: ["g"] } });
      await box("Red").press("Space");
      expect(await forms.read()).toEqual({ problems: { colours: "This may have at most 1 entry." } });
    });
  });

  describe("lists", () => {
    const list = object({ tags: { type: "array", items: { type: "string" }, maxItems: 3 } });

    it("are filled in, put in order and emptied by keyboard, with the focus where one goes on", async () => {
      await forms.make(list);
      expect(await forms.read()).toEqual({ value: {} });
      for (const text of ["a", "b", "c"]) {
        await button("Add to tags").press("Enter");
        await forms.page.keyboard.type(text);
      }
      expect(await forms.read()).toEqual({ value: { tags: ["a", "b", "c"] } });
      expect(await button("Add to tags").isDisabled()).toBe(true);
      await button("Move tags 3 up").press("Enter");
      await forms.page.keyboard.press("Enter");
      expect(await forms.read()).toEqual({ value: { tags: ["c", "a", "b"] } });
      await forms.page.getByText("Moved to 1 of 3").waitFor();
      // The button that was pressed is disabled now, so the focus is on its neighbour.
      await forms.page.keyboard.press("Enter");
      expect(await forms.read()).toEqual({ value: { tags: ["a", "c", "b"] } });
      await button("Remove tags 1").press("Enter");
      await forms.page.keyboard.press("Enter");
      expect(await forms.read()).toEqual({ value: { tags: ["b"] } });
      await forms.page.keyboard.press("Enter");
      expect(await forms.read()).toEqual({ value: {} });
      await forms.page.keyboard.press("Enter");
      expect(await label("tags 1").inputValue()).toBe("");
    });

    it("are there though empty if they are required, and have at least what they must", async () => {
      const properties = {
        any: { type: "array", items: { type: "number" } },
        two: { type: "array", items: { type: "number" }, minItems: 2 },
      };
      await forms.make(object(properties, ["any", "two"]));
      await label("two 1").fill("1");
      expect(await forms.read()).toEqual({ problems: { "two[1]": "This is required." } });
      await button("Remove two 2").click();
      expect(await forms.read()).toEqual({ problems: { two: "This needs at least 2 entries." } });
      await forms.write({ any: [], two: [1, 2] });
      await button("Move two 2 up").click();
      expect(await forms.read()).toEqual({ value: { any: [], two: [2, 1] } });
    });

    it("of fixed parts have no gaps", async () => {
      const tuple = { type: "array", prefixItems: [{ type: "number", title: "x" }, { type: "string" }], items: false };
      const pair = { ...tuple, minItems: 2 };
      await forms.make(object({ pair, more: { ...tuple, minItems: 0, items: { type: "boolean" } } }, ["pair", "more"]));
      await forms.page.getByRole("group", { name: "pair" }).getByLabel("x").fill("4");
      await label("pair 2").fill("p");
      await label("more 2").fill("b");
      expect(await forms.read()).toEqual({ problems: { "more[0]": "This is required." } });
      await forms.page.getByRole("group", { name: "more" }).getByLabel("x").fill("5");
      await button("Add to more").click();
      await label("more 3").press("Space");
      expect(await forms.read()).toEqual({ value: { pair: [4, "p"], more: [5, "b", true] } });
    });
  });

  describe("groups", () => {
    const address = object({ city: { type: "string" }, zip: { type: "integer" } }, ["city"]);

    it("that are optional are added and removed", async () => {
      await forms.make(object({ address, home: { ...address, title: "Home address" } }, ["home"]));
      await forms.page.getByRole("group", { name: "Home address" }).getByLabel("city").fill("Bern");
      expect(await forms.read()).toEqual({ value: { home: { city: "Bern" } } });
      await button("Add address").press("Enter");
      await forms.page.keyboard.type("Chur");
      expect(await forms.read()).toEqual({ value: { address: { city: "Chur" }, home: { city: "Bern" } } });
      await button("Remove address").press("Enter");
      await forms.page.keyboard.press("Enter");
      expect(await forms.read()).toEqual({ problems: { "address.city": "This is required." } });
    });

    it("with names of the caller have rows", async () => {
      const headers = { type: "object", additionalProperties: { type: "number" } };
      await forms.make(object({ headers }));
      expect(await forms.read()).toEqual({ value: {} });
      const group = forms.page.getByRole("group", { name: "headers" });
      await button("Add a name to headers").press("Enter");
      await forms.page.keyboard.type("__proto__");
      await forms.page.keyboard.press("Tab");
      await forms.page.keyboard.type("1");
      expect(JSON.stringify(await forms.read())).toBe('{"value":{"headers":{"__proto__":1}}}');
      await button("Add a name to headers").click();
      expect(await forms.read()).toEqual({ problems: { headers: "Each value needs a name." } });
      await group.getByLabel("Name in headers").last().fill("__proto__");
      expect(await forms.read()).toEqual({
        problems: { "headers.__proto__": "There are two values with the name __proto__." },
      });
      await button("Remove __proto__").last().click();
      await button("Remove __proto__").click();
      expect(await forms.read()).toEqual({ value: {} });
    });

    it("in several forms are chosen by what tells them apart", async () => {
      const shape = {
        oneOf: [
          object({ kind: { const: "circle" }, radius: { type: "number" } }, ["kind", "radius"]),
          object({ kind: { const: "square" }, side: { type: "number" } }, ["kind", "side"]),
        ],
      };
      await forms.make(object({ shape, size: { type: ["number", "string", "null"] } }));
      expect(await forms.read()).toEqual({ value: {} });
      await radio("Form of shape", "square").check();
      await label("side").fill("3");
      await radio("Form of size", "text").check();
      await forms.page.getByRole("textbox", { name: "size" }).fill("3");
      expect(await forms.read()).toEqual({ value: { shape: { kind: "square", side: 3 }, size: "3" } });
      await forms.write({ shape: { kind: "circle", radius: 2 }, size: 4 });
      expect(await label("radius").inputValue()).toBe("2");
      expect(await forms.read()).toEqual({ value: { shape: { kind: "circle", radius: 2 }, size: 4 } });
      await radio("Form of shape", "not set").check();
      expect(await forms.read()).toEqual({ value: { size: 4 } });
    });
  });

  it("null instead of a value", async () => {
    const text = { anyOf: [{ type: "string", minLength: 2 }, { type: "null" }], description: "Who it is for." };
    await forms.make(object({ name: text, n: { type: ["integer", "null"] } }, ["name"]));
    expect(await forms.read()).toEqual({ problems: { name: "This is required." } });
    await forms.page.getByLabel("null, instead of a value").first().press("Space");
    expect(await label("name").isHidden()).toBe(true);
    expect(await forms.read()).toEqual({ value: { name: null } });
    await forms.write({ name: "Ada", n: null });
    expect(await forms.read()).toEqual({ value: { name: "Ada", n: null } });
  });

  it("says everything of a field to screen readers", async () => {
    const properties = {
      to: { type: "string", title: "Recipient", description: "Name or number.", deprecated: true, maxLength: 20 },
      id: { type: "string", readOnly: true },
    };
    await forms.make(object(properties, ["to"]));
    const described = forms.page.getByRole("textbox", { name: "Recipient", description: "Name or number." });
    expect(await described.getAttribute("aria-describedby")).not.toBeNull();
    await forms.page.getByText("to · required · text, at most 20 characters · deprecated").waitFor();
    expect(await forms.page.getByRole("textbox").count()).toBe(1);
    expect(await label("id").textContent()).toBe("set by the server");
  });

  it("fills in an example of what cannot be suggested while typing", async () => {
    const place = { ...object({ city: { type: "string" } }), examples: [{ city: "Rome", planet: "Earth" }] };
    await forms.make({ ...object({ place }), examples: [] });
    await button("Fill in an example").click();
    expect(await forms.read()).toEqual({ value: { place: { city: "Rome", planet: "Earth" } } });
    expect(await forms.run<number>("forms.changes()")).toBeGreaterThan(0);
  });

  it("asks the questions of MCP servers, with their defaults filled in", async () => {
    const properties = {
      name: {
        type: "string",
        title: "Display Name",
        minLength: 3,
        maxLength: 50,
        format: "email",
        default: "a@b.example",
      },
      age: { type: "number", minimum: 0, maximum: 100, default: 50 },
      agree: { type: "boolean", default: false },
      colours: { type: "array", items: { type: "string", enum: ["Red", "Green"] }, default: ["Red"] },
    };
    const initial = { name: "a@b.example", age: 50, agree: false, colours: ["Red"] };
    await forms.make(object(properties), { initial });
    expect(await forms.read()).toEqual({ value: initial });
    await label("Display Name").fill("c@d.example");
    expect(await forms.read()).toEqual({ value: { ...initial, name: "c@d.example" } });
  });
});
