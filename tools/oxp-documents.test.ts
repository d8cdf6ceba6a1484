/**
 * The examples of the OXP 1.0 documents, sent as printed there, to both paths that the documents name. The expected
 * response is the printed one, or, if the document prints none, the one that follows from the tool.
 */
import { exports } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DEFINITIONS } from "./_oxp-definitions.ts";

const ORIGIN = "http://localhost";
/** The header of every example of "Call Tool". A server without keys ignores it ("Server authentication"). */
const HEADERS = {
  "content-type": "application/json",
  authorization: "Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9...",
};

describe.each(["/call", "/tools/call"])("POST %s", (path) => {
  async function send(document: string) {
    const response = await exports.default.fetch(ORIGIN + path, { method: "POST", headers: HEADERS, body: document });
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    const replayed = response.headers.has("idempotency-replayed");
    return { status: response.status, replayed, body: (await response.json()) as Record<string, unknown> };
  }

  /** "Call Tool Request" prints only the member `request` of a payload ("Call Tool", Flow Details). */
  const sendRequest = (request: string) => send(`{ "request": ${request} }`);

  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  describe("Call Tool, Non-Normative Examples", () => {
    it("Successful Execution", async () => {
      const { status, body } = await send(`{
        "$schema": "urn:oxp:1.0",
        "request": {
          "call_id": "123e4567-e89b-12d3-a456-426614174000",
          "tool_id": "Calculator.Add@1.0.0",
          "input": {
            "a": 10,
            "b": 5
          }
        }
      }`);
      expect(status).toBe(200);
      expect(body).toEqual({
        $schema: "urn:oxp:1.0",
        result: {
          call_id: "123e4567-e89b-12d3-a456-426614174000",
          duration: expect.any(Number),
          success: true,
          value: 15,
        },
      });
    });

    it("Server Error", async () => {
      const { status, body } = await send(`{
        "$schema": "urn:oxp:1.0",
        "request": {
          "call_id": "123e4567-e89b-12d3-a456-426614174000",
          "tool_id": "Calculator.Add@2.0.0"
        }
      }`);
      expect(status).toBe(400);
      expect(body).toEqual({
        $schema: "urn:oxp:1.0",
        message: "Tool 'Calculator_Add' was not found",
        developer_message: "Calculator.Add version 2.0.0 is not available",
      });
    });

    it("Input Validation Error", async () => {
      const { status, body } = await send(`{
        "$schema": "urn:oxp:1.0",
        "request": {
          "call_id": "123e4567-e89b-12d3-a456-426614174000",
          "tool_id": "Calculator.Add@1.0.0",
          "input": {
            "a": 10,
            "b": "infinity"
          }
        }
      }`);
      expect(status).toBe(422);
      expect(body).toEqual({
        $schema: "urn:oxp:1.0",
        message: "Some input parameters are invalid",
        parameter_errors: { b: "Must be a number" },
      });
    });

    it("Tool Execution Error", async () => {
      const { status, body } = await send(`{
        "$schema": "urn:oxp:1.0",
        "request": {
          "call_id": "723e4567-e89b-12d3-a456-426614174006",
          "tool_id": "Doorbell.Ring@0.1.0",
          "input": {
            "doorbell_id": "doorbell1"
          }
        }
      }`);
      expect(status).toBe(200);
      expect(body).toEqual({
        $schema: "urn:oxp:1.0",
        result: {
          call_id: "723e4567-e89b-12d3-a456-426614174006",
          duration: expect.any(Number),
          success: false,
          error: {
            message: "Doorbell ID not found",
            developer_message: "The doorbell with ID 'doorbell1' does not exist.",
            can_retry: true,
            additional_prompt_content: "ids: doorbell42,doorbell84",
            retry_after_ms: 500,
          },
        },
      });
    });
  });

  describe("Call Tool Request, Non-Normative Examples", () => {
    it("Calculator.Add", async () => {
      const { status, body } = await sendRequest(`{
        "tool_id": "Calculator.Add@1.0.0",
        "call_id": "123e4567-e89b-12d3-a456-426614174000",
        "input": {
          "a": 10,
          "b": 5
        }
      }`);
      expect(status).toBe(200);
      expect(body.result).toMatchObject({ success: true, value: 15 });
    });

    it("Doorbell.Ring (No Output)", async () => {
      const { status, body } = await sendRequest(`{
        "tool_id": "Doorbell.Ring@0.1.0",
        "call_id": "223e4567-e89b-12d3-a456-426614174001",
        "input": {
          "doorbell_id": "doorbell42"
        }
      }`);
      expect(status).toBe(200);
      expect(body.result).toMatchObject({ call_id: "223e4567-e89b-12d3-a456-426614174001", success: true });
      expect((body.result as { value?: unknown }).value ?? null).toBeNull();
    });

    it("System.GetTimestamp (No Input)", async () => {
      const { status, body } = await sendRequest(`{
        "tool_id": "System.GetTimestamp@1.0.0",
        "call_id": "323e4567-e89b-12d3-a456-426614174002"
      }`);
      expect(status).toBe(200);
      const { value, success } = body.result as { success: boolean; value: { timestamp: string } };
      expect(success).toBe(true);
      expect(value.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      // On the second path, it is the same call, with the time of the first.
      expect(Date.parse(value.timestamp)).toBeLessThanOrEqual(Date.now());
      expect(Date.parse(value.timestamp)).toBeGreaterThan(Date.now() - 3_600_000);
    });

    it("Gmail.GetEmails (OAuth 2.0 Authorization)", async () => {
      const sent: string[] = [];
      vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
        const { url, headers } = input as Request;
        sent.push(`${headers.get("authorization")} ${url}`);
        if (url.includes("/messages?")) return Response.json({ messages: [{ id: "m1" }] });
        const headersOfMessage = [{ name: "Subject", value: "Hello" }];
        return Response.json({ id: "m1", snippet: "Hi", payload: { headers: headersOfMessage } });
      });
      const { status, replayed, body } = await sendRequest(`{
        "tool_id": "Gmail.GetEmails@1.2.0",
        "call_id": "423e4567-e89b-12d3-a456-426614174003",
        "trace_id": "trace_123",
        "input": {
          "query": "is:unread"
        },
        "context": {
          "authorization": [
            {
              "id": "google",
              "token": "ya29.a0AfH6SMC..."
            }
          ],
          "user_id": "user_123"
        }
      }`);
      expect(status).toBe(200);
      expect(body.result).toMatchObject({
        call_id: "423e4567-e89b-12d3-a456-426614174003",
        success: true,
        value: { emails: [{ id: "m1", subject: "Hello", snippet: "Hi" }] },
      });
      // The call_id is an idempotency key: on the second path, it is the same call, with the stored result.
      expect(sent).toEqual(
        replayed
          ? []
          : [
              expect.stringMatching(
                /^Bearer ya29\.a0AfH6SMC\.\.\. https:\/\/gmail\.googleapis\.com\/.*\?q=is%3Aunread&/,
              ),
              expect.stringMatching(/^Bearer ya29\.a0AfH6SMC\.\.\. https:\/\/gmail\.googleapis\.com\/.*\/m1\?/),
            ],
      );
    });

    it("SMS.Send (Secret Requirement)", async () => {
      const fetch = vi.spyOn(globalThis, "fetch").mockRejectedValue(new Error("nothing may be sent"));
      const { status, body } = await sendRequest(`{
        "tool_id": "SMS.Send@0.1.2",
        "call_id": "523e4567-e89b-12d3-a456-426614174004",
        "input": {
          "to": "+5556051234567",
          "message": "Hello from Open Tool Calling!"
        },
        "context": {
          "secrets": [
            {
              "id": "TWILIO_API_KEY",
              "value": "TWILIO_SECRET_VALUE"
            }
          ]
        }
      }`);
      // The printed value is not in Twilio's format. The tool says so, without repeating the value.
      expect(status).toBe(200);
      expect(body.result).toMatchObject({
        success: false,
        error: { message: "The secret TWILIO_API_KEY is not in a form that Twilio accepts", can_retry: false },
      });
      expect(JSON.stringify(body)).not.toContain("TWILIO_SECRET_VALUE");
      expect(fetch).not.toHaveBeenCalled();
    });
  });
});

describe("GET /tools (List Tools)", () => {
  async function list() {
    const response = await exports.default.fetch(`${ORIGIN}/tools`, {
      headers: { authorization: HEADERS.authorization },
    });
    expect(response.status).toBe(200);
    return (await response.json()) as { $schema: string; tools: { id: string }[] };
  }

  it.each(DEFINITIONS)("lists $id as the documents define it", async (definition) => {
    const { $schema, tools } = await list();
    expect($schema).toBe("urn:oxp:1.0");
    expect(tools.filter(({ id }) => id === definition.id)).toEqual([definition]);
  });
});
