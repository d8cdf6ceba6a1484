/** The settings of long tools: their defaults, and which values are mistakes. */
import { expect, it } from "vitest";
import { readTaskSettings } from "../../../src/features/tasks/settings.ts";

it('have defaults, if left out or ""', () => {
  const settings = { waitSeconds: 45, leaseSeconds: 90, tasksPerPrincipal: 100 };
  expect(readTaskSettings({})).toMatchObject({ settings, mistakes: [] });
  expect(readTaskSettings({ LONG_WAIT_SECONDS: "", TASKS_PER_PRINCIPAL: "" })).toMatchObject({
    settings,
    mistakes: [],
  });
});

it("may be texts and TOML numbers; a call need not wait at all", () => {
  const { settings, mistakes } = readTaskSettings({ LONG_WAIT_SECONDS: "0", TASK_LEASE_SECONDS: 30 });
  expect([settings.waitSeconds, settings.leaseSeconds, mistakes]).toEqual([0, 30, []]);
});

it.each([
  ["LONG_WAIT_SECONDS", "45s", 'LONG_WAIT_SECONDS is "45s"', "write seconds as a whole number from 0 to 3600"],
  ["TASK_LEASE_SECONDS", "0", 'TASK_LEASE_SECONDS is "0"', "write seconds as a whole number from 1 to 3600"],
  ["TASKS_PER_PRINCIPAL", { a: 1 }, 'TASKS_PER_PRINCIPAL is {"a":1}', "write a text in quotes"],
])("%s = %j is a mistake, and its default counts", (setting, value, problem, fix) => {
  const { settings, mistakes } = readTaskSettings({ [setting]: value });
  expect(mistakes).toEqual([{ setting, problem, fix: expect.stringContaining(fix) }]);
  expect(settings).toEqual(readTaskSettings({}).settings);
});

it("are named, so that a misspelled one is found", () => {
  expect(readTaskSettings({}).names).toEqual(["LONG_WAIT_SECONDS", "TASK_LEASE_SECONDS", "TASKS_PER_PRINCIPAL"]);
});
