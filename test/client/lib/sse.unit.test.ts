/** `SseParser`: event streams, cut anywhere. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SseParser } from "../../../src/client/lib/sse.ts";

/** The events of a stream that arrives in pieces, as `name=data`. */
function eventsOf(...pieces: string[]): string[] {
  const parser = new SseParser();
  return pieces.flatMap((piece) => parser.push(piece)).map(({ event, data }) => `${event}=${data}`);
}

describe("WHATWG HTML, 9.2.6", () => {
  it.each<[string, string, string[]]>([
    ["an event", "event: a\ndata: 1\n\n", ["a=1"]],
    ["without blanks", "event:a\ndata:1\n\n", ["a=1"]],
    ["only one blank is dropped", "data:  1 \n\n", ["message= 1 "]],
    ["no name", "data: 1\n\n", ["message=1"]],
    ["an empty name", "event:\ndata: 1\n\n", ["message=1"]],
    ["the last name counts", "event:a\nevent:b\ndata:1\n\n", ["b=1"]],
    ["the name is for one event only", "event:a\ndata:1\n\ndata:2\n\n", ["a=1", "message=2"]],
    ["several lines", "data: a\ndata:\ndata: b\n\n", ["message=a\n\nb"]],
    ["a field without a colon", "data\n\n", ["message="]],
    ["no data", "event: a\n\ndata: 1\n\n", ["message=1"]],
    ["comments, ids, retry, unknown fields", ": x\nid: 1\nretry: 5\nfoo: x\nfoo\ndata: 1\n:\n\n", ["message=1"]],
    ["colons in the value", "data: a: b:c\n\n", ["message=a: b:c"]],
    ["names are not trimmed", "data : 1\n\n", []],
    [
      "line separators of Unicode are no line ends",
      "data: a\u2028b\u2029c\u0085d\n\n",
      ["message=a\u2028b\u2029c\u0085d"],
    ],
    ["CRLF", "event: a\r\ndata: 1\r\n\r\n", ["a=1"]],
    ["CR", "event: a\rdata: 1\r\r", ["a=1"]],
    ["all line ends at once", "data: 1\r\ndata: 2\rdata: 3\n\r\n", ["message=1\n2\n3"]],
    ["empty lines between events", "\n\n\ndata: 1\n\n\n\n\ndata: 2\n\n", ["message=1", "message=2"]],
    ["an event that is not complete", "data: 1\n", []],
  ])("%s", (_, text, events) => {
    expect(eventsOf(text)).toEqual(events);
    expect(eventsOf(...text)).toEqual(events);
  });

  it("is the same however the text is cut", () => {
    const parts = fc.constantFrom("data:", "data: ", "event:", ":", "\n", "\r", "\r\n", "\n\n", "a", " ", "é");
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 40 }), fc.array(fc.nat(60)), (words, places) => {
        const text = words.join("");
        const cuts = [0, ...places.map((at) => at % (text.length + 1)), text.length].sort((a, b) => a - b);
        const pieces = cuts.slice(1).map((end, index) => text.slice(cuts[index], end));
        expect(eventsOf(...pieces)).toEqual(eventsOf(text));
      }),
    );
  });
});

it("gives the last event at the end, although its empty line is missing", () => {
  const endOf = (text: string) => {
    const parser = new SseParser();
    return [...parser.push(text), ...parser.end()];
  };
  const event = [{ event: "a", data: "1" }];
  expect(endOf("event: a\ndata: 1")).toEqual(event);
  expect(endOf("event: a\ndata: 1\n")).toEqual(event);
  expect(endOf("event: a\ndata: 1\n\n")).toEqual(event);
  expect(endOf("event: a")).toEqual([]);
  expect(endOf("")).toEqual([]);
});

it("searches each piece once: a long line in many pieces", () => {
  const parser = new SseParser();
  let searched = 0;
  const piece = "x".repeat(1_000);
  const split = String.prototype.split;
  String.prototype.split = function (this: string, ...given: never) {
    searched += this.length;
    return split.apply(this, given);
  } as typeof split;
  try {
    parser.push("data:");
    for (let count = 0; count < 1_000; count++) parser.push(piece);
  } finally {
    String.prototype.split = split;
  }
  expect(searched).toBeLessThan(1_100_000);
  expect(parser.push("\n\n")[0]?.data).toHaveLength(1_000_000);
});
