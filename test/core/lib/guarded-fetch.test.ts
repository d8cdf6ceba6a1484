/**
 * Tests core/lib/guarded-fetch.ts: addresses that a tool may not fetch, in every notation, and headers on redirects.
 */
import { describe, expect, it, vi } from "vitest";
import { AddressRefused, guardedFetch, refusePrivate } from "../../../src/core/lib/guarded-fetch.ts";

/** IANA, Special-Purpose Address Registries, and how RFC 3986 parsers and the WHATWG URL standard read hosts. */
const INSIDE: Record<string, readonly string[]> = {
  "loopback, in every number format": [
    ...["127.0.0.1", "127.255.255.254", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001"],
    ...["127.1", "127.0.1", "0x7f.1", "127.0.0.1.", "0X7F.0.0.1", "127.0x0.0.01"],
    ...["１２７.０.０.１", "①②⑦.⓪.⓪.①", "127。0。0。1", "%31%32%37.0.0.1"],
  ],
  "this network, and all of it": ["0.0.0.0", "0", "0.1.2.3", "255.255.255.255", "4294967295"],
  "private use": [
    ...["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.1", "0xa.1", "167772161"],
    ...["0xc0a80001", "0300.0250.0.1"],
  ],
  "link-local, where clouds keep their metadata": ["169.254.169.254", "2852039166", "0xa9fea9fe", "169.254.43518"],
  "carrier-grade NAT, documentation, benchmarks, multicast, reserved": [
    ...["100.64.0.1", "100.127.255.255", "192.0.0.170", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255"],
    ...["198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1"],
  ],
  "IPv6: loopback, unspecified, link-local, unique local, site-local, multicast, discard": [
    ...["[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[fe80::1]", "[febf::1]", "[fc00::1]", "[fd12:3456::1]"],
    ...["[FD00::1]", "[fec0::1]", "[ff02::1]", "[100::1]", "[5f00::1]", "[4000::1]"],
  ],
  "IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo": [
    ...["[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:8.8.8.8]", "[::127.0.0.1]", "[::ffff:0:127.0.0.1]"],
    ...["[64:ff9b::7f00:1]", "[64:ff9b::8.8.8.8]", "[64:ff9b:1::1]", "[2002:7f00:1::]", "[2002:a00:1::1]", "[2001::1]"],
    ...["[2001:0:7f00:1::]"],
  ],
  "IPv6: documentation, benchmarks, ORCHID": [
    "[2001:db8::1]",
    "[3fff::1]",
    "[3fff:fff::1]",
    "[2001:2::1]",
    "[2001:10::1]",
  ],
  "names of this machine and its network": [
    ...[
      "localhost",
      "LOCALHOST",
      "localhost.",
      "localhost..",
      "foo.localhost",
      "foo.localhost.",
      "localhost.localdomain",
    ],
    ...["ｌocalhost", "loc\u00adalhost", "%6cocalhost", "printer", "router.local", "db.internal", "wiki.intranet"],
    ...["nas.lan", "git.corp", "x.private", "x.home.arpa", "metadata.google.internal", "127.0.0.1.."],
  ],
};

describe.each(Object.entries(INSIDE))("inside: %s", (_, hosts) => {
  it.each(hosts)("%s", (runtime) => {
    expect(() => refusePrivate(new URL(`http://${runtime}/`))).toThrow(AddressRefused);
    expect(() => refusePrivate(new URL(`https://user:pass@${runtime}:8443/x?y#z`))).toThrow(AddressRefused);
  });
});

describe("outside", () => {
  it.each([
    ...["example.com", "example.com.", "EXAMPLE.COM", "a.b.c.example.com", "bücher.example", "localhost.example.com"],
    ...["127.0.0.1.example.com", "10.example.com", "local.example", "internal.example.com", "1e100.net"],
    ...["8.8.8.8", "134744072", "1.1.1.1", "11.0.0.1", "9.255.255.255", "172.15.0.1", "172.32.0.1", "192.167.0.1"],
    ...["169.253.0.1", "169.255.0.1", "100.63.0.1", "100.128.0.1", "128.0.0.1", "126.255.255.255", "223.255.255.255"],
    ...["198.17.255.255", "198.20.0.1", "192.0.1.1", "[2606:4700::1111]", "[2001:4860:4860::8888]", "[2a00:1450::1]"],
    ...["[3fff:1000::1]", "[2001:200::1]"],
  ])("%s", (runtime) => {
    expect(() => refusePrivate(new URL(`https://${runtime}/`))).not.toThrow();
  });
});

describe("schemes", () => {
  it.each([
    "ftp://example.com/",
    "file:///etc/passwd",
    "data:text/plain,x",
    "blob:https://example.com/x",
    "ws://example.com/",
  ])("%s is refused", (address) => {
    expect(() => refusePrivate(new URL(address))).toThrow(AddressRefused);
  });
});

/** A network with fixed answers, which records its requests. */
function network(answers: Record<string, () => Response>) {
  const requests: { url: string; method: string; headers: Record<string, string>; body: string }[] = [];
  const fetch = guardedFetch(async (input, init) => {
    const request = new Request(input, init);
    const { url, method } = request;
    requests.push({ url, method, headers: Object.fromEntries(request.headers), body: await request.text() });
    return (answers[url] ?? (() => new Response("end")))();
  });
  return { fetch, requests };
}

const to =
  (location: string, status = 302) =>
  () =>
    new Response("moved", { status, headers: { location } });
const A = "https://a.example/";
const B = "https://b.example/";

describe("redirects", () => {
  it.each([
    ...["http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/latest", "//localhost/", "http://2130706433/"],
    ...["file:///etc/passwd", "ftp://b.example/"],
  ])("to %s are refused, and nothing is sent there", async (location) => {
    const { fetch, requests } = network({ [A]: to(location) });
    await expect(fetch(A)).rejects.toThrow(AddressRefused);
    expect(requests.map(({ url }) => url)).toEqual([A]);
  });

  it("to an inside address are refused after several outside ones", async () => {
    const { fetch, requests } = network({ [A]: to(B), [B]: to("http://10.0.0.1/", 307) });
    await expect(fetch(A)).rejects.toMatchObject({ name: "AddressRefused" });
    expect(requests).toHaveLength(2);
  });

  it("a direct request to an inside address is refused, and nothing is sent", async () => {
    const { fetch, requests } = network({});
    await expect(fetch("http://127.1/")).rejects.toThrow(AddressRefused);
    await expect(fetch(new URL("http://localhost:8787/tools"))).rejects.toThrow(AddressRefused);
    await expect(fetch(new Request("http://10.0.0.1/"))).rejects.toThrow(AddressRefused);
    expect(requests).toEqual([]);
  });

  it("are followed, relative ones too", async () => {
    const { fetch, requests } = network({ [A]: to("/next?x=1"), [`${A}next?x=1`]: to(B) });
    expect(await (await fetch(A)).text()).toBe("end");
    expect(requests.map(({ url }) => url)).toEqual([A, `${A}next?x=1`, B]);
  });

  it("ten are followed, and no more", async () => {
    const chain = (hops: number) =>
      Object.fromEntries(Array.from({ length: hops }, (_, index) => [`${A}${index}`, to(`${A}${index + 1}`)]));
    expect((await network(chain(10)).fetch(`${A}0`)).status).toBe(200);
    await expect(network(chain(11)).fetch(`${A}0`)).rejects.toThrow("Too many redirects");
  });

  it("leave no body unread: on Workers each would occupy one of six connections", async () => {
    let released = false;
    const body = new ReadableStream({
      cancel() {
        released = true;
      },
    });
    const { fetch } = network({ [A]: () => new Response(body, { status: 302, headers: { location: B } }) });
    await fetch(A);
    expect(released).toBe(true);
  });

  it("without a Location are answers", async () => {
    const { fetch } = network({ [A]: () => new Response(null, { status: 302 }) });
    expect((await fetch(A)).status).toBe(302);
  });

  it.each(["init", "request"])('"manual" and "error" in the %s are kept to', async (where) => {
    const { fetch, requests } = network({ [A]: to(B) });
    const send = (redirect: "manual" | "error") =>
      where === "init"
        ? fetch(A, { redirect: redirect as "manual" })
        : fetch(new Request(A, { redirect: redirect as "manual" }));
    expect((await send("manual")).status).toBe(302);
    if (where === "init") await expect(send("error")).rejects.toThrow(TypeError);
    expect(requests.every(({ url }) => url === A)).toBe(true);
  });
});

describe("headers on a redirect (Fetch standard, HTTP-redirect fetch)", () => {
  const headers = {
    authorization: "Bearer s3cret",
    cookie: "a=1",
    "proxy-authorization": "x",
    baggage: "user=ada",
    tracestate: "vendor=ada",
    "content-type": "text/plain",
    "x-own": "kept",
  };
  const posted = { method: "POST", headers, body: "the body" };

  it.each([
    ["another host", B],
    ["another scheme", "http://a.example/next"],
    ["another port", "https://a.example:8443/"],
    ["a subdomain", "https://sub.a.example/"],
  ])("no credentials to %s", async (_, location) => {
    const { fetch, requests } = network({ [A]: to(location, 307) });
    await fetch(A, posted);
    expect(requests[0]?.headers).toMatchObject(headers);
    expect(requests[1]?.headers).toMatchObject({ "x-own": "kept", "content-type": "text/plain" });
    for (const name of ["authorization", "cookie", "proxy-authorization", "baggage", "tracestate"]) {
      expect(requests[1]?.headers).not.toHaveProperty(name);
    }
  });

  it("not again when it comes back", async () => {
    const { fetch, requests } = network({ [A]: to(B, 307), [B]: to(`${A}back`, 307) });
    await fetch(A, posted);
    expect(requests[2]).toMatchObject({ url: `${A}back`, body: "the body" });
    expect(requests[2]?.headers).not.toHaveProperty("authorization");
  });

  it("credentials within the origin", async () => {
    const { fetch, requests } = network({ [A]: to("/next", 308) });
    await fetch(A, posted);
    expect(requests[1]?.headers).toMatchObject(headers);
  });

  it.each([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [303, "PUT", "GET"],
    [303, "HEAD", "HEAD"],
    [301, "PUT", "PUT"],
    [302, "DELETE", "DELETE"],
    [307, "POST", "POST"],
    [308, "PATCH", "PATCH"],
  ])("%i turns %s into %s", async (status, method, then) => {
    const { fetch, requests } = network({ [A]: to(`${A}next`, status) });
    await fetch(A, { method, headers, ...(method !== "HEAD" && { body: "the body" }) });
    const keeps = method === then && method !== "HEAD";
    expect(requests[1]).toMatchObject({ method: then, body: keeps ? "the body" : "" });
    if (then === "GET") expect(requests[1]?.headers).not.toHaveProperty("content-type");
  });
});

describe("a body that is a stream", () => {
  it("is not copied for a redirect, because it may be larger than memory", async () => {
    const cancelled = vi.fn();
    const fetch = guardedFetch(async (input) => {
      await (input as Request).body?.cancel("read enough");
      return new Response("end");
    });
    const body = new ReadableStream({ cancel: cancelled });
    expect(await (await fetch(A, { method: "PUT", body })).text()).toBe("end");
    expect(cancelled).toHaveBeenCalledWith("read enough");
  });

  it.each([
    [307, "PUT"],
    [308, "POST"],
    [302, "PUT"],
  ])("is not sent again after a redirect with %i of %s: that fails", async (status, method) => {
    const { fetch, requests } = network({ [A]: to(B, status) });
    const fetching = fetch(A, { method, body: new Response("the body").body });
    await expect(fetching).rejects.toThrow(
      /^The body is a stream, which cannot be sent again after the redirect to b\./,
    );
    expect(requests).toMatchObject([{ body: "the body" }]);
  });

  it.each([
    [303, "PUT"],
    [302, "POST"],
  ])("is not needed after a redirect with %i of %s", async (status, method) => {
    const { fetch, requests } = network({ [A]: to(B, status) });
    expect(await (await fetch(A, { method, body: new Response("the body").body })).text()).toBe("end");
    expect(requests).toMatchObject([{ body: "the body" }, { method: "GET", body: "" }]);
  });
});

describe("the refusal says what to do", () => {
  it.each([
    [
      "http://10.0.0.5:8080/x",
      '10.0.0.5 is an address in a private network. If tools may fetch from it, add "10.0.0.5:8080" to ALLOWED_HOSTS',
    ],
    [
      "http://[::1]/",
      '[::1] is an address in a private network. If tools may fetch from it, add "[::1]" to ALLOWED_HOSTS',
    ],
    [
      "http://localhost:3000/",
      'localhost is an address in a private network. If tools may fetch from it, add "localhost:3000" to',
    ],
    // Perhaps it does not exist: it is not called private.
    [
      "http://wether/",
      'wether is not a name on the public internet. If tools may fetch from it, add "wether" to ALLOWED_HOSTS',
    ],
    ["http://api.internal/", "api.internal is not a name on the public internet."],
  ])("%s", (url, message) => {
    expect(() => refusePrivate(new URL(url))).toThrow(message);
  });
});
