import { exports } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";

const SUMMER = new Date("2026-07-01T22:30:00.250Z");
const WINTER = new Date("2026-01-15T12:00:00.000Z");

interface Result {
  readonly success: boolean;
  readonly value: { readonly timestamp: string };
  readonly error: Record<string, unknown>;
}

async function getTimestamp(version: string, input?: unknown): Promise<Result> {
  const response = await exports.default.fetch("http://localhost/tools/call", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ request: { tool_id: `System.GetTimestamp${version}`, input } }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { result: Result }).result;
}

function stopClockAt(now: Date) {
  vi.useFakeTimers({ now, toFake: ["Date"] });
}

afterEach(() => {
  vi.useRealTimers();
});

it.each(["@1.0.0", "@1", "@1.1.0", ""])(
  "GetTimestamp%s without input is the time in UTC (RFC 3339)",
  async (version) => {
    stopClockAt(SUMMER);
    expect((await getTimestamp(version)).value).toEqual({ timestamp: "2026-07-01T22:30:00.250Z" });
  },
);

it("1.0.0 takes no parameters, and is unchanged next to 1.1.0", async () => {
  stopClockAt(SUMMER);
  const { value } = await getTimestamp("@1.0.0", { time_zone: "Asia/Tokyo" });
  expect(value.timestamp).toBe("2026-07-01T22:30:00.250Z");
});

it.each([
  ["Europe/Berlin", SUMMER, "2026-07-02T00:30:00.250+02:00"],
  ["Europe/Berlin", WINTER, "2026-01-15T13:00:00.000+01:00"],
  ["America/New_York", SUMMER, "2026-07-01T18:30:00.250-04:00"],
  ["Asia/Kolkata", SUMMER, "2026-07-02T04:00:00.250+05:30"],
  ["America/St_Johns", SUMMER, "2026-07-01T20:00:00.250-02:30"],
  ["Pacific/Kiritimati", WINTER, "2026-01-16T02:00:00.000+14:00"],
  ["UTC", WINTER, "2026-01-15T12:00:00.000+00:00"],
])("in %s the wall clock and its offset", async (time_zone, now, timestamp) => {
  stopClockAt(now);
  const { value } = await getTimestamp("", { time_zone });
  expect(value.timestamp).toBe(timestamp);
  // RFC 3339, section 4.1: with its offset, it is the same moment.
  expect(Date.parse(value.timestamp)).toBe(now.getTime());
});

it.each(["Mars/Olympus_Mons", "", "x".repeat(500)])("a zone that does not exist (%j) is an error", async (zone) => {
  const { success, error } = await getTimestamp("", { time_zone: zone });
  expect(success).toBe(false);
  expect(error.message).toBe("There is no such time zone");
  expect(error.can_retry).toBe(true);
});
