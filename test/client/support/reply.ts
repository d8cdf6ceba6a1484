/** How a server of tests answers (replaying.ts). A file of its own, because cases run where there is no Node. */

export interface Reply {
  readonly status?: number;
  /** Beside `content-type: application/json`, or in its place. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Bytes per chunk of the body. Default: all of them. */
  readonly chunk?: number;
  /** After the body, or in place of all. Default: the end. */
  readonly ending?: "cut" | "hang" | "cut-before" | "hang-before";
  /** Sent after the body for as long as the client reads. */
  readonly endless?: string;
  /** These bytes in place of a response. */
  readonly raw?: string;
  /** As many blanks, compressed. */
  readonly gzipOf?: number;
  /** To the other server. */
  readonly redirects?: true;
  /** A JSON-RPC response that has the request as its result. */
  readonly echo?: true;
}
