/**
 * A server for the part of Cloudflare's API that wrangler uses for a Worker's KV namespace and secrets, and for what was
 * applied to D1 databases. Nothing expires.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export const TOKEN = "a-token";
const NAMESPACE = "0f2ac74b498b48028cb68387c421e279";

export interface Cloudflare {
  readonly url: string;
  /** The requests, as `GET /workers/scripts/keys/settings`. */
  readonly requests: string[];
  readonly kept: Map<string, { readonly value: string; readonly metadata?: unknown; readonly expiration?: number }>;
  /** Names of the Worker's secrets. */
  readonly secrets: string[];
  /** The migrations that were applied, by database. */
  readonly databases: Map<string, readonly string[]>;
  close(): void;
}

/** Starts the server. `worker` is the name of the only deployed Worker. */
export async function startCloudflare(worker: string): Promise<Cloudflare> {
  const requests: string[] = [];
  const kept: Cloudflare["kept"] = new Map();
  const secrets: string[] = [];
  const databases: Cloudflare["databases"] = new Map();
  const binding = { type: "kv_namespace", name: "KV", namespace_id: NAMESPACE };

  const answer = async (request: Request): Promise<unknown> => {
    const { pathname, searchParams } = new URL(request.url);
    const path = pathname.replace("/accounts/an-account", "");
    requests.push(`${request.method} ${path}`);
    if (request.headers.get("authorization") !== `Bearer ${TOKEN}`) return [10_000, "Authentication error"];
    if (path.startsWith("/workers/scripts/")) {
      if (path === `/workers/scripts/${worker}/settings`) return { bindings: [binding] };
      if (path === `/workers/scripts/${worker}/secrets`) return secrets.map((name) => ({ name, type: "secret_text" }));
      return [10_007, "This Worker does not exist on your account."];
    }
    if (path.startsWith("/d1/database/")) {
      const [, name = "", action] = /^\/d1\/database\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
      const applied = databases.get(name);
      if (applied === undefined) return [7_404, `The database ${name} could not be found`];
      if (action === undefined) return { uuid: name, name };
      if (applied.length === 0) return [7_500, "no such table: d1_migrations: SQLITE_ERROR"];
      return [{ results: applied.map((migration) => ({ name: migration })), success: true, meta: { duration: 1 } }];
    }
    const [, rest = ""] = path.split(`/storage/kv/namespaces/${NAMESPACE}/`);
    if (rest === "keys") {
      return [...kept].flatMap(([name, { value, ...shown }]) =>
        name.startsWith(searchParams.get("prefix") ?? "") ? { name, ...shown } : [],
      );
    }
    const key = decodeURIComponent(rest.replace("values/", ""));
    if (request.method === "DELETE") kept.delete(key);
    else {
      const form = await request.formData();
      const value = form.get("value");
      const expiration = searchParams.get("expiration");
      kept.set(key, {
        value: typeof value === "string" ? value : ((await value?.text()) ?? ""),
        metadata: JSON.parse(String(form.get("metadata"))),
        ...(expiration !== null && { expiration: Number(expiration) }),
      });
    }
    return null;
  };

  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = "GET", headers, url } = incoming;
    const body = method === "PUT" ? { body: Buffer.concat(chunks) } : {};
    const request = new Request(`http://localhost${url}`, {
      method,
      headers: headers as Record<string, string>,
      ...body,
    });
    const result = await answer(request);
    const isError = Array.isArray(result) && typeof result[0] === "number";
    response.writeHead(isError ? 404 : 200, { "content-type": "application/json" });
    response.end(
      JSON.stringify(
        isError
          ? { success: false, errors: [{ code: result[0], message: result[1] }], messages: [], result: null }
          : { success: true, errors: [], messages: [], result },
      ),
    );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, kept, secrets, databases, close: () => server.close() };
}
