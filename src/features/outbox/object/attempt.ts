/** One attempt to deliver a message: a POST that follows no redirects and has a time limit. */
import type { DeliveryProblem } from "../../../core/ports/outbox.ts";
import { wrongTarget } from "../target.ts";
import { problemOfError, problemOfStatus } from "./problem.ts";
import { readRetryAfter } from "./schedule.ts";

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface AttemptDependencies {
  readonly send: typeof fetch;
  /** Hosts that may be in a private network. */
  readonly allowed: readonly string[];
  readonly limitMs: number;
}

/** No attempt was made, because the message cannot be composed. */
export interface Unsent {
  readonly state: "unsent";
  readonly reason: string;
}

export type Attempted =
  | Unsent
  | { readonly state: "delivered"; readonly response: Response }
  | { readonly state: "failed"; readonly problem: DeliveryProblem; readonly retryAfterMs?: number | undefined }
  /** Another attempt would not help. `isGone`: the receiver wants no more messages. */
  | { readonly state: "hopeless"; readonly problem: DeliveryProblem; readonly reason: string; readonly isGone?: true };

/** Makes one attempt. Never rejects. If the message is delivered, read or cancel the body of the response. */
export async function attempt(
  { url, headers, body }: Post,
  dependencies: AttemptDependencies,
): Promise<Exclude<Attempted, Unsent>> {
  const wrong = wrongTarget(url, dependencies.allowed);
  if (wrong) return { state: "hopeless", problem: "connection_refused", reason: `The URL ${wrong}` };
  let response: Response;
  try {
    response = await dependencies.send(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(dependencies.limitMs),
    });
  } catch (error) {
    return { state: "failed", problem: problemOfError(error) };
  }
  if (response.ok) return { state: "delivered", response };
  // An unread response occupies one of the few connections that a Worker may have open.
  await response.body?.cancel().catch(() => {});
  const { status } = response;
  const problem = problemOfStatus(status);
  if (status === 410) return { state: "hopeless", problem, reason: "The receiver answered 410 Gone", isGone: true };
  if (status === 413) return { state: "hopeless", problem, reason: "The receiver answered 413 Content Too Large" };
  return { state: "failed", problem, retryAfterMs: readRetryAfter(response.headers.get("retry-after"), Date.now()) };
}

/** Reads about `maxBytes` of a response's body as text, and cancels the rest. Never rejects. */
export async function beginning({ body }: Response, maxBytes: number): Promise<string> {
  if (body === null) return "";
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let text = "";
  let read = 0;
  try {
    while (read < maxBytes) {
      const { value, done } = await reader.read();
      if (done) break;
      read += value.length;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // The receiver broke off, or took too long.
  }
  await reader.cancel().catch(() => {});
  return text;
}
