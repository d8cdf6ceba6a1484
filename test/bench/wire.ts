/** HTTP/1.1 by hand, on sockets: a client that uses little CPU, so that the measurement is of the server. */
import { connect, type Socket } from "node:net";

export interface Request {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

export function encode({ method, path, headers = {}, body }: Request): Buffer {
  const text = body === undefined ? "" : JSON.stringify(body);
  const length =
    body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  const lines = Object.entries({ host: "bench.example", ...length, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${text}`);
}

const END_OF_HEAD = Buffer.from("\r\n\r\n");
const END_OF_CHUNKS = Buffer.from("0\r\n\r\n");

/** One connection, one request at a time. */
export class Connection {
  readonly #socket: Socket;
  #parts: Buffer[] = [];
  #bytes = 0;
  /** Length of the whole answer in bytes, once its head has arrived. */
  #total: number | undefined;
  #bodyFrom = 0;
  #settle: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;

  constructor(port: number) {
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true });
    this.#socket.on("data", (chunk) => this.#take(chunk));
    const lost = (error?: Error) => this.#settle?.reject(error ?? new Error("The server closed the connection"));
    this.#socket.on("error", lost);
    this.#socket.on("close", () => lost());
  }

  send(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#bytes += chunk.length;
    const isChunked = this.#total === Number.POSITIVE_INFINITY;
    if (isChunked ? !this.#mayEnd(chunk) : this.#bytes < (this.#total ?? 0)) return;
    const all = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts);
    this.#parts = [all];
    if (this.#total === undefined && !this.#readHead(all)) return;
    const isWhole = this.#total === Number.POSITIVE_INFINITY ? endsChunked(all) : this.#bytes >= (this.#total ?? 0);
    if (!isWhole) return;
    const wasChunked = this.#total === Number.POSITIVE_INFINITY;
    const head = all.toString("latin1", 0, this.#bodyFrom);
    const body = all.subarray(this.#bodyFrom);
    this.#parts = [];
    this.#bytes = 0;
    this.#total = undefined;
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.resolve({
      status: Number(head.slice(9, 12)),
      get headers() {
        return new Map(
          head
            .split("\r\n")
            .slice(1)
            .filter((line) => line !== "")
            .map((line) => line.split(/: */, 2) as [string, string])
            .map(([name, value]) => [name.toLowerCase(), value]),
        );
      },
      get body() {
        return wasChunked ? unchunked(body) : body;
      },
    });
  }

  /** The end of a chunked answer may arrive in two pieces. */
  #mayEnd(chunk: Buffer): boolean {
    return chunk.length < END_OF_CHUNKS.length || endsChunked(chunk);
  }

  /** Returns whether the head has arrived. */
  #readHead(all: Buffer): boolean {
    const end = all.indexOf(END_OF_HEAD);
    if (end < 0) return false;
    this.#bodyFrom = end + END_OF_HEAD.length;
    const head = all.toString("latin1", 0, end);
    const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
    if (length !== undefined) this.#total = this.#bodyFrom + Number(length);
    else if (/\r\ntransfer-encoding: *chunked/i.test(head)) this.#total = Number.POSITIVE_INFINITY;
    // 204 and 304 have no body, with or without Content-Length.
    else this.#total = this.#bodyFrom;
    return true;
  }
}

function endsChunked(all: Buffer): boolean {
  return all.subarray(-END_OF_CHUNKS.length).equals(END_OF_CHUNKS);
}

function unchunked(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = body.indexOf("\r\n", at);
    const length = Number.parseInt(body.toString("latin1", at, end), 16);
    if (!(length > 0)) return Buffer.concat(parts);
    parts.push(body.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}
