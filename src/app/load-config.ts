import { join } from "node:path";
import { type HaftConfig, mergeConfigs, onlyStricter, parseConfig } from "./config.ts";
import { type Home, readIfThere } from "./home.ts";

/** The name of a project's configuration file. */
export const configFileName = "haft.config.yml";

/** The configuration in force, and where it came from. */
export interface LoadedConfig {
  readonly config: HaftConfig;
  readonly files: readonly string[];
  /** Whether the project's file may open things up; true where there is none. */
  readonly trusted: boolean;
  /** What the user should be told. */
  readonly warnings: readonly string[];
}

/**
 * Reads the user's own configuration and the project's. Of a project that the user has not trusted, only the rules
 * that make haft stricter are taken.
 *
 * @throws {ConfigError} if a file is there and can't be used.
 */
export async function loadConfig(
  home: Home,
  projectFolder: string,
  variable: (name: string) => string | undefined,
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
  const trusted = text === undefined || Object.keys(project).length === 0 || home.trusts(projectFile, text);
  if (!trusted) {
    warnings.push(
      `"${projectFile}" is not trusted as it is now, so only its deny and ask rules are used; read it, then run \`haft trust\` in that folder`,
    );
  }
  const config = mergeConfigs(own, trusted ? project : onlyStricter(project));
  return { config, files, trusted, warnings };
}
