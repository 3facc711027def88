import type { App } from "../app/index.ts";
import { readVariable } from "../host/index.ts";
import { CliError } from "./errors.ts";
import { toPort } from "./options/port.ts";

const defaultPort = 4280;

/**
 * The port of `haft serve`, where none was typed: `PORT`, the configuration's, or 4280; `app` is undefined where the
 * configuration can't be used.
 *
 * @throws {CliError} CLI_USAGE where PORT is no port
 */
export function servePort(app: App | undefined): number {
  const variable = readVariable("PORT");
  if (variable !== undefined && variable !== "") return portIn(variable);
  return app?.loaded.config.serve?.port ?? defaultPort;
}

function portIn(variable: string): number {
  try {
    return toPort(variable);
  } catch (cause) {
    throw new CliError(
      "CLI_USAGE",
      `Cannot use PORT=${variable}: give a whole number from 0 to 65535, or unset it`,
      {
        cause,
      },
    );
  }
}
