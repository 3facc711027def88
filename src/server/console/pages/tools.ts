import {
  type CallCount,
  costsOfApp,
  definitionCounter,
  explainCall,
  findOutcome,
} from "../../../app/index.ts";
import { nearestNames } from "../../../base/index.ts";
import {
  type Availability,
  getPackName,
  getServerName,
  llmTargets,
  type Tool,
} from "../../../kernel/index.ts";
import type { ListedTool, ToolForm, ToolObstacle, ToolsApi } from "../api/index.ts";
import type { ConsoleContext, Handlers } from "../route.ts";
import { notFound, readInput, readParams, readSegment, readWord, toCallContext } from "./input.ts";

const countedMs = 7 * 86_400_000;

const triedCall = {
  type: "object",
  properties: { params: {}, agent: { type: "string", maxLength: 200 } },
  required: ["params"],
  additionalProperties: false,
} as const;

/** The page of tools: what there is, what it costs and how it does; a call to try out. */
export const toolHandlers: Handlers<ToolsApi> = {
  "GET /tools": async ({ app, records }, { query, signal }) => {
    const target = readWord(query, "target", llmTargets) ?? "openai";
    await app.sources.listed();
    const toolset = app.executor.toolset(app.context);
    const [costs, counts] = await Promise.all([
      costsOfApp(app, { target, tools: app.registry.list() }),
      records.countCalls({ since: Date.now() - countedMs }, "tool", signal),
    ]);
    const byName = new Map(costs.tools.map((cost) => [cost.name, cost]));
    const byTool = new Map(counts.map((count) => [count.value, count]));
    const tools = app.registry.list().map((tool): ListedTool => {
      const { name, title, description, category, version, annotations } = tool;
      const { shown, callable, allowed } = toolset.of(name);
      const cost = byName.get(name);
      const { value: _value, ...counted } = byTool.get(name) ?? noCalls;
      return {
        name,
        ...(title !== undefined && { title }),
        description,
        category,
        pack: getPackName(tool),
        kind: getServerName(tool) === undefined ? "pack" : "server",
        version,
        annotations,
        tier: cost?.tier,
        tokens: cost?.tokens,
        shown: shown.is,
        callable: callable.is,
        allowed: allowed.is,
        ...counted,
      };
    });
    const { tokenizer, basis, whole, lean } = costs;
    return { target, tokenizer, basis, whole, lean, tools, quarantined: app.registry.quarantined() };
  },

  "GET /tools/:name": async (context, request) => {
    const { app, records } = context;
    const tool = await findTool(context, readSegment(request, "name"));
    const { name } = tool;
    const { describeTool, listToolVersions } = await import("../../../app/views/index.ts");
    const since = Date.now() - countedMs;
    const [versions, states, forms] = await Promise.all([
      listToolVersions(app, name),
      records.countCalls({ tools: [name], since }, "state", request.signal),
      listForms(context, name),
    ]);
    const has = app.executor.toolset(app.context).of(name);
    return {
      tool: describeTool(app, tool, has),
      pack: getPackName(tool),
      kind: getServerName(tool) === undefined ? "pack" : "server",
      obstacles: listObstacles(has),
      forms,
      versions,
      states,
      command: `haft tools show ${name}`,
    };
  },

  "POST /tools/:name/dry-run": async (context, request) => {
    const { params, agent } = await readInput(triedCall, request);
    const { name } = await findTool(context, readSegment(request, "name"));
    const caller = { ...toCallContext(context), ...(agent !== undefined && { agentId: agent }) };
    const explanation = await explainCall(context.app, name, readParams(params), caller);
    return { outcome: findOutcome(explanation), ...explanation };
  },

  "POST /tools/:name/run": async (context, request) => {
    const { params, agent } = await readInput(triedCall, request);
    const { name } = await findTool(context, readSegment(request, "name"));
    return context.app.executor.run(name, readParams(params), {
      ...toCallContext(context),
      signal: request.signal,
      ...(agent !== undefined && { agentId: agent }),
    });
  },
};

const noCalls: CallCount = {
  value: "",
  calls: 0,
  failed: 0,
  stopped: 0,
  p50Ms: undefined,
  p95Ms: undefined,
  p99Ms: undefined,
  lastAt: 0,
};

function listObstacles(has: Availability): readonly ToolObstacle[] {
  return (["shown", "callable", "allowed"] as const).flatMap((part) =>
    has[part].is ? [] : has[part].reasons.map(({ message, remedy }) => ({ part, message, remedy })),
  );
}

async function findTool({ app }: ConsoleContext, word: string): Promise<Tool> {
  await app.sources.listed();
  const tool = app.registry.get(app.registry.resolveName(word));
  if (tool !== undefined) return tool;
  const names = app.registry.list().map(({ name }) => name);
  const nearest = nearestNames(word, names);
  throw notFound(
    "the tool",
    word,
    nearest.length > 0 ? `did you mean ${nearest.join(" or ")}` : "`haft tools` lists them",
  );
}

async function listForms({ app }: ConsoleContext, name: string): Promise<readonly ToolForm[]> {
  return Promise.all(
    llmTargets.map(async (target) => {
      const definition = app.registry.toLLMTool(name, target);
      const counter = await definitionCounter(target);
      return { target, definition, tokens: definition && counter.of(definition) };
    }),
  );
}
