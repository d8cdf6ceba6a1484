/** `callTool`, `getPrompt`, `readResource` and `complete`: what a test gives, and what it gets. */
import { describe, expect, it } from "vitest";
import { callTool, complete, getPrompt, readResource } from "../../src/testing/call.ts";
import type { Result } from "../../src/testing/result.ts";
import type { Answers } from "../../src/testing/types.ts";

/** The results have no types here: those come from the fork's own tools (test/types/call-tool.test-d.ts). */
const untyped = ({ value }: Result<never>): unknown => value;

describe("a call that succeeds", () => {
  it("returns the value, and all else that a client can see", async () => {
    const result = await callTool("Talk.Show");
    expect(result).toMatchObject({ value: { shown: 6 }, error: undefined, meta: { "com.example/took": 5 } });
    expect(result.blocks.map(({ type }) => type)).toContain("image");
  });

  it("has the log lines and progress that the tool reported", async () => {
    const steps = [
      { progress: 1, total: 2, message: "half" },
      { level: "warning", data: { left: 1 } },
    ];
    const { logs, progress, blocks } = await callTool("Talk.Report", { steps });
    expect(logs).toEqual([{ level: "warning", data: { left: 1 } }]);
    expect(progress).toEqual([{ done: 1, total: 2, message: "half" }]);
    expect(blocks).toEqual([]);
  });

  it("takes a version", async () => {
    expect(untyped(await callTool("Versions.Number@1"))).not.toEqual(untyped(await callTool("Versions.Number")));
  });

  it("reads input as it arrives from a client, as JSON", async () => {
    const order = { customer: { name: "A", address: { street: "B", zip: "12345" } }, items: [], note: undefined };
    expect(untyped(await callTool("Echo.Order", order))).toEqual(JSON.parse(JSON.stringify(order)));
    await expect(callTool("Echo.Order", { items: [Number.NaN] })).rejects.toThrow("input.items.0 is NaN");
  });
});

describe("a call that fails", () => {
  it("has the five fields of a ToolError", async () => {
    const { error } = await callTool("Failing.Doorbell", { doorbell_id: "x" });
    expect(error).toEqual({
      reason: "failed",
      message: "Doorbell ID not found",
      developerMessage: "The doorbell with ID 'x' does not exist.",
      canRetry: true,
      retryAfterMs: 500,
      additionalPromptContent: "ids: doorbell42,doorbell84",
    });
  });

  it("fails a test that expects a value, with all that is known", async () => {
    const failed = await callTool("Failing.Doorbell", { doorbell_id: "x" });
    expect(() => failed.value).toThrow(
      /^Failing\.Doorbell failed: Doorbell ID not found\n {2}developerMessage: The doorbell with ID 'x'[\s\S]*read `error`/,
    );
  });

  it("shows what was thrown to the test, although callers never see it", async () => {
    const failed = await callTool("Failing.Throws", { what: "error", later: true });
    expect(failed.error?.message).toBe("The tool failed because of an internal error.");
    expect(failed.error?.cause).toMatchObject({ name: "TypeError", message: "hidden at /srv/secret.ts:12" });
    expect(failed.error?.cause).toHaveProperty("stack", expect.stringContaining("throws.ts"));
    expect(() => failed.value).toThrow("It threw TypeError: hidden at /srv/secret.ts:12");
  });

  it("names every wrong parameter", async () => {
    const { error } = await callTool("Math.Add", { a: "1" });
    expect(error).toMatchObject({ reason: "invalid", parameters: { a: "Must be a number", b: "Is required" } });
  });

  it("ends at the tool's time limit, and when its caller gives up", async () => {
    expect((await callTool("Failing.Slow", { name: "test" })).error).toMatchObject({ reason: "timed_out" });
    const signal = AbortSignal.timeout(1);
    expect((await callTool("Failing.Slow", { name: "test" }, { signal })).error).toMatchObject({ reason: "cancelled" });
  });
});

describe("credentials and bindings", () => {
  it("are what the test gives, as the tool declares them", async () => {
    const given = { secrets: { API_KEY: "k" }, authorization: { google: "t" }, userId: "u" };
    expect(untyped(await callTool("Needs.Everything", {}, given))).toMatchObject({
      secrets: { API_KEY: "k" },
      authorization: { google: "t" },
      userId: "u",
    });
    const { error } = await callTool("Needs.Everything", {}, { userId: "u" });
    expect(error).toMatchObject({
      reason: "requirements",
      message: 'It requires authorization "google", secret "API_KEY"',
    });
  });

  it("never are the Worker's own secrets, which may be real", async () => {
    expect((await callTool("Needs.WorkerSecret")).error?.reason).toBe("requirements");
    const { error } = await callTool("Needs.WorkerSecret", {}, { secrets: { FIXTURE_SECRET: "fake" } });
    expect(error).toBeUndefined();
  });

  it("replace those of the Worker, and only those that are given", async () => {
    expect(untyped(await callTool("Needs.Setting"))).toMatchObject({ env: { FIXTURE_SETTING: "a setting" } });
    const env = { FIXTURE_SETTING: "another" };
    expect(untyped(await callTool("Needs.Setting", {}, { env }))).toMatchObject({ env });
  });

  it("include attachments", async () => {
    const attachments = [
      new File([new Uint8Array([0, 255])], "q3.bin"),
      { name: "n.csv", type: "text/csv", text: "a,ä" },
      { name: "n.txt", text: "" },
    ];
    const files = [
      { name: "q3.bin", type: "application/octet-stream", size: 2, text: "\0\ufffd" },
      { name: "n.csv", type: "text/csv", size: 4, text: "a,ä" },
      { name: "n.txt", type: "text/plain", size: 0, text: "" },
    ];
    expect(untyped(await callTool("Echo.Files", {}, { attachments }))).toMatchObject({ files });
  });
});

describe("files that the tool asks for", () => {
  const upload = (answers: Answers, input = {}) => callTool("Echo.Upload", input, { answers });

  it("are the answers of the test, or the user declines", async () => {
    const file = { name: "q3.csv", type: "text/csv", text: "a,b" };
    const answers: Answers = {
      report: { action: "accept", file },
      "report#2": { action: "decline" },
      picture: { action: "accept", file: new File(["x"], "x.png", { type: "image/png" }) },
    };
    expect(untyped(await upload(answers, { keys: ["report", "report", "picture"] }))).toMatchObject({
      came: [{ name: "q3.csv", type: "text/csv", size: 3, text: "a,b" }, "decline", { name: "x.png", size: 1 }],
    });
  });

  it("must be given: consent alone uploads nothing", async () => {
    await expect(upload({ report: { action: "accept" } })).rejects.toThrow(
      /does not fit: Choose the report[\s\S]*file: \{ name: "a\.csv", type: "text\/csv", text: "…" \}/,
    );
    await expect(upload({})).rejects.toThrow(/asked "report", and the test does not answer/);
  });
});

describe("sessions", () => {
  it("start with each call, and continue with the session of an earlier one", async () => {
    const first = await callTool("Talk.Count");
    const second = await callTool("Talk.Count", {}, { session: first.session });
    const other = await callTool("Talk.Count");
    expect([first, second, other].map(untyped)).toEqual([1, 2, 1]);
    expect(second.session).toBe(first.session);
  });

  it("are optional, as for callers over OXP", async () => {
    const result = await callTool("Talk.Count", {}, { session: null });
    expect([untyped(result), result.session]).toEqual([-1, undefined]);
  });
});

describe("idempotency keys", () => {
  it("run a call once, and say so", async () => {
    const input = { name: crypto.randomUUID() };
    const first = await callTool("Counter.Bump", input, { key: input.name });
    const again = await callTool("Counter.Bump", input, { key: input.name });
    expect([first, again].map(untyped)).toEqual([1, 1]);
    expect([first.replayed, again.replayed]).toEqual([false, true]);
    expect(again.session).toBe(first.session);
    const other = await callTool("Counter.Bump", { ...input, more: 1 }, { key: input.name });
    expect(other.error?.reason).toBe("conflict");
  });
});

describe("prompts and resources", () => {
  it("are got and read as by a client", async () => {
    const prompt = await getPrompt("Talk_Greet", { name: "Ann" });
    expect(untyped(prompt)).toMatchObject([{ role: "user", content: { text: "Greet Ann in any language." } }, {}]);
    expect((await getPrompt("Talk_Greet")).error).toMatchObject({
      reason: "invalid",
      parameters: { name: "Is required" },
    });
    const uri = "talk://people/Ann/pets/Tom.json";
    const pet = { uri, mimeType: "application/json", text: '{"person":"Ann","pet":"Tom"}' };
    expect(untyped(await readResource(uri))).toEqual([pet]);
    expect((await readResource("talk://people/Ann/pets/fault.json")).error?.message).toBe("The pet bit");
    expect((await readResource("talk://people/Ann/pets/none.json")).error?.message).toBe("Resource not found");
  });

  it("ask as tools do", async () => {
    const answers = { topic: { action: "accept", content: { topic: "tea" } } } as const;
    expect(JSON.stringify(untyped(await getPrompt("Talk_AskFirst", {}, { answers })))).toContain("tea");
  });
});

describe("completion", () => {
  it("of a prompt's argument gets what was typed, and the other arguments", async () => {
    expect(untyped(await complete("Talk_Greet", "language", "language 24"))).toHaveLength(11);
    expect(untyped(await complete("Talk_Greet", "language", "name", { others: { name: "Ann" } }))).toEqual(["Ann"]);
  });

  it("of a resource's variable, too", async () => {
    const of = "talk://people/{person}/pets/{pet}.json";
    expect(untyped(await complete(of, "pet", "T", { others: { person: "Ann" } }))).toEqual(["Tony of Ann"]);
    expect(untyped(await complete(of, "person", "A"))).toEqual([]);
  });

  it("that throws is an error, which clients do not see", async () => {
    const { error } = await complete("Talk_Greet", "language", "throw");
    expect(error).toMatchObject({ reason: "failed", cause: { message: "hidden in a completion" } });
  });

  it("of what does not exist says what does", async () => {
    await expect(complete("Talk_Greet", "tongue", "")).rejects.toThrow('Talk_Greet has no argument "tongue"');
    await expect(complete("Talk.Greet", "language", "")).rejects.toThrow('Did you mean "Talk_Greet"?');
    await expect(complete("talk://news", "any", "")).rejects.toThrow('talk://news has no variable "any"');
  });
});

describe("what does not exist", () => {
  it.each([
    ["Math.Ad", 'There is no tool "Math.Ad". The tools are '],
    ["math_add", 'There is no tool "math_add". Did you mean "Math.Add"? The tools are '],
    ["Versions.Number@7", /^There is no Versions\.Number@7: Versions\.Number has 1\.\S+, /],
  ])("%s: an error says what does", async (id, words) => {
    await expect(callTool(id)).rejects.toThrow(words);
  });

  it("the same for prompts and resources", async () => {
    await expect(getPrompt("Talk.Greet")).rejects.toThrow('Did you mean "Talk_Greet"?');
    await expect(readResource("talk://nothing")).rejects.toThrow(
      /^There is no resource "talk:\/\/nothing"\. .*talk:\/\/news/,
    );
  });
});

it("a call's own bindings stay its own", async () => {
  const env = (setting: string) => ({ env: { FIXTURE_SETTING: setting } });
  const both = await Promise.all(["a", "b"].map((one) => callTool("Needs.Setting", {}, env(one))));
  expect(both.map(untyped)).toMatchObject([env("a"), env("b")]);
});
