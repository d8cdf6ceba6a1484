/** The official MCP clients sign in with the Worker alone, for a person with an API key. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MadeKey } from "../../../src/cli/keys/make.ts";
import { KINDS, signIn, V1 } from "../../support/node/oauth/clients.ts";
import { Visitor } from "../../support/node/oauth/visitor.ts";
import { Browser } from "../../support/node/sign-in/person.ts";
import { openPlace, type Place } from "../../support/node/sign-in/place.ts";

/** Enters the key, and allows everything on the page. */
class KeyHolder extends Visitor {
  readonly #key: string;

  constructor(key: string, clientMetadataUrl?: string) {
    super(clientMetadataUrl);
    this.#key = key;
  }

  override async redirectToAuthorization(url: URL): Promise<void> {
    this.sentTo.push(url);
    const browser = new Browser(url.origin);
    const { handle } = await browser.open(url.searchParams);
    const consent = await browser.post({ handle, key: this.#key });
    const scope = [...consent.text.matchAll(/name="scope" value="([^"]+)"/g)].map(([, value = ""]) => value);
    const { location } = await browser.post({ handle: consent.handle, decision: "allow", scope });
    this.callback = location?.searchParams ?? new URLSearchParams();
  }
}

let place: Place;
let key: MadeKey;
beforeAll(async () => {
  place = await openPlace();
  key = await place.makeKey();
});
afterAll(() => place?.stop());

describe.each(KINDS)("$name, $revision", (kind) => {
  it("registers, signs in, lists and calls", async () => {
    const visitor = new KeyHolder(key.text);
    const connection = await signIn(kind, `${place.url}/mcp`, visitor);
    expect(await connection.list()).toEqual(["Post_Read", "Post_Send", "Post_Weigh", "Vault_Open"]);
    expect(await connection.call("Post_Weigh")).toBe(`key:${key.id}`);
    await connection.close();
    expect(visitor.sentTo[0]?.searchParams.get("resource")).toBe(`${place.url}/mcp`);
    expect(visitor.kept).toMatchObject({ scope: "tools", expires_in: 3600 });
  });

  it("signs in to one toolkit", async () => {
    const connection = await signIn(kind, `${place.url}/vault/mcp`, new KeyHolder(key.text));
    expect(await connection.list()).toEqual(["Vault_Open"]);
    await connection.close();
  });

  // v1 renews its token instead, gets the same scopes, and gives up: it steps up only if it has no refresh token.
  (kind === V1 ? it.fails : it)("comes back for the scope that a tool demands", async () => {
    const visitor = new KeyHolder(key.text);
    const connection = await signIn(kind, `${place.url}/mcp`, visitor);
    await expect(connection.call("Post_Read")).rejects.toThrow();
    expect(visitor.sentTo[1]?.searchParams.get("scope")?.split(" ")).toContain("post.read");
    await connection.finishAuth();
    expect(await connection.call("Post_Read")).toBe(`key:${key.id}`);
    await connection.close();
  });

  it("renews an expired token without its user", async () => {
    const visitor = new KeyHolder(key.text);
    const connection = await signIn(kind, `${place.url}/mcp`, visitor);
    const { kept } = visitor;
    if (!kept) throw new Error("no tokens");
    visitor.kept = { ...kept, access_token: kept.access_token.replace(/.$/, (last) => (last === "a" ? "b" : "a")) };
    expect(await connection.call("Post_Weigh")).toBe(`key:${key.id}`);
    await connection.close();
    expect(visitor.sentTo).toHaveLength(1);
    expect(visitor.kept.refresh_token).not.toBe(kept.refresh_token);
  });

  it("identifies itself by a document instead of registering (CIMD)", async () => {
    const document = `https://client.example/${kind.revision}.json`;
    const visitor = new KeyHolder(key.text, document);
    const metadata = { ...visitor.clientMetadata, client_id: document };
    place.publish(document, metadata);
    const before = (await place.stored()).filter((name) => name.startsWith("client:")).length;
    const connection = await signIn(kind, `${place.url}/mcp`, visitor);
    expect(await connection.call("Post_Weigh")).toBe(`key:${key.id}`);
    await connection.close();
    expect(visitor.sentTo[0]?.searchParams.get("client_id")).toBe(document);
    expect((await place.stored()).filter((name) => name.startsWith("client:")).length).toBe(before);
  });
});
