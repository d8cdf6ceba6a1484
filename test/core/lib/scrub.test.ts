/** Redaction removes secrets from a text in every likely encoding, and changes nothing else. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { scrubber, scrubJson } from "../../../src/core/lib/scrub.ts";

afterEach(() => vi.unstubAllGlobals());

const SECRET = 'p@ss/w"ord+ü 12';
const scrub = scrubber([SECRET]);
const base64 = (text: string, alphabet: "base64" | "base64url" = "base64") =>
  new TextEncoder().encode(text).toBase64({ alphabet });

it("a long secret is removed in each spelling, too, and none of them is kept: they have millions of characters", () => {
  const long = `${SECRET}€`.repeat(300);
  const spelled = [long, encodeURIComponent(long), JSON.stringify(long), base64(long)];
  const scrubLong = scrubber([long]);
  const encode = vi.fn(encodeURIComponent);
  vi.stubGlobal("encodeURIComponent", encode);
  for (const text of spelled) {
    expect(scrubLong(`before ${text} after`)).toMatch(/^before "?\[redacted\].{0,3} after$/);
  }
  // Once in capitals and once in small letters, for the one text that is as long.
  expect(encode).toHaveBeenCalledTimes(2);
});

describe("a secret is removed (OXP, Security: never in a message, nor in a log)", () => {
  it.each([
    ["as it is", SECRET],
    ["twice", `${SECRET}${SECRET}`],
    ["in a URL (encodeURIComponent)", encodeURIComponent(SECRET)],
    ["in a URL, in small letters", encodeURIComponent(SECRET).replace(/%../g, (byte) => byte.toLowerCase())],
    ["in a form (URLSearchParams)", new URLSearchParams({ key: SECRET }).toString()],
    ["in JSON", JSON.stringify({ key: SECRET })],
    ["in JSON within JSON", JSON.stringify({ body: JSON.stringify({ key: SECRET }) })],
    ["in Base64", base64(SECRET)],
    ["in Base64 without padding", base64(SECRET).replace(/=+$/, "")],
    ["in base64url", base64(SECRET, "base64url")],
    ...["a", "ab", "abc", "user"].map((user) => [`in Basic credentials of ${user}`, base64(`${user}:${SECRET}`)]),
    ...["x", "xy", "xyz"].map((more) => [`in Base64 with ${more} behind`, base64(`${SECRET}${more}`)]),
  ] as [string, string][])("%s", (_, text) => {
    const scrubbed = scrub(`before ${text} after`);
    expect(scrubbed).toContain("[redacted]");
    expect(scrubbed).toMatch(/^before .* after$/);
    // Of a group of four Base64 letters one may remain at either edge: it reveals less than one letter of the secret.
    expect(scrubbed.replaceAll("[redacted]", "").length).toBeLessThan(text.length / 2 + 20);
    expect(scrubbed).not.toContain(text);
  });

  it("longest first, so that removing one secret leaves no part of another", () => {
    expect(scrubber(["abcd", "abcdefgh"])("abcdefgh abcd")).toBe("[redacted] [redacted]");
    expect(scrubber(["efgh", "abcdefgh"])("abcdefgh")).toBe("[redacted]");
  });

  it("if two overlap, both: a caller's secret must not split the Worker's", () => {
    const text = "refused: Authorization: Bearer sk_live_4f1d9c8e";
    expect(scrubber(["sk_live_4f1d9c8e", "Authorization: Bearer sk_live_"])(text)).toBe("refused: [redacted]");
    expect(scrubber(["abcdabcd", "cdab"])("abcdabcdabcd")).toBe("[redacted]");
  });

  it("also without a line break that was pasted with it", () => {
    expect(scrubber(["sk_live_4f1d9c8e\n"])("Bearer sk_live_4f1d9c8e is expired")).toBe("Bearer [redacted] is expired");
  });

  it.each(["pa ss/word99", 'p"ss/w+rd99', "pa ss:word&99", "pa$$ word99", "pä/ss=word99"])(
    "%s in each part of a URL",
    (secret) => {
      const url = new URL(`https://api.example/x?key=${secret}`);
      const path = new URL(`https://api.example/${secret.replaceAll("?", "")}/x`);
      const user = new URL("https://u@api.example/");
      user.password = secret;
      const hash = new URL(`https://api.example/#${secret}`);
      for (const text of [url.href, path.href, user.href, hash.href, encodeURI(`https://api.example/${secret}`)]) {
        expect(scrubber([secret])(text)).toContain("[redacted]");
      }
    },
  );

  it("in linear time, however often it overlaps itself", () => {
    // Searching again from each position took minutes; the test's time limit would end that.
    expect(scrubber(["a".repeat(400_000)])(`x${"a".repeat(1_000_000)}y`)).toBe("x[redacted]y");
    expect(scrubber([`${"a".repeat(400_000)}b`])("a".repeat(1_000_000))).toBe("a".repeat(1_000_000));
    expect(scrubber(["abab"])("ababab abab aba")).toBe("[redacted] [redacted] aba");
  });

  it("without preparing a long secret for a shorter text, and with few tables for others: a caller chooses both", () => {
    const made: number[] = [];
    class Counted extends Int32Array {
      constructor(length: number) {
        super(length);
        made.push(length);
      }
    }
    vi.stubGlobal("Int32Array", Counted);
    const long = scrubber(["s3cret/+".repeat(1_000)]);
    for (let line = 0; line < 100; line++) expect(long("a line of the log")).toBe("a line of the log");
    expect(made).toEqual([]);
    for (let line = 0; line < 100; line++) expect(long("x".repeat(50_000))).toHaveLength(50_000);
    expect(made.length).toBeGreaterThan(0);
    expect(made.length).toBeLessThan(50);
  });

  it("as text, even if it looks like a pattern", () => {
    for (const secret of ["$&$1", "(.*)+", "[a-z]*", "\\d{4}", "^....$"]) {
      expect(scrubber([secret])(`x ${secret} y abcd`)).toBe("x [redacted] y abcd");
    }
  });

  it("in a JSON value, in names of members too", () => {
    const said = { a: [SECRET, { [SECRET]: `x${SECRET}` }], n: 1, b: true, z: null };
    const expected = { a: ["[redacted]", { "[redacted]": "x[redacted]" }], n: 1, b: true, z: null };
    expect(scrubJson(said, scrub)).toEqual(expected);
  });

  it("as a number, in a JSON value and in a text: a PIN or an account number may be read with Number()", () => {
    const pin = scrubber(["0048151623", " 1e6 ", "12345678901234567890"]);
    const said = { pin: 48151623, million: 1_000_000, account: Number("12345678901234567890"), minus: -48151623 };
    const hidden = { pin: "[redacted]", million: "[redacted]", account: "[redacted]", minus: "[redacted]" };
    expect(scrubJson(said, pin)).toEqual(hidden);
    expect(pin("pin 48151623")).toBe("pin [redacted]");
  });

  it("from member names that are special elsewhere, such as __proto__", () => {
    const said = JSON.parse(`{"__proto__": "${"x"}", "constructor": 1}`);
    expect(JSON.stringify(scrubJson(said, scrub))).toBe('{"__proto__":"x","constructor":1}');
  });
});

it("a secret that was pasted with a newline is removed where it stands without it, as whoever uses it sends it", () => {
  expect(scrubber([`${SECRET}\n`])(`before ${SECRET} after`)).toBe("before [redacted] after");
});

describe("nothing else is removed", () => {
  it("a text without it is the same", () => {
    for (const text of ["", "p@ss", "an ordinary sentence", base64("another secret of that length")]) {
      expect(scrub(text)).toBe(text);
    }
  });

  it("secrets of three letters, which occur in ordinary words", () => {
    expect(scrubber(["", "a", "the"])("the cat")).toBe("the cat");
  });

  it("a number that contains a secret's digits but is not a secret", () => {
    const said = [1, 42, 999, 17_000_123_400, 1.2345, 0, Number.MAX_SAFE_INTEGER];
    expect(scrubJson(said, scrubber(["1", "42", "999", "1234", "007", " 0 "]))).toEqual(said);
    expect(scrubber(["    ", "none"])("0 NaN 0")).toBe("0 NaN 0");
  });

  it("anything, if there are no secrets", () => {
    expect(scrubber([])("x")).toBe("x");
  });
});

it.each(["\ud800 half", "half \udc00", "\ud83d", "💥💥💥💥", "\u0000\u0001\u0002\u0003"])(
  "%j breaks nothing",
  (secret) => {
    expect(scrubber([secret])(`${secret} said`)).toBe(secret.length < 4 ? `${secret} said` : "[redacted] said");
  },
);
