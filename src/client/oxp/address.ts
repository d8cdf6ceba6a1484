/** The base address of an OXP server, from what people paste. */

/** Endpoints of OXP, and no toolkit's name: pasted in by whoever copied them from an example. */
const ENDPOINT = /\/(?:tools\/call|tools|call|health)$/;

/**
 * @param url `https://host`, or `https://host/calculator` for the tools of one toolkit
 * @returns without a slash at its end: `/tools` and the like are appended
 * @throws {TypeError} that says what to write, and does not repeat a user name or password
 */
export function baseOf(url: string | URL): string {
  if (!URL.canParse(String(url))) {
    throw new TypeError('url is not an address: write the whole of it, such as "https://tools.example.com"');
  }
  const { protocol, username, password, search, hash, origin, pathname } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") throw new TypeError(`url begins with ${protocol}, not https:`);
  if (username || password) throw new TypeError("url has a user name or password: send apiKey or token instead");
  if (search || hash) throw new TypeError('url ends in "?…" or "#…": write the address of the server without it');
  if (/\/(?:mcp|opentool(?:\/.*)?)\/?$/.test(pathname)) {
    throw new TypeError(`url ends in ${pathname}, which is of another protocol: write ${origin} without that`);
  }
  return origin + pathname.replace(/\/+$/, "").replace(ENDPOINT, "");
}
