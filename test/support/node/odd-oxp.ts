/**
 * A server that answers as no OXP server should, over real HTTP. `<url>/<how>/<id>` is the address of one that behaves
 * in that way, and `<url>/seen/<id>` says what was sent to it.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Seen } from "../../client/oxp/run.ts";

interface Exchange {
  readonly request: Seen;
  readonly response: ServerResponse;
  /** How often this id was asked before. */
  readonly earlier: number;
}

type Behaviour = (exchange: Exchange) => unknown;

const HOUR = 3_600_000;
const json = (status: number, body: unknown, headers: Record<string, string> = {}): Behaviour => {
  return ({ response }) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
};
const html = (status: number): Behaviour => {
  return ({ response }) => response.writeHead(status, { "content-type": "text/html" }).end("<h1>Welcome</h1>");
};
const result = (members: unknown, headers?: Record<string, string>) => json(200, { result: members }, headers);
const busyOnce = (status: number, headers: Record<string, string>): Behaviour => {
  return (exchange) =>
    exchange.earlier === 0
      ? json(status, { message: "Busy" }, headers)(exchange)
      : result({ success: true, value: "done" })(exchange);
};
const ADD = { id: "Math.Add@1.2.0", name: "Math_Add", description: "Adds.", version: "1.2.0" };
const PLAIN = { ...ADD, input_schema: { parameters: { type: "object" } }, output_schema: {} };

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  html: html(200),
  "html-400": html(400),
  "html-404": html(404),
  "html-422": html(422),
  "html-502": html(502),
  empty: ({ response }) => response.writeHead(200).end(),
  "no-content": ({ response }) => response.writeHead(204).end(),
  "not-modified": ({ response }) => response.writeHead(304).end(),
  null: json(200, null),
  list: json(200, []),
  text: json(200, "done"),
  "no-result": json(200, { $schema: "urn:oxp:1.0" }),
  "null-result": result(null),
  "empty-result": result({}),
  "yes-success": result({ success: "yes", value: 1 }),
  bare: result({ success: true }),
  "wrong-duration": result({ success: true, value: 1, duration: "long", call_id: 7 }),
  "no-error": result({ success: false }),
  "null-error": result({ success: false, error: null }),
  "wrong-error": result({
    success: false,
    error: { message: 7, developer_message: {}, can_retry: "true", retry_after_ms: "1", additional_prompt_content: [] },
  }),
  "refused-emptily": json(400, {}),
  "refused-wrongly": json(400, {
    message: ["no"],
    missing_requirements: {
      authorization: [null, { id: 3 }, { id: "google", url: 7 }],
      secrets: "API_KEY",
      user_id: 1,
    },
  }),
  "refused-with-urls": json(400, {
    message: "Sign in first",
    developer_message: "no token for google",
    missing_requirements: {
      authorization: [{ id: "google", url: "https://a.example/", check_url: "https://b.example/" }],
    },
  }),
  "refused-as-list": json(400, ["no"]),
  "invalid-wrongly": json(422, { message: null, parameter_errors: { a: null, b: "Must be a number", c: 3 } }),
  "invalid-as-list": json(422, { message: "Bad", parameter_errors: ["a is bad"] }),
  unauthorized: ({ response }) => response.writeHead(401).end(),
  forbidden: json(403, { message: "Not this tool", developer_message: "scope" }),
  "not-found": json(404, { message: "No such path" }),
  broken: ({ response }) => response.writeHead(500).end("Internal Server Error"),
  "back-soon": busyOnce(503, { "retry-after": "2" }),
  "too-many": busyOnce(429, { "retry-after": "7" }),
  "back-soon-400": busyOnce(400, { "retry-after": "3" }),
  "back-in-years": busyOnce(503, { "retry-after": "315360000" }),
  "back-some-day": busyOnce(503, { "retry-after": "soon" }),
  "back-yesterday": busyOnce(503, { "retry-after": new Date(Date.now() - 24 * HOUR).toUTCString() }),
  "back-next-year": busyOnce(503, { "retry-after": new Date(Date.now() + 8_760 * HOUR).toUTCString() }),
  "no-hurry": (exchange) => {
    const error = { message: "Not yet", can_retry: true, retry_after_ms: [-5, 1e12][exchange.earlier] };
    result({ success: false, error })(exchange);
  },
  cut: ({ response }) => response.socket?.destroy(),
  "cut-in-body": ({ response }) => {
    response.writeHead(200, { "content-length": "1000" }).write('{"result":');
    setTimeout(() => response.socket?.destroy(), 20);
  },
  hang: () => {},
  "hang-in-body": ({ response }) => response.writeHead(200).write('{"result":'),
  endless: ({ response }) => {
    const chunk = Buffer.alloc(65_536, " ");
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.writeHead(200, { "content-type": "application/json" }).on("drain", more);
    more();
  },
  redirect: ({ response, request }) => {
    const key = request.headers["oxp-api-key"];
    response.writeHead(307, { location: `https://elsewhere.example/?key=${key}` }).end();
  },
  /** Repeats what it was sent, as careless servers do. */
  parrot: (exchange) => {
    const { headers, body } = exchange.request;
    const all = `${headers["oxp-api-key"]} ${headers.authorization} ${body}`;
    json(400, { message: all, developer_message: all }, { "www-authenticate": all })(exchange);
  },
  "parrot-401": (exchange) => {
    const all = String(exchange.request.headers.authorization);
    json(401, { message: all }, { "www-authenticate": `Bearer error="${all}"` })(exchange);
  },
  "parrot-failure": (exchange) => {
    const { body } = exchange.request;
    const error = { message: body, developer_message: body, additional_prompt_content: body };
    result({ success: false, error })(exchange);
  },
  items: json(200, { items: [PLAIN] }),
  "tools-and-items": json(200, { tools: "no", items: [PLAIN] }),
  "null-tools": json(200, { tools: null }),
  "null-tool": json(200, { tools: [PLAIN, null] }),
  nameless: json(200, { tools: [{ ...PLAIN, name: null }] }),
  sloppy: json(200, {
    tools: [
      { id: "Math.Add@1.2.0", name: "Math_Add", description: null, input_schema: null, requirements: null },
      {
        ...PLAIN,
        input_schema: { parameters: [] },
        output_schema: null,
        requirements: {
          authorization: ["google", { id: "x", oauth2: { scopes: "a" } }],
          secrets: [{}],
          user_id: "yes",
        },
      },
    ],
  }),
  tagged: (exchange) => {
    const isSame = exchange.request.headers["if-none-match"] === '"1"';
    if (isSame) exchange.response.writeHead(304).end();
    else json(200, { tools: [PLAIN] }, { etag: '"1"' })(exchange);
  },
  ready: json(200, { status: "ok" }),
  "not-ready": ({ response }) => response.writeHead(503).end(),
};

export interface OddServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** @param upstream a server behind the behaviour `lossy`, which loses the first answer to each id */
export async function serveOddly(upstream: string): Promise<OddServer> {
  const seen = new Map<string, Seen[]>();
  const server = createServer(async (message, response) => {
    // Browsers send a request again that was cut on a connection that had served before.
    response.shouldKeepAlive = false;
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-expose-headers", "etag, retry-after, www-authenticate");
    response.setHeader("access-control-allow-headers", "authorization, content-type, if-none-match, oxp-api-key");
    if (message.method === "OPTIONS") return response.writeHead(204).end();
    const [, how = "", id = "", ...rest] = (message.url ?? "").split("/");
    const all = seen.get(id) ?? [];
    if (how === "seen") return response.end(JSON.stringify(all));
    const body = await text(message);
    const request = { method: message.method, path: `/${rest.join("/")}`, headers: message.headers, body } as Seen;
    seen.set(id, [...all, request]);
    if (how === "lossy") {
      const { authorization = "" } = request.headers;
      const headers = { "content-type": "application/json", authorization };
      const answer = await fetch(upstream + request.path, { method: "POST", headers, body });
      const whole = await answer.text();
      if (all.length === 0) response.socket?.destroy();
      else response.writeHead(answer.status, { "content-type": "application/json" }).end(whole);
      return;
    }
    const behave = BEHAVIOURS[how];
    if (!behave) throw new Error(`no behaviour ${how}`);
    behave({ request, response, earlier: all.length });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}
