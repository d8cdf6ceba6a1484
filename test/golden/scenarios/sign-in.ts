/** Signing in with the Worker's own OAuth server, and what a token may do that has not all scopes. */
import { createHash } from "node:crypto";
import type { Answer, Sent, Transcript } from "../transcript.ts";
import type { Golden } from "../workers.ts";
import { BOTH, calls, message, modern } from "./mcp.ts";

const REDIRECT = "http://127.0.0.1:7777/callback";
const VERIFIER = "a-verifier-of-the-golden-transcripts-with-43-characters";
const FORM = { "content-type": "application/x-www-form-urlencoded" };

const form = (members: Readonly<Record<string, string>>, headers: Sent["headers"] = {}): Sent => ({
  body: String(new URLSearchParams(members)),
  headers: { ...FORM, ...headers },
});
const handleOf = ({ text }: Answer) => /name="handle" value="([^"]+)"/.exec(text)?.[1] ?? "none";

/** Remembers cookies, as a browser does. */
class Cookies {
  readonly #values = new Map<string, string>();

  of({ headers }: Answer): Sent["headers"] {
    for (const line of headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#values.set(name, value);
    }
    return { cookie: [...this.#values].map(([name, value]) => `${name}=${value}`).join("; ") };
  }
}

export const signIn = (golden: Golden) =>
  async function signedIn(at: Transcript): Promise<void> {
    const key = await golden.makeKey({ scopes: ["*"] });
    const { body: client } = await at.send("registers", "/oauth/register", {
      body: { client_name: "golden", redirect_uris: [REDIRECT], token_endpoint_auth_method: "none" },
    });
    await at.send("registers without an address", "/oauth/register", { body: { client_name: "golden" } });
    const query = new URLSearchParams({
      response_type: "code",
      client_id: client?.client_id ?? "none",
      redirect_uri: REDIRECT,
      code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
      code_challenge_method: "S256",
      state: "s",
      resource: `${golden.url}/mcp`,
      scope: "tools vault:read",
    });
    const page = `/authorize?${query}`;
    const without = (name: string) => {
      const less = new URLSearchParams(query);
      less.delete(name);
      return `/authorize?${less}`;
    };
    await at.send("opens the page without PKCE", without("code_challenge"));
    await at.send("opens the page without a kind of response", without("response_type"));
    const opened = await at.send("opens the page", page);
    const cookies = new Cookies();
    await at.send("sends the form without its cookie", page, form({ handle: handleOf(opened), key: key.text }));
    const again = await at.send("opens the page once more", page);
    const wrong = await at.send(
      "enters a wrong key",
      page,
      form({ handle: handleOf(again), key: "nonsense" }, cookies.of(again)),
    );
    const consent = await at.send(
      "enters its key",
      page,
      form({ handle: handleOf(wrong), key: key.text }, cookies.of(wrong)),
    );
    const allow = { handle: handleOf(consent), decision: "allow", scope: "tools" };
    const allowed = await at.send("allows one of the scopes", page, form(allow, cookies.of(consent)));
    const code = new URL(allowed.headers.get("location") ?? `${REDIRECT}?code=none`).searchParams.get("code") ?? "none";
    const token = (name: string, members: Readonly<Record<string, string>>) =>
      at.send(name, "/oauth/token", form({ client_id: client?.client_id ?? "none", ...members }));
    const exchange = { grant_type: "authorization_code", code, redirect_uri: REDIRECT };
    const { body: tokens } = await token("gets a token", { ...exchange, code_verifier: VERIFIER });
    await token("asks for a kind of grant that is not there", { grant_type: "password" });

    const headers = { authorization: `Bearer ${tokens?.access_token}` };
    await at.send("tools", "/tools", { headers });
    await at.send("calls what anyone may", "/tools/call", {
      body: { request: { tool_id: "Plain.Point", input: {} } },
      headers,
    });
    await at.send("lacks a scope, OXP", "/tools/call", {
      body: { request: { tool_id: "Vault.Open", input: {} } },
      headers,
    });
    await at.send("lacks a scope, OpenTool", "/opentool/call", {
      body: { jsonrpc: "2.0", method: "Vault_Open", params: {}, id: "1" },
      headers,
    });
    await at.send("lacks a scope, MCP", "/mcp", {
      body: message("tools/call", calls("Vault_Open")),
      headers: { ...BOTH, ...headers },
    });
    const say = (name: string, method: string, params: object) =>
      at.send(name, "/mcp", modern(method, params, {}, headers));
    await say("lacks a scope, MCP 2026-07-28", "tools/call", calls("Vault_Open"));
    await say("lacks the scope of a prompt", "prompts/get", { name: "Vault_Note" });
    await say("lacks the scope of a resource", "resources/read", { uri: "vault://boxes/red" });
    await say("lists tools, with their scopes", "tools/list", {});

    await token("refreshes", { grant_type: "refresh_token", refresh_token: tokens?.refresh_token ?? "none" });
    await token("refreshes with nonsense", { grant_type: "refresh_token", refresh_token: "nonsense" });
    await token("uses its code again", { ...exchange, code_verifier: VERIFIER });

    const second = await at.send("opens the page to say no", page);
    const asked = await at.send(
      "enters its key to say no",
      page,
      form({ handle: handleOf(second), key: key.text }, cookies.of(second)),
    );
    await at.send("denies", page, form({ handle: handleOf(asked), decision: "deny" }, cookies.of(asked)));
  };
