/** What a tool needs of its caller besides the input: secrets, tokens and the user id. Kept in the form only. */

import type { CallContext } from "../../../../client/oxp/types.ts";
import { h, newId } from "../lib/dom.ts";
import type { ToolRequirements } from "../lib/model.ts";

export interface NeedsForm {
  readonly element: HTMLElement | undefined;
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
  const note = h("p.quiet-text", "Leave empty what the server has of its own.");
  const elements = fields.map(({ element }) => element);
  return {
    element: fields.length > 0 ? h("fieldset.box", h("legend", "The tool needs"), note, elements) : undefined,
    read() {
      const filledIn = (all: typeof secretFields) =>
        all.flatMap(({ id, input: { value } }) => (value === "" ? [] : [{ id, value }]));
      const tokens = filledIn(tokenFields).map(({ id, value }) => ({ id, token: value }));
      const userId = userField?.input.value;
      return {
        ...(secrets.length > 0 && { secrets: filledIn(secretFields) }),
        ...(authorization.length > 0 && { authorization: tokens }),
        ...(userId && { user_id: userId }),
      };
    },
  };
}

function field(label: string, type: "password" | "text", note?: string) {
  const id = newId("need");
  const describedBy = note && `${id}-note`;
  const input = h("input", { id, type, autocomplete: "off", spellcheck: "false", "aria-describedby": describedBy });
  const hint = note && h("p.quiet-text", { id: `${id}-note` }, note);
  return { element: h("div", h("label", { for: id }, label), hint, input), input };
}
