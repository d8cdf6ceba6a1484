/** Says how authors fix a schema, in the words of the library that made it. */

/** What a library calls things; "…" stands for the author's own. */
interface Words {
  readonly object: string;
  readonly nullable: string;
  readonly described: (name: string) => string;
  /** What to write in place of types that JSON does not have, by the library's name for the type. */
  readonly instead: Readonly<Record<string, string>>;
}

const VALIBOT: Words = {
  object: "v.object({ … })",
  nullable: "v.nullable(…)",
  described: (name) => `${name}: v.pipe(…, v.description("What it is for."))`,
  instead: {
    date: "v.pipe(v.string(), v.isoTimestamp())",
    bigint: "v.pipe(v.string(), v.digits())",
    map: "v.record(v.string(), …)",
    set: "v.array(…)",
    undefined: "v.null()",
    void: "v.null()",
  },
};

const ZOD: Words = {
  object: "z.object({ … })",
  nullable: "….nullable()",
  described: (name) => `${name}: ….describe("What it is for.")`,
  instead: {
    date: "z.iso.datetime()",
    bigint: "z.string().regex(/^-?[0-9]+$/)",
    map: "z.record(z.string(), …)",
    set: "z.array(…)",
    undefined: "z.null()",
    void: "z.null()",
    transform: ".pipe(z.string()) after the transform, with the type of what comes out",
  },
};

const ARKTYPE: Words = {
  object: "type({ … })",
  nullable: "….or(type.null)",
  described: (name) => `${name}: type(…).describe("What it is for.")`,
  instead: {
    date: '"string.date.iso"',
    bigint: '"string.integer"',
    map: '"Record<string, …>"',
    set: '"…[]"',
    undefined: '"null"',
  },
};

const OWN: Words = {
  object: 'jsonSchema({ type: "object", properties: { … } })',
  nullable: '{ anyOf: [{ … }, { type: "null" }] }',
  described: (name) => `${name}: { …, description: "What it is for." }`,
  instead: {},
};

const FILES: readonly string[] = ["file", "blob"];

/** @param vendor of the Standard Schema. For an unknown library, or without one, the words are valibot's */
export function wordsOf(vendor: string | undefined): Words {
  return { zod: ZOD, arktype: ARKTYPE, trivet: OWN }[vendor ?? ""] ?? VALIBOT;
}

/** What to do about a type that JSON does not have. @param type as its library calls it */
export function cureOf(type: string, vendor: string | undefined): string {
  if (FILES.includes(type)) return "write attachments: true, and take files from ctx.attachments (docs/files.md)";
  const instead = wordsOf(vendor).instead[type];
  return instead ? `write ${instead}` : "use types that JSON has";
}
