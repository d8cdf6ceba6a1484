/** The lease of a keyed call whose files a host sends slowly: in a real deployment, that takes minutes. */
import { expect, it } from "vitest";
import type { ToolRun } from "../../../src/core/call/run-tool.ts";
import { withFiles } from "../../../src/features/files/with-files.ts";

const DONE = { outcome: { kind: "completed", value: "done" }, durationMs: 0 } as const;

/** Runs a tool with two files of a host. @param extends_ what each extension of the lease resolves with */
async function runWith(...extends_: boolean[]) {
  return runAs("key:one", ...extends_);
}

async function runAs(id: string, ...extends_: boolean[]) {
  return runFetching(id, () => "stored", ...extends_);
}

/** @param receive what becomes of a file that is fetched */
async function runFetching(id: string, receive: (path: string) => "stored" | "cut off", ...extends_: boolean[]) {
  const events: string[] = [];
  const stored = new Set<string>();
  const files = {
    maxBytes: 10,
    find: async (_: string, ids: readonly string[]) =>
      ids.map((id) => (stored.has(id) ? { id, name: "a", type: "a/b", size: 1, sha256: "", expires: 0 } : "unknown")),
    link: async () => "https://tools.example/a",
    receive: async (_: string, { id }: { id: string }) => {
      if (receive(id) === "cut off") throw new Error("The body was cut off");
      stored.add(id);
      return "stored";
    },
  };
  const fetched = async (url: URL) => {
    events.push(`fetch ${url.pathname}`);
    return new Response("a", { headers: { "content-length": "1" } });
  };
  const attachments = ["/one", "/two"].map((path) => ({
    fileId: path,
    origin: "https://tools.example",
    download: `https://host.example${path}`,
  }));
  const tool = {
    caller: { attachments, principal: { id } },
    context: {},
    primitive: { id: "Kit.Take", options: { attachments: true } },
    runtime: { files, fetch: fetched, log: () => {}, defer: () => {} },
  } as unknown as ToolRun;
  const run = withFiles(() => {
    events.push("run");
    return DONE as never;
  });
  const lease = {
    storeKey: "key",
    fingerprint: "of the call",
    extend: async (ms: number) => {
      events.push(`extend ${ms}`);
      return extends_.shift() ?? true;
    },
  };
  const { outcome } = await run(tool, () => DONE.outcome as never, lease);
  return { events, outcome };
}

it("is extended once before the files, which have one deadline: no other call with the key runs meanwhile", async () => {
  const { events, outcome } = await runWith();
  expect(events).toEqual(["extend 120000", "fetch /one", "fetch /two", "run"]);
  expect(outcome).toEqual(DONE.outcome);
});

it("if it was lost, the tool does not run: another call may have run it", async () => {
  const { events, outcome } = await runWith(false);
  expect(events).toEqual(["extend 120000"]);
  expect(outcome).toMatchObject({ kind: "refused", refusal: { reason: "unavailable" } });
});

it("are not fetched after one that fails: whoever repeats the call would have all of them fetched again", async () => {
  const { events, outcome } = await runFetching("key:one", () => "cut off");
  expect(events).toEqual(["extend 120000", "fetch /one"]);
  const notFetched = 'The file "/two" was not fetched, because one before it could not be';
  const [, second] = outcome.kind === "invalid" ? outcome.issues : [];
  expect(second).toEqual({ path: "host_files.1", message: notFetched });
});

it("are not fetched for strangers who may not upload: their calls are refused before", async () => {
  const { events, outcome } = await runAs("anonymous");
  expect(events).toEqual([]);
  const message =
    'The file "/one" is not taken from its host. Only callers with a credential of their own can upload files here';
  expect(outcome).toMatchObject({ kind: "invalid", issues: [{ path: "host_files.0", message }, {}] });
});
