/** Uploading and downloading files over HTTP, through the Worker, with the R2 of workerd. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { FileRecords } from "../../../src/features/files/store/records.ts";
import { MIN_PROGRESS } from "../../../src/features/files/store/streaming.ts";
import { keyName } from "../../../src/stores/key-record-text.ts";
import { travel } from "../../support/clock.ts";
import { hashOf, newCaller, presign, put, streamOf, TEXT, uploaded } from "../../support/files.ts";
import { HOST, post, send } from "../../support/http.ts";
import { postCall } from "../../support/oxp.ts";
import { uploadOn } from "../../support/pages.ts";
import { linkIn } from "../../support/upload-link.ts";

const { FILES, FILE_RECORDS, KV } = env as unknown as {
  FILES: R2Bucket;
  FILE_RECORDS: DurableObjectNamespace;
  KV: KVNamespace;
};
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

afterEach(() => {
  vi.useRealTimers();
});

const ticketOf = (url: string, name: string) => new URL(url).searchParams.get(name) ?? "";
const ownerIn = (url: string, name = "upload") => claimsIn(ticketOf(url, name)).owner as string;
const claimsIn = (ticket: string) =>
  JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(ticket.split(".")[0] ?? "", { alphabet: "base64url" })));
const keysOf = async (owner: string) => (await FILES.list({ prefix: `${owner}/` })).objects.map(({ key }) => key);
const recordsOf = (owner: string) => FILE_RECORDS.getByName(owner);

/** Runs the alarm of an owner's records, if one is set. */
const ring = (owner: string) => runDurableObjectAlarm(recordsOf(owner));

/** The file as a tool gets it. */
async function attached(fileId: string, caller: Record<string, string>) {
  const request = { tool_id: "Echo.Files", context: { attachments: [{ file_id: fileId }] } };
  const { body } = await postCall({ request }, undefined, caller);
  return body.result?.value?.files?.[0];
}

/** A caller with an API key. */
async function keyCaller(rate?: number) {
  const id = crypto.randomUUID().replaceAll("-", "").slice(0, 16);
  const text = `trivet_${id}_${"A".repeat(43)}`;
  const record = {
    name: "bot",
    hash: await hashOf(text),
    scopes: ["*"],
    created: 1,
    ...(rate !== undefined && { rate }),
  };
  await KV.put(keyName(id), JSON.stringify(record));
  return { headers: { authorization: `Bearer ${text}` }, revoke: () => KV.delete(keyName(id)) };
}

describe("a URL that was made with a key", () => {
  it("ends with the key, whatever it is for", async () => {
    const { headers, revoke } = await keyCaller();
    const id = await uploaded("a,b", headers);
    const { body: presigned } = await presign(TEXT, headers);
    const { url } = await attached(id, headers);
    const { body: asked } = await postCall(
      { request: { tool_id: "Echo.Upload", call_id: crypto.randomUUID(), input: {} } },
      undefined,
      headers,
    );
    const page = linkIn(asked.message);
    const statuses = async () => {
      const paths = [url, page].map((one) => one.slice(HOST.length));
      const got = await Promise.all(paths.map((path) => send(path, {})));
      const sent = [await uploadOn(page, "x"), await put(presigned.upload_url, "a,b")];
      return [...got, ...sent].map(({ status }) => status);
    };
    await revoke();
    // For as long as its record is known.
    expect((await send(url.slice(HOST.length), {})).status).toBe(200);
    travel(31_000);
    expect(await statuses()).toEqual([410, 410, 410, 410]);
    const { body } = await put(presigned.upload_url, "a,b");
    expect(body.message).toBe("The key that this URL was made with has been revoked, or has expired");
  });

  it("counts against the rate of the key, apart from the key's own requests: anyone may have the URL", async () => {
    const { headers } = await keyCaller(10);
    const id = await uploaded("a,b", headers);
    const { url } = await attached(id, headers);
    const answers = [];
    // The minute may end in between, and the count begins again.
    for (let sent = 0; sent < 20; sent++)
      answers.push(await send(url.slice(HOST.length), { method: sent % 2 ? "HEAD" : "GET" }));
    const last = answers.find(({ status }) => status === 429);
    expect(last?.headers.get("retry-after")).toBe("60");
    expect((await presign(TEXT, headers)).status).toBe(200);
  });

  it("no longer counts once it has expired", async () => {
    const { headers } = await keyCaller(10);
    const { body: presigned } = await presign(TEXT, headers);
    const { url } = await attached(await uploaded("a,b", headers), headers);
    const { body: asked } = await postCall(
      { request: { tool_id: "Echo.Upload", call_id: crypto.randomUUID(), input: {} } },
      undefined,
      headers,
    );
    const page = linkIn(asked.message);
    travel(61 * MINUTE);
    for (let sent = 0; sent < 10; sent++) {
      const answers = [
        await put(presigned.upload_url, "a,b"),
        await send(url.slice(HOST.length), {}),
        await send(page.slice(HOST.length), {}),
      ];
      expect(answers.map(({ status }) => status)).toEqual([410, 410, 410]);
    }
    const { body: fresh } = await presign(TEXT, headers);
    expect((await put(fresh.upload_url, "a,b")).status).toBe(201);
  });
});

describe("an upload", () => {
  it("is announced, sent without a credential, and answered with what was stored", async () => {
    const caller = newCaller();
    const text = "a,b\n1,2\n";
    const { status, body } = await presign(TEXT, caller);
    expect([status, body]).toEqual([
      200,
      {
        file_id: expect.stringMatching(/^[\w-]{22}$/),
        upload_url: expect.stringMatching(
          new RegExp(`^${HOST}/api/v1/files/${body.file_id}\\?upload=[\\w-]+\\.[\\w-]+$`),
        ),
        method: "PUT",
        headers: { "content-type": "text/csv" },
        expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        max_bytes: 100_000_000,
      },
    ]);
    const minutes = (Date.parse(body.expires_at) - Date.now()) / MINUTE;
    expect(minutes).toBeGreaterThan(14);
    expect(minutes).toBeLessThanOrEqual(15);
    const answer = await put(body.upload_url, text);
    const { file_id, filename, content_type, size, sha256, expires_at } = answer.body;
    expect([answer.status, file_id, filename, content_type, size, sha256]).toEqual([
      ...[201, body.file_id, "q3.csv", "text/csv", 8, await hashOf(text)],
    ]);
    expect(Math.round((Date.parse(expires_at) - Date.now()) / MINUTE)).toBe(24 * 60);
    expect(await attached(file_id, caller)).toMatchObject({ name: "q3.csv", type: "text/csv", size: 8, text, sha256 });
  });

  it.each<[string, object, RegExp]>([
    ["no name", { content_type: "text/csv" }, /^filename must be the name of a file/],
    ["a name that is only a folder", { ...TEXT, filename: "a/" }, /^filename/],
    ["a name of dots", { ...TEXT, filename: "a/.." }, /^filename/],
    ["a name with a line break", { ...TEXT, filename: "a\nb" }, /^filename/],
    ["a name of 513 characters", { ...TEXT, filename: "a".repeat(513) }, /of up to 512 characters$/],
    ["no type", { filename: "a" }, /^content_type must be a media type such as "text\/csv", of up to 255 characters$/],
    ["a type with a line break", { ...TEXT, content_type: "text/csv\r\nx: y" }, /^content_type/],
    ["a type that no header can have", { ...TEXT, content_type: 'text/csv; x="\u20ac"' }, /^content_type/],
    ["a type with a control character", { ...TEXT, content_type: 'text/csv; x="\x7f"' }, /^content_type/],
    ["a negative size", { ...TEXT, size: -1 }, /^size must be a whole number of bytes$/],
    ["half a byte", { ...TEXT, size: 1.5 }, /^size/],
    ["a hash of another kind", { ...TEXT, sha256: "abc" }, /^sha256 must have 64 hex digits$/],
    ["a list", [], /must be a JSON object$/],
  ])("with %s is refused, and the message says what is right", async (_, wanted, message) => {
    const { status, body } = await presign(wanted);
    expect([status, body]).toEqual([400, { message: expect.stringMatching(message) }]);
  });

  it("keeps the name without the sender's folders, in any script, and any further member is ignored", async () => {
    const caller = newCaller();
    const id = await uploaded("x", caller, { filename: "C:\\fakepath\\Größe, 2.csv", folder: "/etc", size: null });
    expect(await attached(id, caller)).toMatchObject({ name: "Größe, 2.csv" });
  });

  it("may be empty", async () => {
    const caller = newCaller();
    const id = await uploaded("", caller);
    expect(await attached(id, caller)).toMatchObject({ size: 0, text: "", sha256: await hashOf("") });
  });

  it("that is announced with its size may come without a Content-Length; else it is refused with 411", async () => {
    const stream = () => streamOf("a,b");
    const { body: sized } = await presign({ ...TEXT, size: 3 });
    expect(sized.max_bytes).toBe(3);
    expect((await put(sized.upload_url, stream())).status).toBe(201);
    const { body: unsized } = await presign({ ...TEXT });
    const { status, body } = await put(unsized.upload_url, stream());
    expect([status, body.message]).toEqual([411, expect.stringContaining("needs a Content-Length")]);
    // The alias.
    const { body: alias } = await presign({ ...TEXT, size_bytes: 3 });
    expect((await put(alias.upload_url, stream())).status).toBe(201);
  });

  it.each<[string, string | ReadableStream, number]>([
    ["shorter than announced", "ab", 400],
    ["longer than announced", "abcd", 413],
    ["shorter, without a Content-Length", streamOf("ab"), 400],
    ["longer, without a Content-Length", streamOf("abcd"), 400],
  ])("%s is refused, leaves nothing, and can be tried again", async (_, body, status) => {
    const { body: presigned } = await presign({ ...TEXT, size: 3 }, newCaller());
    const owner = ownerIn(presigned.upload_url);
    const answer = await put(presigned.upload_url, body);
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(/size|at most 3 bytes/)]);
    await ring(owner);
    expect(await keysOf(owner)).toEqual([]);
    expect((await put(presigned.upload_url, "abc")).status).toBe(201);
  });

  it("over the limit of the Worker is refused before anything is stored", async () => {
    const { status, body } = await presign({ ...TEXT, size: 100_000_001 });
    expect([status, body]).toEqual([413, { message: "A file may have at most 100000000 bytes" }]);
    const { body: presigned } = await presign();
    const answer = await put(presigned.upload_url, "x", "text/csv", { "content-length": "100000001" });
    expect([answer.status, answer.body.message]).toEqual([413, "The file may have at most 100000000 bytes"]);
  });

  it("of another type is refused; the same type may be spelled in another way", async () => {
    const { body: presigned } = await presign({ ...TEXT, content_type: "text/csv; charset=utf-8" });
    for (const type of ["text/html", "text/csv", ""]) {
      const { status, body } = await put(presigned.upload_url, "x", type);
      expect([type, status, body.message]).toEqual([type, 415, expect.stringContaining("text/csv; charset=utf-8")]);
    }
    // Comparing types of any length would take long.
    const long = `text/csv;${" ".repeat(300)}charset=utf-8`;
    expect((await put(presigned.upload_url, "x", long)).status).toBe(415);
    expect((await put(presigned.upload_url, "x", "Text/CSV;charset=UTF-8")).status).toBe(201);
  });

  it("that is compressed on the way is refused: the stored bytes would be others", async () => {
    const { body: presigned } = await presign();
    expect((await put(presigned.upload_url, "x", "text/csv", { "content-encoding": "gzip" })).status).toBe(415);
  });

  it("must have the SHA-256 that was declared", async () => {
    const caller = newCaller();
    const { body: presigned } = await presign({ ...TEXT, sha256: (await hashOf("right")).toUpperCase() }, caller);
    const wrong = await put(presigned.upload_url, "wrong");
    expect([wrong.status, wrong.body.message]).toEqual([422, expect.stringContaining("SHA-256")]);
    await ring(ownerIn(presigned.upload_url));
    expect(await keysOf(ownerIn(presigned.upload_url))).toEqual([]);
    expect((await put(presigned.upload_url, "right")).status).toBe(201);
  });

  it("happens once: a second one is refused, and changes nothing", async () => {
    const caller = newCaller();
    const { body: presigned } = await presign(TEXT, caller);
    expect((await put(presigned.upload_url, "first")).status).toBe(201);
    const { status, body } = await put(presigned.upload_url, "second");
    expect([status, body.message]).toEqual([409, expect.stringContaining("was uploaded already")]);
    expect(await attached(presigned.file_id, caller)).toMatchObject({ text: "first" });
  });

  it("that comes eight times at once is stored once and whole, and nothing else is left", async () => {
    const caller = newCaller();
    const { body: presigned } = await presign(TEXT, caller);
    const owner = ownerIn(presigned.upload_url);
    const bodies = Array.from({ length: 8 }, (_, at) => String(at).repeat(500));
    const answers = await Promise.all(bodies.map((body) => put(presigned.upload_url, body)));
    const won = answers.findIndex(({ status }) => status === 201);
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array(7).fill(expect.toSatisfy((status) => [409, 429].includes(status)))]);
    expect(await attached(presigned.file_id, caller)).toMatchObject({ text: bodies[won] });
    await ring(owner);
    expect(await keysOf(owner)).toHaveLength(1);
  });

  it("whose body breaks off leaves nothing, and can be tried again", async () => {
    const { body: presigned } = await presign({ ...TEXT, size: 200_000 }, newCaller());
    const owner = ownerIn(presigned.upload_url);
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(100_000));
      },
      pull: (controller) => controller.error(new Error("gone")),
    });
    await put(presigned.upload_url, broken).catch(() => {});
    await ring(owner);
    expect(await keysOf(owner)).toEqual([]);
    expect((await put(presigned.upload_url, new Uint8Array(200_000))).status).toBe(201);
  });
});

/** A body that has begun, and goes on when it is told to. */
function pausedBody() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(opened) {
      controller = opened;
      opened.enqueue(new TextEncoder().encode("a"));
    },
  });
  const send = (text: string) => controller?.enqueue(new TextEncoder().encode(text));
  return { body, send, end: () => controller?.close() };
}

const nextMoment = (ms = 50) => new Promise((resume) => setTimeout(resume, ms));

describe("uploads that are slow", () => {
  it("are ended when their URL expires", async () => {
    const slow = pausedBody();
    const { body: presigned } = await presign({ ...TEXT, size: 9_000 }, newCaller());
    const sending = put(presigned.upload_url, slow.body);
    await nextMoment();
    vi.useFakeTimers({ toFake: ["Date"], now: new Date(presigned.expires_at) });
    try {
      slow.send("b".repeat(MIN_PROGRESS));
      const { status, body } = await sending;
      expect([status, body.message]).toEqual([410, "This URL has expired: request another one"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("may go on for as long as they do not pause for 30 seconds; then they are ended with 408, and leave nothing", async () => {
    const plain = setTimeout;
    const { body: presigned } = await presign({ ...TEXT, size: 1 + 4 * MIN_PROGRESS }, newCaller());
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((work: () => void, ms: number) =>
      plain(work, ms === 30_000 ? 300 : ms)) as typeof setTimeout);
    try {
      const slow = pausedBody();
      const sending = put(presigned.upload_url, slow.body);
      for (const letter of "bcde") {
        await nextMoment(200);
        slow.send(letter.repeat(MIN_PROGRESS));
      }
      slow.end();
      expect((await sending).status).toBe(201);
      for (const declared of [{ size: 5 }, { size: 5, sha256: await hashOf("abcde") }]) {
        const { body: other } = await presign({ ...TEXT, ...declared }, newCaller());
        const { status, body } = await put(other.upload_url, pausedBody().body);
        expect([status, body.message]).toEqual([408, "The upload paused for over 30 seconds: try again"]);
        await ring(ownerIn(other.upload_url));
        expect(await keysOf(ownerIn(other.upload_url))).toEqual([]);
        expect((await put(other.upload_url, "abcde")).status).toBe(201);
      }
    } finally {
      vi.restoreAllMocks();
    }
  });

  it("are ended with 408 if less than 1 KiB arrives in 30 seconds", async () => {
    const plain = setTimeout;
    const { body: presigned } = await presign({ ...TEXT, size: 9 }, newCaller());
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((work: () => void, ms: number) =>
      plain(work, ms === 30_000 ? 300 : ms)) as typeof setTimeout);
    try {
      const slow = pausedBody();
      let status: number | undefined;
      const sending = put(presigned.upload_url, slow.body).then((answer) => {
        ({ status } = answer);
      });
      for (const letter of "bcdefghi") {
        await nextMoment(80);
        if (status === undefined) slow.send(letter);
      }
      if (status === undefined) slow.end();
      await sending;
      expect(status).toBe(408);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it.each([
    ["eight at a time of one principal in an isolate", 8, false],
    ["two at a time of one file, and leave room for others", 2, true],
  ])("are %s", async (_, most, isOneFile) => {
    const caller = newCaller();
    const { body: first } = await presign({ ...TEXT, size: 2 }, caller);
    const urlOfNext = async () => (isOneFile ? first : (await presign({ ...TEXT, size: 2 }, caller)).body).upload_url;
    const bodies = Array.from({ length: most }, pausedBody);
    const sending = [];
    for (const { body } of bodies) sending.push(put(await urlOfNext(), body));
    await nextMoment();
    const next = await urlOfNext();
    const refused = await put(next, "ab");
    expect([refused.status, refused.headers.get("retry-after"), refused.body.message]).toEqual([
      ...[429, "5", "Too many uploads go on at the same time: send this one when another has ended"],
    ]);
    const { body: other } = await presign({ ...TEXT, size: 2 }, isOneFile ? caller : newCaller());
    expect((await put(other.upload_url, "ab")).status).toBe(201);
    for (const { send, end } of bodies) {
      send("b");
      end();
    }
    const statuses = (await Promise.all(sending)).map(({ status }) => status).sort();
    expect(statuses).toEqual(isOneFile ? [201, 409] : Array(8).fill(201));
    // The places are free again.
    expect((await put(next, "ab")).status).toBe(isOneFile ? 409 : 201);
  });
});

describe("an upload URL", () => {
  it.each<[string, object, string, number]>([
    ["with another hash", { size: 3, sha256: "0".repeat(64) }, "abc", 422],
    ["of another size", { size: 3 }, "ab", 400],
  ])(
    "is spent after five uploads %s, which cost; deleting its file makes no room for others",
    async (_, wanted, text, status) => {
      const caller = newCaller();
      const { body: presigned } = await presign({ ...TEXT, ...wanted }, caller);
      const owner = ownerIn(presigned.upload_url);
      for (let failed = 0; failed < 5; failed++) {
        expect((await put(presigned.upload_url, streamOf(text))).status).toBe(status);
      }
      const counted = vi.spyOn(Object.getPrototypeOf(FILES), "put");
      const answer = await put(presigned.upload_url, streamOf("abc"));
      expect(counted).not.toHaveBeenCalled();
      counted.mockRestore();
      expect([answer.status, answer.body.message]).toEqual([
        ...[410, "This URL is not valid any more after 5 uploads that failed: request another one"],
      ]);
      await ring(owner);
      expect(await keysOf(owner)).toEqual([]);
      const { body: called } = await postCall(
        { request: { tool_id: "Echo.Files", context: { attachments: [{ file_id: presigned.file_id }] } } },
        undefined,
        caller,
      );
      expect(JSON.stringify(called)).toContain("does not exist, or has expired: upload it again");
      const remove = (id: string) => send(`/api/v1/files/${id}`, { method: "DELETE", headers: caller });
      expect((await remove(presigned.file_id)).status).toBe(404);
      // One failure is as good as five for whoever deletes after it.
      const { body: other } = await presign({ ...TEXT, ...wanted }, caller);
      expect((await put(other.upload_url, streamOf(text))).status).toBe(status);
      expect([(await remove(other.file_id)).status, (await remove(other.file_id)).status]).toEqual([204, 404]);
      expect((await put(other.upload_url, streamOf("abc"))).status).toBe(410);
      const rows = () =>
        runInDurableObject(recordsOf(owner), (_, { storage }) => [...storage.sql.exec("SELECT id FROM files")].length);
      expect(await rows()).toBe(2);
      travel(16 * MINUTE);
      await ring(owner);
      expect(await runInDurableObject(recordsOf(owner), (_, state) => tablesOf(state))).toEqual([]);
    },
  );

  it("that is forged is refused with 403, and reaches no storage", async () => {
    const { body: presigned } = await presign({ ...TEXT, size: 3 }, newCaller());
    const url = new URL(presigned.upload_url);
    const [text = "", signature = ""] = ticketOf(presigned.upload_url, "upload").split(".");
    const larger = new TextEncoder().encode(JSON.stringify({ ...claimsIn(text), size: 1_000 }));
    const forged = [
      ...["", text, `${text}.`, `${text}.${"A".repeat(43)}`, `${text}.${signature}.`, `A${text}.${signature}`],
      `${larger.toBase64({ alphabet: "base64url", omitPadding: true })}.${signature}`,
    ];
    for (const ticket of forged) {
      url.searchParams.set("upload", ticket);
      expect([ticket, (await put(url.href, "abc")).status]).toEqual([ticket, 403]);
    }
    const other = (await presign(TEXT)).body.file_id;
    expect((await put(presigned.upload_url.replace(presigned.file_id, other), "abc")).status).toBe(403);
    // One for a download.
    const download = presigned.upload_url.replace("?upload=", "?download=");
    expect((await send(download.slice(HOST.length))).status).toBe(403);
    expect((await put(presigned.upload_url, "abc")).status).toBe(201);
  });

  it("expires, and says so", async () => {
    const { body: presigned } = await presign(TEXT, newCaller());
    travel(16 * MINUTE);
    const { status, body } = await put(presigned.upload_url, "x");
    expect([status, body.message]).toEqual([410, "This URL has expired: request another one"]);
  });

  it("is one for a file that was deleted: gone", async () => {
    const caller = newCaller();
    const { body: presigned } = await presign(TEXT, caller);
    expect((await send(`/api/v1/files/${presigned.file_id}`, { method: "DELETE", headers: caller })).status).toBe(204);
    expect((await put(presigned.upload_url, "x")).status).toBe(410);
  });

  it("is at the root, also for a client of one toolkit", async () => {
    const { body } = await post(`/echo/api/v1/files/presign-upload`, TEXT);
    expect(body.upload_url).toMatch(new RegExp(`^${HOST}/api/v1/files/`));
    expect((await put(body.upload_url, "x")).status).toBe(201);
  });
});

describe("a principal", () => {
  it("may have 100 files; deleting one makes room", async () => {
    const caller = newCaller();
    const ids: string[] = [];
    for (let count = 0; count < 100; count++) ids.push((await presign(TEXT, caller)).body.file_id);
    const { status, body } = await presign(TEXT, caller);
    expect([status, body.message]).toEqual([429, expect.stringContaining("There are 100 files already")]);
    expect((await presign(TEXT, newCaller())).status).toBe(200);
    await send(`/api/v1/files/${ids[0]}`, { method: "DELETE", headers: caller });
    expect((await presign(TEXT, caller)).status).toBe(200);
    // A URL that was not used in time does not count.
    travel(16 * MINUTE);
    expect((await presign(TEXT, caller)).status).toBe(200);
  });

  it("deletes its own files, and no others", async () => {
    const caller = newCaller();
    const id = await uploaded("x", caller);
    const remove = (headers: Record<string, string>) => send(`/api/v1/files/${id}`, { method: "DELETE", headers });
    const foreign = await remove(newCaller());
    expect([foreign.status, foreign.body]).toEqual([404, { message: "There is no such file" }]);
    expect(await attached(id, caller)).toMatchObject({ text: "x" });
    expect((await remove(caller)).status).toBe(204);
    expect(await attached(id, caller)).toBeUndefined();
    expect((await remove(caller)).status).toBe(404);
  });
});

describe("a download", () => {
  it("is the file, for the browser to save and nothing else", async () => {
    const caller = newCaller();
    const id = await uploaded("<script>", caller, { filename: "Größe's (2).html", content_type: "text/html" });
    const { url } = await attached(id, caller);
    expect(url).toMatch(new RegExp(`^${HOST}/api/v1/files/${id}\\?download=`));
    const response = await exports.default.fetch(url, { headers: { range: "bytes=0-1" } });
    expect([response.status, await response.text()]).toEqual([200, "<script>"]);
    const headers = {
      "content-type": "text/html",
      "content-length": "8",
      "content-disposition": "attachment; filename*=UTF-8''Gr%C3%B6%C3%9Fe%27s%20%282%29.html",
      "accept-ranges": "none",
      "cache-control": "private, no-store",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    };
    expect(Object.fromEntries(response.headers)).toEqual(headers);
    const head = await exports.default.fetch(url, { method: "HEAD" });
    expect([head.status, await head.text(), Object.fromEntries(head.headers)]).toEqual([200, "", headers]);
  });

  it("needs a URL that was signed for this file, and has not expired", async () => {
    const caller = newCaller();
    const [one, other] = [await uploaded("one", caller), await uploaded("other", caller)];
    const { url } = await attached(one, caller);
    const path = url.slice(HOST.length);
    const altered = claimsIn(ticketOf(url, "download"));
    altered.expires += 1;
    const text = new TextEncoder().encode(JSON.stringify(altered));
    const [, signature] = ticketOf(url, "download").split(".");
    for (const wrong of [
      ...[path.split("?")[0], path.replace(one, other), `${path}x`, path.replace("download", "upload")],
      `${path.split("?")[0]}?download=${text.toBase64({ alphabet: "base64url", omitPadding: true })}.${signature}`,
    ]) {
      expect([wrong, (await send(wrong)).status]).toEqual([wrong, 403]);
    }
    expect((await send(path)).text).toBe("one");
    travel(61 * MINUTE);
    const { status, body } = await send(path);
    expect([status, body.message]).toEqual([410, "This URL has expired: request another one"]);
    // The file is still there: a new call gets a new URL.
    expect((await send((await attached(one, caller)).url.slice(HOST.length))).text).toBe("one");
  });
});

describe("what is stored", () => {
  it("is kept for calls that need it, and seven times as long at most", async () => {
    const caller = newCaller();
    const { body: presigned } = await presign(TEXT, caller);
    await put(presigned.upload_url, "x");
    const id = presigned.file_id as string;
    // A long tool may have a month, and it may be called again and again.
    const keep = () =>
      runInDurableObject(recordsOf(ownerIn(presigned.upload_url)), (object) =>
        (object as FileRecords).find([id], Date.now() + 30 * DAY),
      );
    for (let days = 0; days < 7; days++) {
      await keep();
      travel(DAY - MINUTE);
      expect([days, (await attached(id, caller))?.name]).toEqual([days, "q3.csv"]);
    }
    await keep();
    travel(7 * MINUTE);
    expect(await attached(id, caller)).toBeUndefined();
    expect(await ring(ownerIn(presigned.upload_url))).toBe(true);
    expect(await keysOf(ownerIn(presigned.upload_url))).toEqual([]);
  });

  it("is kept for longer in steps of an hour: each is rows to pay for", async () => {
    const caller = newCaller();
    const { body: presigned } = await presign(TEXT, caller);
    await put(presigned.upload_url, "x");
    const find = async () => {
      const until = Date.now() + 2 * DAY;
      const object = recordsOf(ownerIn(presigned.upload_url));
      const [row] = await runInDurableObject(object, (records) =>
        (records as FileRecords).find([presigned.file_id], until, until + DAY),
      );
      return row && Math.round((row.expires - until) / MINUTE);
    };
    expect(await find()).toBe(60);
    travel(59 * MINUTE);
    expect(await find()).toBe(1);
    travel(2 * MINUTE);
    expect(await find()).toBe(60);
  });

  it("goes when it expires: the object, its rows, and its alarm", async () => {
    const caller = newCaller();
    const { body: presigned } = await presign(TEXT, caller);
    await put(presigned.upload_url, "x");
    const owner = ownerIn(presigned.upload_url);
    expect(await keysOf(owner)).toHaveLength(1);
    travel(DAY + MINUTE);
    expect(await attached(presigned.file_id, caller)).toBeUndefined();
    expect(await ring(owner)).toBe(true);
    expect(await keysOf(owner)).toEqual([]);
    expect(await runInDurableObject(recordsOf(owner), (_, state) => tablesOf(state))).toEqual([]);
    expect(await ring(owner)).toBe(false);
  });

  it("is tried again if R2 does not delete it", async () => {
    const caller = newCaller();
    const { body: presigned } = await presign(TEXT, caller);
    await put(presigned.upload_url, "x");
    const owner = ownerIn(presigned.upload_url);
    travel(DAY + MINUTE);
    const failing = vi.spyOn(Object.getPrototypeOf(FILES), "delete").mockRejectedValueOnce(new Error("R2 is away"));
    expect(await ring(owner)).toBe(true);
    failing.mockRestore();
    expect(await keysOf(owner)).toHaveLength(1);
    expect(await ring(owner)).toBe(true);
    expect(await keysOf(owner)).toEqual([]);
  });

  it("goes also if it reaches R2 through a URL of R2 after its file was deleted", async () => {
    const { owner, key, id } = await presignedForR2(newCaller(), "late");
    await runInDurableObject(recordsOf(owner), (object) => (object as FileRecords).remove(id));
    expect(await ring(owner)).toBe(true);
    await FILES.put(key, "late");
    travel(DAY + 2 * MINUTE);
    expect(await ring(owner)).toBe(true);
    expect(await keysOf(owner)).toEqual([]);
    expect(await ring(owner)).toBe(false);
  });

  it("says neither who the caller is, nor what the file is called", async () => {
    const caller = newCaller();
    const { body: presigned } = await presign({ ...TEXT, filename: "salaries.csv" }, caller);
    await put(presigned.upload_url, "x");
    const owner = ownerIn(presigned.upload_url);
    const rows = await runInDurableObject(recordsOf(owner), (_, { storage }) => [
      ...storage.sql.exec("SELECT * FROM files"),
      ...storage.sql.exec("SELECT * FROM blobs"),
    ]);
    expect(rows).toHaveLength(2);
    const text = JSON.stringify([rows, await keysOf(owner), owner]);
    for (const word of ["salaries", "csv", "192.0.2.7", btoa("salaries").slice(0, 8)]) expect(text).not.toContain(word);
  });
});

/** An earlier version had large files uploaded to R2 itself. What it stored is still there after an update. */
describe("a file with a URL of R2, of an earlier version", () => {
  it("reaches the tool once it is there", async () => {
    const caller = newCaller();
    const { id, key } = await presignedForR2(caller, "large");
    expect(await attached(id, caller)).toBeUndefined();
    await FILES.put(key, "large");
    const file = { name: "q3.csv", type: "text/csv", size: 5, sha256: await hashOf("large") };
    for (let times = 0; times < 2; times++) expect(await attached(id, caller)).toMatchObject(file);
  });

  it.each([
    ["another size", "larger"],
    ["other contents", "small"],
  ])("that turns out to have %s is refused, and deleted", async (_, contents) => {
    const caller = newCaller();
    const { id, key, owner } = await presignedForR2(caller, "large");
    await FILES.put(key, contents);
    expect(await attached(id, caller)).toBeUndefined();
    await ring(owner);
    expect(await keysOf(owner)).toEqual([]);
    await FILES.put(key, "large");
    expect(await attached(id, caller)).toBeUndefined();
  });
});

/** Stores what that version stored when it handed out the URL, for a file with this text. */
async function presignedForR2(caller: Record<string, string>, text: string) {
  const { body } = await presign(TEXT, caller);
  const [id, owner] = [body.file_id as string, ownerIn(body.upload_url)];
  const key = `${owner}/${id}/x`;
  const urlExpires = Date.now() + 15 * MINUTE;
  const sha256 = await hashOf(text);
  await runInDurableObject(recordsOf(owner), (_, { storage: { sql } }) => {
    const change = "UPDATE files SET stored = -1, key = ?, size = ?, sha256 = ?, expires = ? WHERE id = ?";
    sql.exec(change, key, text.length, sha256, urlExpires + DAY, id);
    sql.exec("INSERT INTO blobs VALUES (?, ?, ?)", key, urlExpires + DAY, urlExpires + 60 * MINUTE);
  });
  return { id, owner, key };
}

function tablesOf({ storage }: DurableObjectState) {
  return [...storage.sql.exec("SELECT name FROM sqlite_master WHERE name IN ('files', 'blobs')")];
}
