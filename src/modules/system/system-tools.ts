import { type Clock, systemClock } from "../../base/index.ts";
import type { Environment } from "../../host/index.ts";
import type { ArtifactStore, Tool } from "../../kernel/index.ts";
import { artifactReadTool } from "./artifact-read.ts";
import { artifactSearchTool } from "./artifact-search.ts";
import { currentTimeTool } from "./current-time.ts";
import { getEnvTool } from "./get-env.ts";
import { setEnvTool } from "./set-env.ts";
import { sleepTool } from "./sleep.ts";

/** What the system tools work with; a tool whose part is absent is left out. */
export interface SystemServices {
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  readonly environment?: Environment | undefined;
  readonly artifacts?: ArtifactStore | undefined;
}

/** `current_time`, `sleep`, `get_env`, `set_env`, `artifact_read`, `artifact_search`. */
export function systemTools({ clock = systemClock, environment, artifacts }: SystemServices): Tool[] {
  return [
    currentTimeTool(clock),
    sleepTool(clock),
    getEnvTool(environment),
    setEnvTool(environment),
    artifactReadTool(artifacts),
    artifactSearchTool(artifacts, clock),
  ].filter((tool) => tool !== null);
}
