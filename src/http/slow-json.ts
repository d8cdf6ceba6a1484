/** Responds with JSON to calls that may take long: begins the response early, so that no proxy gives up. */
import { describeError } from "../core/lib/log.ts";
import type { Client } from "../core/model/call.ts";
import type { RequestContext } from "./request-context.ts";
import { JSON_HEADERS } from "./response.ts";
import { BEAT_MS, SILENT_MS } from "./sse.ts";

/**
 * Headers that prevent compression: a proxy that compresses JSON, as Cloudflare does, buffers single characters, so
 * none would reach the client. `no-transform` tells proxies (RFC 9111, section 5.2.2.6). Wrangler's proxy needs the
 * coding: it does not compress a response that already has one.
 */
const SPACED_HEADERS = { ...JSON_HEADERS, "cache-control": "no-transform", "content-encoding": "identity" };

/**
 * Responds with JSON. If the call has to wait and takes longer than {@link SILENT_MS}, a response with status 200
 * begins early, with white space, which may precede JSON (RFC 8259, section 2). Later only the body of the answer
 * follows, not its status and headers.
 *
 * @param answer makes the answer for this client
 */
export function jsonInTime(
  context: RequestContext,
  answer: (client: JsonClient) => Promise<Response>,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const client = new JsonClient(context, resolve);
    answer(client).then(
      (response) => client.end(response),
      (error) => {
        if (!client.hasBegun) return reject(error);
        context.largeBody?.release();
        client.breakOff(error);
      },
    );
  });
}

export class JsonClient implements Client {
  readonly #context: RequestContext;
  readonly #resolve: (response: Response) => void;
  /** Ends the wait until the response begins. */
  #stopWaiting: (() => void) | undefined;
  #body: SpacedBody | undefined;
  /** Created when a call asks for its signal, which most do not. */
  #gone: AbortController | undefined;
  #signal: AbortSignal | undefined;

  /** @param resolve sends the response */
  constructor(context: RequestContext, resolve: (response: Response) => void) {
    this.#context = context;
    this.#resolve = resolve;
  }

  get signal(): AbortSignal {
    this.#gone ??= new AbortController();
    this.#signal ??= AbortSignal.any([this.#context.request.signal, this.#gone.signal]);
    return this.#signal;
  }

  /** Whether status and headers were already sent. */
  get hasBegun(): boolean {
    return this.#body !== undefined;
  }

  keepInput(until: Promise<unknown>): void {
    this.#context.largeBody?.keepUntil(until);
  }

  onWait(): void {
    if (this.#stopWaiting) return;
    const timer = setTimeout(() => {
      // From now on, a client that disconnects closes the body; the request's own signal does not fire.
      this.#body = spacedBody(() => this.#gone?.abort());
      this.#context.largeBody?.keep();
      this.#resolve(new Response(this.#body.readable, { headers: SPACED_HEADERS }));
    }, SILENT_MS);
    this.#stopWaiting = () => clearTimeout(timer);
  }

  end(response: Response): void {
    this.#stopWaiting?.();
    if (this.#body === undefined) this.#resolve(response);
    else {
      this.#context.largeBody?.release();
      response.text().then(this.#body.end, (error) => this.breakOff(error));
    }
  }

  /** Neither callers nor tools can cause this, so it is a bug. The client sees a response that ends too early. */
  breakOff(error: unknown): void {
    this.#context.runtime.log({ level: "error", message: "unhandled", error: describeError(error) });
    this.#body?.breakOff();
  }
}

type SpacedBody = ReturnType<typeof spacedBody>;

/**
 * A body that sends white space at intervals, and JSON at its end.
 *
 * @param onDisconnect called if the client closes the body before its end
 */
function spacedBody(onDisconnect: () => void) {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const write = (text: string) => controller?.enqueue(encoder.encode(text));
  const beats = setInterval(() => write(" "), BEAT_MS);
  const readable = new ReadableStream<Uint8Array>({
    start(opened) {
      controller = opened;
      write(" ");
    },
    cancel() {
      clearInterval(beats);
      controller = undefined;
      onDisconnect();
    },
  });
  return {
    readable,
    end(json: string) {
      clearInterval(beats);
      write(json);
      controller?.close();
    },
    breakOff() {
      clearInterval(beats);
      controller?.error(new Error("The call has no answer"));
    },
  };
}
