/** Sends requests to a URL as a well-behaved client would. (For an attacker's, see attacks/wire.ts.) */

type Headed = Readonly<Record<string, string>>;

/** POSTs JSON, and accepts JSON and event streams, as MCP requires of clients. */
export function post(url: string, body: unknown, headers: Headed = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

/** Like {@link post}, for an answer that is JSON. */
export async function postJson(url: string, body: unknown, headers?: Headed) {
  const response = await post(url, body, headers);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

/** Opens a session (2025-11-25). Returns the headers that continue it. */
export async function handshake(url: string, headers: Headed = {}, capabilities: object = {}) {
  const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "test", version: "1" } };
  const response = await post(url, { jsonrpc: "2.0", id: 0, method: "initialize", params }, headers);
  await response.arrayBuffer();
  return {
    "mcp-session-id": response.headers.get("mcp-session-id") ?? "",
    "mcp-protocol-version": "2025-11-25",
  };
}

/** Reads a body until it matches, or to its end. */
export async function readUntil(response: Response, wanted: RegExp): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!wanted.test(text)) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
  }
  await reader.cancel();
  return text;
}
