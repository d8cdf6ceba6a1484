/** Which files a page takes, and how it says so. */
import { describe, expect, it } from "vitest";
import { acceptInWords, isAccept, isAccepted, sizeInWords } from "../../../src/features/files/accept.ts";

describe("accept", () => {
  it.each(["text/csv", "image/*", ".csv", ".tar.gz", "application/vnd.ms-excel", "image/svg+xml"])(
    "has %s",
    (entry) => {
      expect(isAccept(entry)).toBe(true);
    },
  );

  it.each(["csv", "*", "*/*", "text", "text/", ".", "", "text/csv,.csv", "text/csv; charset=utf-8", ". csv", 1, null])(
    "does not have %j",
    (entry) => expect(isAccept(entry)).toBe(false),
  );

  it.each<[boolean, string[], string, string]>([
    [true, [], "a", "x/y"],
    [true, [".csv"], "A.CSV", "x/y"],
    [false, [".csv"], "csv", "text/csv"],
    [false, [".csv"], "a.csv.exe", "x/y"],
    [true, ["text/CSV"], "a", "text/csv; charset=utf-8"],
    [false, ["text/csv"], "a.csv", "text/csvx"],
    [true, ["image/*"], "a", "IMAGE/PNG"],
    [false, ["image/*"], "a.png", "images/png"],
    [true, ["image/*", ".pdf"], "a.pdf", "x/y"],
  ])("%j: %j takes %s of %s", (taken, accept, name, type) => {
    expect(isAccepted(accept, name, type)).toBe(taken);
  });

  it.each([
    [["text/csv", ".csv", "image/*"], "CSV, images"],
    [["application/vnd.ms-excel", ".xls"], "application/vnd.ms-excel, XLS"],
    [["text/plain", ".tar.gz"], "text, .tar.gz"],
    [[], ""],
  ])("%j in words", (accept, words) => {
    expect(acceptInWords(accept)).toBe(words);
  });

  it.each([
    [0, "0 bytes"],
    [999, "999 bytes"],
    [1_000, "1 kB"],
    [1_250_000, "1.3 MB"],
    [95_000_000, "95 MB"],
    [123_456_789, "123 MB"],
    [5_000_000_000, "5 GB"],
  ])("%i bytes are %s", (bytes, words) => {
    expect(sizeInWords(bytes)).toBe(words);
  });
});
