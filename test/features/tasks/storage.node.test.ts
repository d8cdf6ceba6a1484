/** What a ledger stores: nothing that a caller or a tool says is readable in it, and secrets go when the task ends. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  asking,
  callOxp,
  endOf,
  type Long,
  modern,
  newName,
  saying,
  serveLong,
  startTask,
  TASKS,
  taskWhen,
  update,
} from "../../support/node/long.ts";

let server: Long;
let url: string;
beforeAll(async () => {
  // Then all callers are one principal, whose ledger has a known name.
  server = await serveLong({ vars: { LOCAL: "true" } });
  url = server.url;
});
afterAll(() => server?.stop());

type Row = Readonly<Record<string, unknown>>;
type Tables = Readonly<Record<string, readonly Row[]>>;

/** All rows of the ledger of anonymous callers, by table. */
async function stored(): Promise<Tables> {
  const tables: Record<string, readonly Row[]> = {};
  for (const { name } of await server.ledger("SELECT name FROM sqlite_master WHERE type = 'table'")) {
    if (!/^_cf_|^sqlite_/.test(String(name))) tables[String(name)] = await server.ledger(`SELECT * FROM ${name}`);
  }
  return tables;
}

const rowsOf = (tables: Tables, id: string) =>
  Object.values(tables)
    .flat()
    .filter((row) => Object.values(row).includes(id));

it("keeps a call, its secrets, its messages and its result sealed", async () => {
  const text = newName();
  const secret = `secret-${newName()}`;
  const token = `token-${newName()}`;
  const context = { secrets: [{ id: "LONG_SECRET", value: secret }], authorization: [{ id: "shop", token }] };
  const call = () => callOxp(url, "Jobs.Secretive", { text, ms: 3_000 }, { call_id: text, context });
  await call();
  await sleep(500);
  const running = JSON.stringify(await stored());
  for (let answer = await call(); !answer.body.result.success; answer = await call()) await sleep(200);
  const ended = JSON.stringify(await stored());
  const words = [text, secret, token, `reported-${text}`, `returned-${text}`, "Secretive", "LONG_SECRET"];
  for (const tables of [running, ended]) {
    // There is something to look at.
    expect(tables.length).toBeGreaterThan(500);
    for (const word of words) {
      expect([word, tables.includes(word)]).toEqual([word, false]);
      expect(tables).not.toContain(Buffer.from(word).toString("base64url").slice(0, -2));
    }
  }
});

it("removes the call, with its secrets, when the task has ended, in whichever way", async () => {
  const done = await startTask(url, "Jobs_Ends", { how: "text" });
  await endOf(url, done);
  const cancelled = await startTask(url, "Jobs_Work", { name: newName(), ms: 60_000 });
  const during = await stored();
  const kindsOf = (tables: Tables, id: string) => rowsOf(tables, id).flatMap(({ kind }) => kind ?? []);
  expect(kindsOf(during, cancelled)).toContain("call");
  await modern(url, "tasks/cancel", { taskId: cancelled });
  const after = await stored();
  for (const id of [done, cancelled]) {
    expect(rowsOf(after, id).length).toBeGreaterThan(0);
    expect(kindsOf(after, id)).not.toContain("call");
  }
});

it("keeps questions and answers sealed, and removes them with the call", async () => {
  const taskId = await startTask(url, "Jobs_Ask", { what: "two" }, { capabilities: { ...TASKS, elicitation: {} } });
  await asking(url, taskId);
  await taskWhen(url, taskId, ({ inputRequests }) => Object.keys(inputRequests ?? {}).length === 2);
  const word = newName();
  await update(url, taskId, { colour: saying(word) });
  const during = await stored();
  expect(rowsOf(during, taskId).filter(({ question }) => question !== undefined)).toHaveLength(2);
  expect(JSON.stringify(during)).not.toMatch(new RegExp(`${word}|Which colour`));
  await update(url, taskId, { size: saying(word) });
  await endOf(url, taskId);
  const after = await stored();
  expect(rowsOf(after, taskId).filter(({ question }) => question !== undefined)).toEqual([]);
  expect(JSON.stringify(after)).not.toContain(word);
});
