/** One key that calls for many users, as a gateway does: no user gets the result of another's call. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildTools, type Deployment, deploy } from "../../support/node/attacks/deployment.ts";
import { SECRET, shared } from "../../support/node/attacks/tokens.ts";
import { bearer, type Headers, send } from "../../support/node/attacks/wire.ts";
import type { Fork } from "../../support/node/fork.ts";

let fork: Fork;
let here: Deployment;
let open: Deployment;
let gateway: Headers;
beforeAll(async () => {
  fork = await buildTools();
  here = await deploy(fork, { RATE_PER_MINUTE: "", JWT_SECRET: SECRET });
  open = await deploy(fork, { RATE_PER_MINUTE: "", PUBLIC: "true" });
  gateway = bearer((await here.makeKey()).text);
});
afterAll(async () => {
  await here?.stop();
  await open?.stop();
  fork?.remove();
});

interface User {
  readonly secret: string;
  readonly user_id?: string;
}

/** Calls a tool that returns everything it sees, including the user's secret. */
function read(call_id: string, { secret, user_id }: User, headers = gateway, url = here.url) {
  const context = { secrets: [{ id: "WHISPER", value: secret }], user_id };
  const body = { request: { tool_id: "Whisper.Sees", call_id, input: {}, context } };
  return send(url, { method: "POST", path: "/tools/call", headers, body });
}

describe("a replay never crosses between users of one key", () => {
  it("with a user_id: each user has separate calls under the same idempotency key", async () => {
    expect((await read("call-1", { user_id: "ada", secret: "ada's mail" })).text).toContain("ada's mail");
    const { status, text } = await read("call-1", { user_id: "bob", secret: "bob's mail" });
    expect(status).toBe(200);
    expect(text).toContain("bob's mail");
    expect(text).not.toContain("ada's mail");
  });

  it("without a user_id, and with a different secret: refused, neither replayed nor run", async () => {
    expect((await read("call-2", { secret: "ada's mail" })).text).toContain("ada's mail");
    const { status, text } = await read("call-2", { secret: "bob's mail" });
    expect(status).toBe(400);
    expect(text).not.toMatch(/ada's mail|bob's mail/);
    expect(here.entries().at(-1)).toMatchObject({ outcome: "refused", reason: "conflict" });
    expect((await read("call-2", { secret: "ada's mail" })).headers["idempotency-replayed"]).toBe("true");
  });

  it("if one call names the user, and the other does not", async () => {
    await read("call-3", { user_id: "ada", secret: "ada's mail" });
    expect((await read("call-3", { secret: "bob's mail" })).text).not.toContain("ada's mail");
    expect((await read("call-3", { user_id: "", secret: "eve's mail" })).status).toBe(400);
  });

  it("but a named user's token may be refreshed between two tries: the call is the same", async () => {
    await read("call-4", { user_id: "ada", secret: "ada's first token" });
    const again = await read("call-4", { user_id: "ada", secret: "ada's second token" });
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect(again.text).toContain("ada's first token");
  });

  it("for an anonymous caller, whose user_id is not trusted: the secret counts", async () => {
    const anonymousRead = (secret: string) => read("call-5", { user_id: "ada", secret }, [], open.url);
    expect((await anonymousRead("ada's mail")).text).toContain("ada's mail");
    const { status, text } = await anonymousRead("a guess");
    expect(status).toBe(400);
    expect(text).not.toContain("ada's mail");
  });

  it("for a token without a subject: the secret counts, whatever the user_id", async () => {
    const nobody = () => bearer(shared({ sub: undefined, jti: crypto.randomUUID() }));
    expect((await read("call-6", { user_id: "ada", secret: "ada's mail" }, nobody())).text).toContain("ada's mail");
    const { status, text } = await read("call-6", { user_id: "ada", secret: "a guess" }, nobody());
    expect(status).toBe(400);
    expect(text).not.toContain("ada's mail");
    const named = (secret: string) => read("call-7", { user_id: "ada", secret }, bearer(shared()));
    await named("ada's first token");
    expect((await named("ada's second token")).headers["idempotency-replayed"]).toBe("true");
  });
});

describe("a replay of a version that requires scopes", () => {
  const tell = (call_id: string, tool_id: string, scope?: string) => {
    const body = { request: { tool_id, call_id, input: {} } };
    return send(here.url, { method: "POST", path: "/tools/call", headers: bearer(shared({ scope })), body });
  };

  it("is refused to a token without them, also if it calls a version that requires none", async () => {
    const call_id = crypto.randomUUID();
    expect((await tell(call_id, "Whisper.Whole@1", "vault:open")).text).toContain("the whole story");
    const { status, text } = await tell(call_id, "Whisper.Whole");
    expect(status).toBe(400);
    expect(text).not.toContain("the whole story");
    await here.logged();
    expect(here.entries().at(-1)).toMatchObject({ outcome: "refused", reason: "conflict" });
    const again = await tell(call_id, "Whisper.Whole", "vault:open");
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect(again.text).toContain("the whole story");
  });
});
