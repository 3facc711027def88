import type { SandboxLevel } from "../../host/index.ts";
import type { App } from "../create-app.ts";
import { checkAgentModel, checkCache } from "./agent.ts";
import type { Finding } from "./finding.ts";
import { checkHome, checkToken } from "./home.ts";
import { checkConfig, checkStore, checkTools } from "./installation.ts";
import { checkNode, checkRipgrep, checkSandbox } from "./machine.ts";
import { checkMemory } from "./memory.ts";
import { checkSources } from "./sources.ts";

/** Checks files and configuration before an installation is opened. */
export function examineHome(folder: string): readonly Finding[] {
  return [checkNode(), checkHome(folder), checkToken(folder)];
}

/** Checks an open installation. Its MCP servers must have answered. */
export async function examineApp(app: App, signal: AbortSignal): Promise<readonly Finding[]> {
  const stored = await checkStore(app, signal);
  const isStored = stored.every(({ status }) => status === "ok");
  return [
    ...checkConfig(app),
    ...checkTools(app),
    ...checkSources(app),
    ...stored,
    ...(isStored ? [await checkMemory(app)] : []),
    await checkAgentModel(app),
    ...(isStored ? [await checkCache(app)] : []),
  ];
}

/** Checks the machine. @param atLeast The sandbox level that the configuration asks for. */
export async function examineMachine(
  atLeast: SandboxLevel | undefined,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  return [await checkSandbox(atLeast), await checkRipgrep(signal)];
}
