/** What a deployment has besides calls: tasks, files, callbacks, events, views, skills, documents, and the text at `/`. */
import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Receiver } from "../../support/node/receiver.ts";
import type { Transcript } from "../transcript.ts";
import { calls, initialize, legacy, modern } from "./mcp.ts";

const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const SHOWS = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };
const SECRET = `whsec_${Buffer.alloc(32, 3).toString("base64")}`;

/** How many lines are logged by what goes on after its request. */
const LOGGED = { tasks: 16, callbacks: 7, events: 4 };

const oxp = (tool_id: string, input: object, more: object = {}) => ({ body: { request: { tool_id, input, ...more } } });
const isOver = (body: { result?: { status?: string } }) =>
  !["working", "input_required"].includes(body?.result?.status ?? "");
const isAsking = (body: { result?: { status?: string } }) => body?.result?.status !== "working";

export async function tasks(at: Transcript): Promise<void> {
  const get = (taskId: string) => modern("tasks/get", { taskId }, TASKS);
  const started = async (name: string, tool: string, args: object) => {
    const { body } = await at.send(name, "/mcp", modern("tools/call", calls(tool, args), TASKS));
    return body?.result?.taskId ?? "none";
  };
  const done = await started("starts a task", "Jobs_Work", { name: "one" });
  await at.until("is done", "/mcp", get(done), isOver);
  const failed = await started("starts a task that fails", "Jobs_Work", { name: "two", fails: true });
  await at.until("has failed", "/mcp", get(failed), isOver);
  const asking = await started("starts a task that asks", "Jobs_Ask", { name: "three" });
  await at.until("asks", "/mcp", get(asking), isAsking);
  const answered = { colour: { action: "accept", content: { text: "red" } } };
  await at.send(
    "answers what was not asked",
    "/mcp",
    modern("tasks/update", { taskId: asking, inputResponses: { size: { action: "decline" } } }, TASKS),
  );
  await at.send("answers", "/mcp", modern("tasks/update", { taskId: asking, inputResponses: answered }, TASKS));
  await at.until("has its answer", "/mcp", get(asking), isOver);
  const cancelled = await started("starts a task that waits", "Jobs_Wait", { name: "four" });
  await at.send("cancels it", "/mcp", modern("tasks/cancel", { taskId: cancelled }, TASKS));
  await at.until("is cancelled", "/mcp", get(cancelled), isOver);
  await at.send("gets a task that is not there", "/mcp", get("nonsense"));
  await at.send("cancels a task that has ended", "/mcp", modern("tasks/cancel", { taskId: done }, TASKS));
  await at.send("gets a task without the extension", "/mcp", modern("tasks/get", { taskId: done }));
  await at.send("discovers tasks", "/mcp", modern("server/discover", {}, TASKS));
  const isFinal = (body: { result?: { success?: boolean; error?: { can_retry?: boolean } } }) =>
    body?.result?.success === true || body?.result?.error?.can_retry === false;
  await at.until(
    "OXP waits for the result",
    "/tools/call",
    oxp("Jobs.Work", { name: "oxp" }, { call_id: "long" }),
    isFinal,
  );
  await at.send("OXP gets it again", "/tools/call", oxp("Jobs.Work", { name: "oxp" }, { call_id: "long" }));
  await at.send("OXP is asked", "/tools/call", oxp("Jobs.Ask", { name: "oxp" }));
  await at.send("OXP is told to wait", "/tools/call", oxp("Jobs.Wait", { name: "oxp" }, { call_id: "waits" }));
  await at.send("OpenTool is told to wait", "/opentool/call", {
    body: { jsonrpc: "2.0", method: "Jobs_Wait", params: { name: "opentool" }, id: "1" },
    headers: { "idempotency-key": "waits-too" },
  });
  const session = await initialize(at, "2025-11-25");
  const waits = await at.send(
    "a client without tasks is told to wait",
    "/mcp",
    legacy("tools/call", calls("Jobs_Wait", { name: "five" }), session),
  );
  const handle = /"task_id[^A-Za-z0-9]+([\w.~-]{8,})/.exec(waits.text)?.[1] ?? "none";
  await at.send(
    "and asks again",
    "/mcp",
    legacy("tools/call", calls("Jobs_Wait", { name: "five", task_id: handle }), session),
  );
  await at.logs(LOGGED.tasks);
}

export async function files(at: Transcript): Promise<void> {
  const csv = { "content-type": "text/csv" };
  const presign = (name: string, body: unknown) => at.send(name, "/api/v1/files/presign-upload", { body });
  const { body } = await presign("presigns an upload", { filename: "q3.csv", content_type: "text/csv" });
  const upload = new URL(body.upload_url);
  await at.send("uploads", upload.pathname + upload.search, { method: "PUT", headers: csv, body: "a,b\n1,2\n" });
  await at.send("uploads again", upload.pathname + upload.search, { method: "PUT", headers: csv, body: "c" });
  await at.send("uploads with another ticket", `${upload.pathname}?upload=nonsense`, {
    method: "PUT",
    headers: csv,
    body: "c",
  });
  const attachments = [{ file_id: body.file_id }];
  await at.send("attaches it, OXP", "/tools/call", oxp("Papers.Take", {}, { context: { attachments } }));
  await at.send("attaches it, OpenTool", "/opentool/call", {
    body: { jsonrpc: "2.0", method: "Papers_Take", params: {}, id: "1", context: { attachments } },
  });
  await at.send("attaches it, MCP", "/mcp", modern("tools/call", calls("Papers_Take", { attachments })));
  await at.send(
    "attaches what is not there",
    "/tools/call",
    oxp("Papers.Take", {}, { context: { attachments: [{ file_id: "nonsense" }] } }),
  );
  await at.send("attaches what is no list", "/tools/call", oxp("Papers.Take", {}, { context: { attachments: 7 } }));
  await presign("presigns without a name", { content_type: "text/csv" });
  await presign("presigns another type", { filename: "x", content_type: "nonsense" });
  const none = await presign("presigns one that stays empty", { filename: "x.csv", content_type: "text/csv" });
  await at.send(
    "attaches one that is not uploaded",
    "/tools/call",
    oxp("Papers.Take", {}, { context: { attachments: [{ file_id: none.body.file_id }] } }),
  );
  await at.send("deletes it", `/api/v1/files/${body.file_id}`, { method: "DELETE" });
  await at.send("deletes it again", `/api/v1/files/${body.file_id}`, { method: "DELETE" });
  const asks = oxp("Papers.Ask", { name: "page" }, { call_id: "asks-for-a-file" });
  const asked = await at.send("asks for a file", "/tools/call", asks);
  const page = new URL(/Upload it at (\S+) and/.exec(asked.body?.message ?? "")?.[1] ?? `${at.url}/none`);
  const there = page.pathname + page.search;
  await at.send("a file that is too large, on its page", there, {
    method: "PUT",
    headers: { ...csv, "x-file-name": "a.csv" },
    body: "x".repeat(1_001),
  });
  await at.send("a file of another type, on its page", there, {
    method: "PUT",
    headers: { "content-type": "image/png", "x-file-name": "a.png" },
    body: "x",
  });
  await at.send("the file, on its page", there, {
    method: "PUT",
    headers: { ...csv, "x-file-name": "a.csv" },
    body: "a,b",
  });
  await at.send("has its file", "/tools/call", asks);
}

/** What arrived at the receiver, in lines. */
async function arrived(receiver: Receiver, path: string, count: number): Promise<string[]> {
  const received = await receiver.wait(path, count);
  return received.flatMap(({ headers, body }) => [
    `POST ${path}`,
    ...Object.entries(headers)
      .filter(
        ([name]) =>
          ![
            "host",
            "content-length",
            "connection",
            "accept-encoding",
            "cf-connecting-ip",
            "x-forwarded-proto",
          ].includes(name),
      )
      .map(([name, value]) => `${name}: ${signatureChecked(name, String(value), headers, body)}`),
    JSON.stringify(JSON.parse(body), null, 1),
  ]);
}

/** A signature differs each time, so its form and its length stay if it is that of {@link SECRET}, and else nothing. */
function signatureChecked(name: string, value: string, headers: IncomingHttpHeaders, body: string): string {
  const { "webhook-id": id, "webhook-timestamp": at } = headers;
  const expected = {
    "webhook-signature": () =>
      createHmac("sha256", Buffer.from(SECRET.slice("whsec_".length), "base64"))
        .update(`${id}.${at}.${body}`)
        .digest("base64"),
    "x-beeos-signature": () => createHmac("sha256", SECRET).update(`${at}.${body}`).digest("hex"),
  }[name];
  if (expected === undefined) return value;
  return value.replace(/(v1[,=])([\w+/=-]+)/g, (_, version, signature) => {
    const isValid = signature === expected();
    return `${version}<${isValid ? `signature, ${signature.length} characters` : "a wrong signature"}>`;
  });
}

export const callbacks = (receiver: Receiver) =>
  async function told(at: Transcript): Promise<void> {
    const callback = (path: string) => ({ url: receiver.url(path), token: "abc.def", secret: SECRET });
    await at.send(
      "a call that completes",
      "/tools/call",
      oxp("Plain.Add", { a: 1, b: 2 }, { call_id: "told", context: { callback: callback("/completed") } }),
    );
    at.note("the receiver gets its result", await arrived(receiver, "/completed", 1));
    await at.send(
      "a call that fails",
      "/tools/call",
      oxp(
        "Plain.Fail",
        { how: "with all fields" },
        { call_id: "told-too", context: { callback: callback("/failed") } },
      ),
    );
    at.note("the receiver gets its failure", await arrived(receiver, "/failed", 1));
    await at.send("over OpenTool", "/opentool/call", {
      body: {
        jsonrpc: "2.0",
        method: "Plain_Point",
        params: {},
        id: "1",
        context: { callback: callback("/opentool") },
      },
    });
    at.note("the receiver gets it", await arrived(receiver, "/opentool", 1));
    await at.send(
      "over MCP",
      "/mcp",
      modern("tools/call", calls("Plain_Point"), {}, {}, { callback: callback("/mcp") }),
    );
    at.note("the receiver gets that", await arrived(receiver, "/mcp", 1));
    await at.send(
      "a callback to a host that is not allowed",
      "/tools/call",
      oxp("Plain.Point", {}, { context: { callback: { url: "http://10.0.0.1/" } } }),
    );
    await at.send("a callback that is none", "/tools/call", oxp("Plain.Point", {}, { context: { callback: 7 } }));
    receiver.on("/gone", "gone");
    await at.send(
      "a receiver that is gone",
      "/tools/call",
      oxp("Plain.Point", {}, { call_id: "gone", context: { callback: callback("/gone") } }),
    );
    await receiver.wait("/gone", 1);
    await at.until(
      "what could not be delivered",
      "/api/v1/deliveries?state=dead",
      {},
      ({ deliveries }) => deliveries?.length === 1,
    );
    await at.send("delivers what is not there", "/api/v1/deliveries/nonsense/redeliver", { method: "POST" });
    const { body } = await at.send(
      "starts a task",
      "/mcp",
      modern("tools/call", calls("Jobs_Ask", { name: "webhooks" }), TASKS),
    );
    const webhooks = `/api/v1/tasks/${body?.result?.taskId}/webhooks`;
    await at.send("has it told to a receiver", webhooks, { body: callback("/task") });
    await at.send("which receivers a task has", webhooks);
    await at.send("receivers of a task that is not there", "/api/v1/tasks/nonsense/webhooks");
    await at.quietly("/mcp", modern("tasks/cancel", { taskId: body?.result?.taskId }, TASKS));
    at.note("the receiver gets its end", await arrived(receiver, "/task", 1));
    await at.logs(LOGGED.callbacks);
  };

export const events = (receiver: Receiver) =>
  async function heard(at: Transcript): Promise<void> {
    const ask = (name: string, method: string, params: object = {}) =>
      at.send(name, "/mcp", modern(`events/${method}`, params));
    const tell = (id: number, list?: string) =>
      at.quietly("/mcp", modern("tools/call", calls("Notes_Tell", { id, ...(list && { list }) })));
    const changed = { name: "notes.changed", arguments: { list: "home" } };
    await ask("lists", "list");
    const { body } = await ask("polls from now on", "poll", { ...changed, cursor: null });
    await tell(1, "home");
    await tell(2, "work");
    await at.until(
      "polls",
      "/mcp",
      modern("events/poll", { ...changed, cursor: body?.result?.cursor }),
      ({ result }) => result?.events?.length === 1,
    );
    await ask("polls from a cursor that is nonsense", "poll", { ...changed, cursor: "nonsense" });
    await ask("polls what is not there", "poll", { name: "notes.nothing", arguments: {}, cursor: null });
    await ask("polls with arguments that do not fit", "poll", {
      name: "notes.changed",
      arguments: { list: 7 },
      cursor: null,
    });
    const delivery = { url: receiver.url("/events"), secret: SECRET };
    await ask("subscribes", "subscribe", { ...changed, delivery });
    await tell(3, "home");
    at.note("the receiver gets the event", await arrived(receiver, "/events", 1));
    at.note(
      "the receiver was asked first",
      receiver.challenges("/events").map(({ body }) => body),
    );
    await ask("unsubscribes", "unsubscribe", { ...changed, delivery });
    await ask("unsubscribes again", "unsubscribe", { ...changed, delivery });
    await ask("subscribes to a host that is not allowed", "subscribe", {
      ...changed,
      delivery: { ...delivery, url: "http://10.0.0.1/" },
    });
    await ask("subscribes with a secret that is none", "subscribe", {
      ...changed,
      delivery: { ...delivery, secret: "x" },
    });
    await at.listen(
      "streams",
      "/mcp",
      modern("events/stream", { ...changed, cursor: null }),
      async () => void 0,
      /events\/active/,
    );
    await at.send("emits what does not fit", "/mcp", modern("tools/call", calls("Notes_Tell", { id: "x" })));
    await at.logs(LOGGED.events);
  };

export async function views(at: Transcript): Promise<void> {
  const show = (name: string, method: string, params?: object) => at.send(name, "/mcp", modern(method, params, SHOWS));
  await show("discovers", "server/discover");
  const { body } = await show("tools", "tools/list");
  await show("resources", "resources/list");
  const sum = body?.result?.tools?.find(({ name }: { name: string }) => name === "Shown_Sum");
  const uri = sum?._meta?.ui?.resourceUri ?? "ui://none";
  await at.send("reads its view", "/mcp", modern("resources/read", { uri }, SHOWS));
  await show("calls it", "tools/call", calls("Shown_Sum", { a: 1, b: 2 }));
  await show("calls what is for the view", "tools/call", calls("Shown_Refresh"));
  await at.send(
    "calls what is for the view, as a client without views",
    "/mcp",
    modern("tools/call", calls("Shown_Refresh")),
  );
  const session = await initialize(at, "2025-11-25", SHOWS);
  await at.send("tools, in a session", "/mcp", legacy("tools/list", {}, session));
}

export async function skills(at: Transcript): Promise<void> {
  const HAS = { extensions: { "io.modelcontextprotocol/skills": {} } };
  await at.send("discovers", "/mcp", modern("server/discover", {}, HAS));
  const { body } = await at.send("lists", "/mcp", modern("skills/list", {}, HAS));
  const [skill] = body?.result?.skills ?? [];
  await at.send("gets", "/mcp", modern("skills/get", { name: skill?.name ?? "notes", uri: skill?.uri }, HAS));
  await at.send("gets one that is not there", "/mcp", modern("skills/get", { name: "nothing" }, HAS));
  await at.send(
    "reads its file",
    "/mcp",
    modern("resources/read", { uri: skill?.uri ?? "skill://notes/SKILL.md" }, HAS),
  );
}

export async function documents(at: Transcript): Promise<void> {
  for (const path of [
    ...[
      "/",
      "/openapi.json",
      "/plain/openapi.json",
      "/nowhere/openapi.json",
      "/mcp/server-card",
      "/plain/mcp/server-card",
    ],
    ...[
      "/server.json",
      "/.well-known/ai-catalog.json",
      "/.well-known/oauth-protected-resource/mcp",
      "/.well-known/nothing",
    ],
    ...["/.well-known/oauth-authorization-server", "/favicon.ico", "/robots.txt", "/plain", "/mcp"],
  ]) {
    await at.send(path, path);
  }
  await at.send("/, for a browser", "/", { headers: { accept: "text/html" } });
}

export async function origins(at: Transcript): Promise<void> {
  for (const [whose, origin] of [
    ["an allowed page", "https://page.example"],
    ["another page", "https://evil.example"],
    ["no page", "null"],
  ]) {
    for (const path of ["/tools/call", "/mcp", "/opentool/call"]) {
      const asks = { "access-control-request-method": "POST", "access-control-request-headers": "content-type" };
      await at.send(`${whose} asks about ${path}`, path, {
        method: "OPTIONS",
        headers: { origin: origin ?? "", ...asks },
      });
    }
    await at.send(`${whose} calls`, "/tools/call", {
      ...oxp("Plain.Add", { a: 1, b: 1 }),
      headers: { origin: origin ?? "" },
    });
    await at.send(`${whose} lists`, "/tools", { headers: { origin: origin ?? "" } });
  }
}
