/** Token requests whose clients go before they are answered. */
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

it("are deferred until they are answered: overlapping requests with the same refresh token wait for them", async () => {
  const deferred: Promise<unknown>[] = [];
  const reading = Promise.withResolvers<null>();
  const signIn = createSignIn({
    ...{ kv: { get: () => reading.promise }, keys: {}, baseScopes: [], serverName: "tools" },
    ...{ catalog: { toolkits: new Set(), scopes: [] }, idempotency: memoryIdempotency(), signer: {} },
    ...{ log: () => {}, defer: (work: Promise<unknown>) => deferred.push(work) },
  } as never);
  const form = { grant_type: "refresh_token", refresh_token: "a:b:c", client_id: "nobody" };
  const body = new URLSearchParams(form);
  const answering = signIn.fetch(new Request("http://127.0.0.1/oauth/token", { method: "POST", body }));
  await expect.poll(() => deferred.length).toBe(1);
  let isOver = false;
  void deferred[0]?.then(() => {
    isOver = true;
  });
  await new Promise((resume) => setTimeout(resume, 5));
  expect(isOver).toBe(false);
  reading.resolve(null);
  expect((await answering)?.status).toBe(401);
  await deferred[0];
});
