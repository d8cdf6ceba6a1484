/** Chooses files for a tool that takes them, and uploads them when the tool is run. */

import type { Access } from "../api/access.ts";
import { FILE_LIMITS, upload } from "../api/files.ts";
import { fill, h, newId } from "../lib/dom.ts";
import { sizeText } from "../lib/words.ts";
import { put } from "./put.ts";

export interface FilePicker {
  readonly element: HTMLElement;
  /**
   * Uploads what is chosen, each file once.
   *
   * @param tell called with a text for the person while a file is sent
   * @returns the files' ids
   */
  upload(signal: AbortSignal, tell: (text: string) => void): Promise<readonly string[]>;
}

export function filePicker(access: Access): FilePicker {
  const id = newId("files");
  const list = h("ul.quiet-text");
  const uploaded = new WeakMap<File, string>();
  const chosen = () => [...(input.files ?? [])];
  const change = () => {
    const items = chosen().map(({ name, size }) => h("li", `${name}, ${sizeText(size)}`));
    fill(list, items);
  };
  const input = h("input", { id, type: "file", multiple: true, "aria-describedby": `${id}-note`, change });
  const note = h("p.quiet-text", { id: `${id}-note` }, FILE_LIMITS);
  return {
    element: h("div", h("label", { for: id }, "Files"), note, input, list),
    async upload(signal, tell) {
      const ids: string[] = [];
      for (const file of chosen()) {
        const onProgress = (part: number) => tell(`Uploading ${file.name}: ${Math.round(part * 100)} %`);
        const known = uploaded.get(file) ?? (await upload(access, file, { signal, onProgress, put }));
        uploaded.set(file, known);
        ids.push(known);
      }
      return ids;
    },
  };
}
