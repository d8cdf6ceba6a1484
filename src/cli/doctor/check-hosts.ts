/** Checks variables for addresses that work on this machine, but that a deployment cannot reach. */
import { isInside } from "../../core/lib/guarded-fetch.ts";
import type { Config } from "../lib/config.ts";
import { type Finding, warning } from "./finding.ts";

/** This variable lists origins of pages. It may name this machine, because a browser here may show pages served here. */
const OF_BROWSERS = "ALLOWED_ORIGINS";
/** This variable lists hosts of private networks, but never this machine. */
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
    // If a tool fetches from this host, the guard refuses it.
    const allow = name === OF_PRIVATE ? "" : ` (ctx.fetch also needs ALLOWED_HOSTS=${inside.host} there)`;
    yield warning({ file: placeOf(name), problem, fix: `write a public host here, and ${local}${allow}` });
  }
}

/** A URL of any scheme, or only an IP address or `localhost`, perhaps with a port. */
const ADDRESS = /^(?:[a-z][a-z\d+.-]*:\/\/(\S+)|((?:localhost|\d+(?:\.\d+){3}|\[[\da-f:]+\])(?::\d+)?))$/i;

/** @param value the value of a variable, which may be any JSON */
function addressesIn(value: unknown): URL[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(addressesIn);
  return String(value)
    .split(/[\s,]+/)
    .flatMap((word) => {
      const [, url, host] = ADDRESS.exec(word) ?? [];
      // Parsed as http: only then does the parser know all spellings of an IP address.
      return URL.parse(`http://${url ?? host ?? ""}`) ?? [];
    });
}
