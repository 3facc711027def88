import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { actAsClient, findTask, type SuiteTask } from "../fixtures/mcp-client/suite-client.ts";

/** The official conformance suite. */
export const suite: string = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/conformance", import.meta.url),
);
const errand = fileURLToPath(new URL("../fixtures/mcp-client/errand.ts", import.meta.url));

export interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** What came of one scenario. */
export interface ScenarioRun {
  readonly checks: readonly Check[];
  /** The client came to its end. */
  readonly succeeded: boolean;
  readonly said: string;
}

export interface SuiteRun {
  readonly exitCode: number;
  readonly said: string;
  readonly scenarios: ReadonlyMap<string, ScenarioRun>;
}

/** As many clients at once leave those whose delays are measured the time to keep them. */
const clientsAtOnce = 4;

/** Runs scenarios of the suite, which has each of them done by a client in this process. */
export async function runSuite(...args: readonly string[]): Promise<SuiteRun> {
  const folder = mkdtempSync(join(tmpdir(), "haft-conformance-"));
  const [place, results] = [join(folder, "client"), join(folder, "results")];
  const done = new Map<string, Omit<ScenarioRun, "checks">>();
  const server = await listen(place, async (task) => {
    const outcome = await act(task);
    done.set(task.scenario, outcome);
    return outcome;
  });
  try {
    const command = ["--command", `${process.execPath} ${errand} ${place}`, "--timeout", "100000"];
    const ended = await run([join(suite, "dist/index.js"), "client", ...command, ...args, "-o", results]);
    const scenarios = Array.from(done, ([name, outcome]) => [
      name,
      { ...outcome, checks: listChecks(results, name) },
    ]) as [string, ScenarioRun][];
    return { ...ended, scenarios: new Map(scenarios) };
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
}

async function act(task: SuiteTask): Promise<Omit<ScenarioRun, "checks">> {
  const lines: string[] = [];
  const say = (...words: readonly unknown[]) =>
    void lines.push(words.map((word) => (typeof word === "string" ? word : inspect(word))).join(" "));
  try {
    await actAsClient(task, say);
    return { said: lines.join("\n"), succeeded: true };
  } catch (error) {
    say(error);
    return { said: lines.join("\n"), succeeded: false };
  }
}

async function listen(place: string, answer: (task: SuiteTask) => Promise<object>): Promise<Server> {
  const waiting: Socket[] = [];
  let busy = 0;
  const serveNext = async (): Promise<void> => {
    const socket = busy < clientsAtOnce ? waiting.shift() : undefined;
    if (socket === undefined) return;
    busy++;
    const { url, variables } = JSON.parse(await text(socket)) as {
      readonly url: string;
      readonly variables: NodeJS.ProcessEnv;
    };
    socket.end(JSON.stringify(await answer(findTask(url, variables))));
    busy--;
    await serveNext();
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    waiting.push(socket);
    void serveNext();
  });
  await new Promise<void>((listening) => void server.listen(place, listening));
  return server;
}

function run(args: readonly string[]): Promise<Pick<SuiteRun, "exitCode" | "said">> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : Number(error.code ?? 1), said: `${stdout}\n${stderr}` }),
    );
  });
}

/** The suite keeps them in a folder of the scenario's name and the time. */
function listChecks(results: string, scenario: string): Check[] {
  return readdirSync(results, { recursive: true, encoding: "utf8" })
    .filter(
      (name) => name.endsWith("/checks.json") && /^(.+)-\d{4}-\d{2}-\d{2}T/.exec(name)?.[1] === scenario,
    )
    .flatMap((name) => JSON.parse(readFileSync(join(results, name), "utf8")) as Check[]);
}
