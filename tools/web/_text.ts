/** Reads the text of a page in its own encoding. */

const MAX_BYTES = 2 * 1024 * 1024;
/** A page without an encoding in its headers must name it within its first 1,024 bytes (HTML, "charset"). */
const PRESCAN_BYTES = 1_024;

/** @returns `essence` is `text/html`, in lower case; `type` has the encoding, too. Both are "" without a header */
export function typeOf({ headers }: Response): { readonly type: string; readonly essence: string } {
  const type = (headers.get("content-type") ?? "").toLowerCase();
  return { type, essence: type.split(";", 1)[0]?.trim() ?? "" };
}

/** @returns `cut` is true if the page is longer than 2 MiB */
export async function readText(response: Response) {
  const { type, essence } = typeOf(response);
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Stop at the limit, because a page may be endless. Leaving the loop cancels the stream.
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > MAX_BYTES) break;
  }
  const bytes = (await new Blob(chunks).arrayBuffer()).slice(0, MAX_BYTES);
  const isHtml = essence.includes("html");
  // The header takes precedence over the page itself (HTML, "Determining the character encoding").
  const start = isHtml ? new TextDecoder("latin1").decode(bytes.slice(0, PRESCAN_BYTES)) : "";
  const [, label] = /charset\s*=\s*["']?([\w:.-]+)/i.exec(type + start) ?? [];
  return { isHtml, text: decoder(label).decode(bytes), cut: size > MAX_BYTES };
}

function decoder(label?: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
