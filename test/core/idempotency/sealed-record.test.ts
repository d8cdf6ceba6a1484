/** Stored records of calls with a key: their contents are useless to anyone who reads the stores. */
import { listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { sha256 } from "../../../src/core/crypto/digest.ts";
import { mcp } from "../../support/mcp.ts";
import { rpc } from "../../support/opentool.ts";
import { call, completed } from "../../support/oxp.ts";

const { CLAIMS, KV } = env as unknown as { CLAIMS: DurableObjectNamespace; KV: KVNamespace };
afterEach(() => vi.restoreAllMocks());

const fresh = () => crypto.randomUUID();
const runs = (name: string) => completed("Counter.Runs", { name });

/** Everything stored about calls: names and values in KV, rows of the objects. */
async function stored(): Promise<string[]> {
  const { keys } = await KV.list();
  const inKv = keys.map(async ({ name }) => `${name} ${await KV.get(name)}`);
  const ids = await listDurableObjectIds(CLAIMS);
  const inObjects = ids.map((id) =>
    runInDurableObject(CLAIMS.get(id), (_, { storage: { sql } }) => {
      // An object that has kept nothing, or nothing any more, has no tables.
      const isEmpty = [...sql.exec("SELECT name FROM sqlite_master WHERE name = 'claims'")].length === 0;
      return isEmpty ? [] : [...sql.exec("SELECT * FROM claims")].map((row) => JSON.stringify(row));
    }),
  );
  return (await Promise.all([...inKv, ...inObjects])).flat();
}

describe("someone who reads the stores", () => {
  it.each(["Counter.Tells", "Counter.Looks"])("learns neither result nor input nor key of %s", async (tool) => {
    const before = new Set(await stored());
    const [name, call_id] = [`marked-${fresh()}`, `key-${fresh()}`];
    const first = await call(tool, { name }, { call_id });
    expect(first.body.result.value).toBe(`${name} ran 1 times`);
    const kept = (await stored()).filter((entry) => !before.has(entry));
    expect(kept.length).toBeGreaterThan(0);
    const bare = [name, call_id, "times"];
    const spelled = bare.flatMap((text) => [text, btoa(text).slice(0, 8)]);
    for (const text of spelled) expect(kept.join("\n")).not.toContain(text);
    expect((await call(tool, { name }, { call_id })).text).toBe(first.text);
  });
});

describe("someone who reads the stores and guesses a call", () => {
  const hashes = (entries: string[]) => new Set(entries.flatMap((entry) => entry.match(/\b[0-9a-f]{64}\b/g) ?? []));

  it("cannot check the guess: names and fingerprints depend on the signing key", async () => {
    const before = hashes(await stored());
    const [name, call_id] = [fresh(), fresh()];
    await call("Counter.Tells", { name }, { call_id });
    const kept = [...hashes(await stored())].filter((hash) => !before.has(hash));
    expect(kept.length).toBeGreaterThan(1);
    const guesses = [
      ["anonymous ", null, "Counter.Tells", call_id],
      ["anonymous", null, "Counter.Tells", call_id],
      [call_id, { name }, null, null],
    ];
    for (const guess of guesses) expect(kept).not.toContain(await sha256(JSON.stringify(guess)));
  });

  it("cannot tell that two callers made the same call", async () => {
    const [name, call_id] = [fresh(), fresh()];
    const keptOf = async (user_id: string) => {
      const before = hashes(await stored());
      await call("Counter.Looks", { name }, { call_id, context: { user_id } });
      return [...hashes(await stored())].filter((hash) => !before.has(hash));
    };
    const [ada, bob] = [await keptOf("ada"), await keptOf("bob")];
    expect(ada).toHaveLength(2);
    expect(bob).toHaveLength(2);
  });
});

/** Sends a duplicate over each protocol, and returns the answers' messages. */
const DUPLICATES: [string, (tool: string, input: object, key: string) => Promise<{ said: string; isTold: boolean }>][] =
  [
    [
      "OXP",
      async (tool, input, call_id) => {
        const { status, body } = await call(tool, input, { call_id });
        const isTold = status === 200 && body.result.success === false && body.result.error.can_retry === false;
        return { isTold, said: body.result?.error?.message };
      },
    ],
    [
      "MCP",
      async (tool, input, idempotency_key) => {
        const params = { name: tool.replace(".", "_"), arguments: { ...input, idempotency_key } };
        const { result } = (await mcp({ jsonrpc: "2.0", id: 1, method: "tools/call", params })).body;
        const isTold = result.isError === true && !JSON.stringify(result).includes('can_retry":true');
        return { isTold, said: result.content[0].text };
      },
    ],
    [
      "OpenTool",
      async (tool, input, key) => {
        const headers = { "idempotency-key": key };
        const { error } = (await rpc(tool.replace(".", "_"), input, { headers })).body;
        return { isTold: error?.code === 409 && error.data.can_retry === false, said: error?.message };
      },
    ],
  ];
const RAN = /has already run.*cannot be repeated/;

describe("a duplicate of a call whose result was not stored gets an error that the call has run, and does not run", () => {
  it.each([
    ["as its tool says keep: false", "Counter.Forgets", 0],
    ["as it is too large, of a tool with effects", "Counter.Tells", 10_000_000],
    ["as it is too large, of a tool without", "Counter.Looks", 20_000_000],
  ])("%s", async (_, tool, length) => {
    const [name, key] = [fresh(), fresh()];
    const input = { name, length };
    expect((await completed(tool, input, { call_id: key })) as string).toMatch(/ran 1 times/);
    for (const [protocol, again] of DUPLICATES) {
      const { said, isTold } = await again(tool, input, key);
      expect(said, protocol).toMatch(RAN);
      expect(isTold, protocol).toBe(true);
    }
    expect(await runs(name)).toBe(1);
    expect((await call(tool, { name: fresh() }, { call_id: key })).status).toBe(400);
  });

  it("a result that is long, but not too long, is replayed", async () => {
    const [name, call_id] = [fresh(), fresh()];
    const input = { name, length: 9_900_000 };
    const first = await call("Counter.Tells", input, { call_id });
    expect((await call("Counter.Tells", input, { call_id })).text === first.text).toBe(true);
    expect(await runs(name)).toBe(1);
  });

  it("if it could not be encrypted: the first caller still gets the result", async () => {
    const [name, call_id] = [fresh(), fresh()];
    vi.spyOn(crypto.subtle, "encrypt").mockRejectedValueOnce(new Error("hidden"));
    expect(await completed("Counter.Tells", { name }, { call_id })).toMatch(/ran 1 times/);
    expect((await call("Counter.Tells", { name }, { call_id })).body.result.error.message).toMatch(RAN);
    expect(await runs(name)).toBe(1);
  });
});
