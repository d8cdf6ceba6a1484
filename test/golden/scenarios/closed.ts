/** A deployment that requires credentials: keys, tokens, sign-in, scopes, and what callers get who have none of these. */

import { shared } from "../../support/node/attacks/tokens.ts";
import type { Transcript } from "../transcript.ts";
import type { Golden } from "../workers.ts";
import { BOTH, calls, initialize, legacy, message, modern } from "./mcp.ts";

const oxp = (tool_id: string, input: object, headers: object = {}) => ({
  body: { request: { tool_id, input } },
  headers: headers as Record<string, string>,
});
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export async function unauthenticated(at: Transcript): Promise<void> {
  const wrong: readonly (readonly [who: string, headers: Readonly<Record<string, string>>])[] = [
    ["nobody", {}],
    ["a wrong key", bearer(`trivet_${"a1".repeat(8)}_${"b2".repeat(16)}`)],
    ["nonsense", bearer("nonsense")],
    ["another scheme", { authorization: "Basic YTpi" }],
    ["an expired token", bearer(shared({ exp: 1_700_000_000 }))],
    ["a token of no subject and no end", bearer(shared({ sub: undefined, exp: undefined }))],
    ["a token with a wrong signature", bearer(`${shared().slice(0, -8)}AAAAAAAA`)],
  ];
  for (const [who, headers] of wrong) {
    await at.send(`${who} lists`, "/tools", { headers });
    await at.send(`${who} calls`, "/tools/call", oxp("Plain.Add", { a: 1, b: 1 }, headers));
    await at.send(`${who}, MCP`, "/mcp", { body: message("tools/list"), headers: { ...BOTH, ...headers } });
    await at.send(`${who}, OpenTool`, "/opentool/call", {
      body: { jsonrpc: "2.0", method: "Plain_Point", params: {}, id: "1" },
      headers,
    });
  }
  for (const path of [
    "/",
    "/health",
    "/info",
    "/nothing",
    "/plain/tools",
    "/nowhere/tools",
    "/openapi.json",
    "/mcp/server-card",
  ]) {
    await at.send(`nobody gets ${path}`, path);
  }
  for (const path of [
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-authorization-server",
    "/authorize",
    "/token",
  ]) {
    await at.send(`nobody gets ${path}`, path);
  }
  const redirect_uris = ["http://127.0.0.1:7777/callback"];
  const { body } = await at.send("registers a client", "/register", {
    body: { client_name: "golden", redirect_uris, token_endpoint_auth_method: "none" },
  });
  await at.send("registers a client without an address", "/register", { body: { client_name: "golden" } });
  const query = new URLSearchParams({
    response_type: "code",
    client_id: body?.client_id ?? "none",
    redirect_uri: redirect_uris[0] ?? "",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
    state: "s",
  });
  await at.send("opens the page for sign-in", `/authorize?${query}`);
  query.delete("code_challenge");
  await at.send("opens it without PKCE", `/authorize?${query}`);
  await at.send("asks for a token with nonsense", "/token", {
    body: `grant_type=authorization_code&code=nonsense&client_id=${body?.client_id}`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
}

export const callers = (golden: Golden) =>
  async function known(at: Transcript): Promise<void> {
    const [plain, opener, bound, full, rated] = await Promise.all([
      golden.makeKey(),
      golden.makeKey({ scopes: ["vault:open"] }),
      golden.makeKey({ toolkits: ["plain"], scopes: ["*"] }),
      golden.makeKey({ scopes: ["*"] }),
      golden.makeKey({ rate: 10 } as never),
    ]);
    const who = [
      ["a key without scopes", plain.text],
      ["a key with a scope", opener.text],
      ["a key of a toolkit", bound.text],
      ["a key with all scopes", full.text],
      ["a token with a scope", shared({ sub: "ada", scope: "vault:open" })],
    ] as const;
    for (const [name, credential] of who) {
      const headers = bearer(credential);
      const caller = (what: string) => `${name}: ${what}`;
      await at.send(caller("tools"), "/tools", { headers });
      await at.send(caller("calls what anyone may"), "/tools/call", oxp("Plain.Point", {}, headers));
      await at.send(caller("OXP, needs a scope"), "/tools/call", oxp("Vault.Open", {}, headers));
      await at.send(caller("OpenTool, needs a scope"), "/opentool/call", {
        body: { jsonrpc: "2.0", method: "Vault_Open", params: {}, id: "1" },
        headers,
      });
      await at.send(caller("MCP, needs a scope"), "/mcp", {
        body: message("tools/call", calls("Vault_Open")),
        headers: { ...BOTH, ...headers },
      });
      await at.send(
        caller("MCP 2026-07-28, needs a scope"),
        "/mcp",
        modern("tools/call", calls("Vault_Open"), {}, headers),
      );
      await at.send(caller("prompts"), "/mcp", modern("prompts/list", {}, {}, headers));
      await at.send(caller("templates"), "/mcp", modern("resources/templates/list", {}, {}, headers));
      await at.send(
        caller("reads what needs a scope"),
        "/mcp",
        modern("resources/read", { uri: "vault://boxes/red" }, {}, headers),
      );
      await at.send(
        caller("gets a prompt that needs a scope"),
        "/mcp",
        modern("prompts/get", { name: "Vault_Note" }, {}, headers),
      );
      await at.send(caller("a toolkit's endpoint"), "/plain/tools", { headers });
      await at.send(caller("another toolkit's endpoint"), "/vault/tools", { headers });
    }
    const ada = bearer(full.text);
    const session = await initialize(at, "2025-11-25", {}, "/mcp", ada);
    await at.send(
      "another caller goes on in a session",
      "/mcp",
      legacy("ping", undefined, { ...session, ...bearer(plain.text) }),
    );
    // Each is repeated until it is refused, because the limit begins anew with each minute.
    const limited = bearer(rated.text);
    const isRefused = (body: { result?: object; error?: object }) => body?.result === undefined || "error" in body;
    await at.until("a key that has called too often", "/tools/call", oxp("Plain.Point", {}, limited), isRefused);
    const mcp = { body: message("tools/list"), headers: { ...BOTH, ...limited } };
    await at.until("a key that has called too often, MCP", "/mcp", mcp, isRefused);
    const opentool = { body: { jsonrpc: "2.0", method: "Plain_Point", params: {}, id: "1" }, headers: limited };
    await at.until("a key that has called too often, OpenTool", "/opentool/call", opentool, isRefused);
  };
