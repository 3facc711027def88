import { resolve } from "node:path";
import { cutTail } from "../../../base/index.ts";
import { fromHome, type OpenProcess, programPlaces } from "../../../host/index.ts";
import type { McpError } from "../../errors.ts";
import type { McpServerConfig } from "../config.ts";
import { said, toMcpError, unavailable } from "../faults.ts";
import { fillSecrets } from "../fill-secrets.ts";
import type { Link } from "../link.ts";
import { openLineLink } from "./open-lines.ts";
import type { Opening } from "./opening.ts";
import { sandboxHint } from "./sandbox-hint.ts";

/** The end of a program's words in which the reason of its end is looked for. */
const explainedChars = 8192;
/** The wait for the exit code of a process whose output has ended. */
const exitMs = 300;

/** Starts the server, and talks with it by its input and output. */
export async function openStdioLink(opening: Opening): Promise<Link> {
  const { process, secrets } = await startProcess(opening);
  opening.onProcess(() => hideSecrets(process.stderrTail(), secrets));
  return openLineLink(opening, process, () => explain(opening.server, process, secrets));
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
  const clean = hideSecrets(cutTail(process.stderrTail(), explainedChars), secrets);
  const why = said(explainEnd(clean));
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
function explainEnd(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  const telling = lines.find((line) => !line.startsWith("at ") && faultWords.test(line));
  return telling ?? cutTail(text.trim(), 400);
}

function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, "[secret]"), text);
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
