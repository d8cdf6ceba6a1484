/**
 * The change feed as Durable Objects. One object per deployment knows every open stream of change notifications, so
 * that a change published by one isolate reaches the streams of all others. The streams end when the object restarts,
 * for example after a new deployment, and clients open them again; a client that knows an older catalogue is notified
 * at once. Subscriptions of sessions are stored in further objects of this class, one per principal, so that no caller
 * can fill the shared object.
 */
import { DurableObject } from "cloudflare:workers";
import type { Published } from "../core/model/change.ts";
import type { ChangeFeed, Listener, Subscribed, Wanted } from "../core/ports/change-feed.ts";
import { mayHear, wants } from "./may-hear.ts";
import { removeAll } from "./tables.ts";

/** Streams that one principal may have open: enough for all windows of one person, too few to exhaust the object. */
const STREAMS_PER_PRINCIPAL = 32;
const MAX_PER_SESSION = 100;
/** Resources that all sessions of a principal may subscribe to, and that all its open streams may name. */
const MAX_PER_PRINCIPAL = 1_000;
/** How long the subscriptions of a session are stored after the last change to them. */
const SUBSCRIPTIONS_KEPT_MS = 24 * 3_600_000;

/** Some proxies close a connection that is silent for 30 seconds. */
const BEAT_MS = 15_000;
/** How long a new stream may stay unread. If its request was broken off while it opened, nobody reads or cancels it. */
const OPENING_MS = 10_000;
/** How long a probe waits after its first and its last write to see whether a stream has closed. */
const FIRST_PROBE_STEP_MS = 25;
const LAST_PROBE_STEP_MS = 800;

interface OpenStream {
  readonly listener: Listener;
  /** Resources whose changes it receives. */
  readonly uris: Set<string>;
  readonly send: (change: Published) => void;
  /** Sends an empty line, which keeps the connection alive and detects a broken one. */
  readonly beat: () => void;
  readonly close: () => void;
}

export class Hub extends DurableObject {
  readonly #open = new Set<OpenStream>();
  #beats: ReturnType<typeof setInterval> | undefined;
  /** Running probes by principal. Each takes a while, so a client that keeps asking causes few writes. */
  readonly #probes = new Map<string, Promise<void>>();

  async listen(listener: Listener): Promise<ReadableStream<Uint8Array> | undefined> {
    await this.#updateRevision(listener.revision);
    if (!this.#hasRoomFor(listener)) await this.#probe(listener.principal);
    // No await after this check: otherwise callers that arrive at the same time could exceed the limits together.
    if (!this.#hasRoomFor(listener)) return undefined;
    const encoder = new TextEncoder();
    const openedAt = Date.now();
    let stream: OpenStream | undefined;
    let isRead = false;
    const source: UnderlyingSource<Uint8Array> = {
      start: (controller) => {
        const write = (line: string) => {
          try {
            controller.enqueue(encoder.encode(`${line}\n`));
          } catch {
            // The reader has gone.
            this.#forget(opened);
          }
        };
        const opened: OpenStream = {
          listener,
          uris: new Set(listener.wanted.uris),
          send: (change) => write(JSON.stringify(change)),
          beat: () => {
            if (isRead || Date.now() - openedAt < OPENING_MS) write("");
            else opened.close();
          },
          close: () => {
            this.#forget(opened);
            try {
              controller.close();
            } catch {
              // The reader has already gone.
            }
          },
        };
        stream = opened;
        this.#open.add(opened);
        this.#beats ??= setInterval(() => {
          for (const { beat } of this.#open) beat();
        }, BEAT_MS);
        if (listener.knows !== undefined && listener.knows !== listener.revision) this.#sendNewCatalogue(stream);
      },
      pull() {
        isRead = true;
      },
      cancel: () => {
        if (stream) this.#forget(stream);
      },
    };
    // With a mark above 0, `pull` would be called before anybody reads.
    return new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
  }

  #forget(stream: OpenStream): void {
    this.#open.delete(stream);
    if (this.#open.size > 0) return;
    // Without timers, the platform can evict the object.
    if (this.#beats !== undefined) clearInterval(this.#beats);
    this.#beats = undefined;
  }

  #hasRoomFor({ principal, wanted }: Listener): boolean {
    const own = this.#streamsOf(principal);
    const named = own.reduce((sum, { listener }) => sum + countNamed(listener.wanted), countNamed(wanted));
    return own.length < STREAMS_PER_PRINCIPAL && named <= MAX_PER_PRINCIPAL;
  }

  #streamsOf(principal: string): OpenStream[] {
    return [...this.#open].filter(({ listener }) => listener.principal === principal);
  }

  /**
   * Detects clients that vanished without closing their streams, by writing to them. Runs only if a limit is reached.
   */
  #probe(principal: string): Promise<void> {
    // One probe at a time: callers of the same principal that arrive while it runs share it.
    const running = this.#probes.get(principal);
    if (running) return running;
    const probe = this.#beatUntilOneCloses(principal).then(() => void this.#probes.delete(principal));
    this.#probes.set(principal, probe);
    return probe;
  }

  async #beatUntilOneCloses(principal: string): Promise<void> {
    const before = this.#streamsOf(principal).length;
    for (let step = FIRST_PROBE_STEP_MS; step <= LAST_PROBE_STEP_MS; step *= 2) {
      // The first write to a closed connection can still succeed. The next one fails.
      for (const { beat } of this.#streamsOf(principal)) beat();
      await new Promise((resume) => setTimeout(resume, step));
      if (step > FIRST_PROBE_STEP_MS && this.#streamsOf(principal).length < before) break;
    }
  }

  async publish(change: Published): Promise<void> {
    const notified = new Set<string>();
    // Newest first: a session's older streams may be dead, which is only noticed when something is written to them.
    for (const stream of [...this.#open].reverse()) {
      const session = stream.listener.session?.id;
      // 2025-11-25, Multiple Connections: send a message on one of the session's streams, not on all.
      if ((session !== undefined && notified.has(session)) || !wants(stream.listener, stream.uris, change)) continue;
      if (session !== undefined) notified.add(session);
      stream.send(change);
    }
  }

  /**
   * Adds resources to the subscriptions of a session's open streams, or removes them. Skips a stream that may not read
   * a resource: if it were the newest, it would be the one to receive the change, and would drop it.
   */
  updateSubscriptions(session: string, resources: readonly Subscribed[], on: boolean): void {
    for (const { listener, uris } of this.#open) {
      if (listener.session?.id !== session) continue;
      for (const resource of resources)
        if (!on) uris.delete(resource.uri);
        else if (mayHear(listener.session, resource)) uris.add(resource.uri);
    }
  }

  closeSession(session: string): void {
    for (const { listener, close } of [...this.#open]) if (listener.session?.id === session) close();
  }

  // The methods from here to the alarm are for the object of one principal.

  /** @returns false if the session or the principal has too many subscriptions */
  async keep(session: string, uri: string, on: boolean): Promise<boolean> {
    const { kv } = this.ctx.storage;
    if (!on) {
      if (kv.delete(subscription(session, uri))) await this.#removeIfEmpty();
      return true;
    }
    const count = (prefix: string, limit: number) => [...kv.list({ prefix, limit })].length;
    const isNew = kv.get(subscription(session, uri)) === undefined;
    if (isNew && count(subscription(session, ""), MAX_PER_SESSION) === MAX_PER_SESSION) return false;
    if (isNew && count(SUBSCRIPTION, MAX_PER_PRINCIPAL) === MAX_PER_PRINCIPAL) return false;
    const until = Date.now() + SUBSCRIPTIONS_KEPT_MS;
    kv.put(subscription(session, uri), until);
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(until);
    return true;
  }

  kept(session: string): string[] {
    const prefix = subscription(session, "");
    return Array.from(this.ctx.storage.kv.list({ prefix }), ([key]) => key.slice(prefix.length));
  }

  async forget(session: string): Promise<void> {
    const { kv } = this.ctx.storage;
    const keys = Array.from(kv.list({ prefix: subscription(session, "") }), ([key]) => key);
    for (const key of keys) kv.delete(key);
    if (keys.length > 0) await this.#removeIfEmpty();
  }

  /** Removes all storage if the principal has no subscriptions left. */
  async #removeIfEmpty(): Promise<void> {
    if ([...this.ctx.storage.kv.list({ limit: 1 })].length === 0) await removeAll(this.ctx.storage);
  }

  override async alarm(): Promise<void> {
    const { kv } = this.ctx.storage;
    const now = Date.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [key, until] of kv.list<number>({ prefix: SUBSCRIPTION })) {
      if (until <= now) kv.delete(key);
      else next = Math.min(next, until);
    }
    if (next < Number.POSITIVE_INFINITY) await this.ctx.storage.setAlarm(next);
    else await this.#removeIfEmpty();
  }

  /** Notifies streams of older isolates when the first isolate of a new deployment opens a stream. */
  async #updateRevision(revision: string): Promise<void> {
    const known = await this.ctx.storage.get<string>("revision");
    if (known === revision) return;
    await this.ctx.storage.put("revision", revision);
    if (known === undefined) return;
    for (const stream of this.#open) if (stream.listener.revision !== revision) this.#sendNewCatalogue(stream);
  }

  #sendNewCatalogue(stream: OpenStream): void {
    for (const kind of ["tools", "prompts", "resources"] as const)
      if (stream.listener.wanted[kind]) stream.send({ of: kind });
  }
}

/** How many single resources, events and tasks a stream names. */
function countNamed({ uris, events = [], tasks = [] }: Wanted): number {
  return uris.length + events.length + tasks.length;
}

const SUBSCRIPTION = "subscription ";

function subscription(session: string, uri: string): string {
  return `${SUBSCRIPTION}${JSON.stringify(session)} ${uri}`;
}

export function objectChangeFeed(namespace: DurableObjectNamespace<Hub>): ChangeFeed {
  const hub = () => namespace.getByName("hub");
  const ownOf = (principal: string) => namespace.getByName(`principal ${principal}`);
  return {
    async listen(listener, subscribed = () => undefined) {
      const stream = await hub().listen({ ...listener, wanted: { ...listener.wanted } satisfies Wanted });
      const { principal, session: { id: session } = {} } = listener;
      if (stream === undefined || session === undefined) return stream;
      try {
        // Read after the stream is open: later subscriptions go to the hub directly.
        const before = (await ownOf(principal).kept(session)).flatMap((uri) => subscribed(uri) ?? []);
        if (before.length > 0) await hub().updateSubscriptions(session, before, true);
      } catch (error) {
        await stream.cancel();
        throw error;
      }
      return stream;
    },
    publish: (change) => hub().publish(change),
    async subscribe(principal, session, resource, on) {
      if (!(await ownOf(principal).keep(session, resource.uri, on))) return false;
      await hub().updateSubscriptions(session, [resource], on);
      return true;
    },
    async end(principal, session) {
      await Promise.all([ownOf(principal).forget(session), hub().closeSession(session)]);
    },
  };
}
