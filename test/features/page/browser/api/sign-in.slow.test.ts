/**
 * The page signs in with a real browser at the Worker's own sign-in, uses and renews its token, and asks for more scopes.
 * Needs Chromium: the one in the variable CHROMIUM, or one on the path.
 */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Access } from "../../../../../src/features/page/browser/api/access.ts";
import type { Fetch } from "../../../../../src/features/page/browser/api/failures.ts";
import { findChromium, launch } from "../../../../support/node/chromium.ts";
import { accessTo, browserAt, scriptOf } from "../../../../support/node/page-tools.ts";
import { openPlace, type Place } from "../../../../support/node/sign-in/place.ts";

const executablePath = findChromium("test/features/page/browser/api/sign-in.slow.test.ts");

/** The functions of the page that these tests call there, as the global `page`. */
const ENTRY = `
import { Access } from "./access.ts";
import { loadCatalog } from "./catalog.ts";
import { upload } from "./files.ts";
import { run } from "./run.ts";
const access = new Access();
globalThis.page = {
  access, loadCatalog, upload, File,
  tools: async () => (await loadCatalog(access)).tools.map(({ id }) => id),
  call: async (id) => {
    const tool = (await loadCatalog(access)).tools.find((one) => one.id === id);
    return run({ tool, input: {}, access }).done;
  },
};
`;

let place: Place;
let script: string;
beforeAll(async () => {
  place = await openPlace();
  script = await scriptOf(ENTRY);
});
afterAll(() => place?.stop());

describe.skipIf(!executablePath)("in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch(executablePath as string);
  });
  afterAll(() => browser?.close());

  /** Evaluates an expression in the page. */
  const ask = (page: Page, expression: string) => page.evaluate<unknown>(expression);
  const load = (page: Page) => page.addScriptTag({ content: script });

  /** Opens the page at this path. Its script is put into whatever is at this address. */
  async function open(path = "/") {
    const context = await browser.newContext({ bypassCSP: true });
    const page = await context.newPage();
    const hosts = new Set<string>();
    page.on("request", (request) => hosts.add(new URL(request.url()).origin));
    await page.goto(place.url + path);
    await load(page);
    return { page, hosts };
  }

  async function pass(page: Page, begin: string, key: string) {
    // The page is left before the promise is fulfilled.
    await page.evaluate(`void ${begin}`);
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(`${place.url}/?code=**`);
    await load(page);
  }

  it("signs in, calls, asks for more scopes, and forgets", async () => {
    const key = await place.makeKey();
    const { page, hosts } = await open("/#tools");
    expect(await ask(page, "page.access.signInAt()")).toBe("own");
    await pass(page, "page.access.signIn([])", key.text);
    expect(await ask(page, "page.access.finishSignIn()")).toBe(true);
    expect(page.url(), "the code is gone, and the place is back").toBe(`${place.url}/#tools`);
    expect(await ask(page, "JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])")).toBe(
      '[{},{},""]',
    );
    expect(await ask(page, "[page.access.state, page.access.scopes]")).toEqual(["signed in", ["tools"]]);
    expect(await ask(page, "page.call('Post.Weigh')")).toMatchObject({ ok: true, value: expect.any(String) });

    expect(await ask(page, "page.call('Post.Send')")).toMatchObject({
      kind: "refused",
      scopes: ["post.send"],
      needsCredential: false,
    });
    await pass(page, "page.access.signIn(['post.send'])", key.text);
    expect(await ask(page, "page.access.finishSignIn()")).toBe(true);
    expect(await ask(page, "page.access.scopes")).toEqual(["tools", "post.send"]);
    expect(await ask(page, "page.call('Post.Send')")).toMatchObject({ ok: true });

    // The token has expired: of many requests at once, one renews it.
    await place.ahead(2 * 3_600);
    const renewals: string[] = [];
    page.on("request", (request) => request.url().endsWith("/oauth/token") && renewals.push(request.url()));
    expect(await ask(page, "page.tools()")).toContain("Post.Send");
    expect(renewals).toHaveLength(1);
    await place.ahead(0);

    // Signing out ends the grant at the server, too.
    const revoking = page.waitForRequest((request) => request.postData()?.includes("token_type_hint") === true);
    await ask(page, "page.access.forget()");
    expect(await ask(page, "page.access.state")).toBe("nobody");
    const request = await revoking;
    expect((await request.response())?.status()).toBe(200);
    const { token = "", client_id = "" } = Object.fromEntries(new URLSearchParams(request.postData() ?? ""));
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: token, client_id });
    const refused = await fetch(`${place.url}/oauth/token`, { method: "POST", body });
    expect(await refused.json()).toMatchObject({ error: "invalid_grant", error_description: "Grant not found" });
    expect([...hosts]).toEqual([place.url]);
    await page.context().close();
  });

  it("says that the sign-in has ended when its key was revoked", async () => {
    const key = await place.makeKey();
    const { page } = await open();
    await pass(page, "page.access.signIn([])", key.text);
    await ask(page, "page.access.finishSignIn()");
    await place.revoke(key);
    await place.ahead(4 * 3_600);
    const failure = await ask(page, "page.tools().catch(({ name, message }) => ({ name, message }))");
    expect(failure).toMatchObject({ name: "NeedsCredential" });
    expect(await ask(page, "page.access.state")).toBe("nobody");
    await place.ahead(0);
    await page.context().close();
  });

  it("tells a person who cancels that nothing has changed", async () => {
    const { page } = await open();
    await page.evaluate("void page.access.signIn([])");
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.waitForURL(`${place.url}/?error=**`);
    await load(page);
    expect(await ask(page, "page.access.finishSignIn().catch(({ message }) => message)")).toBe(
      "You did not allow the sign-in, so nothing has changed.",
    );
    expect(page.url()).toBe(`${place.url}/`);
    await page.context().close();
  });

  it("uses no code that somebody else sent", async () => {
    const { page } = await open("/?code=abc&state=def#tools");
    expect(await ask(page, "page.access.finishSignIn().catch(({ message }) => message)")).toContain(
      "not started in this tab",
    );
    expect(page.url()).toBe(`${place.url}/#tools`);
    expect(await ask(page, "page.access.state")).toBe("nobody");
    await page.context().close();
  });
});

describe("without a browser", () => {
  const back = (query: string, stored: object | undefined, send?: Fetch) => {
    const page = browserAt(`${place.url}/?${query}`);
    if (stored) page.stored.set("trivet-sign-in", JSON.stringify(stored));
    return { page, done: new Access(page, send).finishSignIn() };
  };
  const PENDING = { verifier: "v", state: "s", client: "c", hash: "" };

  it.each([
    ["another state", "code=c&state=other", PENDING, "not started in this tab"],
    ["nothing stored", "code=c&state=s", undefined, "not started in this tab"],
    ["an error's text from a stranger", "error=Call%20555&state=other", PENDING, "not started in this tab"],
    ["an error", "error=server_error&error_description=Down&state=s", PENDING, "did not work: Down"],
    ["another issuer", "code=c&state=s&iss=https://evil.example", PENDING, "another server"],
    ["a code that is not valid", "code=c&state=s&iss=ORIGIN", PENDING, "Sign in again"],
  ])("%s is not used", async (_name, query, stored, message) => {
    const { page, done } = back(query.replace("ORIGIN", encodeURIComponent(place.url)), stored);
    await expect(done).rejects.toThrow(message);
    expect(page.stored.size).toBe(0);
    expect(page.location.href).toBe(`${place.url}/`);
  });

  it("an address without a sign-in is left alone, and one that was not finished is forgotten", async () => {
    const { page, done } = back("code=7", PENDING);
    expect(await done).toBe(false);
    expect(page.location.href).toBe(`${place.url}/?code=7`);
    expect(page.stored.size).toBe(0);
  });

  it("the text of an error is short, and says nothing about how to show it", async () => {
    const text = `Down\u202e\u0000\n${"\u{1f600}".repeat(400)}`;
    const { done } = back(`error=server_error&error_description=${encodeURIComponent(text)}&state=s`, PENDING);
    const message = `The sign-in did not work: Down ${"\u{1f600}".repeat(295)}. Sign in again.`;
    await expect(done).rejects.toMatchObject({ message });
  });

  it("a server whose sign-in is elsewhere, or that has none, offers none", async () => {
    const answering =
      (body: unknown): Fetch =>
      async () =>
        Response.json(body);
    for (const [body, where] of [
      [{}, undefined],
      [{ authorization_servers: ["https://login.example.com"] }, "provider"],
      [7, undefined],
    ]) {
      expect(await new Access(browserAt(`${place.url}/`), answering(body)).signInAt()).toBe(where);
    }
    const elsewhere: Fetch = async (url) =>
      url.endsWith("resource")
        ? Response.json({ authorization_servers: [place.url] })
        : Response.json({ issuer: place.url, authorization_endpoint: "https://evil.example/authorize" });
    const access = new Access(browserAt(`${place.url}/`), elsewhere);
    await expect(access.signIn([])).rejects.toThrow("authorization_endpoint is elsewhere");
  });

  it("a grant that is renewed while the person signs out is revoked", async () => {
    const sent: (readonly [string, string | null, boolean | undefined])[] = [];
    let renew: (response: Response) => void = () => {};
    const METADATA = Object.fromEntries(
      ["authorization", "token", "registration", "revocation"].map((name) => [
        `${name}_endpoint`,
        `${place.url}/${name}`,
      ]),
    );
    const send: Fetch = async (url, { body, keepalive }) => {
      const form = new URLSearchParams(String(body ?? ""));
      if (body) sent.push([new URL(url).pathname, form.get("token") ?? form.get("refresh_token"), keepalive]);
      if (url.endsWith("/revocation")) return new Response();
      if (!url.endsWith("/token")) return Response.json({ issuer: place.url, ...METADATA });
      if (form.get("grant_type") === "refresh_token") return new Promise((done) => (renew = done));
      return Response.json({ access_token: "a1", refresh_token: "r1", expires_in: 1 });
    };
    const page = browserAt(`${place.url}/?code=c&state=s`);
    page.stored.set("trivet-sign-in", JSON.stringify(PENDING));
    const access = new Access(page, send);
    await access.finishSignIn();
    const call = access.sender(send)(`${place.url}/tools`, {});
    await expect.poll(() => sent.length).toBe(2);
    access.forget();
    renew(Response.json({ access_token: "a2", refresh_token: "r2" }));
    await expect(call).rejects.toMatchObject({ name: "CallerChanged" });
    await expect.poll(() => sent.at(-1)).toEqual(["/revocation", "r2", true]);
    expect(access.state).toBe("nobody");
  });

  it("a key is used until it is forgotten, and not sent where others can read it", async () => {
    const access = accessTo(place.url);
    expect(() => access.useKey(" ")).toThrow("Enter a key.");
    expect(() => access.useKey("two words")).toThrow("not a key");
    access.useKey(" trivet_x \n");
    expect(access.state).toBe("key");
    access.forget();
    expect(access.state).toBe("nobody");
    access.useKey("trivet_y");
    expect(JSON.stringify(access)).not.toContain("trivet_y");
    for (const far of ["http://tools.example.com/", "http://10.example.com/", "http://8.8.8.8/"]) {
      expect(() => new Access(browserAt(far)).useKey("trivet_x")).toThrow("plain http");
    }
    for (const near of ["https://tools.example.com/", "http://192.168.1.2:8787/", "http://[::1]:8787/"]) {
      expect(() => new Access(browserAt(near)).useKey("trivet_x")).not.toThrow();
    }
    await expect(access.sender()("https://evil.example/", {})).rejects.toThrow("this server only");
  });
});
