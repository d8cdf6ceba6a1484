/** `npm start` in a fork: extra arguments, a tool added while it runs, and a fork without any tool. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fork, makeFork, postJson, type Started, start, until } from "../support/node/fork.ts";

/** The file that the README tells a reader to add. */
const GREET = readFileSync(join(import.meta.dirname, "samples/hello/greet.ts"), "utf8");

describe("npm start in a fork whose tools/ is empty", () => {
  let fork: Fork;
  let served: Started;
  beforeAll(async () => {
    fork = makeFork({});
    served = await start(fork);
  });
  afterAll(async () => {
    await served?.stop();
    fork.remove();
  });

  it("lists nothing over all three protocols", async () => {
    // OXP, List Tools: "If there are no tools available, the tools array MUST be empty."
    const oxp = await (await fetch(`${served.url}/tools`)).json();
    expect(oxp).toEqual({ $schema: "urn:oxp:1.0", tools: [], items: [] });
    const mcp = await postJson(`${served.url}/mcp`, { jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect(mcp.body).toEqual({ jsonrpc: "2.0", id: 1, result: { tools: [] } });
    const opentool = await (await fetch(`${served.url}/opentool/load`)).json();
    expect(opentool).toMatchObject({ functions: [] });
  });

  it("serves a file added to tools/ over all three protocols, touching nothing else", async () => {
    fork.write("tools/hello/greet.ts", GREET);
    await until(async () => {
      const input = { name: "Ada" };
      const oxp = await postJson(`${served.url}/tools/call`, { request: { tool_id: "Hello.Greet", input } });
      const mcp = await postJson(`${served.url}/mcp`, {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "Hello_Greet", arguments: input },
      });
      const opentool = await postJson(`${served.url}/hello/opentool/call`, {
        jsonrpc: "2.0",
        id: "1",
        method: "Hello_Greet",
        params: input,
      });
      return (
        oxp.body.result?.value === "Hello, Ada!" &&
        mcp.body.result?.content[0].text === "Hello, Ada!" &&
        opentool.body.result?.value === "Hello, Ada!"
      );
    });
  });

  it("goes on serving what it had while a tool is broken, and has it when it is mended", async () => {
    fork.write("tools/hello/wave.ts", "export default 1;\n");
    await until(async () => served.printed().includes("The server goes on with the tools as they were"));
    const still = await postJson(`${served.url}/tools/call`, {
      request: { tool_id: "Hello.Greet", input: { name: "Bob" } },
    });
    expect(still.body.result.value).toBe("Hello, Bob!");
    fork.write("tools/hello/wave.ts", GREET.replace("Hello,", "Bye,"));
    await until(async () => {
      const wave = await postJson(`${served.url}/tools/call`, {
        request: { tool_id: "Hello.Wave", input: { name: "Bob" } },
      });
      return wave.body.result?.value === "Bye, Bob!";
    });
  });
});
