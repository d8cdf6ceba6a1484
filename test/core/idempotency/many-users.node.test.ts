/** One key that calls for many users, as a gateway does: none of them is told what came of another's call. */
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
  fork = buildTools();
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

/** Calls what tells all that it sees, the user's secret among it. */
function read(call_id: string, { secret, user_id }: User, headers = gateway, url = here.url) {
  const context = { secrets: [{ id: "WHISPER", value: secret }], user_id };
  const body = { request: { tool_id: "Whisper.Sees", call_id, input: {}, context } };
  return send(url, { method: "POST", path: "/tools/call", headers, body });
}

describe("a replay crosses no users of one key", () => {
  it("who are named: each has calls of their own under the same key", async () => {
    expect((await read("call-1", { user_id: "ada", secret: "ada's mail" })).text).toContain("ada's mail");
    const { status, text } = await read("call-1", { user_id: "bob", secret: "bob's mail" });
    expect(status).toBe(200);
    expect(text).toContain("bob's mail");
    expect(text).not.toContain("ada's mail");
  });

  it("who are not named, and bring another secret than the first: refused, not answered and not run", async () => {
    expect((await read("call-2", { secret: "ada's mail" })).text).toContain("ada's mail");
    const { status, text } = await read("call-2", { secret: "bob's mail" });
    expect(status).toBe(400);
    expect(text).not.toMatch(/ada's mail|bob's mail/);
    expect(here.entries().at(-1)).toMatchObject({ outcome: "refused", reason: "conflict" });
    expect((await read("call-2", { secret: "ada's mail" })).headers["idempotency-replayed"]).toBe("true");
  });

  it("of whom one names the user, and the other does not", async () => {
    await read("call-3", { user_id: "ada", secret: "ada's mail" });
    expect((await read("call-3", { secret: "bob's mail" })).text).not.toContain("ada's mail");
    expect((await read("call-3", { user_id: "", secret: "eve's mail" })).status).toBe(400);
  });

  it("a named user's token may be refreshed between two tries: the call is the same", async () => {
    await read("call-4", { user_id: "ada", secret: "ada's first token" });
    const again = await read("call-4", { user_id: "ada", secret: "ada's second token" });
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect(again.text).toContain("ada's first token");
  });

  it("a stranger who says that they are that user is nobody known: the secret counts", async () => {
    const stranger = (secret: string) => read("call-5", { user_id: "ada", secret }, [], open.url);
    expect((await stranger("ada's mail")).text).toContain("ada's mail");
    const { status, text } = await stranger("a guess");
    expect(status).toBe(400);
    expect(text).not.toContain("ada's mail");
  });

  it("who are one and the same token's, as it names no subject: the secret counts, whatever user they name", async () => {
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

describe("a replay of a version that demands scopes", () => {
  const tell = (call_id: string, tool_id: string, scope?: string) => {
    const body = { request: { tool_id, call_id, input: {} } };
    return send(here.url, { method: "POST", path: "/tools/call", headers: bearer(shared({ scope })), body });
  };

  it("is refused to a token without these, also under the name of a version that demands none", async () => {
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
