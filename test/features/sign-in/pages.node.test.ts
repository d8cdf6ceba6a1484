/** The texts and the security of the pages. browser.slow.test.ts tests their looks and accessibility. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Attempt, Browser, type Client, register } from "../../support/node/sign-in/person.ts";
import { openPlace, type Place, tool } from "../../support/node/sign-in/place.ts";

let place: Place;
let url: string;
beforeAll(async () => {
  place = await openPlace();
  url = place.url;
});
afterAll(() => place?.stop());

async function pages(client: Client, scope = "tools post.read post.send vault.open", terms = {}, ask = {}) {
  const key = await place.makeKey(terms);
  const browser = new Browser(url);
  const first = await browser.open(new Attempt(url, client).query({ scope, ...ask }));
  const second = await browser.post({ handle: first.handle, key: key.text });
  return { first, second, key };
}

describe("each page", () => {
  it("is not framed, cached or sniffed, sends no referrer, and runs no scripts", async () => {
    const { first, second } = await pages(await register(url));
    const unknownClient = await new Browser(url).open("client_id=nobody");
    for (const { headers, text } of [first, second, unknownClient]) {
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toMatch(/default-src 'none'; style-src 'nonce-[\w-]+'; base-uri 'none'; frame-ancestors 'none'/);
      expect(Object.fromEntries(headers)).toMatchObject({
        "x-frame-options": "DENY",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
      });
      expect(text).not.toMatch(/<script|<img|<link|\son\w+=|src=/i);
      expect(text.match(/<h1>/g)).toHaveLength(1);
      expect(text).toContain('<html lang="en">');
    }
    expect(first.headers.get("content-security-policy")).toContain("form-action 'self'");
    // Where the last form's answer redirects to is up to the client.
    expect(second.headers.get("content-security-policy")).not.toContain("form-action");
  });

  it("binds its handle to the browser", async () => {
    const { first } = await pages(await register(url));
    expect(first.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-[^;]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/),
    ]);
  });

  it("shows a client's texts as plain text", async () => {
    const name = `<script>alert(1)</script>"'&\u202E\n${"x".repeat(200)}`;
    const { first, second } = await pages(await register(url, { client_name: name }), `tools "><b>`);
    for (const { text } of [first, second]) {
      expect(text).toContain("&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;&#38;");
      expect(text).not.toMatch(/<script|<b>|\u202E|x{100}/);
    }
  });
});

describe("the app", () => {
  it("that registered itself is marked as unverified", async () => {
    const { first } = await pages(await register(url));
    expect(first.text).toContain("Not verified: the app chose its name itself");
    expect(first.text).toContain("<dd>app.example.com</dd>");
    expect(first.text).not.toContain("your computer");
  });

  it("on this computer comes with a warning", async () => {
    const redirect = "http://127.0.0.1:7777/callback";
    const { first, second } = await pages(await register(url, { redirect_uris: [redirect] }));
    for (const { text } of [first, second]) {
      expect(text).toContain("127.0.0.1 (this computer)");
      expect(text).toContain("Go on only if you started it yourself");
    }
  });

  it("with a metadata document is shown with the document's domain (CIMD)", async () => {
    const id = "https://client.example/oauth/metadata.json";
    const redirect = "https://client.example/callback";
    place.publish(id, { client_id: id, client_name: "Famous App", redirect_uris: [redirect] });
    const client = { id, redirect };
    const { first, second, key } = await pages(client);
    expect(first.text).toContain("<bdi>Famous App</bdi>");
    expect(first.text).toContain("<dt>Published by</dt><dd>client.example</dd>");
    expect(second.status).toBe(200);

    const browser = new Browser(url);
    const attempt = new Attempt(url, client);
    const { handle } = await browser.open(attempt.query());
    const { handle: next } = await browser.post({ handle, key: key.text });
    const { location } = await browser.post({ handle: next, decision: "allow" });
    expect((await attempt.exchange(location?.searchParams.get("code") ?? "")).status).toBe(200);
  });

  it.each([
    ["is not there", "https://client.example/nothing.json", {}],
    ["is of another", "https://client.example/other.json", { client_id: "https://client.example/x.json" }],
  ])("whose document %s is refused", async (_, id, document) => {
    const redirect = "https://client.example/callback";
    if ("client_id" in document) place.publish(id, { client_name: "x", redirect_uris: [redirect], ...document });
    const sheet = await new Browser(url).open(new Attempt(url, { id, redirect }).query());
    expect([sheet.status, sheet.location]).toEqual([400, undefined]);
  });
});

describe("the grant", () => {
  const TOOL = /<li>([\w.]+)(?: <span class="quiet">with (?:<code>([\w.]+)<\/code>))?/g;
  const listed = (text: string) => {
    const [open = "", closed = ""] = text.split("<h2>Not included</h2>");
    const names = (part: string) => [...part.matchAll(TOOL)].map(([, id, scope]) => (scope ? `${id} ${scope}` : id));
    return { open: names(open), closed: names(closed) };
  };
  const ticks = (text: string) => [...text.matchAll(/name="scope" value="([^"]+)"/g)].map(([, scope]) => scope);

  it("lists each tool that the key can use with these scopes, and the tools that need more", async () => {
    const { second, key } = await pages(await register(url), "tools post.read");
    expect(listed(second.text)).toEqual({
      open: ["Post.Read post.read", "Post.Weigh"],
      closed: ["Post.Send post.send", "Vault.Open vault.open"],
    });
    expect(second.text).toContain(`trivet_${key.id}_…`);
    expect(ticks(second.text)).toEqual(["tools", "post.read"]);
    expect(second.text).toContain("Needed by Post.Read");
  });

  it("names no tool that does not exist for the key", async () => {
    const { second } = await pages(await register(url), undefined, { scopes: ["post.read"], toolkits: ["post"] });
    expect(listed(second.text)).toEqual({ open: ["Post.Read post.read", "Post.Weigh"], closed: [] });
    expect(ticks(second.text)).toEqual(["tools", "post.read"]);
    // The form contains the app's redirect: it knows what it requested.
    expect(second.text.replace(/action="[^"]*"/, "")).not.toMatch(/vault/i);
  });

  it("is for the toolkit in the request", async () => {
    const { second } = await pages(await register(url), "vault.open", {}, { resource: `${url}/vault/mcp` });
    expect(listed(second.text)).toEqual({ open: ["Vault.Open vault.open"], closed: [] });
  });

  it("may be empty, and says so", async () => {
    const { second } = await pages(await register(url), "tools", {}, { resource: `${url}/vault/mcp` });
    expect(second.text).toContain("this key gives access to nothing");
    expect(listed(second.text).closed).toEqual(["Vault.Open vault.open"]);
  });

  describe("prompts and resources as well", () => {
    const grantable = (kind: string, call: string, more: string) =>
      `import { define${kind} } from "#tool";\nexport default define${kind}({ description: "Is offered.", ${more}, ${call}: () => "" });\n`;
    const listed = (text: string) =>
      text.split("<h2>Not included</h2>").map((part) =>
        // Without tags: the text that a person reads for each.
        [...part.matchAll(/<li>(.*?)<\/li>/g)].map(([, item = ""]) => item.replace(/<[^>]*>/g, "")),
      );
    let mixed: Place;
    let app: Client;
    beforeAll(async () => {
      mixed = await openPlace({
        "post/weigh.ts": tool("Weighs a letter."),
        "post/letter.prompt.ts": grantable("Prompt", "get", 'scopes: ["letters"]'),
        "post/inbox.resource.ts": grantable("Resource", "read", 'uri: "post://inbox/{day}", scopes: ["inbox"]'),
        "post/rates.resource.ts": grantable("Resource", "read", 'uri: "post://rates", name: "What <it> costs"'),
      });
      app = await register(mixed.url);
    });
    afterAll(() => mixed?.stop());

    async function consent(scope: string, terms = {}) {
      const key = await mixed.makeKey(terms);
      const browser = new Browser(mixed.url);
      const { handle } = await browser.open(new Attempt(mixed.url, app).query({ scope }));
      return (await browser.post({ handle, key: key.text })).text;
    }

    it("are listed with the tools, by kind, with their scopes", async () => {
      const text = await consent("letters inbox");
      expect(listed(text)).toEqual([
        [
          "Post.Weigh",
          "Post_Letter (prompt) with letters",
          "Post_Inbox (resource) with inbox",
          "What &#60;it&#62; costs (resource)",
        ],
      ]);
      expect(text).toContain("<h2>1 tool, 1 prompt, 2 resources</h2>");
      expect(ticks(text)).toEqual(["inbox", "letters"]);
      expect(text).toContain("Needed by Post_Letter");
      expect(text).toContain("Needed by Post_Inbox");
    });

    it("for which the app requests no scope are listed as not included", async () => {
      expect(listed(await consent("inbox"))[1]).toEqual(["Post_Letter (prompt) with letters"]);
    });

    it("are not listed for a key without their scopes, which cannot grant them", async () => {
      const text = await consent("letters inbox", { scopes: ["inbox"] });
      expect(listed(text)).toEqual([
        ["Post.Weigh", "Post_Inbox (resource) with inbox", "What &#60;it&#62; costs (resource)"],
      ]);
      expect(ticks(text)).toEqual(["inbox"]);
    });

    it("have no scope in the server's metadata (RFC 8414, scopes_supported), which anyone may read", async () => {
      const metadata = await (await fetch(`${mixed.url}/.well-known/oauth-authorization-server`)).json();
      expect(metadata).toMatchObject({ scopes_supported: ["tools"] });
    });
  });

  it("fits above the question, however many tools there are", async () => {
    const names = Array.from({ length: 41 }, (_, at) => [`crowd/tool-${at}.ts`, tool("One of many.")]);
    const many = await openPlace(Object.fromEntries(names));
    try {
      const key = await many.makeKey();
      const browser = new Browser(many.url);
      const { handle } = await browser.open(new Attempt(many.url, await register(many.url)).query());
      const { text } = await browser.post({ handle, key: key.text });
      expect(text).toContain("<h2>41 tools</h2>");
      expect(text).toContain("<details><summary>crowd (41)</summary>");
      expect(listed(text).open).toHaveLength(41);
    } finally {
      await many.stop();
    }
  });
});
