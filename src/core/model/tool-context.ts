/** `ctx`: what a tool gets besides its input. Types only; authors get them from `src/tool.ts`. */

import type { Json } from "../lib/json.ts";
import type { Change } from "./change.ts";
import type { Attachment, Bound, LogLevel, Trace } from "./definition.ts";
import type { Capability, ClientInfo, Elicited, Fields, Filled, Root } from "./elicitation.ts";
import type { Principal } from "./principal.ts";
import type { Sampled, SamplingRequest } from "./sampling.ts";
import type { Session } from "./session.ts";

/** The second argument of `run`. */
export interface ToolContext<
  Secret extends string = never,
  Authorization extends string = never,
  UserId extends string | undefined = string | undefined,
  Env extends string = never,
> {
  /** Identifies this call in results and logs. */
  readonly callId: string;
  /**
   * The same for every run of one keyed call, and unique to that call. Undefined for a call without a key, unless it
   * runs as a task. Pass it on to services that accept an idempotency key: if a Worker dies after the effect, the call
   * runs again, and the service recognizes it.
   */
  readonly idempotencyKey: string | undefined;
  readonly principal: Principal;
  /** The program that calls, as it describes itself. Anyone can claim to be any client, so never grant access by it. */
  readonly client: ClientInfo;
  /** The user on whose behalf the caller calls, if the tool requires one. */
  readonly userId: UserId;
  /** The secrets that the tool declared, and no others. */
  readonly secrets: { readonly [Name in Secret]: string };
  /** The tokens that the tool declared, by authorization id, and no others. */
  readonly authorization: { readonly [Id in Authorization]: string };
  /** The bindings and variables that the tool declared, and no others. */
  readonly env: Bound<Env>;
  /** State shared by the calls of one conversation; undefined if the caller has no session. */
  readonly session: Session | undefined;
  /** The files that the caller attached, if the tool takes any. */
  readonly attachments: readonly Attachment[];
  readonly trace: Trace | undefined;
  /**
   * Fires when the time limit is reached or the caller has gone. A task does not depend on its caller's connection: its
   * signal fires if the task was cancelled or continues in another run.
   */
  readonly signal: AbortSignal;
  /** `fetch` that refuses private, loopback and link-local addresses, even after a redirect. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /**
   * Asks the user to fill in a form or to visit a page. Ask before you act: some callers can only answer with a new
   * call, and then the tool runs again from its start. `key` names the question within the tool. Asking with the same
   * key again in one run is a new question, so a tool may ask until it accepts the answer. An answer counts only for
   * the question it was given to: if the message or the fields change, the user is asked again.
   *
   * @throws {CannotAsk} if the caller cannot ask its user; if not caught, the call ends with a refusal that says so
   * @throws {NotAnswered} if the caller was asked during the call and did not answer within ten minutes, or gave three
   *         answers that do not fit; if not caught, the call fails with its message
   */
  elicit<const F extends Fields, const Required extends Extract<keyof F, string> = never>(
    key: string,
    question: FormQuestion<F, Required>,
  ): Promise<Elicited<Filled<F, Required>>>;
  elicit(key: string, question: PageQuestion<string>): Promise<Elicited<Record<never, never>>>;
  /** The `content` has the id from which the URL was made. */
  elicit(key: string, question: PageQuestion<MakeUrl>): Promise<Elicited<{ readonly id: string }>>;
  /** Asks the caller's model to continue a conversation. Works like {@link elicit}. */
  sample(key: string, request: SamplingRequest): Promise<Sampled>;
  /** Asks the caller for the folders that it works in. Works like {@link elicit}. */
  roots(key: string): Promise<readonly Root[]>;
  /** Whether the caller supports this kind of question. */
  canAsk(ability: Capability): boolean;
  /** Notifies subscribed clients that a list or a resource has changed. */
  changed(change: Change): Promise<void>;
  /**
   * Closes the caller's connection while the tool keeps working. Callers that can reconnect do so to get the result.
   * Has no effect in a task.
   */
  release(): void;
  /** Reports progress to a caller that asked for it. `done` must not decrease. An infinite `total` is dropped. */
  progress(done: number, total?: number, message?: string): void;
  /**
   * Logs to the Worker's log, and to a caller that asked for log messages. Not for secrets. Never throws: values that
   * JSON cannot represent, such as NaN or an error, are replaced by a description.
   */
  log(level: LogLevel, data: Json): void;
}

/** What the context of a long tool has in addition. */
export interface LongContext<Prepared> {
  /** What `prepare` returned. */
  readonly prepared: Prepared;
  /**
   * A checkpoint: does a part of the work and stores its result. If the run is cut short later, by a crash or a
   * deployment, the tool runs again from its start, and finished steps return what they returned before. A step that
   * was cut short is done again, unless it is marked `once`.
   *
   * @param name  of the step. Steps with the same name are told apart by their order, so a tool must reach them in the
   *              same order each time
   * @param work  returns JSON, or nothing
   */
  step<Value>(name: string, work: () => Value | Promise<Value>, options?: StepOptions): Promise<Value>;
}

export interface StepOptions {
  /** The step must not be done twice. If it is cut short, the task fails and says that it may have had its effect. */
  readonly once?: boolean;
}

/** A form for the user: flat fields, some of them required. */
export interface FormQuestion<F extends Fields = Fields, Required extends string = string> {
  readonly message: string;
  readonly fields: F;
  readonly required?: readonly Required[];
}

/** A page for the user to visit, for what must not pass through the client: a payment, a sign-in. */
export interface PageQuestion<Url extends string | MakeUrl = string | MakeUrl> {
  readonly message: string;
  /** A function gets the id of the visit, and must return the same URL for it each time. */
  readonly url: Url;
  /** Whether the user is done there. Called repeatedly after the user has agreed to open the page. */
  readonly until?: (id: string) => boolean | Promise<boolean>;
}

/**
 * @param id of the visit: cannot be guessed, stays the same when the tool runs again with answers, and is unique to
 *           this question of this call
 */
export type MakeUrl = (id: string) => string | Promise<string>;
