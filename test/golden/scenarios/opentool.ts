/** OpenTool 1.0 on a deployment that everyone may call. */
import type { Transcript } from "../transcript.ts";
import { CALLS } from "./oxp.ts";

const rpc = (method: unknown, params?: unknown, id: unknown = "1", more: object = {}) => ({
  body: { jsonrpc: "2.0", method, params, id, ...more },
});

export async function opentool(at: Transcript): Promise<void> {
  await at.send("version", "/opentool/version");
  await at.send("load", "/opentool/load");
  await at.send("load of a toolkit", "/plain/opentool/load");
  for (const [name, tool, input] of CALLS) await at.send(name, "/opentool/call", rpc(tool.replace(".", "_"), input));
  for (const [name, tool, input] of CALLS.slice(0, 12)) {
    await at.send(`${name}, in a stream`, "/opentool/streamCall", rpc(tool.replace(".", "_"), input));
  }
  await at.send("reports in a stream", "/opentool/streamCall", rpc("Talk_Say", {}));
  await at.stream("is held open in a stream", "/opentool/streamCall", rpc("Talk_Wait", { name: "opentool" }), () =>
    at.quietly("/opentool/call", rpc("Talk_LetGo", { name: "opentool" })),
  );
  await at.send("has another kind of id", "/opentool/call", rpc("Plain_Add", { a: 1, b: 2 }, 7));
  await at.send("has no id", "/opentool/call", rpc("Plain_Add", { a: 1, b: 2 }, null));
  await at.send("has no params", "/opentool/call", rpc("Plain_Point"));
  await at.send("has a method that is none", "/opentool/call", rpc(7, {}));
  await at.send("is no JSON", "/opentool/call", { body: "{" });
  await at.send("is a list", "/opentool/call", { body: "[]" });
  await at.send("is of another JSON-RPC", "/opentool/call", {
    body: { jsonrpc: "1.0", method: "Plain_Point", id: "1" },
  });
  await at.send("is no JSON, in a stream", "/opentool/streamCall", { body: "{" });
  await at.send("a GET", "/opentool/call");
}
