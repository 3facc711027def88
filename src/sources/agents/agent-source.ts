import { readSourceFile, type SourceFile } from "../../host/index.ts";
import { FollowedFiles } from "../followed-files.ts";
import { type FileProblem, unreadable } from "../problems.ts";
import {
  type AgentFile,
  brokenAgent,
  type FindPackFault,
  type ReadAgent,
  readAgentFile,
} from "./agent-file.ts";

export interface AgentSourceServices {
  /** The files in which an agent may be described. */
  readonly files: readonly string[];
  readonly accepts: (file: Pick<SourceFile, "path" | "text">) => boolean;
  /** @default every entry is taken as it is */
  readonly findPackFault?: FindPackFault;
  /** Follow changes of the files. */
  readonly watch: boolean;
}

/** The agents that are described in files. */
export interface AgentSource {
  start(): Promise<void>;
  /** The same array until something changes. */
  agents(): readonly AgentFile[];
  problems(): readonly FileProblem[];
  /** Looks again: after the owner has accepted a file. */
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** Agents in Markdown. Where a file is wrong, what it said when it was right goes on to hold. */
export function createAgentSource({ files, watch, ...services }: AgentSourceServices): AgentSource {
  let kept = new Map<string, AgentFile>();
  let agents: readonly AgentFile[] = [];
  let problems: readonly FileProblem[] = [];
  const load = async () => {
    const read = await Promise.all(files.map((file) => readAgent(file, services)));
    const found = read.flatMap((one) => one ?? []);
    agents = found.map(({ agent, problems: faults }) => {
      const last = kept.get(agent.file);
      return last !== undefined && faults.some(({ level }) => level === "error") ? last : agent;
    });
    kept = new Map(agents.map((agent) => [agent.file, agent]));
    problems = found.flatMap((one) => one.problems);
  };
  const followed = new FollowedFiles({ paths: files, watch, load });
  return {
    start: () => followed.start(),
    agents: () => agents,
    problems: () => problems,
    reload: () => followed.reload(),
    close: () => followed.close(),
  };
}

/** Undefined where there is none. An empty one is what a command leaves that is kept from writing one. */
async function readAgent(
  path: string,
  { accepts, findPackFault }: Pick<AgentSourceServices, "accepts" | "findPackFault">,
): Promise<ReadAgent | undefined> {
  const file = await readSourceFile(path);
  if (file === undefined) return undefined;
  if ("reason" in file) return { agent: brokenAgent(path, undefined), problems: [unreadable(file)] };
  return file.text.trim() === "" ? undefined : readAgentFile(file, accepts(file), findPackFault);
}
