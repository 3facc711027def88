import type { Serving } from "../server/running/index.ts";
import { CliError } from "./errors.ts";
import type { Session } from "./session.ts";

/**
 * Chooses a running server: the one on the given port, else the only one, else the one for this folder.
 *
 * @param wanted The action for the error, such as `stop a haft serve`.
 * @param none The reason in the error if no server runs. @default "none runs"
 * @throws {CliError} CLI_NOT_FOUND
 */
export function chooseServing(
  session: Session,
  running: readonly Serving[],
  {
    port,
    wanted,
    none = "none runs",
  }: { readonly port: number | undefined; readonly wanted: string; readonly none?: string },
): Serving {
  const here = session.folder();
  const fitting =
    port !== undefined
      ? running.filter(({ url }) => Number(new URL(url).port) === port)
      : running.length === 1
        ? running
        : running.filter(({ folder }) => folder === here);
  const [one] = fitting;
  if (one !== undefined && fitting.length === 1) return one;
  const which =
    running.length === 0
      ? none
      : `name one with --port: ${running.map(({ url, folder }) => `${url} for ${folder}`).join(", ")}`;
  throw new CliError("CLI_NOT_FOUND", `Cannot ${wanted}: ${which}`);
}
