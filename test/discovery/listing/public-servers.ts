/**
 * Tools as public MCP servers list them. Names and texts are ours; what is theirs is the structure: which keywords occur
 * together, how deep, and how many. Hosts take all of these.
 */

interface PublicTool {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

const text = (description: string, more: object = {}) => ({ type: "string", description, ...more });
const texts = (description: string, more: object = {}) => ({
  type: "array",
  items: { type: "string" },
  description,
  ...more,
});

export const PUBLIC: readonly PublicTool[] = [
  {
    // Lists of objects, a list of types, an enum for the method.
    server: "github",
    name: "write_issue",
    description: "Creates or changes an issue.\nMethods:\n- 'create': a new one\n- 'update': an existing one",
    schema: {
      type: "object",
      properties: {
        method: text("What to do.", { enum: ["create", "update"] }),
        number: { type: "number", description: "The issue's number.", minimum: 1 },
        labels: texts("Labels to set."),
        fields: {
          type: "array",
          description: "Fields to set.",
          items: {
            type: "object",
            additionalProperties: false,
            properties: {
              field: text("Its name."),
              value: { type: ["string", "number", "boolean"], description: "Its value." },
              delete: { type: "boolean", description: "Whether to clear it." },
            },
            required: ["field"],
          },
        },
      },
      required: ["method"],
    },
  },
  {
    // A value or null with a default of null, formats, lengths.
    server: "sentry",
    name: "note_on_issue",
    description: "Adds a note.\n\n<examples>\nnote_on_issue(text='Looking into it')\n</examples>",
    schema: {
      type: "object",
      properties: {
        region: { description: "Where.", default: null, anyOf: [text("A URL."), { type: "null" }] },
        url: text("The issue.", { format: "uri" }),
        text: text("What to say.", { minLength: 1, maxLength: 4096 }),
      },
      required: ["text"],
    },
  },
  {
    // A schema of draft 7 as zod's converter writes it.
    server: "filesystem",
    name: "edit_file",
    description: "Replaces lines of a file, and returns the difference.",
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        path: text("The file."),
        edits: {
          type: "array",
          description: "What to replace.",
          items: {
            type: "object",
            properties: { oldText: text("What is there."), newText: text("What to write.") },
            required: ["oldText", "newText"],
            additionalProperties: false,
          },
        },
        dryRun: { type: "boolean", default: false, description: "Whether to only show the difference." },
      },
      required: ["path", "edits"],
      additionalProperties: false,
    },
  },
  {
    // Lists in lists of objects.
    server: "memory",
    name: "create_entities",
    description: "Adds entities to the graph.",
    schema: {
      type: "object",
      properties: {
        entities: {
          type: "array",
          description: "What to add.",
          items: {
            type: "object",
            properties: {
              name: text("Its name."),
              entityType: text("Its kind."),
              observations: texts("What is known."),
            },
            required: ["name", "entityType", "observations"],
          },
        },
      },
      required: ["entities"],
    },
  },
  {
    // Whole numbers with bounds, and defaults.
    server: "thinking",
    name: "think",
    description: `Thinks step by step. ${"When to use it, what each step may do, and how it ends. ".repeat(50)}`,
    schema: {
      type: "object",
      properties: {
        thought: text("This step."),
        isLast: { type: "boolean", description: "Whether it ends here." },
        step: { type: "integer", description: "Its number.", minimum: 1 },
        total: {
          type: "integer",
          description: "How many there may be.",
          exclusiveMinimum: 0,
          maximum: 9007199254740991,
        },
      },
      required: ["thought", "isLast", "step", "total"],
      additionalProperties: false,
    },
  },
  {
    // Lists of choices.
    server: "playwright",
    name: "browser_click",
    description: "Clicks on a web page.",
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        target: text("The element, from the snapshot."),
        doubleClick: { description: "Whether to click twice.", type: "boolean" },
        button: { description: "The button.", type: "string", enum: ["left", "right", "middle"] },
        modifiers: {
          description: "Keys to hold.",
          type: "array",
          items: { type: "string", enum: ["Alt", "Control", "ControlOrMeta", "Meta", "Shift"] },
        },
      },
      required: ["target"],
      additionalProperties: false,
    },
  },
  {
    // Generated from OpenAPI: definitions, unions below the top, open objects, constants.
    server: "notion",
    name: "API-post-page",
    description: "Create a page\nError Responses:\n400: 400",
    schema: {
      $defs: {
        richText: {
          type: "object",
          properties: { text: { type: "object", properties: { content: { type: "string" } }, required: ["content"] } },
          required: ["text"],
        },
        parent: {
          oneOf: [
            { type: "object", properties: { type: { const: "page_id" }, page_id: { type: "string", format: "uuid" } } },
            { type: "object", properties: { type: { const: "database_id" }, database_id: { type: "string" } } },
          ],
        },
      },
      type: "object",
      properties: {
        parent: { $ref: "#/$defs/parent", description: "Where it goes." },
        title: { type: "array", items: { $ref: "#/$defs/richText" }, maxItems: 100, description: "Its title." },
        properties: { type: "object", additionalProperties: true, description: "Its properties." },
        icon: {
          anyOf: [{ type: "object", properties: { emoji: { type: "string" } } }, { type: "string" }],
          description: "Its icon.",
        },
        "Notion-Version": text("The version of the API.", { default: "2022-06-28" }),
      },
      required: ["parent"],
    },
  },
  {
    // Long texts.
    server: "library-docs",
    name: "resolve-library-id",
    description: `Finds a library's id. ${"How to choose among the results, and when not to call it again. ".repeat(25)}`,
    schema: {
      type: "object",
      properties: { query: text("The task. ".repeat(60)), libraryName: text("The library.") },
      required: ["query", "libraryName"],
      additionalProperties: false,
      $schema: "http://json-schema.org/draft-07/schema#",
    },
  },
  {
    // Long lists of choices, patterns, a text or a list of texts.
    server: "web-search",
    name: "brave_web_search",
    description: "Searches the web.",
    schema: {
      type: "object",
      properties: {
        query: text("What to find.", { maxLength: 400 }),
        country: text("Where.", {
          enum: "ALL AR AU AT BE BR CA CL DK FI FR DE HK IN ID IT JP KR MY MX".split(" "),
          default: "US",
        }),
        count: { type: "integer", minimum: 1, maximum: 20, default: 10, description: "How many." },
        freshness: text("How old.", { pattern: "^(pd|pw|pm|py|\\d{4}-\\d{2}-\\d{2}to\\d{4}-\\d{2}-\\d{2})$" }),
        goggles: {
          anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
          description: "Rankings.",
        },
        "result_filter.v2": {
          type: "array",
          items: { type: "string", enum: ["web", "news"] },
          uniqueItems: true,
          description: "Kinds.",
        },
      },
      required: ["query"],
    },
  },
  {
    // Ids that are numbers or texts, records, nullable enums.
    server: "gitlab",
    name: "create_merge_request",
    description: "Opens a merge request.",
    schema: {
      type: "object",
      properties: {
        project_id: { anyOf: [{ type: "string" }, { type: "number" }], description: "The project." },
        assignee_ids: { type: "array", items: { type: "number" }, maxItems: 100, description: "Who works on it." },
        variables: { type: "object", additionalProperties: { type: "string" }, description: "Values by name." },
        state: { type: ["string", "null"], enum: ["open", "closed", null], description: "Its state." },
        position: {
          type: "object",
          description: "Where a comment is.",
          properties: {
            new_line: { type: ["number", "null"] },
            line_range: {
              type: "object",
              properties: { start: { type: "object", properties: { line_code: { type: "string" } } } },
            },
          },
        },
      },
      required: ["project_id"],
      additionalProperties: false,
    },
  },
  {
    // No parameters.
    server: "devtools",
    name: "list_pages",
    description: "Lists the open pages.",
    schema: { type: "object", properties: {}, additionalProperties: false },
  },
  {
    // Conditions inside a parameter, objects by pattern.
    server: "payments",
    name: "create_price",
    description: "Creates a price for a product.",
    schema: {
      type: "object",
      properties: {
        unit_amount: { type: "integer", description: "In cents." },
        currency: text("Three letters.", { pattern: "^[a-z]{3}$" }),
        recurring: {
          type: "object",
          description: "How often it is due.",
          properties: { interval: { type: "string", enum: ["day", "month"] }, count: { type: "integer" } },
          required: ["interval"],
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          allOf: [{ if: { required: ["count"] }, then: { required: ["interval"] } }],
        },
        metadata: {
          type: "object",
          patternProperties: { "^[a-z]+$": { type: "string" } },
          description: "Values by name.",
        },
      },
      required: ["unit_amount", "currency"],
    },
  },
];
