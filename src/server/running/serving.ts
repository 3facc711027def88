import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Home } from "../../app/index.ts";
import { isRecord, parseJson } from "../../base/index.ts";
import { askLocal, isRunning } from "../../host/index.ts";
import type { Serving } from "./serving-identity.ts";
import { askWithProof, proofHeader, provesAnswer, readPort } from "./serving-proof.ts";

/** The path at which a `haft serve` says who it is, and to whoever proves to know its token what it serves. */
export const identityPath = "/haft";

/** The folder for the records of running servers and for what detached ones say. */
function servingFolder(home: Home): string {
  const folder = join(home.folder, "serving");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** The file that gets what detached servers of this home say. */
export function serveLog(home: Home): string {
  return join(servingFolder(home), "serve.log");
}

/** Records a server that now listens. @returns what removes the record */
export function recordServing(home: Home, serving: Serving): () => void {
  servingFolder(home);
  const name = join("serving", `${serving.pid}.json`);
  home.write(name, `${JSON.stringify(serving)}\n`);
  return () => rmSync(join(home.folder, name), { force: true });
}

/**
 * The servers of this home that answer. They are asked all at once, since one that hangs takes seconds to give up. Records
 * of processes that are gone are removed.
 */
export async function listServing(home: Home): Promise<readonly Serving[]> {
  const folder = servingFolder(home);
  const names = readdirSync(folder).filter((one) => one.endsWith(".json"));
  const found = await Promise.all(names.map((name) => readServing(home, join(folder, name))));
  return found.filter((serving) => serving !== undefined);
}

/** The server of a record, if it answers. The record of a process that is gone is removed. */
async function readServing(home: Home, file: string): Promise<Serving | undefined> {
  const serving = toServing(readText(file));
  if (serving !== undefined && (await identify(home, serving.url))?.pid === serving.pid) return serving;
  if (serving === undefined || !isRunning(serving.pid)) rmSync(file, { force: true });
  return undefined;
}

/** Asks a server to end, and waits until it has. False where it takes longer than 15 s. */
export async function endServing({ pid }: Serving, signal: AbortSignal): Promise<boolean> {
  process.kill(pid, "SIGTERM");
  for (let waited = 0; isRunning(pid); waited += 50) {
    if (waited > 15_000) return false;
    await setTimeout(50, undefined, { signal });
  }
  return true;
}

/**
 * The haft that listens at an address: undefined where another program does, an empty object where it is a haft with
 * another home folder.
 */
async function identify(home: Home, url: string): Promise<Partial<Serving> | undefined> {
  const token = home.keptToken();
  const port = readPort(url);
  const question = token === undefined ? undefined : askWithProof(token, port);
  const headers = question === undefined ? {} : { [proofHeader]: question.header };
  const text = await askLocal(new URL(identityPath, url).href, headers);
  const answer = text === undefined ? undefined : parseJson(text);
  if (!isRecord(answer) || answer["name"] !== "haft") return undefined;
  const serving = toServing(text);
  const isOwn =
    token !== undefined &&
    question !== undefined &&
    serving !== undefined &&
    readPort(serving.url) === port &&
    provesAnswer(token, question.nonce, serving, answer["proof"]);
  return isOwn ? serving : {};
}

/**
 * The haft that listens at an origin, as text: the address for MCP clients, and where it is one of this home its folder
 * and process. Undefined where another program listens.
 */
export async function describeHaftAt(home: Home, origin: string): Promise<string | undefined> {
  const other = await identify(home, origin);
  if (other === undefined) return undefined;
  const folder = other.folder === undefined ? "" : `, for ${other.folder} (process ${other.pid})`;
  return `${origin}/mcp${folder}`;
}

function toServing(text: string | undefined): Serving | undefined {
  const value = text === undefined ? undefined : parseJson(text);
  if (!isRecord(value)) return undefined;
  const { pid, url, folder, startedAt } = value;
  return Number.isSafeInteger(pid) &&
    (pid as number) > 1 &&
    typeof url === "string" &&
    URL.canParse(url) &&
    typeof folder === "string" &&
    typeof startedAt === "number"
    ? { pid: pid as number, url, folder, startedAt }
    : undefined;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
