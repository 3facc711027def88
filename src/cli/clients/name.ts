import type { App } from "../../app/index.ts";
import { nearestNames } from "../../base/index.ts";
import { CliError } from "../errors.ts";

/** The clients that the configuration has a word about, by name. */
export function clientNames({ loaded }: Pick<App, "loaded">): readonly string[] {
  return Object.keys(loaded.config.serve?.clients ?? {});
}

/** A name that nothing is written down of would be shown what everybody is: it is a slip. */
export function checkClient(app: Pick<App, "loaded">, name: string | undefined): void {
  const known = clientNames(app);
  if (name === undefined || known.includes(name)) return;
  const nearest = nearestNames(name, known);
  const hint =
    known.length === 0
      ? "name it in `serve.clients` of haft.config.yml"
      : nearest.length > 0
        ? `did you mean ${nearest.join(" or ")}`
        : `there are ${known.join(", ")}`;
  throw new CliError("CLI_NOT_FOUND", `Cannot find a client "${name}"; ${hint}`, {
    details: { nearest, known },
  });
}
