/** Names as DNS takes them: checked, in ASCII, and addresses turned round for PTR. Asks nobody. */

const MAX_NAME = 253;
/** A label of RFC 1035 with the underscore of RFC 8552 (`_dmarc`), or the wildcard. */
const LABEL = /^(\*|[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)$/i;

/** @returns the name to ask for, without its last dot; undefined for what no name can be */
export function toQueryName(name: string, type: string): string | undefined {
  const given = name.trim();
  if (given === ".") return given;
  const reverse = type === "PTR" ? reverseName(given) : undefined;
  if (reverse !== undefined) return reverse;
  const ascii = toAscii(given.replace(/\.$/, ""));
  if (ascii === undefined || ascii.length > MAX_NAME) return undefined;
  return ascii.split(".").every((label) => LABEL.test(label)) ? ascii : undefined;
}

/** `bücher.de` → `xn--bcher-kva.de`. The URL parser knows how; ASCII it would take for an address (`1.2`), so not that. */
function toAscii(name: string): string | undefined {
  if (/^[\x21-\x7e]*$/.test(name)) return name;
  // What would end the host part of a URL, and make another name of this one.
  if (/[\s/?#@:\\[\]]/.test(name)) return undefined;
  return URL.parse(`http://${name}`)?.hostname;
}

/** The name whose PTR records say what an address is called (RFC 1035, section 3.5, and RFC 3596, section 2.5). */
function reverseName(address: string): string | undefined {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(address)) {
    const bytes = address.split(".").map(Number);
    return bytes.every((byte) => byte <= 255) ? `${bytes.reverse().join(".")}.in-addr.arpa` : undefined;
  }
  if (!/^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(address)) return undefined;
  // The URL parser writes every spelling of an IPv6 address in one way, without dotted parts.
  const canonical = URL.parse(`http://[${address}]`)?.hostname.slice(1, -1);
  if (canonical === undefined) return undefined;
  const [head = "", tail] = canonical.split("::");
  const groups = (text = "") => (text === "" ? [] : text.split(":"));
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill("0");
  const hex = [...groups(head), ...zeros, ...groups(tail)].map((group) => group.padStart(4, "0")).join("");
  return `${[...hex].reverse().join(".")}.ip6.arpa`;
}
