/** What is filmed or photographed, and how: a list of what a person would do. */

/** Elements are found as a person finds them: by what they are and what they are called. */
export type Step =
  /** Opens a path of the server. */
  | { readonly open: string }
  /** Moves the pointer to an element, and clicks it. */
  | { readonly click: readonly [role: Role, name: string] }
  /** Types into the field with this label, a few letters at a time. What was in it goes. */
  | { readonly type: string; readonly into: string }
  /** Presses a key, such as "Enter" or "Control+K". */
  | { readonly press: string }
  /** Waits until the text is there. */
  | { readonly see: string }
  /** Waits until the text is there in the view that a host shows. */
  | { readonly seeInView: string }
  /** Scrolls until the text is in view. */
  | { readonly show: string }
  /** Shows what is there now for so many milliseconds. */
  | { readonly hold: number };

export type Role =
  | "button"
  | "checkbox"
  | "combobox"
  | "heading"
  | "link"
  | "option"
  | "radio"
  | "searchbox"
  | "summary"
  | "tab"
  | "textbox";

export interface Shot {
  /** `docs/pictures/film.png`. A still shows the last moment only. */
  readonly path: string;
  readonly kind: "film" | "still";
  /** Of the browser's window, in pixels. */
  readonly width: number;
  readonly height: number;
  /** Pixels of the picture for each of these: 1 by default. */
  readonly scale?: number;
  readonly theme: "light" | "dark";
  /** Whose page is opened: that of the MCP Inspector, or by default the server's. */
  readonly host?: "inspector";
  /** More bytes are an error: whoever reads the page waits for them. */
  readonly mostBytes: number;
  readonly steps: readonly Step[];
}
