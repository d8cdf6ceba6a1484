/** The OAuth state of an MCP client, for both official clients, and its user, who approves everything. */
import type {
  OAuthClientMetadata,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";

export const CALLBACK = "http://127.0.0.1:7777/callback";

export class Visitor {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: "trivet-test",
    redirect_uris: [CALLBACK],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  readonly clientMetadataUrl?: string;
  /** Where the client sent its user. */
  readonly sentTo: URL[] = [];
  /** The parameters of the user's redirect back. */
  callback = new URLSearchParams();
  kept: StoredOAuthTokens | undefined;
  #client: StoredOAuthClientInformation | undefined;
  #discovered: OAuthDiscoveryState | undefined;
  #verifier = "";

  /** `clientMetadataUrl` is the URL of the client's metadata document, if it has one. */
  constructor(clientMetadataUrl?: string) {
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  state(): string {
    return "a-state";
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#client;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client;
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.kept;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.kept = tokens;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }

  invalidateCredentials(what: string): void {
    if (what === "tokens" || what === "all") this.kept = undefined;
    if (what === "client" || what === "all") this.#client = undefined;
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    this.sentTo.push(url);
    const answer = await fetch(url, { redirect: "manual" });
    this.callback = new URL(answer.headers.get("location") ?? "about:blank").searchParams;
  }
}
