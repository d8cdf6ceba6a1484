/**
 * Where every open stream of change notifications is known: one object for the deployment, so that what one isolate
 * publishes is heard on streams of all others. Streams end with the object (a new deployment restarts it) and clients
 * open them again; a client that knows an older catalogue is notified at once. What sessions subscribe to is kept by
 * other objects of this class, one for each principal: no caller fills what all share.
 */
import { DurableObject } from "cloudflare:workers";
import type { Change } from "../core/model/change.ts";
import { type ChangeFeed, type Listener, mayHear, type Subscribed, type Wanted } from "../core/ports/change-feed.ts";
import { removeAll } from "./tables.ts";

/** Streams that one principal may have open: enough for every window of a person, too few to exhaust the object. */
const STREAMS_PER_PRINCIPAL = 32;
/** Resources that one session may hear about, and all sessions of a principal; as many its subscriptions may name. */
const MAX_PER_SESSION = 100;
const MAX_PER_PRINCIPAL = 1_000;
/** How long a session's subscriptions outlive the last change to them. */
const SUBSCRIPTIONS_KEPT_MS = 24 * 3_600_000;

/** Often enough for proxies that close what is silent for half a minute. */
const BEAT_MS = 15_000;
/** How long a stream that was written to may take to say that nobody reads it any more: at first, and at the most. */
const FIRST_PROBE_STEP_MS = 25;
const LAST_PROBE_STEP_MS = 800;

interface OpenStream {
  readonly listener: Listener;
  /** Resources that it hears about. */
  readonly uris: Set<string>;
  readonly tell: (change: Change) => void;
  /** An empty line: keeps the way to the client open, and finds out where there is none. */
  readonly beat: () => void;
  readonly close: () => void;
}

export class Hub extends DurableObject {
  readonly #open = new Set<OpenStream>();
  #beats: number | null = null;
  /** Those under way, by principal: each takes so long that asking for more all the time brings few writes. */
  readonly #probes = new Map<string, Promise<void>>();

  async listen(listener: Listener): Promise<ReadableStream<Uint8Array> | undefined> {
    await this.#learn(listener.revision);
    if (!this.#hasRoomFor(listener)) await this.#probe(listener.principal);
    // From here on nothing is waited for: of those who come at once no more get in than have room.
    if (!this.#hasRoomFor(listener)) return undefined;
    const encoder = new TextEncoder();
    let stream: OpenStream | undefined;
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        const write = (line: string) => {
          try {
            controller.enqueue(encoder.encode(`${line}\n`));
          } catch {
            // Nobody reads it any more.
            this.#forget(opened);
          }
        };
        const opened: OpenStream = {
          listener,
          uris: new Set(listener.wanted.uris),
          tell: (change) => write(JSON.stringify(change)),
          beat: () => write(""),
          close: () => {
            this.#forget(opened);
            try {
              controller.close();
            } catch {
              // Its reader has gone before.
            }
          },
        };
        stream = opened;
        this.#open.add(opened);
        this.#beats ??= setInterval(() => {
          for (const { beat } of this.#open) beat();
        }, BEAT_MS);
        if (listener.knows !== undefined && listener.knows !== listener.revision) this.#tellNewCatalogue(stream);
      },
      cancel: () => {
        if (stream) this.#forget(stream);
      },
    });
  }

  #forget(stream: OpenStream): void {
    this.#open.delete(stream);
    if (this.#open.size > 0) return;
    // An object that waits for nothing may be put to sleep.
    clearInterval(this.#beats);
    this.#beats = null;
  }

  #hasRoomFor({ principal, wanted }: Listener): boolean {
    const own = this.#streamsOf(principal);
    const named = own.reduce((sum, { listener }) => sum + listener.wanted.uris.length, wanted.uris.length);
    return own.length < STREAMS_PER_PRINCIPAL && named <= MAX_PER_PRINCIPAL;
  }

  #streamsOf(principal: string): OpenStream[] {
    return [...this.#open].filter(({ listener }) => listener.principal === principal);
  }

  /** Clients that vanish without a word are noticed when they are written to: asked for only when room is short. */
  #probe(principal: string): Promise<void> {
    // One probe at a time, for all of the principal's who come meanwhile.
    const under = this.#probes.get(principal);
    if (under) return under;
    const probe = this.#beatUntilOneGoes(principal).then(() => void this.#probes.delete(principal));
    this.#probes.set(principal, probe);
    return probe;
  }

  async #beatUntilOneGoes(principal: string): Promise<void> {
    const before = this.#streamsOf(principal).length;
    for (let step = FIRST_PROBE_STEP_MS; step <= LAST_PROBE_STEP_MS; step *= 2) {
      // The first write to a closed connection may still succeed; the next does not.
      for (const { beat } of this.#streamsOf(principal)) beat();
      await new Promise((resume) => setTimeout(resume, step));
      if (step > FIRST_PROBE_STEP_MS && this.#streamsOf(principal).length < before) break;
    }
  }

  async publish(change: Change): Promise<void> {
    const told = new Set<string>();
    // The newest first: of a session's older streams some may be dead, which shows only when they are written to.
    for (const stream of [...this.#open].reverse()) {
      const session = stream.listener.session?.id;
      // 2025-11-25, Multiple Connections: a session hears it on one of its streams, not on all.
      if ((session !== undefined && told.has(session)) || !wants(stream, change)) continue;
      if (session !== undefined) told.add(session);
      stream.tell(change);
    }
  }

  /**
   * Adds resources to what a session's open streams hear about, or takes them away. A stream that may not hear of one is
   * left out: it would be given the news, as the newest, and keep it to itself.
   */
  updateSubscriptions(session: string, resources: readonly Subscribed[], on: boolean): void {
    for (const { listener, uris } of this.#open) {
      if (listener.session?.id !== session) continue;
      for (const resource of resources)
        if (!on) uris.delete(resource.uri);
        else if (mayHear(listener.session, resource)) uris.add(resource.uri);
    }
  }

  /** Ends a session's streams. */
  closeSession(session: string): void {
    for (const { listener, close } of [...this.#open]) if (listener.session?.id === session) close();
  }

  // From here to the alarm: what the object of one principal does.

  /** @returns false when the session or the principal has too many */
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

  /** The object of a principal that subscribes to nothing has nothing to store. */
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

  /** The first isolate of a new deployment brings the news: streams that older ones opened hear of it. */
  async #learn(revision: string): Promise<void> {
    const known = await this.ctx.storage.get<string>("revision");
    if (known === revision) return;
    await this.ctx.storage.put("revision", revision);
    if (known === undefined) return;
    for (const stream of this.#open) if (stream.listener.revision !== revision) this.#tellNewCatalogue(stream);
  }

  #tellNewCatalogue(stream: OpenStream): void {
    for (const of of ["tools", "prompts", "resources"] as const) if (stream.listener.wanted[of]) stream.tell({ of });
  }
}

function wants({ listener, uris }: OpenStream, change: Change): boolean {
  return change.of === "resource" ? uris.has(change.uri) : listener.wanted[change.of];
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
        // Read after opening: later subscriptions reach the hub by themselves.
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
