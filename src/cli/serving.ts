import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Home } from "../app/index.ts";
import { isRecord, parseJson } from "../base/index.ts";
import { askLocal, isRunning } from "../host/index.ts";

/** One running `haft serve`, as its home folder and its own answer describe it. */
export interface Serving {
  readonly pid: number;
  /** The address for MCP clients. */
  readonly url: string;
  readonly folder: string;
  /** Unix ms. */
  readonly startedAt: number;
}

/** Where a `haft serve` says who it is; to whoever shows its token also what it serves. */
export const identityPath = "/haft";

/** The folder for the records of running servers and for what detached ones say. */
export function servingFolder(home: Home): string {
  const folder = join(home.folder, "serving");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Records a server that now listens. @returns what removes the record */
export function recordServing(home: Home, serving: Serving): () => void {
  servingFolder(home);
  const name = join("serving", `${serving.pid}.json`);
  home.write(name, `${JSON.stringify(serving)}\n`);
  return () => rmSync(join(home.folder, name), { force: true });
}

/** The servers of this home that answer. Records of processes that are gone are removed. */
export async function listServing(home: Home): Promise<readonly Serving[]> {
  const folder = servingFolder(home);
  const found: Serving[] = [];
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".json"))) {
    const serving = toServing(readText(join(folder, name)));
    if (serving !== undefined && (await identify(home, serving.url))?.pid === serving.pid)
      found.push(serving);
    else if (serving === undefined || !isRunning(serving.pid)) rmSync(join(folder, name), { force: true });
  }
  return found;
}

/**
 * The haft that listens at an address: undefined where another program does, an empty object where it is a haft with
 * another home folder.
 */
export async function identify(home: Home, url: string): Promise<Partial<Serving> | undefined> {
  const text = await askLocal(new URL(identityPath, url).href, {
    authorization: `Bearer ${home.keptToken() ?? ""}`,
  });
  const answer = text === undefined ? undefined : parseJson(text);
  return isRecord(answer) && answer["name"] === "haft" ? (toServing(text) ?? {}) : undefined;
}

function toServing(text: string | undefined): Serving | undefined {
  const value = text === undefined ? undefined : parseJson(text);
  if (!isRecord(value)) return undefined;
  const { pid, url, folder, startedAt } = value;
  return typeof pid === "number" &&
    typeof url === "string" &&
    typeof folder === "string" &&
    typeof startedAt === "number"
    ? { pid, url, folder, startedAt }
    : undefined;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
