import { join } from "node:path";
import { type Home, readIfThere } from "../home.ts";
import { parseConfig } from "./config.ts";
import type { HaftConfig } from "./config-types.ts";
import { mergeConfigs, onlyStricter, tightenConfig } from "./merge-configs.ts";

/** The name of a project's configuration file. */
export const configFileName = "haft.config.yml";

/** The configuration in force, and where it came from. */
export interface LoadedConfig {
  readonly config: HaftConfig;
  /** The user's own file, and what is taken of the project's. */
  readonly own: HaftConfig;
  readonly project: HaftConfig;
  readonly files: readonly string[];
  /** Whether the project's file may open things up; true where there is none. */
  readonly trusted: boolean;
  /** What the user should be told. */
  readonly warnings: readonly string[];
}

export interface LoadOptions {
  readonly variable: (name: string) => string | undefined;
  /** Take the project's file whole, whatever the user said: to see what it would do. @default false */
  readonly asTrusted?: boolean;
}

/**
 * Reads the user's own configuration and the project's. Of a project that the user has not trusted, only what makes
 * haft stricter is taken.
 *
 * @throws {ConfigError} if a file is there and can't be used.
 */
export async function loadConfig(
  home: Home,
  projectFolder: string,
  { variable, asTrusted = false }: LoadOptions,
): Promise<LoadedConfig> {
  const files: string[] = [];
  const warnings: string[] = [];
  const parse = (file: string, text: string | undefined): Promise<HaftConfig> | HaftConfig => {
    if (text === undefined) return {};
    files.push(file);
    return parseConfig(text, file, variable);
  };
  const own = await parse(home.config, readIfThere(home.config));
  const projectFile = join(projectFolder, configFileName);
  const text = readIfThere(projectFile);
  const project = await parse(projectFile, text);
  const trusted =
    text === undefined || asTrusted || Object.keys(project).length === 0 || home.trusts(projectFile, text);
  if (!trusted) {
    warnings.push(
      `"${projectFile}" is not trusted as it is now, so only what makes haft stricter is taken from it; read it, then run \`haft trust\` in that folder`,
    );
  }
  const taken = trusted ? project : onlyStricter(project);
  const config = trusted ? mergeConfigs(own, taken) : tightenConfig(own, taken);
  return { config, own, project: taken, files, trusted, warnings };
}
