/** Specification (1.0), section 4.1, Tool Definition, Non-Normative Examples: 1 and 2 are also in "List Tools". */
export const DEFINITIONS = [
  {
    id: "Calculator.Add@1.0.0",
    name: "Calculator_Add",
    description: "Adds two numbers together.",
    version: "1.0.0",
    input_schema: {
      parameters: {
        type: "object",
        properties: {
          a: { type: "number", description: "The first number to add." },
          b: { type: "number", description: "The second number to add." },
        },
        required: ["a", "b"],
      },
    },
    output_schema: { type: "number", description: "The sum of the two numbers." },
  },
  {
    id: "Doorbell.Ring@0.1.0",
    name: "Doorbell_Ring",
    description: "Rings a doorbell given a doorbell ID.",
    version: "0.1.0",
    input_schema: {
      parameters: {
        type: "object",
        properties: { doorbell_id: { type: "string", description: "The ID of the doorbell to ring." } },
        required: ["doorbell_id"],
      },
    },
    output_schema: null,
  },
  {
    id: "System.GetTimestamp@1.0.0",
    name: "System_GetTimestamp",
    description: "Retrieves the current system timestamp.",
    version: "1.0.0",
    // The document omits `properties`. We always list it: some clients drop every tool because of one without it.
    input_schema: { parameters: { type: "object", properties: {} } },
    output_schema: {
      type: "object",
      properties: {
        timestamp: { type: "string", format: "date-time", description: "The current system timestamp." },
      },
      required: ["timestamp"],
    },
  },
  {
    // We omit the document's `"required": []`: it requires nothing, and JSON Schema before draft 6 forbids it.
    id: "Gmail.GetEmails@1.2.0",
    name: "Gmail_GetEmails",
    description: "Retrieves emails from Gmail using OAuth 2.0 authentication.",
    version: "1.2.0",
    input_schema: {
      parameters: {
        type: "object",
        properties: { query: { type: "string", description: "Search query for filtering emails." } },
      },
    },
    output_schema: {
      type: "object",
      properties: {
        emails: {
          type: "array",
          items: {
            type: "object",
            properties: { id: { type: "string" }, subject: { type: "string" }, snippet: { type: "string" } },
            required: ["id", "subject", "snippet"],
          },
          description: "List of retrieved emails.",
        },
      },
      required: ["emails"],
    },
    requirements: {
      authorization: [{ id: "google", oauth2: { scopes: ["https://www.googleapis.com/auth/gmail.readonly"] } }],
      user_id: true,
    },
  },
  {
    id: "SMS.Send@0.1.2",
    name: "SMS_Send",
    description: "Sends SMS messages using Twilio. Requires a valid TWILIO_API_KEY.",
    version: "0.1.2",
    input_schema: {
      parameters: {
        type: "object",
        properties: {
          to: { type: "string", description: "Recipient phone number." },
          message: { type: "string", description: "Message content to send." },
        },
        required: ["to", "message"],
      },
    },
    output_schema: {
      type: "object",
      properties: { status: { type: "string", description: "Status of the SMS sending operation." } },
      required: ["status"],
    },
    requirements: { secrets: [{ id: "TWILIO_API_KEY" }] },
  },
];
