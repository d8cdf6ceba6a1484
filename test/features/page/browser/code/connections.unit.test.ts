/** How to connect each host: its links, read back as the host reads them, and its steps. docs/connect.md has the forms. */
import { describe, expect, it } from "vitest";
import { type Connection, connections, type Site } from "../../../../../src/features/page/browser/code/connections.ts";

const SITE: Site = { origin: "https://tools.example.com", name: "trivet", isOpen: true, signIn: undefined };
const CLOSED = { isOpen: false };
const OWN = { isOpen: false, signIn: "own" } as const;
const PROVIDER = { isOpen: false, signIn: "provider" } as const;
const LOCAL = { origin: "http://127.0.0.1:8787" };

const shown = (more: Partial<Site> = {}) =>
  new Map(connections({ ...SITE, ...more }).map((connection) => [connection.id, connection]));
function hostOf(id: string, more?: Partial<Site>): Connection {
  const found = shown(more).get(id);
  if (found === undefined) throw new Error(`there is no host ${id}`);
  return found;
}
const textsOf = ({ steps, note }: Connection) =>
  [...steps.map((step) => ("code" in step ? step.code : step.text)), note ?? ""].join("\n");

interface Added {
  readonly name: string | null;
  readonly entry: Record<string, unknown>;
}

/** What each host adds that has a link which fills it in: as its documentation says that it reads one. */
function addedBy(more?: Partial<Site>): Record<string, Added> {
  const added: Record<string, Added> = {};
  for (const { id, link, otherLinks = [] } of connections({ ...SITE, ...more })) {
    for (const { href } of link && !link.isStart ? [link, ...otherLinks] : []) {
      const [scheme = ""] = href.split(":");
      added[scheme === "https" ? id : scheme] = read(href);
    }
  }
  return added;
}

function read(href: string): Added {
  const { protocol, host, pathname, searchParams } = new URL(href);
  const start = `${protocol}//${host}${pathname}`;
  const text = (name: string) => searchParams.get(name) ?? "";
  const decoded = (name: string) =>
    JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(text(name)), (one) => one.charCodeAt(0))));
  switch (start) {
    case "cursor://anysphere.cursor-deeplink/mcp/install":
    case "lmstudio://add_mcp":
      return { name: text("name"), entry: decoded("config") };
    case "https://kiro.dev/launch/mcp/add":
      return { name: text("name"), entry: JSON.parse(text("config")) };
    case "https://claude.ai/customize/connectors":
      expect(text("modal")).toBe("add-custom-connector");
      return { name: text("connectorName"), entry: { url: text("connectorUrl") } };
    case "goose://extension": {
      expect([text("type"), text("id")]).toEqual(["streamable_http", text("name")]);
      const headers = searchParams.getAll("header").map((header) => header.split(/=(.*)/s).slice(0, 2));
      const entry = { url: text("url"), ...(headers.length > 0 && { headers: Object.fromEntries(headers) }) };
      return { name: text("name"), entry };
    }
  }
  expect(href).toMatch(/^vscode(-insiders)?:mcp\/install\?/);
  const { name, ...entry } = JSON.parse(decodeURIComponent(href.slice(href.indexOf("?") + 1)));
  return { name, entry };
}

describe("a link adds the server", () => {
  it.each([
    ["https://tools.example.com"],
    ["https://tools.example.com:8443"],
    ["http://[2001:db8::1]:8787"],
    ["https://xn--nser-0ra.example"],
  ])("at %s", (origin) => {
    const url = `${origin}/mcp`;
    expect(addedBy({ origin })).toEqual({
      "claude-desktop": { name: "trivet", entry: { url } },
      cursor: { name: "trivet", entry: { url } },
      vscode: { name: "trivet", entry: { type: "http", url } },
      "vscode-insiders": { name: "trivet", entry: { type: "http", url } },
      goose: { name: "trivet", entry: { url } },
      kiro: { name: "trivet", entry: { url } },
      lmstudio: { name: "trivet", entry: { url } },
    });
  });

  it.each([
    ["My tools", "my-tools"],
    ["42 & more / less?", "more-less"],
    ["ünser Wörk", "nser-w-rk"],
    ["工具", "trivet"],
    ['"></a>#%20', "a-20"],
  ])("named %j", (name, word) => {
    const { "claude-desktop": claude, ...others } = addedBy({ name });
    expect(Object.values(others).map((one) => one.name)).toEqual(Array(6).fill(word));
    // To be read by people.
    expect(claude?.name).toBe(name);
    expect(addedBy({ name, title: "Tools & co. 工具 100%" })["claude-desktop"]?.name).toBe("Tools & co. 工具 100%");
  });

  it("with a placeholder or a prompt for the key, if calls need one and users cannot sign in", () => {
    const { vscode, "vscode-insiders": insiders, ...others } = addedBy(CLOSED);
    const id = "trivet-key";
    expect(vscode?.entry).toMatchObject({
      headers: { Authorization: `Bearer \${input:${id}}` },
      inputs: [{ type: "promptString", id, password: true }],
    });
    expect(insiders).toEqual(vscode);
    expect(Object.keys(others)).toEqual(["cursor", "goose", "kiro", "lmstudio"]);
    for (const { entry } of Object.values(others)) expect(entry.headers).toEqual({ Authorization: "Bearer YOUR_KEY" });
    for (const id of ["cursor", "goose", "kiro", "lm-studio"]) {
      expect(hostOf(id, CLOSED).note).toMatch(/^The link has YOUR_KEY in place of the key\. .*, replace that in/);
    }
    expect(hostOf("vscode", CLOSED).note).toBe("VS Code asks for the key when it starts the server.");
  });

  it.each([[OWN], [PROVIDER]])("without any, if users sign in: %j", (more) => {
    const { lmstudio, ...others } = addedBy(more);
    expect(Object.keys(others)).toHaveLength(6);
    for (const { entry } of Object.values(others)) expect(entry).not.toHaveProperty("headers");
    // It has no sign-in.
    expect(lmstudio?.entry.headers).toEqual({ Authorization: "Bearer YOUR_KEY" });
  });

  it("on this machine, for hosts that can reach it", () => {
    for (const origin of ["http://127.0.0.1:8787", "http://localhost:8787", "http://[::1]:8787"]) {
      const added = addedBy({ origin });
      expect(Object.keys(added).toSorted()).toEqual([
        ...["cursor", "goose", "kiro", "lmstudio", "vscode", "vscode-insiders"],
      ]);
      expect(added.cursor?.entry).toEqual({ url: `${origin}/mcp` });
    }
  });
});

describe("the steps", () => {
  const STATES: readonly Partial<Site>[] = [{}, CLOSED, OWN, PROVIDER, LOCAL, { ...LOCAL, ...CLOSED }];

  it.each(STATES.map((state) => [state]))("of every host have the address, or say why not: %j", (state) => {
    const all = connections({ ...SITE, ...state });
    expect(all.map(({ title }) => title)).toEqual([
      ...["Claude", "Claude Code", "ChatGPT", "Cursor", "VS Code", "Codex", "Gemini CLI", "opencode"],
      ...["Goose", "Kiro", "LM Studio", "MCP Inspector", "mcpc", "promptfoo", "LangChain"],
    ]);
    for (const connection of all) {
      expect(textsOf(connection)).toMatch(/https?:\/\/\S+\/mcp\b|calls from its own servers/);
    }
  });

  it.each(STATES.map((state) => [state]))("say once, right after it, what to do with a placeholder: %j", (state) => {
    for (const { steps } of connections({ ...SITE, ...state })) {
      const needs = steps.flatMap((step, at) => ("code" in step && step.code.includes("YOUR_KEY") ? [at] : []));
      const said = steps.flatMap((step, at) =>
        "text" in step && step.text === "Write your key in place of YOUR_KEY." ? [at - 1] : [],
      );
      expect(said).toEqual(needs);
    }
  });

  it("need no key where calls need none", () => {
    for (const connection of connections(SITE))
      expect(JSON.stringify(connection)).not.toMatch(/YOUR_KEY|Authorization/);
  });

  it("say of a link that it is only the start", () => {
    expect(hostOf("chatgpt").link).toMatchObject({ href: "https://chatgpt.com/plugins", isStart: true });
    expect(hostOf("cursor").link).not.toHaveProperty("isStart");
  });

  it("of hosts that call from elsewhere say what they cannot do", () => {
    const local = { ...LOCAL, isOpen: true };
    expect(textsOf(hostOf("chatgpt", local)).trim()).toBe(
      "ChatGPT calls from its own servers, which cannot reach this machine.",
    );
    expect(textsOf(hostOf("claude-desktop", local))).toContain("\nclaude.ai calls from its own servers, which cannot");
    const none = "calls from its own servers. It sends no key, and this server has no sign-in: ask its owner";
    for (const id of ["chatgpt", "claude-desktop"]) {
      const closed = hostOf(id, CLOSED);
      expect(closed.link).toBeUndefined();
      expect(textsOf(closed)).toContain(none);
      expect(textsOf(closed)).not.toMatch(/Add custom/);
      expect(textsOf(hostOf(id, OWN))).toContain("It opens a page of this server: sign in there with your key.");
      expect(textsOf(hostOf(id, PROVIDER))).toContain("identity provider");
      expect(textsOf(hostOf(id))).toContain("No key is needed");
    }
    expect(textsOf(hostOf("chatgpt", OWN))).toContain("Authentication: OAuth");
    expect(textsOf(hostOf("chatgpt"))).toContain("Authentication: No authentication");
    // Claude Desktop can be given a key: over a bridge on the user's machine.
    for (const state of [CLOSED, OWN]) expect(textsOf(hostOf("claude-desktop", state))).toContain("mcp-remote");
    expect(textsOf(hostOf("claude-desktop"))).not.toContain("mcp-remote");
  });
});

describe("an address that means something to a shell", () => {
  // All of them are hosts to a browser, and a deployment with a wildcard in its route answers to them.
  it.each(["$(id)", "`id`", "a;id;", "a&id&", "a'id'", '"id"', "!1", "$HOME", "(id)", "{a,b}", "~", "*"])(
    "%s.example.com is filled in nowhere",
    (name) => {
      const origin = `https://${name}.example.com`;
      for (const state of [{}, CLOSED, OWN]) {
        for (const connection of connections({ ...SITE, ...state, origin })) {
          expect(connection.steps).toEqual([
            {
              text: "The address of this server has characters that a shell reads. Open this page at an address without them.",
            },
          ]);
          expect(JSON.stringify(connection)).not.toContain(name.replaceAll('"', '\\"'));
          expect(connection.link).toBeUndefined();
          expect(connection.note).toBeUndefined();
        }
      }
    },
  );

  it.each([
    "https://a_b.x-1.example.com:8443",
    "http://192.0.2.1",
    "http://[2001:db8::1]:80",
    "https://xn--bcher-kva.example",
  ])("is not %s", (origin) => {
    expect(textsOf(hostOf("claude-code", { origin }))).toBe(`claude mcp add --transport http trivet "${origin}/mcp"\n`);
  });
});
