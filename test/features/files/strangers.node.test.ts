/** A public deployment as it is set up: strangers call its tools, and upload nothing. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { SECRET } from "../../support/node/attacks/tokens.ts";
import { BINDINGS, presign, serveFiles } from "../../support/node/files.ts";
import { postJson } from "../../support/node/http.ts";
import { type Long, tokenOf, WORKFLOW } from "../../support/node/long.ts";

let server: Long;
beforeAll(async () => {
  server = await serveFiles({ PUBLIC_UPLOADS: "false" }, WORKFLOW + BINDINGS);
});
afterAll(() => server?.stop());

it("counts requests for the URL of a file against the rate of whoever has it, if that has no key, by themselves", async () => {
  const other = await server.also({ closed: true, vars: { JWT_SECRET: SECRET, RATE_PER_MINUTE: "10" } });
  const wanted = { filename: "a.bin", content_type: "a/b" };
  const { status, body } = await postJson(`${other.url}/api/v1/files/presign-upload`, wanted, tokenOf("a"));
  expect([status, body]).toEqual([200, expect.anything()]);
  const statuses = [];
  for (let sent = 0; sent < 22; sent++) {
    const answer = await fetch(body.upload_url, {
      method: "PUT",
      body: "x",
      headers: { "content-type": "text/wrong" },
    });
    statuses.push(answer.status);
    await answer.body?.cancel();
  }
  await other.stop();
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(415));
  expect(statuses).toContain(429);
});

it("gives no upload URL to callers without a credential, and says why", async () => {
  const { status, body } = await presign(server.url, {});
  expect([status, body]).toEqual([
    403,
    { message: "Only callers with a credential of their own can upload files here" },
  ]);
});
