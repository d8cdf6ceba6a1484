/** The values of settings: each has a default, and an unusable value is reported as a mistake instead of ignored. */
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readAllSettings } from "../src/discovery/settings/all-settings.ts";
import { readSettings } from "../src/settings.ts";
import { isUpstream, shippedSettings } from "./support/node/upstream.ts";

describe("settings", () => {
  it('have defaults, if left out or ""', () => {
    const { settings, mistakes, names } = readSettings({});
    expect(mistakes).toEqual([]);
    expect(settings).toMatchObject({
      isLocal: false,
      isPublic: false,
      logsCalls: true,
      ratePerMinute: undefined,
      bodyBytes: 1_048_576,
      pageSize: 1_000,
      resultSeconds: 86_400,
      sessionSeconds: 86_400,
    });
    expect(readSettings({ RATE_PER_MINUTE: "", MAX_BODY_BYTES: "", PUBLIC: "", JWT_SECRET: "" })).toEqual({
      settings,
      mistakes,
      names,
    });
  });

  it("may also be TOML numbers and booleans", () => {
    const { settings, mistakes } = readSettings({
      RATE_PER_MINUTE: 600,
      MAX_BODY_BYTES: "2000",
      PUBLIC: true,
      LOG_CALLS: "false",
      OAUTH_SCOPES: "a,b offline_access",
    });
    expect(mistakes).toEqual([]);
    expect(settings).toMatchObject({ ratePerMinute: 600, bodyBytes: 2000, isPublic: true, logsCalls: false });
    expect(settings.baseScopes).toEqual(["a", "b"]);
  });

  it.each([
    ["a table", Object.assign(Object.create(null), { a: 1 })],
    ["an array", ["a", "b"]],
  ])("%s is not a value of any setting", (_, value) => {
    for (const setting of readSettings({}).names) {
      expect(readSettings({ [setting]: value }).mistakes, setting).toContainEqual({
        setting,
        problem: `${setting} is ${JSON.stringify(value)}`,
        fix: "write a text in quotes",
      });
    }
  });

  const NUMBERS = ["RATE_PER_MINUTE", "MAX_BODY_BYTES", "PAGE_SIZE", "IDEMPOTENCY_TTL_SECONDS", "SESSION_TTL_SECONDS"];
  const NO_NUMBERS = ["600 per minute", "6e2", "0x258", "1_000", "1.5", "-1", "0", " ", "l00", "9".repeat(20)];
  it.each(NUMBERS)("%s accepts only numbers", (setting) => {
    for (const value of NO_NUMBERS) {
      expect(readSettings({ [setting]: value }).mistakes).toEqual([
        {
          setting,
          problem: `${setting} is ${JSON.stringify(value)}`,
          fix: expect.stringContaining("a whole number from"),
        },
      ]);
    }
  });

  it.each(["IDEMPOTENCY_TTL_SECONDS", "SESSION_TTL_SECONDS"])(
    "%s is at least 60: KV expires nothing sooner",
    (setting) => {
      expect(readSettings({ [setting]: "60" }).mistakes).toEqual([]);
      expect(readSettings({ [setting]: "59" }).mistakes).toMatchObject([{ setting }]);
    },
  );

  it.each([
    ["RATE_PER_MINUTE", 1_000_000],
    ["MAX_BODY_BYTES", 100_000_000],
    ["PAGE_SIZE", 1_000_000],
    ["IDEMPOTENCY_TTL_SECONDS", 31_536_000],
    ["SESSION_TTL_SECONDS", 31_536_000],
  ])("%s is at most %i", (setting, most) => {
    expect(readSettings({ [setting]: String(most) }).mistakes).toEqual([]);
    const [mistake] = readSettings({ [setting]: String(most + 1) }).mistakes;
    expect(mistake).toMatchObject({ setting, fix: expect.stringContaining(` to ${most}, in digits only`) });
  });

  it.each(["LOCAL", "PUBLIC", "LOG_CALLS", "DOCUMENTS", "SIGN_IN", "TOKENS"])(
    "%s is true or false: a misspelt one is a mistake",
    (setting) => {
      for (const value of ["yes", "True", "1", "flase"]) {
        expect(readSettings({ [setting]: value }).mistakes).toMatchObject([
          { setting, fix: 'write "true" or "false"' },
        ]);
      }
    },
  );

  it("ALLOWED_ORIGINS accepts only what browsers send as an origin", () => {
    const ALLOWED_ORIGINS = "https://app.example.com http://localhost:5173,chrome-extension://abcdef";
    expect(readSettings({ ALLOWED_ORIGINS })).toMatchObject({ mistakes: [], settings: { origins: { length: 3 } } });
    for (const value of [
      "https://app.example.com/",
      "https://app.example.com/app",
      "https://App.example.com",
      "app.example.com",
      "*",
    ]) {
      expect(readSettings({ ALLOWED_ORIGINS: value }).mistakes).toMatchObject([
        { setting: "ALLOWED_ORIGINS", fix: expect.stringContaining('"https://app.example.com"') },
      ]);
    }
  });

  it("describe the server: a title, a website, and icons that may be data URLs", () => {
    const icons = ["https://example.com/icon.png", "data:image/svg+xml,%3Csvg%20xmlns='x,y'/%3E"];
    const env = { SERVER_TITLE: "Example", SERVER_WEBSITE: "https://example.com", SERVER_ICONS: icons.join("  ") };
    const { settings, mistakes } = readSettings(env);
    expect(mistakes).toEqual([]);
    expect(settings).toMatchObject({ title: "Example", website: "https://example.com", icons });
    expect(readSettings({}).settings).toMatchObject({ title: undefined, website: undefined, icons: [] });
  });

  it.each([
    ["SERVER_WEBSITE", ["example.com", "javascript:alert(1)", "https://a.test https://b.test"]],
    ["SERVER_ICONS", ["icon.png", "https://a.test/icon.png, https://b.test/icon.png ,", "file:///icon.png"]],
  ])("%s is a URL: anything else is a mistake", (setting, values) => {
    for (const value of values) {
      expect(readSettings({ [setting]: value }).mistakes).toMatchObject([
        { setting, fix: expect.stringContaining('"https://example.com') },
      ]);
    }
  });

  it("are not read from inherited members", () => {
    expect(readSettings(Object.create({ PUBLIC: "true" })).settings.isPublic).toBe(false);
  });

  it.each(["https://a.example", "a.example/x", "A.example", "*.example", "user@a.example"])(
    "ALLOWED_HOSTS accepts whole hosts only: %s would never match",
    (hosts) => {
      expect(readSettings({ ALLOWED_HOSTS: hosts }).mistakes.map(({ setting }) => setting)).toEqual(["ALLOWED_HOSTS"]);
      expect(readSettings({ ALLOWED_HOSTS: "a.example:8443, [fd00::1] 10.0.0.5" }).mistakes).toEqual([]);
    },
  );

  it("of the documents for machines have forms that directories accept", () => {
    const right = {
      SERVER_DESCRIPTION: "\u{1F327}".repeat(100),
      REGISTRY_NAME: "io.github.me/a_b.c-d",
      DOCUMENTS: "false",
    };
    const { settings, mistakes } = readSettings(right);
    expect(mistakes).toEqual([]);
    expect(settings).toMatchObject({
      hasDocuments: false,
      description: right.SERVER_DESCRIPTION,
      registryName: right.REGISTRY_NAME,
    });
    expect(readSettings({}).settings).toMatchObject({
      hasDocuments: true,
      description: undefined,
      registryName: undefined,
    });
    expect(readSettings({ SERVER_DESCRIPTION: "x".repeat(101) }).mistakes).toMatchObject([
      { setting: "SERVER_DESCRIPTION", fix: "write up to 100 characters" },
    ]);
  });

  it.each(["weather", "a/b/c", "com example/x", "/x", `a/${"x".repeat(199)}`])("REGISTRY_NAME is not %s", (name) => {
    expect(readSettings({ REGISTRY_NAME: name }).mistakes).toMatchObject([
      { setting: "REGISTRY_NAME", fix: expect.stringContaining('"com.example/weather"') },
    ]);
  });

  it("have names, which discovery knows too", () => {
    const { names } = readSettings({ ANOTHER: "x" });
    expect(names).toEqual(expect.arrayContaining(["PUBLIC", "RATE_PER_MINUTE", "JWT_SECRET", "REGISTRY_NAME"]));
    expect([new Set(names).size, names.includes("ANOTHER")]).toEqual([names.length, false]);
  });

  it("JWT_JWKS_URL is an address", () => {
    expect(readSettings({ JWT_JWKS_URL: "login.example.com/keys" }).mistakes).toHaveLength(1);
    expect(readSettings({ JWT_JWKS_URL: "https://login.example.com/keys" }).mistakes).toEqual([]);
  });
});

describe("where an owner finds a setting", () => {
  const ROOT = resolve(import.meta.dirname, "..");
  const read = (path: string) => readFileSync(resolve(ROOT, path), "utf8");
  // `npm start` sets the first, and tests the others.
  const NOT_FOR_OWNERS = ["LOCAL", "OUTBOX_MINUTE_MS", "OUTBOX_ATTEMPT_MS"];
  const names = readAllSettings({}).names.filter((name) => !NOT_FOR_OWNERS.includes(name));
  const missingIn = (text: string) => names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text));

  it("each is in the documentation", () => {
    expect(names).toEqual(
      expect.arrayContaining(["PUBLIC", "TASK_LEASE_SECONDS", "MAX_FILE_BYTES", "EVENT_TTL_SECONDS"]),
    );
    expect(missingIn(globSync("docs/*.md", { cwd: ROOT }).map(read).join("\n"))).toEqual([]);
  });

  // An owner may delete what they do not need. No copy is compared, because a copy would have to be kept up to date by
  // hand, and would say nothing of what upstream ships.
  it.skipIf(!isUpstream)("each is in the wrangler.toml that upstream ships, if only as a comment", () => {
    expect(missingIn(shippedSettings)).toEqual([]);
  });
});
