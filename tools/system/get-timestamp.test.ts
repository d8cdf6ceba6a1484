import { afterEach, expect, it, vi } from "vitest";
import { callTool } from "#test";

const SUMMER = new Date("2026-07-01T22:30:00.250Z");
const WINTER = new Date("2026-01-15T12:00:00.000Z");

function stopClockAt(now: Date) {
  vi.useFakeTimers({ now, toFake: ["Date"] });
}

afterEach(() => {
  vi.useRealTimers();
});

it.each([
  "System.GetTimestamp@1.0.0",
  "System.GetTimestamp@1",
  "System.GetTimestamp@1.1.0",
  "System.GetTimestamp",
] as const)("%s without input is the time in UTC (RFC 3339)", async (id) => {
  stopClockAt(SUMMER);
  expect((await callTool(id)).value).toEqual({ timestamp: "2026-07-01T22:30:00.250Z" });
});

it("1.0.0 takes no parameters, and is unchanged next to 1.1.0", async () => {
  stopClockAt(SUMMER);
  const { value } = await callTool("System.GetTimestamp@1.0.0", { time_zone: "Asia/Tokyo" } as never);
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
  const { value } = await callTool("System.GetTimestamp", { time_zone });
  expect(value.timestamp).toBe(timestamp);
  // RFC 3339, section 4.1: with its offset, it is the same moment.
  expect(Date.parse(value.timestamp)).toBe(now.getTime());
});

it.each(["Mars/Olympus_Mons", "", "x".repeat(500)])(
  "a zone that does not exist (%j) is an error",
  async (time_zone) => {
    const { error } = await callTool("System.GetTimestamp", { time_zone });
    expect(error).toMatchObject({ message: "There is no such time zone", canRetry: true });
  },
);
