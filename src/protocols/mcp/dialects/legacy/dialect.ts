/** What the revisions with a handshake say and take, and what clients do that name none. */

import { failed } from "../../methods/render.ts";
import type { Dialect } from "../../transport/dialect.ts";
import { CODE, error } from "../../wire/codes.ts";
import { liveElicitation } from "./elicitation.ts";
import { watch } from "./mailbox.ts";
import { legacyMethods } from "./methods.ts";
import { LEGACY_REVISIONS, type LegacyRevision } from "./revisions.ts";
import { logLevelOf } from "./sessions.ts";

const NO_ANSWERS = { answers: undefined };

/** @param revision undefined for bare clients, with no handshake and no version at all */
function make(revision: LegacyRevision | undefined): Dialect {
  return {
    era: "legacy",
    methods: legacyMethods,
    unknownMethodStatus: undefined,
    // "Disconnection SHOULD NOT be interpreted as the client cancelling its request" (2025-03-26, 2025-06-18 and
    // 2025-11-25, basic/transports). 2024-11-05 does not say so, but has the same cancel notification. Bare clients have
    // no other way.
    hangingUpCancels: revision === undefined,
    notifies: revision !== undefined,
    watch,
    logThreshold: ({ context, session }) => (session ? logLevelOf(context, session) : "info"),
    readBeside: () => NO_ANSWERS,
    wrongHeader: () => undefined,
    sessionOfEarlierTurn: () => undefined,
    elicitation: liveElicitation,
    asking() {
      throw new TypeError("This client is asked while the call runs: no call of its ends with questions");
    },
    timedOut: (message) => error(CODE.timeout, message),
    lacksCapability: (_capability, message) => ({ result: failed({ message }) }),
    // An error before 2025-11-25 (changelog, SEP-1303).
    invalidIsResult: revision !== undefined && revision >= "2025-11-25",
    // Gateway seed, "Error handling": tool not found is -32601 there, -32602 in every revision of MCP.
    unknownToolCode: revision === undefined ? CODE.unknownMethod : CODE.invalidParams,
    unknownResourceCode: CODE.unknownResource,
    structuredContent: "objects",
    inputSchema: ({ mcp, input }) => mcp ?? input,
    caching: () => ({}),
    listingEnd: () => "",
  };
}

const BARE = make(undefined);
const DIALECTS = new Map(LEGACY_REVISIONS.map((revision) => [revision, make(revision)]));

export function legacyDialect(revision: LegacyRevision | undefined): Dialect {
  return (revision && DIALECTS.get(revision)) ?? BARE;
}
