/** Token requests whose clients go before they are answered. */
import { env } from "cloudflare:workers";
import { afterAll, expect, it } from "vitest";
import { createSignIn } from "../../../src/features/sign-in/server.ts";
import { memoryIdempotency } from "../../support/memory.ts";

// The sign-in replaces these (guard-globals.ts).
const { fetch, console } = globalThis;
const { warn } = console;
afterAll(() => {
  Object.assign(globalThis, { fetch });
  Object.assign(console, { warn });
});

it("end all the same: overlapping requests with the same refresh token wait for them", async () => {
  const deferred: Promise<unknown>[] = [];
  const signIn = createSignIn({
    ...{ kv: (env as unknown as { KV: KVNamespace }).KV, keys: {}, baseScopes: [], serverName: "tools" },
    ...{ catalog: { toolkits: new Set(), scopes: [] }, idempotency: memoryIdempotency(), signer: {} },
    ...{ log: () => {}, defer: (work: Promise<unknown>) => deferred.push(work) },
  } as never);
  const form = { grant_type: "refresh_token", refresh_token: "a:b:c", client_id: "nobody" };
  const body = new URLSearchParams(form);
  const answering = signIn.fetch(new Request("http://127.0.0.1/oauth/token", { method: "POST", body }));
  await expect.poll(() => deferred.length).toBe(1);
  expect((await answering)?.status).toBe(401);
  await deferred[0];
});
