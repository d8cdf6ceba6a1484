/** Finds the base address of an OXP server in what people paste. */

/** Paths of OXP's endpoints, which people copy from examples. No toolkit has such a name. */
const ENDPOINT = /\/(?:tools\/call|tools|call|health)$/;

/**
 * @param url `https://host`, or `https://host/calculator` for the tools of one toolkit
 * @returns the address, without a slash at its end: paths such as `/tools` are appended to it
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
    throw new TypeError(`url ends in ${pathname}, which is the path of another protocol: write ${origin} without that`);
  }
  return origin + pathname.replace(/\/+$/, "").replace(ENDPOINT, "");
}
