import type { App } from "../../../app/index.ts";
import { toolData } from "../../../app/views/index.ts";
import type { LLMTarget, ToolInfo, Toolset } from "../../../kernel/index.ts";
import { CliError } from "../../errors.ts";
import { readySearch } from "../../ready-search.ts";
import type { Session } from "../../session.ts";
import { obstacleTo } from "../../text/availability.ts";
import { renderFound } from "../../text/found.ts";

interface SearchOptions {
  readonly tools: readonly ToolInfo[];
  readonly toolset: Toolset;
  readonly target?: LLMTarget;
}

const mostFound = 10;

/** `haft tools search`: what the search of agents finds for the same words, and how it ranks it. */
export async function searchTools(
  session: Session,
  app: App,
  words: readonly string[],
  { tools, toolset, target }: SearchOptions,
): Promise<void> {
  const goal = words.join(" ").trim();
  if (goal === "") {
    throw new CliError(
      "CLI_USAGE",
      "Cannot search: say what the tool should do, as in `haft tools search read a file`",
    );
  }
  const finder = await readySearch(app, goal);
  // What may not be called is found too, and marked.
  const found = await finder.search(goal, { limit: mostFound, toolset: { usable: () => tools } });
  const availability = (tool: ToolInfo) => toolset.of(tool.name);
  if (session.asJson) {
    const data = toolData(
      app,
      found.found.map(({ tool }) => tool),
      { target, availability },
    );
    const scored = data.map((one, at) => {
      const { score, scores, neededBy } = found.found[at] ?? {};
      return { ...one, score, scores, ...(neededBy !== undefined && { neededBy }) };
    });
    session.terminal.json(target === undefined ? scored : data);
    return;
  }
  if (found.found.length === 0) {
    session.terminal.err(
      `${found.note ?? "Nothing fits."} Say it in other words, or see \`haft tools\`, which lists all\n`,
    );
    return;
  }
  const marks = (tool: ToolInfo) => obstacleTo(availability(tool));
  session.terminal.out(renderFound(found, marks, session.terminal));
}
