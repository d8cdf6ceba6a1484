/**
 * In-memory implementations of all stores, for tests of the layers above. They fulfil each port's contract
 * (test/stores) and nothing more: the only size limits are the contract's, and nothing expires.
 */
import { claim, extend, type LeaseRow, mayRelease, settle } from "../../src/core/idempotency/lease.ts";
import type { Published } from "../../src/core/model/change.ts";
import { changedBy, charactersOf, fits, SessionFull, type SessionValues } from "../../src/core/model/session.ts";
import type { ChangeFeed, Listener, Subscribed } from "../../src/core/ports/change-feed.ts";
import type { IdempotencyRecord, IdempotencyStore } from "../../src/core/ports/idempotency-store.ts";
import type { KeyEditor, KeyRecords } from "../../src/core/ports/key-records.ts";
import {
  LOST,
  MAX_KEPT_PER_STREAM,
  type Relay,
  type RelayEntry,
  type RelaySignal,
  type RunningRequest,
} from "../../src/core/ports/relay.ts";
import type { SessionStore } from "../../src/core/ports/session-store.ts";
import { keyEntry, keyName, listedKeys, readKey } from "../../src/stores/key-record-text.ts";
import { mayHear, wants } from "../../src/stores/may-hear.ts";

const LOOK_AGAIN_MS = 2;
const KEEP_MS = 60_000;

/** Keeps idempotency records. `marginMs` is how long a lease outlasts the run's time limit. */
export function memoryIdempotency(marginMs = KEEP_MS): IdempotencyStore {
  const rows = new Map<string, { readonly row: LeaseRow; readonly record?: IdempotencyRecord | undefined }>();
  return {
    async look({ key, fingerprint }) {
      const held = rows.get(key);
      const { answer } = claim(held?.row, { fingerprint, token: "", leaseMs: 0, keepMs: 0 }, Date.now());
      if (answer.state === "done") return { state: "known", record: held?.record as IdempotencyRecord };
      if (answer.state === "running") return { state: "running", retryAfterMs: LOOK_AGAIN_MS };
      return answer.state === "claimed" ? undefined : answer;
    },
    async claim({ key, fingerprint, limitMs }) {
      const attempt = { fingerprint, token: crypto.randomUUID(), leaseMs: limitMs + marginMs, keepMs: KEEP_MS };
      const until = Date.now() + limitMs;
      for (;;) {
        const held = rows.get(key);
        const { row, answer } = claim(held?.row, attempt, Date.now());
        if (answer.state === "conflict") return answer;
        if (answer.state === "done") return { state: "known", record: held?.record as IdempotencyRecord };
        if (answer.state === "claimed") {
          rows.set(key, { row });
          break;
        }
        if (Date.now() >= until) return { state: "running", retryAfterMs: LOOK_AGAIN_MS };
        await new Promise((resume) => setTimeout(resume, LOOK_AGAIN_MS));
      }
      return {
        state: "claimed",
        async settle(record) {
          const held = rows.get(key);
          const row = settle(held?.row, attempt, Date.now());
          if (row !== "lost") {
            if (row !== held?.row) rows.set(key, { row, record });
            return "kept";
          }
          if (held?.record === undefined) return { state: "running", retryAfterMs: LOOK_AGAIN_MS };
          return { state: "known", record: held.record };
        },
        async extendLease(ms) {
          const row = extend(rows.get(key)?.row, attempt.token, ms + attempt.leaseMs, Date.now());
          if (row !== "lost") rows.set(key, { row });
          return row !== "lost";
        },
        async release() {
          if (mayRelease(rows.get(key)?.row, attempt.token)) rows.delete(key);
        },
      };
    },
  };
}

export function memorySessions(): SessionStore {
  const sessions = new Map<string, SessionValues>();
  const ended = new Set<string>();
  const nameOf = (principal: string, id: string) => JSON.stringify([principal, id]);
  return {
    read: async (principal, id) => sessions.get(nameOf(principal, id)) ?? {},
    async update(principal, id, changes) {
      const before = sessions.get(nameOf(principal, id)) ?? {};
      const values = changedBy(before, structuredClone(changes));
      if (!fits(charactersOf(values), charactersOf(before))) throw new SessionFull();
      sessions.set(nameOf(principal, id), values);
    },
    async end(principal, id) {
      sessions.delete(nameOf(principal, id));
      ended.add(nameOf(principal, id));
    },
    hasEnded: async (principal, id) => ended.has(nameOf(principal, id)),
  };
}

/** Lines for one reader, until either side ends the stream. */
class LineStream {
  readonly source: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(onEnd: () => void) {
    this.source = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#controller = undefined;
        onEnd();
      },
    });
  }

  write(line: string): void {
    this.#controller?.enqueue(new TextEncoder().encode(`${line}\n`));
  }

  end(): void {
    this.#controller?.close();
    this.#controller = undefined;
  }
}

interface Stream {
  entries: RelayEntry[];
  isDone: boolean;
  /** The stream's reader; `isWaiting` while it waits for the running request to reply. */
  reader?: { readonly lines: LineStream; readonly after: number; isWaiting: boolean } | undefined;
}

class Box {
  readonly questions = new Map<string, PromiseWithResolvers<string | undefined>>();
  readonly watchers = new Map<string, RunningRequest & { tell(signal: RelaySignal | undefined): void }>();
  readonly cancelled = new Map<string, number>();
  readonly streams = new Map<string, Stream>();
  isClosed = false;

  question(name: string): PromiseWithResolvers<string | undefined> {
    const pending = this.questions.get(name) ?? Promise.withResolvers<string | undefined>();
    this.questions.set(name, pending);
    return pending;
  }

  stream(name: string): Stream {
    const stream = this.streams.get(name) ?? { entries: [], isDone: false };
    this.streams.set(name, stream);
    return stream;
  }

  tell(isMeant: (running: RunningRequest) => boolean, signal: RelaySignal | undefined): void {
    for (const watcher of [...this.watchers.values()].filter(isMeant)) {
      this.watchers.delete(watcher.call);
      watcher.tell(signal);
    }
  }
}

/** Relays messages. `replyMs` is how long a running request may take to reply to a client that reconnects. */
export function memoryRelay(replyMs = 5_000): Relay {
  const boxes = new Map<string, Box>();
  const at = (name: string) => {
    const box = boxes.get(name) ?? new Box();
    boxes.set(name, box);
    return box;
  };
  return {
    open: async (box, question) => void at(box).question(question),
    async take(box, question) {
      const answer = await at(box).question(question).promise;
      at(box).questions.delete(question);
      return answer;
    },
    answer: async (box, question, answer) => at(box).questions.get(question)?.resolve(answer),
    async cancel(box, request) {
      at(box).cancelled.set(request, Date.now());
      at(box).tell((running) => running.request === request, "cancelled");
    },
    async watch(box, running) {
      const { cancelled, streams, watchers, isClosed } = at(box);
      if (isClosed || (cancelled.get(running.request) ?? 0) >= running.since) return "cancelled";
      if (streams.get(running.stream ?? "")?.reader?.isWaiting) return "resume";
      return new Promise((tell) => watchers.set(running.call, { ...running, tell }));
    },
    unwatch: async (box, call) => at(box).tell((running) => running.call === call, undefined),
    async post(box, name, entries, done) {
      if (at(box).isClosed) return false;
      const stream = at(box).stream(name);
      stream.entries.push(...entries);
      stream.isDone ||= done;
      const sizeOf = () => stream.entries.reduce((sum, { text }) => sum + text.length, 0);
      while (sizeOf() > MAX_KEPT_PER_STREAM && stream.entries.length > 1) stream.entries.shift();
      const { reader } = stream;
      if (reader === undefined) return false;
      reader.isWaiting = false;
      for (const { at, text } of entries) if (at > reader.after) reader.lines.write(`${at} ${text}`);
      const last = stream.entries.at(-1)?.at ?? 0;
      // Position `after` never existed.
      if (last > 0 && last < reader.after && !done) reader.lines.write(LOST);
      if (done || (last > 0 && last < reader.after)) reader.lines.end();
      return stream.reader === reader;
    },
    async follow(box, name, after) {
      const stream = at(box).stream(name);
      if (stream.isDone && (stream.entries.at(-1)?.at ?? 0) <= after) return undefined;
      stream.reader?.lines.end();
      const lines = new LineStream(() => {
        if (stream.reader === reader) stream.reader = undefined;
      });
      const reader = { lines, after, isWaiting: true };
      stream.reader = reader;
      for (const { at, text } of stream.entries) if (at > after) lines.write(`${at} ${text}`);
      if (stream.isDone) lines.end();
      else {
        setTimeout(() => {
          if (!reader.isWaiting) return;
          lines.write(LOST);
          lines.end();
        }, replyMs);
        at(box).tell((running) => running.stream === name, "resume");
      }
      return lines.source;
    },
    async close(name) {
      const box = at(name);
      box.isClosed = true;
      for (const { reader } of box.streams.values()) reader?.lines.end();
      box.streams.clear();
      box.tell(() => true, "cancelled");
      for (const { resolve } of box.questions.values()) resolve(undefined);
      box.questions.clear();
    },
  };
}

/** At most this many streams of a principal, and this many resources of a session. */
const MAX_OPEN = 32;
const MAX_SUBSCRIBED = 100;

export function memoryChangeFeed(): ChangeFeed {
  const open = new Set<{ readonly listener: Listener; readonly uris: Set<string>; readonly lines: LineStream }>();
  const subscriptions = new Map<string, Set<string>>();
  const nameOf = (principal: string, session: string) => JSON.stringify([principal, session]);
  let revision: string | undefined;
  const tellCatalogue = ({ wanted }: Listener, lines: LineStream) => {
    for (const kind of ["tools", "prompts", "resources"] as const)
      if (wanted[kind]) lines.write(JSON.stringify({ of: kind }));
  };
  return {
    async listen(listener, subscribed = () => undefined) {
      const { principal, session, wanted, knows } = listener;
      if (revision !== undefined && revision !== listener.revision) {
        for (const one of open) if (one.listener.revision !== listener.revision) tellCatalogue(one.listener, one.lines);
      }
      revision = listener.revision;
      if ([...open].filter((one) => one.listener.principal === principal).length >= MAX_OPEN) return undefined;
      const lines = new LineStream(() => open.delete(stream));
      const stream = { listener, uris: new Set(wanted.uris), lines };
      open.add(stream);
      for (const uri of session ? (subscriptions.get(nameOf(principal, session.id)) ?? []) : []) {
        const resource = subscribed(uri);
        if (session && resource && mayHear(session, resource)) stream.uris.add(uri);
      }
      if (knows !== undefined && knows !== listener.revision) tellCatalogue(listener, lines);
      return lines.source;
    },
    async publish(change: Published) {
      const told = new Set<string>();
      for (const { listener, uris, lines } of [...open].reverse()) {
        const session = listener.session?.id;
        if (!wants(listener, uris, change) || (session !== undefined && told.has(session))) continue;
        if (session !== undefined) told.add(session);
        lines.write(JSON.stringify(change));
      }
    },
    async subscribe(principal: string, session: string, resource: Subscribed, on: boolean) {
      const name = nameOf(principal, session);
      const uris = subscriptions.get(name) ?? new Set();
      if (on && !uris.has(resource.uri) && uris.size >= MAX_SUBSCRIBED) return false;
      subscriptions.set(name, on ? uris.add(resource.uri) : new Set([...uris].filter((uri) => uri !== resource.uri)));
      for (const { listener, uris } of open) {
        if (listener.session?.id !== session) continue;
        if (!on) uris.delete(resource.uri);
        else if (mayHear(listener.session, resource)) uris.add(resource.uri);
      }
      return true;
    },
    async end(principal, session) {
      subscriptions.delete(nameOf(principal, session));
      for (const stream of [...open].filter(({ listener }) => listener.session?.id === session)) {
        open.delete(stream);
        stream.lines.end();
      }
    },
  };
}

export function memoryKeys(): { records: KeyRecords; editor: KeyEditor } {
  const entries = new Map<string, ReturnType<typeof keyEntry>>();
  return {
    records: { read: async (id) => readKey(entries.get(keyName(id))?.text ?? null) },
    editor: {
      async write(id, record) {
        entries.set(keyName(id), keyEntry(id, record));
      },
      list: async () => listedKeys([...entries.values()]),
      async remove(id) {
        entries.delete(keyName(id));
      },
    },
  };
}
