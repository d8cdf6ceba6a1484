/** A key's terms as command-line options, and the key that is made from them. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { makeKey } from "../../../src/cli/keys/make.ts";
import { table } from "../../../src/cli/keys/messages.ts";
import { readExpires, readName, readRate, readScopes, readToolkits } from "../../../src/cli/keys/options.ts";

const NOW = Date.parse("2026-11-21T12:00:00Z") / 1_000;
const DAY = 86_400;

describe("a name is 1 to 64 printable characters", () => {
  it.each(["a", "my bot", "Ключ № 1", "🔑", "x".repeat(64), "🔑".repeat(64), `it's "mine"`])("%s", (name) => {
    expect(readName(name)).toBe(name);
  });
  it.each(["", "   ", "x".repeat(65), "a\nb", "a\tb", "a\u0000b", "a\u001b[31mb", "\u202eabc", "a\u200bb", "a\u00a0b"])(
    "refuses %j",
    (name) => expect(() => readName(name)).toThrow("printable"),
  );
});

describe("toolkits are folders below tools/", () => {
  it("several may be named, and duplicates count once", () => {
    expect(readToolkits(["one,two", "one"], ["one", "two", "three"])).toEqual(["one", "two"]);
  });
  it("an unknown one is an error that lists the existing ones", () => {
    expect(() => readToolkits(["One"], ["one", "two"])).toThrow(/"One".*one, two/);
    expect(() => readToolkits(["one"], [])).toThrow("none yet");
  });
  it.each(["", ",", "one,", "one,,two"])("refuses an empty name: %j", (text) => {
    expect(() => readToolkits([text], ["one", "two"])).toThrow("empty");
  });
});

describe("scopes are tokens of RFC 6749, section 3.3, or *", () => {
  it.each([
    [["*"], ["*"]],
    [["sms:send,notes:write"], ["sms:send", "notes:write"]],
    [
      ["a, b", "a", "https://example.com/x#y!"],
      ["a", "b", "https://example.com/x#y!"],
    ],
  ])("%j", (texts, scopes) => expect(readScopes(texts)).toEqual(scopes));
  it.each(["a b", 'a"b', "a\\b", "é", "a\u007f", "", "a,*"])("refuses %j", (text) => {
    expect(() => readScopes([text])).toThrow("--scopes");
  });
});

describe("a key expires after a time or at a date", () => {
  it.each([
    ["30d", NOW + 30 * DAY],
    ["12h", NOW + DAY / 2],
    ["90m", NOW + 5_400],
    ["2m", NOW + 120],
    ["2027-01-31", Date.parse("2027-01-31T00:00:00Z") / 1_000],
    ["2028-02-29", Date.parse("2028-02-29T00:00:00Z") / 1_000],
  ])("%s", (text, expires) => expect(readExpires(text, NOW)).toBe(expires));
  it.each([
    "",
    "30",
    "d",
    "1w",
    "-1d",
    "1.5h",
    "30 d",
    "2027-02-29",
    "2027-13-01",
    "2027-1-1",
    "tomorrow",
    "2027-01-31T00:00Z",
  ])("refuses anything else: %j", (text) => expect(() => readExpires(text, NOW)).toThrow("is none of"));
  it.each(["0d", "1m", "2026-11-21", "1999-01-01"])("refuses what KV would have forgotten by then: %s", (text) => {
    expect(() => readExpires(text, NOW)).toThrow("two minutes");
  });
  it.each(["999999999999d", "9999999d"])("refuses what no date can say: %s", (text) => {
    expect(() => readExpires(text, NOW)).toThrow("9999");
  });
});

describe("a rate needs its rate limiter in the settings", () => {
  const FILE = "wrangler.toml";
  it("which is named after it", () => expect(readRate("60", ["OTHER", "RATE_60"], FILE)).toBe(60));
  it("without one, the error lists the existing limiters and says what to add", () => {
    expect(() => readRate("45", ["OTHER", "RATE_10", "RATE_60"], FILE)).toThrow(
      /for 10, 60; .*\[\[ratelimits\]\].*"RATE_45"/,
    );
    expect(() => readRate("45", [], FILE)).toThrow("has no RATE_ limiter");
  });
  it.each(["", "0", "060", "-1", "1.5", "1e3", "ten"])("refuses %j", (text) => {
    expect(() => readRate(text, ["RATE_0", "RATE_060"], FILE)).toThrow("is not a number");
  });
});

describe("a key", () => {
  const terms = { name: "bot", toolkits: ["one"], scopes: ["a"], rate: 60, created: NOW, expires: NOW + DAY };

  it("is an id and a secret of 256 bits, stored as the hash of its whole text", () => {
    const { id, text, record } = makeKey(terms);
    expect(text).toMatch(/^trivet_[0-9a-z]{16}_[\w-]{43}$/);
    expect(text.split("_")[1]).toBe(id);
    expect(record).toEqual({ ...terms, hash: createHash("sha256").update(text).digest("hex") });
  });

  it("is different each time, with every letter equally likely in its id", () => {
    const counts = new Map<string, number>();
    const ids = Array.from({ length: 4_500 }, () => makeKey(terms).id);
    for (const letter of ids.join("")) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect(new Set(ids).size).toBe(ids.length);
    expect(counts.size).toBe(36);
    // 2,000 of each are expected, with a deviation of 44; a byte modulo 36 would give four letters 2,250.
    for (const count of counts.values()) expect(Math.abs(count - 2_000)).toBeLessThan(240);
  });

  it("is refused if its terms are too long for KV's metadata", () => {
    const scopes = Array.from({ length: 100 }, (_, index) => `scope:${index}`);
    expect(() => makeKey({ ...terms, scopes })).toThrow(/\d{4} bytes/);
  });
});

describe("the table of keys", () => {
  it("shows what each key allows, and which have expired", () => {
    const keys = [
      { id: "a", terms: { name: "one", scopes: ["*"], created: NOW } },
      { id: "b", terms: { name: "two", toolkits: ["x", "y"], scopes: [], rate: 60, created: NOW, expires: NOW } },
      { id: "c", terms: undefined },
    ];
    expect(table(keys, NOW)).toBe(
      [
        "ID  NAME  TOOLKITS  SCOPES  RATE  EXPIRES                      CREATED",
        "a   one   *         *       -     never                        2026-11-21 12:00Z",
        "b   two   x,y       -       60    2026-11-21 12:00Z (expired)  2026-11-21 12:00Z",
        "c   ?     ?         ?       ?     ?                            ?",
      ].join("\n"),
    );
  });
});
