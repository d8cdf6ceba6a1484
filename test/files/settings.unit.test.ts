/** The settings of files, at build time and when the Worker starts. */
import { expect, it } from "vitest";
import { readFileSettings } from "../../src/files/settings.ts";

it("have defaults, also if they are empty", () => {
  const settings = {
    ...{ filesPerPrincipal: 100, keepSeconds: 86_400, uploadSeconds: 900, maxBytes: 100_000_000 },
    ...{ maxDirectBytes: 1_000_000_000, direct: undefined },
  };
  expect(readFileSettings({})).toMatchObject({ settings, mistakes: [] });
  expect(readFileSettings({ FILE_TTL_SECONDS: "", R2_BUCKET: "" })).toMatchObject({ settings, mistakes: [] });
});

it("have an account for large files only if all four of it are set", () => {
  const all = { R2_ACCOUNT_ID: "a", R2_BUCKET: "b", R2_ACCESS_KEY_ID: "k", R2_SECRET_ACCESS_KEY: "s" };
  const direct = { accountId: "a", bucket: "b", accessKeyId: "k", secretAccessKey: "s" };
  expect(readFileSettings(all).settings.direct).toEqual(direct);
  for (const name of Object.keys(all)) expect(readFileSettings({ ...all, [name]: "" }).settings.direct).toBeUndefined();
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
