/** What a tool needs of its caller besides the input: secrets, tokens and the user id. Kept in the form only. */

import type { CallContext } from "../../client/oxp/types.ts";
import { h, newId } from "../lib/dom.ts";
import type { ToolRequirements } from "../lib/model.ts";

export interface NeedsForm {
  readonly element: HTMLElement | undefined;
  /** What was filled in. */
  read(): CallContext;
}

export function needsForm({ secrets = [], authorization = [], user_id }: ToolRequirements): NeedsForm {
  const secretFields = secrets.map(({ id }) => ({ id, ...field(`Secret ${id}`, "password") }));
  const tokenFields = authorization.map(({ id, oauth2 }) => ({
    id,
    ...field(`Token of ${id}`, "password", oauth2?.scopes && `An OAuth token with ${oauth2.scopes.join(", ")}.`),
  }));
  const userField = user_id ? field("User id", "text") : undefined;
  const fields = [...secretFields, ...tokenFields, ...(userField ? [userField] : [])];
  const element =
    fields.length === 0
      ? undefined
      : h(
          "fieldset.box",
          h("legend", "The tool needs"),
          h("p.quiet-text", "Leave empty what the server has of its own."),
          fields.map(({ element }) => element),
        );
  return {
    element,
    read() {
      const given = <Of extends { readonly input: HTMLInputElement }>(all: readonly Of[]) =>
        all.filter(({ input }) => input.value !== "");
      const userId = userField?.input.value;
      return {
        ...(secretFields.length > 0 && {
          secrets: given(secretFields).map(({ id, input }) => ({ id, value: input.value })),
        }),
        ...(tokenFields.length > 0 && {
          authorization: given(tokenFields).map(({ id, input }) => ({ id, token: input.value })),
        }),
        ...(userId && { user_id: userId }),
      };
    },
  };
}

function field(label: string, type: "password" | "text", note?: string) {
  const id = newId("need");
  const input = h("input", {
    id,
    type,
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": note && `${id}-note`,
  });
  const element = h(
    "p.need",
    h("label", { for: id }, label),
    input,
    note && h("span.quiet-text", { id: `${id}-note` }, note),
  );
  return { element, input };
}
