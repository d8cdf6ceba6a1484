/** JSON-RPC between a view and its host, over messages that someone else carries. Needs no browser. */

type Params = Readonly<Record<string, unknown>>;

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: number;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

interface Waiting {
  resolve(result: never): void;
  reject(error: Error): void;
}

/** A host's refusal, with its code. */
export class HostError extends Error {
  override readonly name = "HostError";
  readonly code: number;
  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

const UNKNOWN_METHOD = -32_601;
const INTERNAL = -32_603;

export class Channel {
  readonly #send: (message: object) => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, (params: Params) => void>();
  readonly #methods = new Map<string, (params: Params) => unknown>();
  #last = 0;

  /** @param send posts a message to the host */
  constructor(send: (message: object) => void) {
    this.#send = send;
  }

  /** Asks the host. There is no time limit: it may have to ask its user. @throws {HostError} if it refuses */
  request<Result>(method: string, params: Params): Promise<Result> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ jsonrpc: "2.0", id, method, params });
    });
  }

  notify(method: string, params: Params = {}): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  /** Sets the listener for a notification of the host. */
  on(method: string, listener: (params: Params) => void): void {
    this.#listeners.set(method, listener);
  }

  /** Sets what answers a request of the host. It may return a promise. */
  serve(method: string, serve: (params: Params) => unknown): void {
    this.#methods.set(method, serve);
  }

  /** Takes a message from the host. Ignores all that is not JSON-RPC: browser extensions also post messages. */
  receive(message: unknown): void {
    if (typeof message !== "object" || message === null) return;
    const { jsonrpc, id, method, params = {}, result, error } = message as Message;
    if (jsonrpc !== "2.0") return;
    if (method === undefined) this.#settle(id, result, error);
    else if (id === undefined) this.#listeners.get(method)?.(params);
    else this.#answer(id, method, params);
  }

  #settle(id: number | undefined, result: unknown, error: Message["error"]): void {
    const waiting = this.#waiting.get(Number(id));
    this.#waiting.delete(Number(id));
    if (error) waiting?.reject(new HostError(error.message, error.code));
    else waiting?.resolve(result as never);
  }

  async #answer(id: unknown, method: string, params: Params): Promise<void> {
    const serve = this.#methods.get(method);
    const reply = (answer: object) => this.#send({ jsonrpc: "2.0", id, ...answer });
    if (!serve) return reply({ error: { code: UNKNOWN_METHOD, message: `Method not found: ${method}` } });
    try {
      reply({ result: (await serve(params)) ?? {} });
    } catch (thrown) {
      reply({ error: { code: INTERNAL, message: String(thrown) } });
    }
  }
}
