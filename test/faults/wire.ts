/** Builds a call in each protocol, and parses its answer into a common form. Used in Node and in the rig itself. */

export type Protocol = "oxp" | "mcp" | "opentool";
export type Location = "one" | "other";

/** The result of one request. */
export type Answer =
  | { readonly is: "result"; readonly value: string }
  | { readonly is: "again"; readonly afterMs: number; readonly why: string }
  | { readonly is: "dropped"; readonly at: string }
  | { readonly is: "wrong"; readonly text: string };

export function requestFor(
  protocol: Protocol,
  tool: string,
  input: object,
  key: string | undefined,
): { path: string; body: object; headers: Record<string, string> } {
  const headers: Record<string, string> = { "content-type": "application/json" };
  switch (protocol) {
    case "oxp":
      return { path: "/tools/call", headers, body: { request: { tool_id: `Rig.${tool}`, call_id: key, input } } };
    case "mcp": {
      const params = { name: `Rig_${tool}`, arguments: { ...input, idempotency_key: key } };
      return { path: "/mcp", headers, body: { jsonrpc: "2.0", id: 1, method: "tools/call", params } };
    }
    case "opentool":
      if (key !== undefined) headers["idempotency-key"] = key;
      return { path: "/opentool/call", headers, body: { jsonrpc: "2.0", id: 1, method: `Rig_${tool}`, params: input } };
  }
}

/** Parses an answer of any of the three protocols. */
export async function readAnswer(protocol: Protocol, response: Response): Promise<Answer> {
  if (response.status === 599) return { is: "dropped", at: response.headers.get("x-died") ?? "" };
  const text = await response.text();
  const again = (why: unknown, afterMs: unknown): Answer => ({
    is: "again",
    why: `${why}`,
    afterMs: Number(afterMs ?? 0),
  });
  // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
  let body: any;
  try {
    body = JSON.parse(text);
  } catch {
    return { is: "wrong", text };
  }
  switch (protocol) {
    case "oxp": {
      const { result } = body;
      if (result?.success === true) return { is: "result", value: result.value };
      if (result?.error?.can_retry) return again(result.error.message, result.error.retry_after_ms);
      const after = response.headers.get("retry-after");
      if (result === undefined && after !== null) return again(body.message, Number(after) * 1_000);
      break;
    }
    case "mcp": {
      const { result, error } = body;
      if (error?.code === -32003) return again(error.message, undefined);
      if (result && !result.isError)
        return { is: "result", value: result.structuredContent?.value ?? result.content[0].text };
      const fields = JSON.stringify(result?._meta ?? {});
      if (/"can_retry":true/.test(fields)) {
        return again(result.content[0].text.replace(/ \(.*/, ""), /"retry_after_ms":(\d+)/.exec(fields)?.[1]);
      }
      break;
    }
    case "opentool": {
      const { result, error } = body;
      if (error === null) return { is: "result", value: result.value };
      if (error?.data?.can_retry) return again(error.message.replace(/ \(.*/, ""), error.data.retry_after_ms);
      break;
    }
  }
  return { is: "wrong", text: `${response.status} ${text}` };
}
