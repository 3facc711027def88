import {
  describeTools,
  type Journal,
  measureRequest,
  type News,
  type NewsNote,
  type NewsSource,
  type Prefix,
  type PrefixPart,
  type SpeechMode,
} from "../../agent/index.ts";
import { type Clock, isRecord, parseJson, systemClock } from "../../base/index.ts";
import type {
  CallContext,
  Interaction,
  Redact,
  ToolExecutor,
  ToolLimits,
  ToolRegistry,
} from "../../kernel/index.ts";
import { type ChatModel, countTokens } from "../../model/index.ts";
import { findMemoryScope } from "../../modules/memory/index.ts";
import type { MemoryService } from "../../modules/memory/module.ts";
import type { MemoryContextText } from "../../modules/memory/upkeep/index.ts";
import { type Run, taskChannel } from "../../modules/sessions/index.ts";
import { cacheTerms, chooseLoadForm } from "../../search/index.ts";
import type { AgentFile } from "../../sources/index.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import type { ClientView, ClientViewOptions } from "../selection/client-view.ts";
import type { GoalPacks } from "../selection/goal-packs.ts";
import type { Sources } from "../sources/open-sources.ts";
import { houseRules, replyRule } from "./house-rules.ts";
import { noteInstructions, noteMemory, noteProject, noteTime } from "./prompt-notes.ts";
import { toSeenMemories } from "./seen-memories.ts";
import { readPart, Told, type ToldJournal } from "./told.ts";
import { compareTools, noteTools, readToldTools, type ToolChange } from "./tool-news.ts";

/** Services of an installation that a prompt is made of. */
export interface PromptServices {
  readonly folder: string;
  readonly loaded: LoadedConfig;
  readonly registry: ToolRegistry;
  readonly executor: Pick<ToolExecutor, "toolset">;
  readonly memory: Pick<MemoryService, "context">;
  readonly sources: Sources;
  /** Takes secrets out, as the store does: what the model is shown first is what another process shows it. @default nothing is secret */
  readonly redact?: Redact;
  readonly viewFor: (client?: ClientViewOptions) => ClientView;
  readonly packsFor: (goal: string, context?: CallContext, before?: readonly string[]) => Promise<GoalPacks>;
}

/** The run that a prompt is for. */
export interface PromptOptions {
  readonly run: Pick<Run, "id" | "scope" | "kind" | "agentId" | "sessionId">;
  readonly model: ChatModel;
  readonly speaks: SpeechMode;
  /** The id of the agent in whose name its calls are made. @default nobody's */
  readonly caller?: string;
  /** Limits of the run, beside those of its agent. @default none */
  readonly limits?: readonly ToolLimits[];
  /** The session of the outermost run: what its runs have seen is known to all of them. @default the run's own */
  readonly conversation?: string;
  /** The agent's file, as it is now. */
  readonly findAgent: () => AgentFile | undefined;
  /** Instructions in place of the rules of the house, the agent's own, and memory. All tools are shown then. @default those */
  readonly rules?: string;
  readonly clock?: Clock;
}

/**
 * What the model of one run is shown beside its conversation: rules, instructions, memory and tools. They are frozen when
 * an epoch begins; later changes are told in notes.
 */
export class AgentPrompt implements NewsSource {
  readonly #services: PromptServices;
  readonly #options: PromptOptions;
  readonly #bounds: CallContext;
  readonly #interaction: Interaction;
  readonly #core: ReadonlySet<string>;
  readonly #told = new Told();
  #joined: { readonly shown: readonly ToolLimits[]; readonly limits: readonly ToolLimits[] } | undefined;
  #goal = "";
  /** The memory in the prefix that was made for the request that comes next. */
  #fresh: string | undefined;
  /** Whether this process has compared memory with what the model was told. */
  #hasCheckedMemory = false;
  /** The tools as they were when they were last compared. */
  #compared: { readonly epoch: number; readonly shown: unknown; readonly available: unknown } | undefined;

  constructor(services: PromptServices, options: PromptOptions) {
    const { run, caller, limits, conversation = run.sessionId } = options;
    const { serve } = services.loaded.config;
    const isWhole = options.rules !== undefined || serve?.expose === "all";
    const view = services.viewFor({ expose: isWhole ? "all" : "lean" });
    this.#services = services;
    this.#options = options;
    this.#bounds = {
      ...view.bounds,
      ...(caller !== undefined && { agentId: caller }),
      ...(limits !== undefined && { limits: [...(view.bounds.limits ?? []), ...limits] }),
      origin: { channel: "agent", id: run.id, session: conversation },
    };
    this.#interaction = view.open({ toolset: () => services.executor.toolset(this.#bounds) });
    this.#core = new Set(this.#interaction.shown.map(({ name }) => name));
  }

  /** The context of each call of the run. */
  get context(): CallContext {
    const interaction = this.#interaction;
    return { ...this.#bounds, interaction, limits: this.#joinLimits(interaction.limits), goal: this.#goal };
  }

  /** The limits of the run with those of what it is shown: the same array until these change. */
  #joinLimits(shown: readonly ToolLimits[]): readonly ToolLimits[] {
    const { limits: own } = this.#options;
    if (own === undefined) return shown;
    if (this.#joined?.shown !== shown) this.#joined = { shown, limits: [...own, ...shown] };
    return this.#joined.limits;
  }

  /**
   * Restores the tools that the session has loaded. The first request of a run also loads the packs that fit its
   * message.
   */
  async resume(journal: Journal): Promise<void> {
    const { kind } = this.#options.run;
    this.#goal = await readGoal(journal);
    this.#told.read(journal);
    this.#interaction.resume(readToldTools(this.#told.state("tools"), journal.prefix).handle);
    for (const names of listLoads(journal)) this.#interaction.load(names);
    const hasBegun = journal.prefix !== undefined;
    // A task keeps the tools of its first message: what resumes it goes on with the same work.
    if (kind === "reflect" || (kind === "task" && hasBegun) || journal.steps > 0 || this.#goal === "") return;
    for (const pack of await this.#choosePacks(hasBegun)) this.#interaction.loadPack(pack);
  }

  /** Instructions, memory and tools as they are now. */
  async makePrefix(): Promise<Prefix> {
    const { model, speaks, rules } = this.#options;
    const remembered = await this.#remember();
    this.#fresh = remembered.text;
    const parts: PrefixPart[] = [
      { text: rules ?? (speaks === "reply" ? `${houseRules}\n${replyRule}` : houseRules) },
      { text: this.#instructions, about: "instructions" },
      { text: remembered.text, about: "memory" },
    ];
    const system = parts.filter(({ text }) => text !== "");
    return {
      model: model.id,
      ...(remembered.entries.length > 0 && { seen: toSeenMemories(remembered.entries) }),
      system: system.map((part, at) => (at === system.length - 1 ? { ...part, mark: true } : part)),
      tools: this.#describe(),
      handle: this.#interaction.handle,
    };
  }

  async find(journal: Journal): Promise<News> {
    this.#told.read(journal);
    const isAddressed = this.#told.needsTime;
    const change = this.#compareTools(journal);
    const prefix =
      change !== undefined && this.#isNative(journal, change) ? await this.makePrefix() : undefined;
    if (prefix !== undefined) this.#compared = undefined;
    const notes = [
      this.#findProjectNews(prefix !== undefined),
      ...(prefix === undefined
        ? [
            this.#findInstructionNews(journal),
            await this.#findMemoryNews(journal, isAddressed),
            change && noteTools(change),
          ]
        : []),
      isAddressed ? noteTime((this.#options.clock ?? systemClock).now()) : undefined,
    ];
    this.#fresh = undefined;
    return {
      notes: notes.filter((note) => note !== undefined),
      ...(prefix !== undefined && { prefix }),
    };
  }

  explainGone({ prefix }: ToldJournal, name: string): string | undefined {
    const { told } = readToldTools(this.#told.state("tools"), prefix);
    const isTold = Object.hasOwn(told, name) || prefix?.tools.some((tool) => tool.name === name) === true;
    return isTold ? this.#whyGone(name) : undefined;
  }

  #findProjectNews(isNewEpoch: boolean): NewsNote | undefined {
    const { folder } = this.#services;
    if (!isNewEpoch && this.#told.state("project") === folder) return undefined;
    return noteProject(folder, this.#told.lastState("project"));
  }

  #findInstructionNews(journal: ToldJournal): NewsNote | undefined {
    const now = this.#instructions;
    const before = this.#told.state("instructions") ?? readPart(journal, "instructions");
    return before === now ? undefined : noteInstructions(now);
  }

  /** Reads memory once somebody has said something: what the run itself remembers meanwhile, it knows. */
  async #findMemoryNews(journal: Journal, isAddressed: boolean): Promise<NewsNote | undefined> {
    if (!isAddressed && this.#hasCheckedMemory) return undefined;
    this.#hasCheckedMemory = true;
    const before = this.#told.state("memory") ?? readPart(journal, "memory");
    // A run that has asked nothing yet has changed nothing since its prefix was made.
    const fresh = journal.steps === 0 ? this.#fresh : undefined;
    return noteMemory(typeof before === "string" ? before : "", fresh ?? (await this.#remember()).text);
  }

  #compareTools(journal: ToldJournal): ToolChange | undefined {
    const { epoch, prefix } = journal;
    const { shown, toolset } = this.#interaction;
    const available = toolset.usable();
    const last = this.#compared;
    const isSame = last?.epoch === epoch && last.shown === shown && last.available === available;
    if (prefix === undefined || isSame) return undefined;
    this.#compared = { epoch, shown, available };
    return compareTools(prefix, readToldTools(this.#told.state("tools"), prefix), {
      definitions: this.#describe(),
      whyGone: (name) => this.#whyGone(name),
      handle: this.#interaction.handle,
    });
  }

  /** Whether new tools join the definitions in a new epoch, rather than being told in a note. */
  #isNative(journal: Journal, { came }: ToolChange): boolean {
    if (came.length === 0) return false;
    const { model } = this.#options;
    const { system = [], tools = [] } = journal.prefix ?? {};
    const isWrapped = tools.some(({ name }) => name === wrapper) && this.#whyGone(wrapper) === undefined;
    if (!isWrapped) return true;
    const prefixTokens = countTokens(JSON.stringify([system, tools]));
    const sizes = {
      request: Math.max(measureRequest(journal), prefixTokens),
      loaded: countTokens(JSON.stringify(came)),
    };
    const { cache, dialect } = model.facts;
    return chooseLoadForm(sizes, cache === "none" ? undefined : cacheTerms[dialect]) === "native";
  }

  #whyGone(name: string): string | undefined {
    const { tool, callable, allowed } = this.#interaction.toolset.of(name);
    if (callable.is && allowed.is) return undefined;
    if (tool === undefined) return this.#whyMissing(name);
    return [callable, allowed]
      .flatMap(({ is, reasons }) => (is ? [] : reasons.map(({ message }) => message)))
      .join(", and ");
  }

  #whyMissing(name: string): string {
    const server = this.#services.sources.mcp?.health().find((one) => name.startsWith(`${one.server}__`));
    if (server === undefined) return "what brought it is not there now";
    const { status, reason } = server;
    if (status === "ready") return `the MCP server "${server.server}" no longer offers it`;
    return `the MCP server "${server.server}" is ${status}${reason === undefined ? "" : ` (${reason})`}`;
  }

  #describe(): Prefix["tools"] {
    const names = this.#interaction.shown.map(({ name }) => name);
    return describeTools(this.#services.registry, names, this.#options.model.facts);
  }

  get #instructions(): string {
    if (this.#options.rules !== undefined) return "";
    return this.#redact(this.#options.findAgent()?.settings?.instructions.trim() ?? "");
  }

  /** The part of memory that goes into every prompt: the agent's own, then that of all agents without one of their own. */
  async #remember(): Promise<Pick<MemoryContextText, "text" | "entries">> {
    const { rules, run, caller } = this.#options;
    if (rules !== undefined) return { text: "", entries: [] };
    const { scope } = run;
    const own = caller === undefined ? scope : findMemoryScope({ scope, agentId: caller });
    const parts: MemoryContextText[] = [];
    for (const place of new Set([own, scope])) parts.push(await this.#services.memory.context(place));
    const text = parts.flatMap((part) => (part.text === "" ? [] : [part.text])).join("\n");
    return { text: this.#redact(text), entries: parts.flatMap(({ entries }) => entries) };
  }

  #redact(text: string): string {
    return this.#services.redact?.(text) ?? text;
  }

  /**
   * The packs to load for the message; none if all tools are shown anyway. A conversation that has begun gets only
   * packs that match the message: the budget is filled at its beginning alone.
   */
  async #choosePacks(hasBegun: boolean): Promise<readonly string[]> {
    const { shown, toolset } = this.#interaction;
    if (toolset.shown().length <= shown.length) return [];
    const before = shown.flatMap(({ name }) => (this.#core.has(name) ? [] : [name]));
    const earlier = hasBegun ? before : undefined;
    const { packs, by } = await this.#services.packsFor(this.#goal, this.#bounds, earlier);
    return hasBegun && by === "budget" ? [] : packs;
  }
}

/** The tool that calls tools which the list does not define. */
const wrapper = "call_tool";

/** The user's newest message. */
async function readGoal(journal: Journal): Promise<string> {
  const waiting = (await journal.waiting()).filter(({ channel }) => channel !== taskChannel);
  const said = waiting.at(-1) ?? journal.entries.findLast((entry) => entry.kind === "user");
  return (said?.parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** The names of the tools that each call of load_tools in this epoch added. */
function listLoads({ entries, epoch }: ToldJournal): readonly (readonly string[])[] {
  return entries.flatMap((entry) => {
    if (entry.kind !== "result" || entry.name !== "load_tools" || entry.failed || entry.epoch !== epoch)
      return [];
    const said = parseJson(entry.text);
    const added = isRecord(said) ? said["tools_added"] : undefined;
    return Array.isArray(added) ? [added.filter((name) => typeof name === "string")] : [];
  });
}
