import { inject } from "vitest";
import { sandboxLevels } from "../../src/host/index.ts";

/**
 * A configuration (YAML, or JSON in one line) for this machine. Where commands are confined less than haft asks for by
 * default, it lets them run all the same: what a test proves of them by default it proves so there.
 */
export function forThisMachine(config: string): string {
  if (isEnough() || /^sandbox:/m.test(config)) return config;
  return config.startsWith("{")
    ? config.replace("{", '{ "sandbox": { "atLeast": "none" }, ')
    : `${config}${config === "" || config.endsWith("\n") ? "" : "\n"}sandbox: { atLeast: none }\n`;
}

function isEnough(): boolean {
  return sandboxLevels.indexOf(inject("isolation")) <= sandboxLevels.indexOf("other-user");
}
