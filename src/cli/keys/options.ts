/**
 * Parses the options of `npm run keys -- create`. Pure: the clock, toolkits and rate limiters are arguments. Each
 * function throws a {@link Mistake} if the text is not valid.
 */
import { element } from "../../discovery/lib/settings-format.ts";
import { Mistake } from "../lib/mistake.ts";

const SECONDS = { d: 86_400, h: 3_600, m: 60 } as const;
/** KV's minimum is a minute, and wrangler needs some time to start. */
const MIN_LIFE_SECONDS = 120;
const YEAR_10000 = 253_402_300_800;

/** No invisible characters, and none that change the direction of text, so that a list shows names as they are. */
export function readName(text: string): string {
  const name = text.trim();
  if (!/^[^\p{C}\p{Z}]+( +[^\p{C}\p{Z}]+)*$/u.test(name) || [...name].length > 64) {
    throw new Mistake("A key's name is 1 to 64 printable characters.");
  }
  return name;
}

/** @param folders names of the folders in tools/ */
export function readToolkits(texts: readonly string[], folders: readonly string[]): string[] {
  const toolkits = items("toolkits", texts);
  const unknown = toolkits.find((toolkit) => !folders.includes(toolkit));
  if (unknown !== undefined) {
    const known = folders.length > 0 ? folders.join(", ") : "none yet";
    throw new Mistake(`--toolkits: there is no folder "${unknown}" in tools/; it has ${known}.`);
  }
  return toolkits;
}

/** Scope tokens (RFC 6749, section 3.3), except that a comma separates them; or `*` for all. */
export function readScopes(texts: readonly string[]): string[] {
  const scopes = items("scopes", texts);
  const bad = scopes.find((scope) => !/^[!#-[\]-~]+$/.test(scope));
  if (bad !== undefined) {
    const use = "use letters, digits and signs, but no space, quote or \\";
    throw new Mistake(`--scopes: ${JSON.stringify(bad)} is not a scope: ${use}.`);
  }
  if (scopes.length > 1 && scopes.includes("*")) throw new Mistake("--scopes: * grants all scopes, so write it alone.");
  return scopes;
}

/**
 * @param text `30d`, `12h`, `90m`, or a date, which means its first second in UTC
 * @param now seconds since 1970
 * @returns seconds since 1970
 */
export function readExpires(text: string, now: number): number {
  const expires = life(text, now) ?? date(text);
  if (expires === undefined) {
    throw new Mistake(`--expires: "${text}" is none of 30d, 12h, 90m, or a date such as 2027-01-31.`);
  }
  if (expires >= YEAR_10000)
    throw new Mistake("--expires: that is after the year 9999; leave it out for a key that never expires.");
  if (expires < now + MIN_LIFE_SECONDS) throw new Mistake("--expires: a key must be valid for at least two minutes.");
  return expires;
}

/**
 * @param limiters names of the rate limiters in the settings
 * @param file     the name of the settings file
 */
export function readRate(text: string, limiters: readonly string[], file: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Mistake(`--rate: "${text}" is not a number of requests a minute.`);
  const rates = limiters.flatMap((name) => /^RATE_(\d+)$/.exec(name)?.[1] ?? []);
  if (!rates.includes(text)) {
    const known = rates.length > 0 ? `has limiters for ${rates.join(", ")}` : "has no RATE_ limiter";
    throw new Mistake(
      `--rate: ${file} ${known}; for ${text}, add ${element(file, ["ratelimits"], { name: `RATE_${text}` })}, ` +
        `a namespace_id of its own, and simple with a limit of ${text} and a period of 60.`,
    );
  }
  return Number(text);
}

/** Splits texts at commas, and removes duplicates. */
function items(option: string, texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => text.split(",")).map((word) => word.trim());
  if (words.includes("")) throw new Mistake(`--${option}: a name is empty; separate names with single commas.`);
  return [...new Set(words)];
}

function life(text: string, now: number): number | undefined {
  const [, amount, unit] = /^(\d{1,12})([dhm])$/.exec(text) ?? [];
  return amount && unit ? now + Number(amount) * SECONDS[unit as keyof typeof SECONDS] : undefined;
}

/** Refuses dates such as the 31st of February, which Date accepts. */
function date(text: string): number | undefined {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(Number.NaN);
  return Number.isNaN(time.getTime()) || !time.toISOString().startsWith(text) ? undefined : time.getTime() / 1_000;
}
