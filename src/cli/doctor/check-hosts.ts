/** Checks variables for addresses that work on this machine, and that a deployment does not reach. */
import { isInside } from "../../core/lib/guarded-fetch.ts";
import type { Config } from "../lib/config.ts";
import { type Finding, warning } from "./finding.ts";

/** Origins of pages, which a browser on this machine may well show. */
const OF_BROWSERS = "ALLOWED_ORIGINS";
/** Names of private hosts are meant there; this machine is not. */
const OF_PRIVATE = "ALLOWED_HOSTS";

const THIS_MACHINE = /^(127\.[\d.]+|0\.0\.0\.0|\[::1?\]|([^.]+\.)*localhost)$/;

/** @param placeOf where a variable is set: `wrangler.toml:12` */
export function* checkHosts({ vars }: Pick<Config, "vars">, placeOf: (name: string) => string): Generator<Finding> {
  for (const [name, value] of Object.entries(vars)) {
    if (name === OF_BROWSERS) continue;
    const isHere = ({ hostname }: URL) => THIS_MACHINE.test(hostname);
    const inside = addressesIn(value).find(name === OF_PRIVATE ? isHere : isInside);
    if (inside === undefined) continue;
    const where = isHere(inside) ? "this machine" : "in a private network";
    const problem = `${name} has ${inside.host}, which is ${where}: a deployment does not reach it`;
    const local = `for npm start keep this one in .dev.vars: ${name}=…`;
    // Where a tool fetches from it, the guard refuses it first.
    const allow = name === OF_PRIVATE ? "" : ` (ctx.fetch needs ALLOWED_HOSTS=${inside.host} there, too)`;
    yield warning({ file: placeOf(name), problem, fix: `write a public host here, and ${local}${allow}` });
  }
}

/** A URL of any scheme, or an address or `localhost` by itself. */
const ADDRESS = /^(?:[a-z][a-z\d+.-]*:\/\/(\S+)|((?:localhost|\d+(?:\.\d+){3}|\[[\da-f:]+\])(?::\d+)?))$/i;

/** @param value of a variable, which may be any JSON */
function addressesIn(value: unknown): URL[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(addressesIn);
  return String(value)
    .split(/[\s,]+/)
    .flatMap((word) => {
      const [, url, host] = ADDRESS.exec(word) ?? [];
      // As http, of which the parser knows all spellings of an address.
      return URL.parse(`http://${url ?? host ?? ""}`) ?? [];
    });
}
