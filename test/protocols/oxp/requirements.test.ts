/** OXP 1.0, Call Tool Request, Context: a tool's requirements, who supplies them, and that it sees nothing else. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { send } from "../../support/http.ts";
import { call, completed } from "../../support/oxp.ts";

afterEach(() => vi.restoreAllMocks());

const GOOGLE = { id: "google", token: "ya29.token" };
const API_KEY = { id: "API_KEY", value: "key-value" };
const FULL = { authorization: [GOOGLE], secrets: [API_KEY], user_id: "user_123" };

describe("requirements that are met", () => {
  it("from the context", async () => {
    expect(await completed("Needs.Everything", {}, { context: FULL })).toEqual({
      authorization: { google: "ya29.token" },
      secrets: { API_KEY: "key-value" },
      userId: "user_123",
      env: {},
      trace: null,
    });
  });

  it("user_id next to tool_id, as one published client sends it", async () => {
    const { user_id, ...context } = FULL;
    expect(await completed("Needs.Everything", {}, { context, user_id })).toHaveProperty("userId", "user_123");
  });

  it("the user id in the context takes precedence over the one next to tool_id", async () => {
    const seen = await completed("Needs.Everything", {}, { context: FULL, user_id: "another" });
    expect(seen).toHaveProperty("userId", "user_123");
  });

  it("a secret from the Worker", async () => {
    const seen = await completed("Needs.WorkerSecret");
    expect(seen).toHaveProperty("secrets", { FIXTURE_SECRET: "from the worker" });
  });

  it("a secret of the caller takes precedence over the Worker's", async () => {
    const context = { secrets: [{ id: "FIXTURE_SECRET", value: "from the caller" }] };
    const seen = await completed("Needs.WorkerSecret", {}, { context });
    expect(seen).toHaveProperty("secrets", { FIXTURE_SECRET: "from the caller" });
  });

  it("the first of two entries with one id counts", async () => {
    const context = {
      ...FULL,
      authorization: [GOOGLE, { id: "google", token: "second" }],
      secrets: [API_KEY, { id: "API_KEY", value: "second" }],
    };
    const seen = await completed("Needs.Everything", {}, { context });
    expect(seen).toMatchObject({ authorization: { google: "ya29.token" }, secrets: { API_KEY: "key-value" } });
  });
});

describe("a secret or token of over 16,384 characters, which would have to be redacted from every log line", () => {
  it.each<[string, object]>([
    ["request.context.secrets", { ...FULL, secrets: [{ id: "API_KEY", value: "s".repeat(16_385) }] }],
    ["request.context.authorization", { ...FULL, authorization: [{ id: "google", token: "あ".repeat(16_385) }] }],
    ["request.context.secrets", { ...FULL, secrets: [API_KEY, { id: "OTHER", value: "s".repeat(1_000_000) }] }],
  ])("is a 400 that names %s", async (name, context) => {
    const { status, body } = await call("Needs.Everything", {}, { context });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(`${name} must not have a`);
  });

  it("does not include one of exactly 16,384", async () => {
    const value = "s".repeat(16_384);
    const context = { ...FULL, secrets: [{ id: "API_KEY", value }], authorization: [{ id: "google", token: value }] };
    expect(await completed("Needs.Everything", {}, { context })).toHaveProperty("secrets.API_KEY", value);
  });
});

describe("a caller's values and the Worker's are never mixed (docs/requirements.md)", () => {
  const secrets = (...ids: string[]) => ({ secrets: ids.map((id) => ({ id, value: `${id} of the caller` })) });

  it("all of the Worker's, for a caller that supplies none", async () => {
    expect(await completed("Needs.Pair")).toHaveProperty("secrets", {
      FIXTURE_SECRET: "from the worker",
      FIXTURE_SETTING: "a setting",
    });
  });

  it.each([
    ["FIXTURE_SETTING", "FIXTURE_SECRET"],
    ["FIXTURE_SECRET", "FIXTURE_SETTING"],
  ])("an anonymous caller's %s does not get the Worker's %s: that is missing", async (sent, missing) => {
    const { status, body, text } = await call("Needs.Pair", {}, { context: secrets(sent) });
    expect(status).toBe(400);
    expect(body.missing_requirements).toEqual({ secrets: [{ id: missing }] });
    expect(text).not.toMatch(/from the worker|a setting/);
  });

  it("secrets and authorizations are not mixed either", async () => {
    expect(await completed("Needs.Across")).toMatchObject({ authorization: { FIXTURE_SETTING: "a setting" } });
    const token = { authorization: [{ id: "FIXTURE_SETTING", token: "of the caller" }] };
    for (const context of [token, secrets("FIXTURE_SECRET")]) {
      const { status, text } = await call("Needs.Across", {}, { context });
      expect(status).toBe(400);
      expect(text).not.toMatch(/from the worker|a setting/);
    }
  });

  it("an empty value does not change that", async () => {
    const context = { secrets: [...secrets("FIXTURE_SETTING").secrets, { id: "FIXTURE_SECRET", value: "" }] };
    expect((await call("Needs.Pair", {}, { context })).status).toBe(400);
  });

  it("all of the caller's, for one that supplies all", async () => {
    const context = secrets("FIXTURE_SECRET", "FIXTURE_SETTING");
    expect(await completed("Needs.Pair", {}, { context })).toHaveProperty("secrets", {
      FIXTURE_SECRET: "FIXTURE_SECRET of the caller",
      FIXTURE_SETTING: "FIXTURE_SETTING of the caller",
    });
  });

  describe("unless the definition says who may supply a name", () => {
    const context = { ...secrets("FIXTURE_SECRET", "FIXTURE_SETTING"), authorization: [GOOGLE] };

    it("the Worker's value is used, whatever a caller sends under its name", async () => {
      expect(await completed("Needs.Sides", {}, { context })).toMatchObject({
        secrets: { FIXTURE_SECRET: "from the worker", FIXTURE_SETTING: "FIXTURE_SETTING of the caller" },
        authorization: { google: "ya29.token" },
      });
    });

    it("a caller's value under a name for callers only does not add a secret of the Worker", async () => {
      const { status, body, text } = await call("Needs.Aside", {}, { context: secrets("FIXTURE_SETTING") });
      expect(status).toBe(400);
      expect(body.missing_requirements).toEqual({ secrets: [{ id: "FIXTURE_SECRET" }] });
      expect(text).not.toContain("from the worker");
      expect(await completed("Needs.Aside", {}, { context })).toHaveProperty("secrets", {
        FIXTURE_SECRET: "FIXTURE_SECRET of the caller",
        FIXTURE_SETTING: "FIXTURE_SETTING of the caller",
      });
    });

    it("a name for callers only never gets the Worker's value", async () => {
      const { status, body } = await call("Needs.Sides", {}, { context: { authorization: [GOOGLE] } });
      expect(status).toBe(400);
      expect(body.missing_requirements).toEqual({ secrets: [{ id: "FIXTURE_SETTING" }] });
    });

    it("a name for the Worker only is neither listed nor requested from callers", async () => {
      const { body } = await send("/tools");
      const requirementsOf = (id: string) => body.tools.find((tool: { id: string }) => tool.id === id)?.requirements;
      expect(requirementsOf("Needs.Sides@1.0.0")).toEqual({
        secrets: [{ id: "FIXTURE_SETTING" }],
        authorization: [{ id: "google" }],
      });
      expect(requirementsOf("Needs.Unset@1.0.0")).toBeUndefined();
      const own = { secrets: [{ id: "NEVER_SET", value: "x" }], authorization: [{ id: "never-set", token: "x" }] };
      const answer = await call("Needs.Unset", {}, { context: own });
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain('"NEVER_SET" (only the server can supply it)');
      expect(answer.body.developer_message).toBe("Ask the operator of this server to set these secrets");
      expect(answer.body.missing_requirements ?? {}).toEqual({});
    });
  });
});

describe("a tool sees what it declared and nothing else", () => {
  const TOO_MUCH = {
    authorization: [GOOGLE, { id: "github", token: "t" }, { id: "__proto__", token: "t" }],
    secrets: [API_KEY, { id: "FIXTURE_SECRET", value: "x" }, { id: "constructor", value: "x" }],
    user_id: "user_123",
  };
  const NOTHING = { authorization: {}, secrets: {}, userId: null, env: {}, trace: null };

  it("nothing, if it declares no requirements", async () => {
    expect(await completed("Needs.Nothing", {}, { context: TOO_MUCH, user_id: "user_123" })).toEqual(NOTHING);
  });

  it("not undeclared names next to declared ones", async () => {
    expect(await completed("Needs.Everything", {}, { context: TOO_MUCH })).toMatchObject({
      authorization: { google: "ya29.token" },
      secrets: { API_KEY: "key-value" },
    });
    const seen = await completed("Needs.WorkerSecret", {}, { context: TOO_MUCH });
    expect(seen).toEqual({ ...NOTHING, secrets: { FIXTURE_SECRET: "x" } });
  });

  it("only the Worker's variables that it names", async () => {
    expect(await completed("Needs.Setting")).toEqual({ ...NOTHING, env: { FIXTURE_SETTING: "a setting" } });
  });
});

describe("missing requirements are a 400", () => {
  it.each([
    ["everything", {}, ['"google"', '"API_KEY"', "user id"], { secrets: [{ id: "API_KEY" }], user_id: true }],
    // `{}` would be an empty map of missing requirements.
    ["the token", { ...FULL, authorization: [] }, ['"google"'], undefined],
    ["the secret", { ...FULL, secrets: undefined }, ['"API_KEY"'], { secrets: [{ id: "API_KEY" }] }],
    ["the user id", { ...FULL, user_id: undefined }, ["user id"], { user_id: true }],
    // No service accepts an empty value: the error tells the caller what to send.
    [
      "an empty value",
      { ...FULL, user_id: "", secrets: [{ id: "API_KEY", value: "" }] },
      ['"API_KEY"', "user id"],
      {
        secrets: [{ id: "API_KEY" }],
        user_id: true,
      },
    ],
    [
      "a value under another name",
      { ...FULL, secrets: [{ id: "api_key", value: "x" }] },
      ['"API_KEY"'],
      {
        secrets: [{ id: "API_KEY" }],
      },
    ],
  ])("%s: named in the message, and in missing_requirements", async (_, context, named, missing) => {
    const { status, body, text } = await call("Needs.Everything", {}, { context });
    expect(status).toBe(400);
    for (const name of named) expect(body.message).toContain(name);
    // Items of `missing_requirements.authorization` need a `url`: the member is omitted if there is none to visit.
    expect(body.missing_requirements).toEqual(missing);
    expect(text).not.toMatch(/key-value|ya29/);
  });

  it("without a context at all", async () => {
    expect((await call("Needs.Everything")).status).toBe(400);
  });

  it("an inherited member does not count as a value", async () => {
    // Only own members of `context` count: an id such as "constructor" must not be found on a prototype.
    expect((await call("Counter.Needy", { name: "inherited" }, { context: { secrets: {} } })).status).toBe(400);
  });

  it.each([
    { context: { authorization: {} } },
    { context: { authorization: ["google"] } },
    { context: { authorization: [{ id: "google" }] } },
    { context: { authorization: [{ id: 1, token: "t" }] } },
    { context: { secrets: "API_KEY" } },
    { context: { secrets: [{ id: "API_KEY", value: 1 }] } },
    { context: { secrets: [null] } },
    { context: { user_id: 1 } },
    { context: { user_id: {} } },
    { user_id: ["x"] },
  ])("%j is unreadable: 400, also for a tool without requirements", async (more) => {
    expect((await call("Math.Add", { a: 1, b: 2 }, more)).status).toBe(400);
  });

  it("neither a token nor a secret is in a log", async () => {
    const lines: unknown[] = [];
    for (const level of ["log", "info", "warn", "error"] as const) {
      vi.spyOn(console, level).mockImplementation((...line) => lines.push(...line));
    }
    await call("Needs.Everything", {}, { context: { ...FULL, user_id: undefined } });
    await call("Failing.Throws", { what: "error" }, { context: FULL });
    expect(lines.join("\n")).toContain("internal error");
    expect(lines.join("\n")).not.toMatch(/key-value|ya29/);
  });
});
