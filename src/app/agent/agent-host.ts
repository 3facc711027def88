import {
  type AgentEvent,
  compactNow,
  createUsageMeter,
  describeTools,
  driveRun,
  findTool,
  type Interrupts,
  type LoopParts,
  type Prefix,
  type RunEnd,
  StoredJournal,
  toBudgetLimits,
} from "../../agent/index.ts";
import { isRecord, type Json } from "../../base/index.ts";
import type { Approver, CallContext, Interaction, ToolExecutor, ToolRegistry } from "../../kernel/index.ts";
import type { ChatModel, ImagePart, TextPart } from "../../model/index.ts";
import type { MemoryService } from "../../modules/memory/module.ts";
import type { Run, Session } from "../../modules/sessions/index.ts";
import type { Usage } from "../../modules/usage/index.ts";
import type { AgentSettings } from "../../sources/index.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { AgentSetupError } from "../errors.ts";
import type { Models } from "../models/models.ts";
import type { ClientView } from "../selection/client-view.ts";
import type { Sources } from "../sources/open-sources.ts";
import type { Store } from "../store/open-store.ts";
import { callHistory } from "./call-history.ts";
import { houseRules } from "./house-rules.ts";
import { describeMove, findSessionFolder, readFolder, requireFolder } from "./session-folder.ts";

/** A run to begin: the message, the agent and the session. */
export interface NewTurn {
  readonly parts: readonly (TextPart | ImagePart)[];
  /** The session that the run continues. @default a new one */
  readonly sessionId?: string;
  /** Where a new session takes place: `terminal`, … */
  readonly channel: string;
  /** The agent of a new session. @default "main" */
  readonly agentId?: string;
  /** The name of a model in the configuration. @default the agent file's, then that of `agent.model` */
  readonly model?: string;
  /** @default the agent file's, then that of `agent.maxSteps` */
  readonly maxSteps?: number;
  /** US dollars for the run. @default `agent.budget.run` */
  readonly usd?: number;
}

/** How a run is driven. */
export interface DriveTurn {
  readonly emit: (event: AgentEvent) => void;
  readonly interrupts: Interrupts;
  /** Who is asked about its calls. @default nobody: what would ask is refused */
  readonly approver?: Approver;
  /** Leaves the run for later, or for another process. */
  readonly leave?: AbortSignal;
}

/** Limits and settings of a run, as they are stored with it. */
interface TurnSettings {
  readonly model: string;
  readonly maxSteps: number;
  readonly usd?: number;
}

/** How a paused run is resumed. */
export interface ResumedTurn {
  /** How many more steps it may have. @default as many as it had */
  readonly more?: number;
  /** The run's budget in US dollars, with what it has spent already. @default as before */
  readonly usd?: number;
}

const defaultAgent = "main";
const defaultMaxSteps = 100;
const mostTitleChars = 80;
const compactLeaseMs = 300_000;
const resumeLeaseMs = 10_000;

/** Services of an installation that its agents use. */
export interface AgentServices {
  readonly folder: string;
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  readonly context: CallContext;
  readonly loaded: LoadedConfig;
  readonly models: Models;
  readonly memory: MemoryService;
  readonly sources: Sources;
  readonly viewForGoal: (goal: string | undefined) => Promise<ClientView>;
  readonly store: () => Promise<Store>;
}

/** Starts, resumes and drives the runs of one installation. */
export class AgentHost {
  readonly #app: AgentServices;

  constructor(app: AgentServices) {
    this.#app = app;
  }

  /**
   * Stores a message and the run that will answer it. Nothing else happens until the run is driven.
   *
   * @throws {AgentSetupError} AGENT_MODEL: no model is configured, or none of this name.
   * @throws {SessionError} SESSION_NOT_FOUND
   */
  async begin(turn: NewTurn): Promise<Run> {
    const { sessions, runs } = await this.#app.store();
    const there = await this.#findSession(turn);
    const settings = this.#chooseSettings(there?.agentId ?? turn.agentId ?? defaultAgent, turn);
    const session = there ?? (await this.#openSession(turn));
    const { folder } = this.#app;
    if (turn.parts.length > 0) {
      const moved = there === undefined ? [] : describeMove(await this.findFolder(there.id), folder);
      const parts = [...turn.parts, ...moved];
      await sessions.post({ scope: this.#scope, sessionId: session.id, sender: "user", parts });
    }
    return runs.begin({
      scope: this.#scope,
      kind: "turn",
      sessionId: session.id,
      settings: { ...settings, folder } satisfies Json,
    });
  }

  /**
   * Resumes a run that paused, or that no process drives any more. Undefined if another process has it, or it has
   * ended.
   *
   * @throws {AgentSetupError} AGENT_FOLDER: it works in another folder.
   */
  async resume(runId: string, { more, usd }: ResumedTurn = {}): Promise<Run | undefined> {
    const { runs } = await this.#app.store();
    const there = await runs.get(this.#scope, runId);
    if (there !== undefined) requireFolder(there, this.#app.folder);
    const run = await runs.claim(this.#scope, runId, resumeLeaseMs);
    if (run === undefined) return undefined;
    const settings = readSettings(run);
    const isOut = run.steps >= settings.maxSteps;
    const maxSteps = isOut ? run.steps + (more ?? settings.maxSteps) : settings.maxSteps;
    const folder = readFolder(run);
    const kept = { ...settings, ...(folder !== undefined && { folder }) };
    await runs.write(run, {
      entries: [{ kind: "note", about: "resumed", text: "Go on with what you were at." }],
      run: { state: "running", settings: { ...kept, maxSteps, ...(usd !== undefined && { usd }) } },
    });
    await runs.release(run);
    return runs.get(this.#scope, runId);
  }

  /**
   * The run of this id, or the newest of the session of this id.
   *
   * @throws {AgentSetupError} AGENT_SESSION: there is neither.
   */
  async find(id: string): Promise<{ readonly sessionId: string; readonly run: Run | undefined }> {
    const { sessions, runs } = await this.#app.store();
    const run = await runs.get(this.#scope, id);
    if (run !== undefined) return { sessionId: run.sessionId, run };
    const session = await sessions.get(this.#scope, id);
    if (session === undefined) throw noSession(id);
    const found = await runs.list({ scope: this.#scope, sessionId: id });
    return { sessionId: id, run: found.find(({ kind }) => kind !== "reflect") };
  }

  /** The folder that the newest run of a session works in; undefined where that is not known. */
  async findFolder(sessionId: string): Promise<string | undefined> {
    const { runs } = await this.#app.store();
    return findSessionFolder(runs, this.#scope, sessionId);
  }

  /** Ends a run that never began, because another process has one of its session. */
  async abandon({ id, steps }: Run): Promise<void> {
    const { runs } = await this.#app.store();
    if (steps === 0) await runs.stop(this.#scope, id, "busy");
  }

  /** Whether messages wait that no run has read. */
  async hasWaiting(sessionId: string): Promise<boolean> {
    const { sessions } = await this.#app.store();
    return (await sessions.waiting(this.#scope, sessionId)).length > 0;
  }

  /** Drives a run until it ends or can't go on by itself. Undefined if another process has it, or it has ended. */
  async drive(run: Run, { emit, interrupts, approver, leave }: DriveTurn): Promise<RunEnd | undefined> {
    const app = this.#app;
    await app.sources.listed();
    const { sessions, runs, ledger, usage } = await app.store();
    const { model: modelName, maxSteps } = readSettings(run);
    const model = await app.models.open(modelName);
    const goal = await this.#readGoal(run);
    const { bounds, interaction } = await this.#openInteraction(run, goal);
    const { dialect } = model.facts;
    const end = await driveRun({
      store: { sessions, runs },
      scope: this.#scope,
      runId: run.id,
      model,
      executor: app.executor,
      history: callHistory(ledger, app.registry),
      readArguments: (name, given) => app.registry.fromLLMArguments(name, given, dialect),
      makePrefix: () => this.#makePrefix(run, model, interaction),
      context: () => ({
        ...bounds,
        taskId: run.id,
        interaction,
        limits: interaction.limits,
        goal,
        trust: run.trust,
        ...(approver !== undefined && { approver }),
      }),
      interrupts,
      emit,
      meter: await this.#meterFor(run, model, usage),
      maxSteps,
      mayRepeat: (name) => findTool(app.registry, name)?.mayRepeat === true,
      ...(leave !== undefined && { leave }),
    });
    if (end !== undefined && end.state !== "parked") await ledger.forgetOutcomes(`${run.id}.`);
    return end;
  }

  /** Sums up the older part of a session, and returns a sentence about the outcome. */
  async compact(sessionId: string): Promise<string> {
    const { sessions, runs, usage } = await this.#app.store();
    const [last] = await runs.list({ scope: this.#scope, sessionId, limit: 1 });
    if (last === undefined) throw noSession(sessionId);
    const model = await this.#app.models.open(readSettings(last).model);
    const { id } = await runs.begin({
      scope: this.#scope,
      kind: "reflect",
      sessionId,
      settings: last.settings,
    });
    const run = await runs.claim(this.#scope, id, compactLeaseMs);
    if (run === undefined) {
      await runs.stop(this.#scope, id, "busy");
      return "The conversation is under way: sum it up once that has ended";
    }
    try {
      const { interaction } = await this.#openInteraction(run, "");
      const done = await compactNow({
        journal: await StoredJournal.open({ sessions, runs }, run),
        model,
        makePrefix: () => this.#makePrefix(run, model, interaction),
        meter: await this.#meterFor(run, model, usage),
        signal: AbortSignal.timeout(compactLeaseMs),
      });
      if (done === undefined) return "There is too little to sum up";
      return "text" in done ? done.text : "What was said first is summed up now";
    } finally {
      await runs.write(run, { run: { state: "completed", why: "compact" } });
    }
  }

  get #scope(): string {
    return this.#app.context.scope ?? "local";
  }

  async #findSession({ sessionId }: NewTurn): Promise<Session | undefined> {
    if (sessionId === undefined) return undefined;
    const { sessions } = await this.#app.store();
    const there = await sessions.get(this.#scope, sessionId);
    if (there === undefined) throw noSession(sessionId);
    return there;
  }

  async #openSession({ channel, agentId = defaultAgent, parts }: NewTurn): Promise<Session> {
    const { sessions } = await this.#app.store();
    const [first] = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const title = (first ?? "").trim().split("\n")[0]?.slice(0, mostTitleChars);
    return sessions.open({ scope: this.#scope, agentId, channel, ...(title !== undefined && { title }) });
  }

  #chooseSettings(agentId: string, turn: NewTurn): TurnSettings {
    const { models, loaded } = this.#app;
    const own = this.#findAgent(agentId);
    const model = turn.model ?? own?.model ?? models.agentModel;
    if (model === undefined)
      throw new AgentSetupError(
        "AGENT_MODEL",
        "Cannot ask a model: none is configured; name one under `models` in the configuration and as `agent.model`, with its key as a secret or the url of a server of your own (`haft help models`)",
      );
    if (!models.names.includes(model))
      throw new AgentSetupError(
        "AGENT_MODEL",
        `Cannot ask the model "${model}": there is none of this name; \`haft models\` lists ${models.names.join(", ")}`,
      );
    const maxSteps = turn.maxSteps ?? own?.maxIterations ?? loaded.config.agent?.maxSteps ?? defaultMaxSteps;
    return { model, maxSteps, ...(turn.usd !== undefined && { usd: turn.usd }) };
  }

  #findAgent(agentId: string): AgentSettings | undefined {
    return this.#app.sources.agentSource?.agents().find(({ id }) => id === agentId)?.settings;
  }

  /** The user's newest message. */
  async #readGoal({ sessionId }: Run): Promise<string> {
    const { sessions } = await this.#app.store();
    const waiting = await sessions.waiting(this.#scope, sessionId);
    const parts =
      waiting.at(-1)?.parts ??
      (await sessions.shown(this.#scope, sessionId)).findLast((entry) => entry.kind === "user")?.parts ??
      [];
    return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  }

  /** Counts the requests of a run, and keeps them within its budgets. */
  async #meterFor(run: Run, model: ChatModel, usage: Usage): Promise<NonNullable<LoopParts["meter"]>> {
    const { sessions } = await this.#app.store();
    const source = (await sessions.get(this.#scope, run.sessionId))?.channel;
    const meter = createUsageMeter({ usage, findPrices: (id) => this.#app.models.findPrices(id) });
    const { budget = {} } = this.#app.loaded.config.agent ?? {};
    const { usd } = readSettings(run);
    const own = usd === undefined ? budget.run : { ...budget.run, usd };
    const budgets = {
      ...(own !== undefined && { run: toBudgetLimits(own) }),
      ...(budget.agentDay !== undefined && { agentDay: toBudgetLimits(budget.agentDay) }),
      ...(budget.day !== undefined && { installationDay: toBudgetLimits(budget.day) }),
    };
    return ({ step, ...request }) =>
      meter.before({
        ...request,
        scope: this.#scope,
        model,
        run: { id: run.id, rootId: run.rootId, step },
        sessionId: run.sessionId,
        agentId: run.agentId,
        project: this.#app.folder,
        ...(source !== undefined && { source }),
        budgets,
      });
  }

  async #openInteraction(
    run: Run,
    goal: string,
  ): Promise<{ readonly bounds: CallContext; readonly interaction: Interaction }> {
    const { executor } = this.#app;
    const view = await this.#app.viewForGoal(goal === "" ? undefined : goal);
    const bounds: CallContext = {
      ...view.bounds,
      ...(run.agentId !== defaultAgent && { agentId: run.agentId }),
      origin: { channel: "agent", id: run.id, session: run.sessionId },
    };
    return { bounds, interaction: view.open({ toolset: () => executor.toolset(bounds) }) };
  }

  async #makePrefix(run: Run, model: ChatModel, interaction: Interaction): Promise<Prefix> {
    const instructions = this.#findAgent(run.agentId)?.instructions.trim() ?? "";
    const remembered = await this.#remember();
    const system = [houseRules, instructions, remembered].filter((text) => text !== "");
    return {
      model: model.id,
      system: system.map((text, at) => (at === system.length - 1 ? { text, mark: true } : { text })),
      tools: describeTools(
        this.#app.registry,
        interaction.shown.map(({ name }) => name),
        model.facts,
      ),
    };
  }

  /** The part of memory that goes into every prompt. */
  async #remember(): Promise<string> {
    const { store } = await this.#app.memory.filed();
    const { memoryContext } = await import("../../modules/memory/upkeep/index.ts");
    return (await memoryContext(store, this.#scope)).text;
  }
}

function noSession(id: string): AgentSetupError {
  return new AgentSetupError(
    "AGENT_SESSION",
    `Cannot go on with "${id}": there is no session and no run of this id; \`haft sessions\` lists them`,
  );
}

function readSettings({ settings }: Run): TurnSettings {
  const { model, maxSteps, usd } = isRecord(settings) ? settings : {};
  return {
    model: typeof model === "string" ? model : "",
    maxSteps: typeof maxSteps === "number" ? maxSteps : defaultMaxSteps,
    ...(typeof usd === "number" && { usd }),
  };
}
