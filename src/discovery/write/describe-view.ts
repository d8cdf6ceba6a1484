/** How views are described to the clients that show them. */
import type { Json } from "../../core/lib/json.ts";
import type { ViewOptions, Visibility } from "../../core/model/primitives.ts";

type Meta = Readonly<Record<string, Json>>;

/** `_meta` of a view: what it may do, and how it is shown. @returns undefined if its tool says nothing about them */
export function describeView(view: ViewOptions | undefined): Meta | undefined {
  if (view === undefined) return undefined;
  const { permissions, ...rest } = view;
  const ui = { ...rest, ...(permissions && { permissions: Object.fromEntries(permissions.map((one) => [one, {}])) }) };
  return { ui } as unknown as Meta;
}

/**
 * What the listing's `_meta` says of a tool to clients that show views. ChatGPT had views before there was a standard,
 * under a name of its own (Apps SDK, Reference, `openai/outputTemplate`), and older hosts know the first name that the
 * standard had (ext-apps, RESOURCE_URI_META_KEY).
 *
 * @param uri of the tool's view
 * @returns undefined if there is nothing to say
 */
export function describeLink(uri: string | undefined, visibility: readonly Visibility[] | undefined): Meta | undefined {
  if (uri === undefined && visibility === undefined) return undefined;
  return {
    ui: { ...(uri !== undefined && { resourceUri: uri }), ...(visibility && { visibility: [...visibility] }) },
    ...(uri !== undefined && { "ui/resourceUri": uri, "openai/outputTemplate": uri }),
  };
}
