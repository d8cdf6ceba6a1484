/** Calls that run once: idempotency keys, replays and conflicts; and sessions. */
import type { Sent, Transcript } from "../transcript.ts";
import { calls, initialize, legacy, message, modern } from "./mcp.ts";

const ENDINGS = ["completed", "failed", "retryable", "thrown", "timeout"];

export async function keyed(at: Transcript): Promise<void> {
  const oxp = (tool_id: string, input: object, more: object) => ({ body: { request: { tool_id, input, ...more } } });
  for (const ending of ENDINGS) {
    const call = oxp("Count.Bump", { name: `oxp-${ending}`, ending }, { call_id: `key-${ending}` });
    await at.send(`OXP, ${ending}`, "/tools/call", call);
    await at.send(`OXP, ${ending}, again`, "/tools/call", call);
  }
  await at.send(
    "OXP, another input",
    "/tools/call",
    oxp("Count.Bump", { name: "other" }, { call_id: "key-completed" }),
  );
  await at.send("OXP, another tool", "/tools/call", oxp("Count.Look", { name: "other" }, { call_id: "key-completed" }));
  await at.send("OXP, a tool that only reads", "/tools/call", oxp("Count.Look", { name: "look" }, { call_id: "look" }));
  await at.send(
    "OXP, a tool that only reads, again",
    "/tools/call",
    oxp("Count.Look", { name: "look" }, { call_id: "look" }),
  );
  await at.send("OXP, a key in a header", "/tools/call", {
    ...oxp("Count.Bump", { name: "header" }, {}),
    headers: { "idempotency-key": "in-a-header" },
  });
  await at.send(
    "OXP, a key that is too long",
    "/tools/call",
    oxp("Count.Bump", { name: "x" }, { call_id: "x".repeat(300) }),
  );
  const opentool = (id: string, name: string) => ({
    body: { jsonrpc: "2.0", method: "Count_Bump", params: { name }, id: "1" },
    headers: { "idempotency-key": id },
  });
  await at.send("OpenTool", "/opentool/call", opentool("open", "open"));
  await at.send("OpenTool, again", "/opentool/call", opentool("open", "open"));
  await at.send("OpenTool, another input", "/opentool/call", opentool("open", "other"));
  for (const [era, say] of [
    [
      "bare MCP",
      (args: object, key: string) => ({
        body: message("tools/call", calls("Count_Bump", args, { idempotency_key: key })),
      }),
    ],
    [
      "MCP 2026-07-28",
      (args: object, key: string) => modern("tools/call", calls("Count_Bump", args), {}, {}, { idempotency_key: key }),
    ],
  ] as const) {
    for (const ending of ENDINGS) {
      const args = { name: `${era}-${ending}`, ending };
      await at.send(`${era}, ${ending}`, "/mcp", say(args, `${era}-${ending}`));
      await at.send(`${era}, ${ending}, again`, "/mcp", say(args, `${era}-${ending}`));
    }
    await at.send(`${era}, another input`, "/mcp", say({ name: "other" }, `${era}-completed`));
    const { body, headers } = say({ name: `${era}-header`, idempotency_key: `${era}-argument` }, "") as Sent;
    await at.send(`${era}, a key among the arguments`, "/mcp", { body, headers: { ...headers } });
  }
}

export async function sessions(at: Transcript): Promise<void> {
  const oxp = (more: object) => ({ body: { request: { tool_id: "Talk.Tally", input: {}, ...more } } });
  await at.send("OXP, without a session", "/tools/call", oxp({}));
  await at.send("OXP, a handle that is nonsense", "/tools/call", oxp({ context: { session: "nonsense" } }));
  await at.send("OXP, an empty handle", "/tools/call", oxp({ context: { session: "" } }));
  const session = await initialize(at, "2025-06-18");
  const go = (name: string) => at.send(name, "/mcp", legacy("tools/call", calls("Talk_Tally"), session));
  await go("counts one");
  await go("counts two");
  const begun = await at.send("2026-07-28, begins a session", "/mcp", modern("tools/call", calls("Talk_Tally")));
  const handle = /session: ([\w.~-]+)/.exec(begun.text)?.[1] ?? "none";
  await at.send("2026-07-28, goes on in it", "/mcp", modern("tools/call", calls("Talk_Tally", { session: handle })));
  await at.send(
    "2026-07-28, on another path",
    "/talk/mcp",
    modern("tools/call", calls("Talk_Tally", { session: handle })),
  );
  await at.send(
    "2026-07-28, a handle that is nonsense",
    "/mcp",
    modern("tools/call", calls("Talk_Tally", { session: "nonsense" })),
  );
}
