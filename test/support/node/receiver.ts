/** A receiver of webhooks in Node, which answers as it is told to: it fails, stalls, redirects, answers garbage, and so on. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "./fork.ts";

/** How to answer a delivery. An object is a status with headers. */
export type Behaviour =
  | "ok"
  | "fail"
  /** Never answers. */
  | "stall"
  | "redirect"
  /** Bytes that are not HTTP. */
  | "garbage"
  | "break off"
  | "gone"
  | "too large"
  /** Answers 200 with a body that never ends. */
  | "endless"
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

export interface Received {
  /** Of the machine's clock, in milliseconds. */
  readonly at: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  /** As it stands in ALLOWED_HOSTS. */
  readonly host: string;
  url(path: string): string;
  /** Each answers one delivery to the path, and the last all that follow. By default "ok". */
  on(path: string, ...behaviours: readonly Behaviour[]): void;
  /** How a path answers challenges: echoed by default. */
  onChallenge(path: string, behaviour: Behaviour): void;
  /** What has arrived at a path, without challenges. */
  at(path: string): readonly Received[];
  challenges(path: string): readonly Received[];
  /** Everything but challenges. */
  all(): readonly Received[];
  /** Waits until so much has arrived at a path. */
  wait(path: string, count: number): Promise<readonly Received[]>;
  stop(): Promise<void>;
}

const STATUSES = { ok: 200, fail: 500, gone: 410, "too large": 413 } as const;

/**
 * @param port   to listen on again after a restart; by default a free one
 * @param decide how to answer a delivery, in place of what `on` says
 */
export async function startReceiver(port = 0, decide?: (one: Received) => Promise<Behaviour>): Promise<Receiver> {
  const plans = new Map<string, Behaviour[]>();
  const echoes = new Map<string, Behaviour>();
  const received: Received[] = [];
  const challenged: Received[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? "/";
    let body = "";
    for await (const chunk of request) body += chunk;
    const one = { at: Date.now(), path, headers: request.headers, body };
    const challenge = challengeIn(body);
    if (challenge !== undefined) {
      challenged.push(one);
      const behaviour = echoes.get(path);
      if (behaviour) return answer(response, behaviour);
      return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ challenge }));
    }
    received.push(one);
    if (decide) return answer(response, await decide(one));
    const plan = plans.get(path) ?? [];
    answer(response, (plan.length > 1 ? plan.shift() : plan[0]) ?? "ok");
  });
  // Connections that a test has left open must not keep the next one waiting.
  server.keepAliveTimeout = 1_000;
  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const at = (path: string) => received.filter((one) => one.path === path);
  return {
    host,
    url: (path) => `http://${host}${path}`,
    on: (path, ...behaviours) => plans.set(path, [...behaviours]),
    onChallenge: (path, behaviour) => echoes.set(path, behaviour),
    at,
    challenges: (path) => challenged.filter((one) => one.path === path),
    all: () => received,
    async wait(path, count) {
      await until(async () => at(path).length >= count);
      return at(path);
    },
    stop() {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
}

function challengeIn(body: string): string | undefined {
  try {
    const { type, challenge } = JSON.parse(body);
    return type === "verification" ? challenge : undefined;
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, behaviour: Behaviour): void {
  if (typeof behaviour === "object") {
    response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body ?? "");
    return;
  }
  switch (behaviour) {
    case "stall":
      return;
    case "redirect":
      response.writeHead(307, { location: "/redirected" }).end();
      return;
    case "garbage":
      response.socket?.end("\x00\x01 nonsense\r\n\r\n");
      return;
    case "break off":
      response.socket?.destroy();
      return;
    case "endless":
      response.writeHead(200);
      response.write("x".repeat(100_000));
      return;
    default:
      response.writeHead(STATUSES[behaviour], { "content-type": "text/plain" }).end(behaviour);
  }
}
