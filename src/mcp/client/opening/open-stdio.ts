import { resolve } from "node:path";
import { cutTail } from "../../../base/index.ts";
import { fromHome, type OpenProcess, programPlaces } from "../../../host/index.ts";
import type { McpError } from "../../errors.ts";
import type { McpServerConfig } from "../config.ts";
import { said, toMcpError, unavailable } from "../faults.ts";
import { fillSecrets } from "../fill-secrets.ts";
import { Link } from "../link.ts";
import { Wire } from "../wire.ts";
import type { Era, Opening } from "./opening.ts";
import { sandboxHint } from "./sandbox-hint.ts";
import { StdioServer } from "./stdio-server.ts";

/** The wait for the exit code of a process whose output has ended. */
const exitMs = 300;

/** Starts the server once. Servers of old are many, and some end at a word that they do not know: theirs comes first. */
export async function openStdioLink(opening: Opening): Promise<Link> {
  const { server, clock, deadline, pace, remembered } = opening;
  const { process, secrets } = await startProcess(opening);
  const explainEnd = () => explain(server, process, secrets);
  let wire: Wire | undefined;
  let lost: Error | undefined;
  const stdio = new StdioServer(server.name, process, pace, {
    stray: () => {
      if (wire !== undefined) wire.strays++;
    },
    lost: (error) => {
      lost = error;
      wire?.failAll(error);
      if (wire?.asks.size === 0) deadline.fail(error); // Of the very first answer.
    },
  });
  const keep = { value: true };
  const eras: readonly Era[] = remembered.era === "modern" ? ["modern", "legacy"] : ["legacy", "modern"];
  try {
    for (const [at, era] of eras.entries()) {
      wire = new Wire(server.name, stdio.transport(keep), () => clock.now());
      try {
        const client = await opening.connect(wire, era);
        keep.value = false;
        return new Link(server.name, {
          client,
          wire,
          clock,
          callResult: opening.sdk.specTypeSchemas.CallToolResult,
          ways: { era: era as "legacy" | "modern" },
          explainEnd,
          close: async () => {
            await client.close();
            await process.close();
          },
        });
      } catch (error) {
        const isLast =
          at === eras.length - 1 || stdio.over || deadline.failure !== undefined || lost !== undefined;
        if (isLast || !isRefusal(error)) throw error;
      }
    }
    throw new Error("unreachable");
  } catch (error) {
    const failure =
      deadline.failure ??
      (stdio.over ? await explainEnd() : toMcpError(server.name, "the connection", error));
    void process.close();
    throw failure;
  }
}

/** The server is there, and does not want to talk like this. */
function isRefusal(error: unknown): boolean {
  const code: unknown = Object(error).code;
  return typeof code === "number" || code === "ERA_NEGOTIATION_FAILED";
}

/** Why a process that talks no more does not, in what it said itself; without the secrets that it was given. */
async function explain(
  server: McpServerConfig,
  process: OpenProcess,
  secrets: readonly string[],
): Promise<McpError> {
  const exit = await Promise.race([
    process.ended,
    new Promise<undefined>((done) => void setTimeout(() => done(undefined), exitMs)),
  ]);
  if (exit?.fault !== undefined) return unavailable(server.name, exit.fault.message, exit.fault);
  const how = exit === undefined ? "closed its output" : `ended with code ${exit.exitCode}`;
  const clean = secrets.reduce((text, secret) => text.replaceAll(secret, "[secret]"), process.stderrTail());
  const why = said(whyOf(clean));
  const hint = sandboxHint(server, clean);
  return unavailable(
    server.name,
    `its process ${how}${why === "" ? " and said nothing" : `; it said: ${why}`}${hint === undefined ? "" : `; ${hint}`}`,
  );
}

/**
 * Finds the line that names the fault in all that a program said at its end; the frames of a stack come after
 * it.
 */
function whyOf(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const telling = lines.find((line) => !line.startsWith("at ") && faultWords.test(line));
  return telling ?? cutTail(text.trim(), 400);
}

const faultWords =
  /\berror\b|\bcannot\b|can't|not found|no such|denied|refused|\bfailed\b|\binvalid\b|usage:/i;

interface Started {
  readonly process: OpenProcess;
  /** What it was given that nobody else may see. */
  readonly secrets: readonly string[];
}

async function startProcess({ server, services, deadline }: Opening): Promise<Started> {
  const { name, command = "", args = [], env = {}, hosts = [], paths = [], reads = [] } = server;
  const cwd = resolve(services.cwd, fromHome(server.cwd ?? "."));
  const values: string[] = [];
  const learn = (secret: string, value: string) => {
    services.learnSecret?.(secret, value);
    if (value !== "") values.push(value);
  };
  const filled = await fillSecrets(name, env, services.secrets, learn);
  const passed = services.environment.childEnvironment({ scope: `mcp:${name}`, agentId: undefined });
  const opened = services.processes.open([command, ...args], {
    cwd,
    environment: { ...passed, ...filled },
    bounds: {
      writable: paths.map((path) => resolve(cwd, fromHome(path))),
      readable: [
        ...programPlaces([command, ...args], cwd, passed["PATH"]),
        ...reads.map((path) => resolve(cwd, fromHome(path))),
      ],
      hosts,
      allowedHosts: hosts,
    },
    ...(server.unconfined === true && { unconfined: true }),
  });
  try {
    return { process: await deadline.within(opened), secrets: values };
  } catch (error) {
    void opened.then(
      (process) => process.close(),
      () => undefined,
    );
    throw deadline.failure ?? toMcpError(name, "the start", error);
  }
}
