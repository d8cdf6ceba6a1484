/** A public deployment as it is set up: strangers call its tools, and upload nothing. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { BINDINGS, presign, serveFiles } from "../support/node/files.ts";
import { type Long, WORKFLOW } from "../support/node/long.ts";

let server: Long;
beforeAll(async () => {
  server = await serveFiles({ PUBLIC_UPLOADS: "false" }, WORKFLOW + BINDINGS);
});
afterAll(() => server?.stop());

it("gives no upload URL to callers without a credential, and says why", async () => {
  const { status, body } = await presign(server.url, {});
  expect([status, body]).toEqual([
    403,
    { message: "Only callers with a credential of their own can upload files here" },
  ]);
});
