/**
 * Clients that give up on a call after 60 seconds finish a tool that takes three minutes. Time is scaled, the tool's and
 * the server's wait by the same factor: a second here is 36. (test/three-minutes.ts takes the whole three minutes.)
 */
import type { TaskExecutionEvent } from "@modelcontextprotocol/ext-tasks/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Long, newName, seen, serveLong } from "../support/node/long.ts";
import { extTasks, LONG_CLIENTS } from "../support/node/long-clients.ts";

/** 180 seconds, by 36. */
const THREE_MINUTES = 5_000;

let server: Long;
let url: string;
beforeAll(async () => {
  // 45 seconds, by 36, in whole seconds.
  server = await serveLong({ vars: { LONG_WAIT_SECONDS: "1" } });
  url = server.url;
});
afterAll(() => server?.stop());

describe.concurrent("a tool of three minutes is finished by", () => {
  it.each(Object.entries(LONG_CLIENTS))("%s", async (_, finish) => {
    const name = newName();
    const { text, calls } = await finish(url, { name, ms: THREE_MINUTES });
    expect(text).toBe(`${name} is done`);
    expect(calls).toBeGreaterThan(2);
    expect(await seen(url, name)).toEqual(["begun", "done"]);
  });
});

describe("the official client of tasks", () => {
  it("hears of the tool's progress", async () => {
    const events: TaskExecutionEvent<unknown>[] = [];
    const name = newName();
    const finish = extTasks((event) => events.push(event));
    await finish(url, { name, ms: 6_000, reports: ["the first half", "the second half"] });
    const said = JSON.stringify(events);
    expect(said).toContain("the first half");
    expect(said).toContain("the second half");
  });

  it("gets the result of a quick tool", async () => {
    const name = newName();
    expect((await extTasks()(url, { name, ms: 0 })).text).toBe(`${name} is done`);
  });
});
