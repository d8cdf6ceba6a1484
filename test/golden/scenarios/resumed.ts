/** Streams of 2025-11-25 that are resumed, and files that are downloaded or uploaded on a page. */
import type { Transcript } from "../transcript.ts";
import { calls, initialize, legacy, modern } from "./mcp.ts";

export async function resumed(at: Transcript): Promise<void> {
  const session = await initialize(at, "2025-11-25");
  const go = (method: string, params?: object) => legacy(method, params, session);
  const { text } = await at.stream(
    "a call that streams",
    "/mcp",
    go("tools/call", calls("Talk_Wait", { name: "resumed" }, { progressToken: 1 })),
    () => at.quietly("/mcp", go("tools/call", calls("Talk_LetGo", { name: "resumed" }))),
  );
  const ids = [...text.matchAll(/^id: ?(.+)$/gm)].map(([, id]) => id ?? "none");
  const resume = (name: string, id: string, headers: object = session) =>
    at.send(name, "/mcp", { headers: { accept: "text/event-stream", ...headers, "last-event-id": id } });
  await resume("resumes it from the beginning", ids[0] ?? "none");
  await resume("resumes it from the middle", ids[1] ?? "none");
  await resume("resumes it from the end", ids.at(-1) ?? "none");
  await resume("resumes from nonsense", "nonsense");
  const other = await initialize(at, "2025-11-25", {}, "/mcp", {}, "another session");
  await resume("resumes it in another session", ids[0] ?? "none", other);
}

export async function downloads(at: Transcript): Promise<void> {
  const csv = { "content-type": "text/csv" };
  const { body } = await at.send("presigns an upload", "/api/v1/files/presign-upload", {
    body: { filename: "q4.csv", content_type: "text/csv" },
  });
  const { pathname, search } = new URL(body.upload_url);
  await at.send("uploads another type than announced", pathname + search, {
    method: "PUT",
    headers: { "content-type": "image/png" },
    body: "x",
  });
  await at.send("uploads", pathname + search, { method: "PUT", headers: csv, body: "a,b\n3,4\n" });
  const attachments = [{ file_id: body.file_id }];
  const { text } = await at.send("attaches it", "/mcp", modern("tools/call", calls("Papers_Take", { attachments })));
  const there = /\/api\/v1\/files\/[\w-]+\?download=[\w.~-]+/.exec(text)?.[0] ?? "/none";
  await at.send("downloads it", there);
  await at.send("asks for the head of it", there, { method: "HEAD" });
  await at.send("downloads it with another ticket", `${there.slice(0, there.indexOf("="))}=nonsense`);
  await at.send("downloads it without a ticket", there.slice(0, there.indexOf("?")));
  await at.send("downloads it with the ticket for its upload", there.slice(0, there.indexOf("?")) + search);
  const asked = await at.send("asks for a file", "/tools/call", {
    body: { request: { tool_id: "Papers.Ask", input: { name: "downloads" }, call_id: "asks-for-another-file" } },
  });
  const page = new URL(/Upload it at (\S+) and/.exec(asked.body?.message ?? "")?.[1] ?? `${at.url}/none`);
  await at.send("opens the page for it", page.pathname + page.search);
  await at.send("opens the page with another ticket", `${page.pathname}?nonsense=1`);
}
