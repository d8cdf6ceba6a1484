/** The outcomes that cases expect, each under the name of its exception. */
import type { Outcome } from "../cases.ts";

export const returned = (value: unknown): Outcome => ({ returned: value });

export const RESPONSE_NULL = (code = 200): Outcome => ({
  threw: "ResponseNullException",
  json: { code, message: "Response is null" },
});

export const ERROR_NULL = (code = 200): Outcome => ({
  threw: "ErrorNullException",
  json: { code, message: "Error is null" },
});

export const UNAUTHORIZED: Outcome = {
  threw: "OpenToolServerUnauthorizedException",
  json: { code: 401, message: "Please check API Key is VALID or NOT" },
};

export const NO_ACCESS = (reason: string, status?: number): Outcome => ({
  threw: "OpenToolServerNoAccessException",
  json: { code: 404, message: "Please check OpenTool Server is RUNNING or NOT" },
  reason,
  ...(status !== undefined && { status }),
});

/** @param more `code` and `data`, if the server sent them */
export const FAILED = (message: string, more: object = {}): Outcome => ({
  threw: "OpenToolServerCallException",
  json: { message },
  ...more,
});
