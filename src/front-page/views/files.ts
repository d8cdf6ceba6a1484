/** Chooses files for a tool that takes them. They are uploaded when the tool is run. */
import { fill, h, newId } from "../lib/dom.ts";
import type { Access } from "../server/access.ts";

export interface FilePicker {
  readonly element: HTMLElement;
  chosen(): readonly File[];
}

export function filePicker(_access: Access): FilePicker {
  const id = newId("files");
  const list = h("ul", { class: "quiet-text" });
  const input = h("input", {
    id,
    type: "file",
    multiple: true,
    change: () =>
      fill(
        list,
        [...(input.files ?? [])].map(({ name, size }) => h("li", {}, `${name}, ${bytes(size)}`)),
      ),
  });
  const element = h("div", {}, h("label", { for: id }, "Files"), " ", input, list);
  return { element, chosen: () => [...(input.files ?? [])] };
}

function bytes(size: number): string {
  return size < 1_000
    ? `${size} bytes`
    : size < 1_000_000
      ? `${Math.round(size / 1_000)} KB`
      : `${(size / 1_000_000).toFixed(1)} MB`;
}
