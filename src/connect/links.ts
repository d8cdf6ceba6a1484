/**
 * Links that open a host with this server filled in. docs/connect.md has the public source of each. People share links
 * and browsers remember them, so none contains a key: where a host needs one, there is a prompt or a placeholder.
 */

export interface Link {
  /** The text of its button. */
  readonly label: string;
  readonly href: string;
  /** Whether it only opens the host, where the user goes on with the steps. */
  readonly isStart?: true;
}

/** A server as the files of most hosts describe it. */
export interface Entry {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function cursorLink(name: string, entry: Entry): Link {
  const href = `cursor://anysphere.cursor-deeplink/mcp/install?${query({ name, config: base64(entry) })}`;
  return { label: "Add to Cursor", href };
}

/** @param inputs what VS Code asks its user for */
export function vscodeLinks(name: string, entry: object, inputs: readonly object[]): readonly Link[] {
  const server = { name, ...entry, ...(inputs.length > 0 && { inputs }) };
  const rest = `:mcp/install?${encodeURIComponent(JSON.stringify(server))}`;
  return [
    { label: "Add to VS Code", href: `vscode${rest}` },
    { label: "Add to VS Code Insiders", href: `vscode-insiders${rest}` },
  ];
}

/** @param title shown in Claude's dialog, whose user confirms it */
export function claudeLink(title: string, url: string): Link {
  const values = { modal: "add-custom-connector", connectorName: title, connectorUrl: url };
  return { label: "Add to Claude", href: `https://claude.ai/customize/connectors?${query(values)}` };
}

/** Only opens ChatGPT, because a link cannot fill in its dialog. */
export const CHATGPT_LINK: Link = {
  label: "Open ChatGPT's plugins",
  href: "https://chatgpt.com/plugins",
  isStart: true,
};

export function gooseLink(name: string, { url, headers = {} }: Entry): Link {
  const values = query({ type: "streamable_http", url, id: name, name });
  const header = Object.entries(headers).map(([key, value]) => `&${query({ header: `${key}=${value}` })}`);
  return { label: "Add to Goose", href: `goose://extension?${values}${header.join("")}` };
}

export function kiroLink(name: string, entry: Entry): Link {
  const href = `https://kiro.dev/launch/mcp/add?${query({ name, config: JSON.stringify(entry) })}`;
  return { label: "Add to Kiro", href };
}

export function lmStudioLink(name: string, entry: Entry): Link {
  return { label: "Add to LM Studio", href: `lmstudio://add_mcp?${query({ name, config: base64(entry) })}` };
}

/** Writes "%20" for a space, because not every host reads "+" as one. */
function query(values: Readonly<Record<string, string>>): string {
  return new URLSearchParams(values).toString().replaceAll("+", "%20");
}

/** JSON in base64, of its UTF-8 bytes. */
function base64(value: unknown): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));
}
