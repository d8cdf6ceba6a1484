/** The names and media types of files, as callers send them. */

export const MAX_NAME = 512;
export const MAX_TYPE = 255;

/** `type/subtype`, with parameters or without (RFC 9110, section 8.3.1). */
const MEDIA_TYPE =
  /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+([ \t]*;[ \t]*[\w!#$%&'*+.^`|~-]+=([\w!#$%&'*+.^`|~-]+|"[ !#-[\]-~]*"))*$/;

/** @returns the name without folders, which are those of the sender; undefined if the rest is not a name */
export function fileName(text: string): string | undefined {
  const name = text.slice(Math.max(text.lastIndexOf("/"), text.lastIndexOf("\\")) + 1).trim();
  const isName = name !== "" && name !== "." && name !== ".." && name.length <= MAX_NAME && name.isWellFormed();
  return isName && !/\p{Cc}/u.test(name) ? name : undefined;
}

export function isMediaType(text: string): boolean {
  return text.length <= MAX_TYPE && MEDIA_TYPE.test(text);
}

/** Whether a text is this media type, however it is spelled: `Text/CSV; charset=utf-8`. */
export function isSameType(text: string, type: string): boolean {
  return text.length <= MAX_TYPE && plain(text) === plain(type);
}

function plain(type: string): string {
  return type
    .toLowerCase()
    .replaceAll(/\s*;\s*/g, ";")
    .trim();
}
