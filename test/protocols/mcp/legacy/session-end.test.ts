/** The end of a session (2025-11-25, basic/transports, Session Management: DELETE), and how much one may hold. */
import { describe, expect, it } from "vitest";
import { MAX_SESSION_CHARACTERS } from "../../../../src/core/model/session.ts";
import { call, endSession, handshake, listenTo, mcp } from "../../../support/mcp.ts";

describe("DELETE", () => {
  it("ends the session's open stream, and no others", async () => {
    const [session, other] = [await handshake(), await handshake()];
    const [stream, others] = [await listenTo(session), await listenTo(other)];
    expect((await endSession(session)).status).toBe(204);
    expect(await stream.rest()).toEqual([]);
    expect(await others.isSilent(50)).toBe(true);
    await others.close();
  });
});

describe("a session's size limit", () => {
  it("also applies to concurrent calls that each found it empty: values that do not fit are not stored", async () => {
    const session = await handshake();
    const keep = (characters: number, n: number) => mcp(call("Talk_Keep", { characters, under: `text ${n}` }), session);
    // Loads the tool's module. In these tests the request that imports a module first fetches it from vitest, and others
    // that wait for the same import at that time may fail. A deployment has its modules in its bundle.
    await keep(0, 0);
    const all = Array.from({ length: 30 }, (_, n) => n);
    // All have run, and their callers get the results all the same.
    for (const { body } of await Promise.all(all.map((n) => keep(60_000, n))))
      expect(body.result.structuredContent).toEqual({ value: 60_000 });
    let held = 0;
    for (const n of all) held += (await keep(0, n)).body.result.structuredContent.value;
    expect(held).toBe(120_000);
  });

  it("fails the call with a message; earlier values stay", async () => {
    const session = await handshake();
    const keep = (characters: number) => mcp(call("Talk_Keep", { characters }), session);
    expect((await keep(1_000)).body.result.structuredContent).toEqual({ value: 1_000 });
    const { body } = await keep(MAX_SESSION_CHARACTERS);
    expect(body.result.isError).toBe(true);
    expect(body.result.content[0].text).toContain(`${MAX_SESSION_CHARACTERS} characters`);
    expect((await keep(0)).body.result.structuredContent).toEqual({ value: 1_000 });
  });
});
