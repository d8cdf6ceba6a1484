/** The audit line, field by field: it is a stable interface (docs/operating.md). */
import { describe, expect, it } from "vitest";
import { audit } from "../../../src/core/call/audit.ts";
import type { LogEntry } from "../../../src/core/lib/log.ts";
import { type Caller, NO_CONTEXT } from "../../../src/core/model/call.ts";
import type { Outcome } from "../../../src/core/model/outcome.ts";
import type { Runtime } from "../../../src/core/ports/runtime.ts";
import { OWNER } from "../../support/app.ts";

const CALLER: Caller = { callId: "call-1", protocol: "oxp", principal: OWNER, context: NO_CONTEXT };
const OFFER = { id: "Vault.Open", version: "1.0.0", options: {} };
const DONE: Outcome = { kind: "completed", value: "in the result" };

function line(
  caller: Partial<Caller> = {},
  primitive: typeof OFFER | undefined = OFFER,
  outcome = DONE,
  isLocal = false,
): LogEntry {
  const lines: LogEntry[] = [];
  const runtime = { isLocal, now: () => 1_700_000_000_000, logCall: (entry: LogEntry) => lines.push(entry) };
  audit(runtime as unknown as Runtime, { ...CALLER, ...caller }, primitive, outcome, 12);
  expect(lines).toHaveLength(1);
  // Parsed, as a log pipeline would.
  return JSON.parse(JSON.stringify(lines[0]));
}

it("has time, call, tool, caller and result, but no input or output", () => {
  expect(line()).toEqual({
    level: "info",
    message: "call",
    time: "2023-11-14T22:13:20.000Z",
    callId: "call-1",
    tool: "Vault.Open@1.0.0",
    protocol: "oxp",
    principal: "owner",
    outcome: "completed",
    durationMs: 12,
  });
});

it("names the client, if it has a name", () => {
  const by = (names: object) => line({ clientInfo: { protocol: "mcp", capabilities: new Set(), ...names } }).client;
  expect(by({ name: "claude-ai", version: "1.2.0", title: "Claude" })).toBe("claude-ai 1.2.0");
  expect(by({ name: "claude-ai" })).toBe("claude-ai");
  expect(by({ version: "1.2.0" })).toBeUndefined();
});

describe.each<[string, Outcome, object]>([
  ["failed", { kind: "failed", fault: { message: "in the fault", developerMessage: "in the fault" } }, {}],
  ["invalid", { kind: "invalid", issues: [{ path: "in the path", message: "in the issue" }] }, {}],
  ["timed_out", { kind: "timed_out", limitMs: 50 }, {}],
  ["cancelled", { kind: "cancelled" }, {}],
  ["asking", { kind: "asking", questions: new Map(), answered: new Map() }, {}],
  ["refused", { kind: "refused", refusal: { reason: "conflict" } }, { reason: "conflict" }],
  [
    "refused",
    { kind: "refused", refusal: { reason: "scope", name: "X", scopes: ["in the scopes"] } },
    { reason: "scope" },
  ],
])("%s", (kind, outcome, more) => {
  it("is said, and its words are not", () => {
    const said = line({}, OFFER, outcome as typeof DONE);
    expect(said).toMatchObject({ outcome: kind, ...more });
    expect(JSON.stringify(said)).not.toContain("in the");
  });
});

it("omits the name of an unknown tool, because the caller chose it", () => {
  const refused: Outcome = {
    kind: "refused",
    refusal: { reason: "unknown_tool", name: "in the name" },
  };
  const said: LogEntry[] = [];
  const runtime = { now: () => 0, logCall: (entry: LogEntry) => said.push(entry) } as unknown as Runtime;
  audit(runtime, CALLER, undefined, refused, 0);
  expect(JSON.parse(JSON.stringify(said[0]))).not.toHaveProperty("tool");
  expect(JSON.stringify(said)).not.toContain("in the");
});

it("distinguishes a completion from a use of the prompt or resource", () => {
  const { tool, completion } = line({}, { ...OFFER, completion: true } as typeof OFFER);
  expect([tool, completion]).toEqual(["Vault.Open@1.0.0", true]);
  expect(line()).not.toHaveProperty("completion");
});

it("logs no lines if LOG_CALLS is off", () => {
  const runtime = {
    now() {
      throw new Error("nothing is made of what nobody reads");
    },
  } as unknown as Runtime;
  expect(() => audit(runtime, CALLER, OFFER, DONE, 0)).not.toThrow();
});

describe("the trace (W3C Trace Context, section 3.2.2.3)", () => {
  const id = "0af7651916cd43dd8448eb211c80319c";
  it.each([
    [`00-${id}-b7ad6b7169203331-01`, undefined, id],
    // "Higher versions": anything may follow.
    [`cc-${id}-b7ad6b7169203331-01-more`, undefined, id],
    [`00-${id}-b7ad6b7169203331-01`, "trace-1", id],
    ["garbage", "trace-1", "trace-1"],
    [undefined, "trace-1", "trace-1"],
    [`00-${id.toUpperCase()}-b7ad6b7169203331-01`, undefined, undefined],
    ["00-short-b7ad6b7169203331-01", undefined, undefined],
    [undefined, "x".repeat(9_000), "x".repeat(255)],
  ])("traceparent %j, id %j", (traceparent, own, expected) => {
    expect(line({ trace: () => ({ traceparent, id: own }) }).trace).toBe(expected);
  });
});

it("truncates an id chosen by the caller", () => {
  expect(line({ callId: "é".repeat(300) }).callId).toBe("é".repeat(255));
});

it.each<[Outcome, string | undefined]>([
  [DONE, undefined],
  [{ kind: "failed", fault: { message: "for users" } }, "for users"],
  [{ kind: "failed", fault: { message: "for users", developerMessage: "for authors" } }, "for authors"],
  [{ kind: "invalid", issues: [{ path: "a", message: "Must be a string" }] }, "a: Must be a string"],
  [{ kind: "refused", refusal: { reason: "unknown_tool", name: "Kit.Brake" } }, "Kit.Brake"],
  [
    { kind: "refused", refusal: { reason: "capability", capability: "form", question: "Which size?" } },
    'it asks "Which size?", and this caller cannot be asked: check ctx.canAsk("form")',
  ],
])("has the words only under npm start: %j", (outcome, detail) => {
  expect(line({}, OFFER, outcome as typeof DONE, true).detail).toBe(detail);
  expect(line({}, OFFER, outcome as typeof DONE)).not.toHaveProperty("detail");
});
