/**
 * What the rig's locations share: a simulated KV, and a count of the tools' effects. It is one object, so that each
 * step is atomic. The KV behaves as Cloudflare documents, with a minute shortened to 100 ms: a location sees its own
 * writes at once and the others' later, reads are cached (misses too), and a key accepts one write per interval. In
 * addition, writes fail or vanish: not those of the object, whose callers are told that their results are kept.
 */
import { DurableObject } from "cloudflare:workers";
import { FAIR, type Weather } from "./plan.ts";
import { randomOf } from "./random.ts";

interface Version {
  readonly value: string | null;
  readonly location: string;
  /** When all locations see it. */
  readonly seen: number;
  readonly expires: number;
}

interface View {
  readonly version: Version | undefined;
  readonly until: number;
}

export class World extends DurableObject {
  #weather = FAIR;
  #random = randomOf(1);
  readonly #versions = new Map<string, Version[]>();
  readonly #views = new Map<string, View>();
  readonly #written = new Map<string, number>();
  readonly #released = new Set<string>();
  #counts: Record<string, number> = {};
  readonly #history = new Map<string, string[]>();

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env as never);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS effects (name TEXT PRIMARY KEY, count INTEGER)");
    this.ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS births (at INTEGER)");
    this.ctx.storage.sql.exec("INSERT INTO births VALUES (?)", Date.now());
  }

  async set(weather: Partial<Weather>): Promise<void> {
    this.#weather = { ...FAIR, ...weather };
    this.#random = randomOf(this.#weather.seed);
  }

  /** Moves this isolate's clock forward, and so that of all its objects, instead of waiting for a time to live. */
  async ahead(ms: number): Promise<void> {
    const before = Date.now;
    Date.now = () => before() + ms;
  }

  /** Releases the requests that a fate holds under this name. */
  async release(name: string): Promise<void> {
    this.#released.add(name);
  }

  async isReleased(name: string): Promise<boolean> {
    return this.#released.has(name);
  }

  /** If it is more than one, the object was restarted and its KV and weather are lost: the run's counts are void. */
  async births(): Promise<number> {
    return [...this.ctx.storage.sql.exec("SELECT at FROM births")].length;
  }

  /** A tool's effect happens here. Returns how many times it has happened under this name. */
  async effect(name: string): Promise<number> {
    const [row] = this.ctx.storage.sql.exec<{ count: number }>(
      "INSERT INTO effects VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET count = count + 1 RETURNING count",
      name,
    );
    return row?.count ?? 0;
  }

  async effects(name: string): Promise<number> {
    const [row] = this.ctx.storage.sql.exec<{ count: number }>("SELECT count FROM effects WHERE name = ?", name);
    return row?.count ?? 0;
  }

  async get(location: string, name: string): Promise<string | null> {
    this.#count(`get ${location}`);
    this.#mayFail(name, "GET");
    const now = Date.now();
    const view = `${location} ${name}`;
    const cached = this.#views.get(view);
    const fresh = cached && cached.until > now ? cached : undefined;
    const version = fresh ? fresh.version : this.#visible(location, name, now);
    if (!fresh) this.#views.set(view, { version, until: now + this.#weather.cacheMs });
    return version && version.expires > now ? version.value : null;
  }

  /** With `sure`, only the delay applies. */
  async put(location: string, name: string, value: string | null, ttlMs: number, sure = false): Promise<void> {
    this.#count(`${value === null ? "delete" : "put"} ${location}`);
    const { visibleMs, writeMs, dropped, slowMs } = this.#weather;
    if (slowMs) await new Promise((resume) => setTimeout(resume, slowMs));
    const now = Date.now();
    if (!sure) {
      this.#mayFail(name, "PUT");
      if (now - (this.#written.get(name) ?? 0) < writeMs) {
        this.#count("throttled");
        this.#note(name, `${location} 429`);
        throw new Error("KV PUT failed: 429 Too Many Requests");
      }
      this.#written.set(name, now);
      if (this.#random() < dropped && location !== "object") {
        this.#count("dropped");
        this.#note(name, `${location} dropped`);
        return;
      }
    }
    // Records are encrypted; their last characters tell them apart.
    this.#note(name, `${location} ${value?.slice(-12)}`);
    const version = { value, location, seen: now + Math.floor(this.#random() * visibleMs), expires: now + ttlMs };
    this.#versions.set(name, [...(this.#versions.get(name) ?? []).slice(-8), version]);
    this.#views.delete(`${location} ${name}`);
  }

  /** Unexpired names that begin with the prefix, with their values. */
  async entries(prefix: string): Promise<[string, string][]> {
    const now = Date.now();
    const all: [string, string][] = [];
    for (const [name, versions] of this.#versions) {
      const last = versions.at(-1);
      if (last?.value && last.expires > now && name.startsWith(prefix)) all.push([name, last.value]);
    }
    return all;
  }

  /** Counts of KV operations since the last call of this method. */
  async counts(): Promise<Record<string, number>> {
    const counts = this.#counts;
    this.#counts = {};
    return counts;
  }

  /** The history of a name's writes and failed reads. */
  async historyOf(name: string): Promise<string[]> {
    return this.#history.get(name) ?? [];
  }

  #note(name: string, what: string): void {
    this.#history.set(name, [...(this.#history.get(name) ?? []), `${Date.now() % 1_000_000} ${what}`]);
  }

  /** Counts a request to another object. */
  async countRequest(): Promise<void> {
    this.#count("object");
  }

  #visible(location: string, name: string, now: number): Version | undefined {
    return this.#versions.get(name)?.findLast((version) => version.location === location || version.seen <= now);
  }

  #mayFail(name: string, what: string): void {
    const { down, failed } = this.#weather;
    const isDown = down !== undefined && name.startsWith(down);
    const fails = isDown || this.#random() < failed;
    if (fails) this.#note(name, `${what} failed`);
    if (fails) throw new Error(`KV ${what} failed: 500 Internal Server Error`);
  }

  #count(what: string): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + 1;
  }
}
