/** `npm run connect`: prints what each host needs to use this server, with the URL and a key in place. */
import { dirname } from "node:path";
import type { ParseArgsOptionsConfig } from "node:util";
import { HOSTS, type Host, isLocalUrl, PLACEHOLDER, type Server, shortName } from "../../connect/hosts.ts";
import { assignment } from "../../discovery/lib/settings-format.ts";
import { credentialsOf } from "../../discovery/settings/available.ts";
import { addressOf, readUrl, tunnelFrom } from "../lib/address.ts";
import { exitCodeOf, helpOf, readArguments, type Script } from "../lib/arguments.ts";
import { type Config, configOf, readConfig, sourceOf } from "../lib/config.ts";
import type { Io } from "../lib/io.ts";
import { Mistake } from "../lib/mistake.ts";
import { webLink } from "./web-links.ts";

const SCRIPT = {
  name: "connect",
  options: {
    url: { type: "string" },
    key: { type: "string" },
    link: { type: "boolean" },
    remote: { type: "boolean" },
    config: { type: "string", short: "c" },
    env: { type: "string", short: "e" },
    help: { type: "boolean", short: "h" },
  },
  swallowed: ["url", "link", "remote", "config", "env"],
} as const satisfies Script<ParseArgsOptionsConfig>;

const NAMES = [...HOSTS.keys()].join(", ");
const USAGE = `Prints what a host needs to use this server. Hosts: ${NAMES}.

npm run connect              for all hosts
npm run connect -- cursor    for one
    --key trivet_…           the key to put in (npm run keys -- create NAME)
    --link                   a link that adds the server to the host, for a README; never with a key
    --remote                 the deployment, instead of \`npm start\` on this machine or through its tunnel
    --url https://…          a deployment that the settings and this machine know nothing of
    --config FILE, --env NAME  as in wrangler`;

/** @returns the exit code */
export function main(argv: readonly string[], io: Io): Promise<number> {
  return exitCodeOf(io, () => run(argv, io));
}

async function run(argv: readonly string[], io: Io): Promise<undefined> {
  const { console } = io;
  const { values, positionals } = readArguments(SCRIPT, argv, io.env);
  if (values.help) return void console.log(USAGE);
  const unknown = positionals.find((name) => !HOSTS.has(name));
  if (unknown !== undefined) {
    const meant = [...HOSTS.keys()].filter((name) => name.startsWith(unknown.toLowerCase()));
    const which = meant.length > 0 ? meant.join(" or ") : `one of ${NAMES}`;
    throw new Mistake(`There is no host "${unknown}": write ${which}.`);
  }
  const { key, link = false, remote = false, env } = values;
  const url = values.url === undefined ? undefined : readUrl(values.url);
  if (url !== undefined && remote) throw new Mistake(`--url says where the server is, so leave out --remote.`);
  if (key !== undefined && !/^[\w.~+/=-]+$/.test(key)) {
    throw new Mistake(`--key: this is not a key: write the text that \`npm run keys\` showed, ${helpOf("connect")}.`);
  }
  const config = configOf(values.config, io);
  const settings = await readConfig(config, env);
  const tunnel = url === undefined && !remote ? tunnelFrom(dirname(config)) : undefined;
  const base = tunnel ?? addressOf({ url, remote, env }, settings, config);
  const server = describe(base, key, settings, sourceOf(config), tunnel);
  const names = positionals.length > 0 ? positionals : [...HOSTS.keys()];
  const form = link ? linkOf : formOf;
  // A single form is printed alone, so that it can be piped into a file or a shell.
  const texts = names.flatMap((name) => {
    const host = HOSTS.get(name);
    const text = host && form(host, server);
    if (text === undefined) return [];
    const place = link || host?.place === undefined ? "" : `: ${host.place}`;
    return names.length === 1 ? text : `== ${host?.title}${place} ==\n${text}\n`;
  });
  if (texts.length === 0) throw new Mistake(`There is no link that adds this server to ${names.join(" or ")}.`);
  const text = texts.join("\n");
  console.log(text);
  for (const remark of link ? aboutLinks(names, server, text) : aboutForms(text, env, tunnel)) console.error(remark);
  // It has the form of a JSON Web Token (RFC 7519): three parts, the first of which is a JSON object.
  const isToken = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(key ?? "");
  if (isToken && !server.isLocal && !credentialsOf(settings).takesTokens) {
    const setting = assignment(sourceOf(config), "TOKENS", "true");
    console.error(`This key is a token (JWT): the deployment refuses it without ${setting}.`);
  }
}

function formOf(host: Host, server: Server): string {
  const steps = host.steps(server);
  const isForShell = steps.some((step) => "code" in step && step.language === "sh");
  const lines = steps.map((step) => ("code" in step ? step.code : isForShell ? `# ${step.text}` : step.text));
  // ChatGPT cannot reach this machine.
  if (host === HOSTS.get("chatgpt") && server.isLocal) lines.push("Deploy, and write --remote or --url.");
  return lines.join("\n");
}

function linkOf(host: Host, server: Server): string | undefined {
  const [first] = host.links?.(server) ?? [];
  return first && !first.isStart ? webLink(first.href) : undefined;
}

/** What the person who publishes the links must know. */
function aboutLinks(names: readonly string[], server: Server, text: string): readonly string[] {
  const wantKey = names.filter((name) => HOSTS.get(name)?.note?.(server)?.includes(PLACEHOLDER));
  const replace = `whoever follows the link replaces ${PLACEHOLDER} by a key, in the settings of the host.`;
  const isForPages = /^(?!https:)[\w-]+:\/\//m.test(text);
  return [
    ...(wantKey.length > 0 ? [`${wantKey.join(", ")}: ${replace}`] : []),
    ...(isForPages ? ["GitHub removes links that do not begin with https:// from a README."] : []),
  ];
}

function aboutForms(text: string, env: string | undefined, tunnel: string | undefined): readonly string[] {
  if (!text.includes(PLACEHOLDER)) return [];
  if (tunnel) return [`Replace ${PLACEHOLDER} by the key that \`npm start -- --tunnel\` printed; --key puts it in.`];
  const command = `npm run keys -- create NAME --remote${env === undefined ? "" : ` --env ${env}`}`;
  return [`Replace ${PLACEHOLDER} by a key: \`${command}\` makes one, and --key puts it in.`];
}

/**
 * @param file   name of the file in which settings are corrected
 * @param tunnel address of `npm start -- --tunnel`: it is closed and has the sign-in, whatever the settings say
 */
function describe(base: string, key: string | undefined, settings: Config, file: string, tunnel?: string): Server {
  const { vars } = settings;
  const { takesTokens, hasSignIn } = credentialsOf(settings);
  const isLocal = isLocalUrl(base);
  const isPublic = vars.PUBLIC === "true" && tunnel === undefined;
  // If there are both, clients use the first authorization server that the metadata lists: the provider.
  const hasProvider = Boolean(vars.JWT_ISSUER) && takesTokens;
  const signIn = hasProvider ? "provider" : hasSignIn || tunnel !== undefined ? "own" : undefined;
  return {
    name: shortName(vars.SERVER_NAME),
    title: String(vars.SERVER_TITLE || vars.SERVER_NAME || "trivet"),
    base,
    // Under `npm start` no one needs a key.
    key: key === undefined && !isLocal && !isPublic ? PLACEHOLDER : key,
    isLocal,
    signIn,
    isPublic,
    entry: entryOf(signIn, isPublic, settings, file),
  };
}

/** Tells the owner of the deployment how a host that sends no key gets in. */
function entryOf(signIn: Server["signIn"], isPublic: boolean, { vars }: Config, file: string): string {
  if (signIn === "own") return "Its users sign in on a page of your Worker, with a key of theirs.";
  if (signIn === "provider") return "Its users sign in at your identity provider (JWT_ISSUER).";
  if (vars.JWT_ISSUER) {
    return `JWT_ISSUER has no effect without the variable ${assignment(file, "TOKENS", "true")}: add it, and deploy.`;
  }
  if (isPublic) return "Everyone may call, except tools that demand a scope: those need the sign-in (docs/access.md).";
  return `It sends no key: turn on the sign-in first, with the variable ${assignment(file, "SIGN_IN", "true")}, and deploy.`;
}
