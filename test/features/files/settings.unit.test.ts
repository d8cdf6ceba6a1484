/** The settings of files, at build time and when the Worker starts. */
import { expect, it } from "vitest";
import { readFileSettings } from "../../../src/features/files/settings.ts";

it("have defaults, also if they are empty", () => {
  const settings = { filesPerPrincipal: 100, keepSeconds: 86_400, uploadSeconds: 900, maxBytes: 100_000_000 };
  expect(readFileSettings({})).toMatchObject({ settings, mistakes: [] });
  expect(readFileSettings({ FILE_TTL_SECONDS: "", MAX_FILE_BYTES: "" })).toMatchObject({ settings, mistakes: [] });
});

it.each([
  ["FILE_TTL_SECONDS", "59", "write seconds as a whole number from 60 to 31536000"],
  ["MAX_FILE_BYTES", "100MB", "write bytes as a whole number from 1 to 500000000"],
  ["FILES_PER_PRINCIPAL", "0", "write files as a whole number from 1 to 10000"],
  ["UPLOAD_SECONDS", "1", "write seconds as a whole number from 10 to 604800"],
])("%s = %s is a mistake, and its default counts", (setting, value, fix) => {
  const { settings, mistakes } = readFileSettings({ [setting]: value });
  expect(mistakes).toEqual([{ setting, problem: `${setting} is "${value}"`, fix: expect.stringContaining(fix) }]);
  expect(settings).toEqual(readFileSettings({}).settings);
});
