import {
  type AgentEvent,
  type BudgetSettings,
  compactNow,
  driveRun,
  findTool,
  type Interrupts,
  type RunEnd,
  type SpeechMode,
  StoredJournal,
} from "../../agent/index.ts";
import type { Json } from "../../base/index.ts";
import {
  type Approver,
  type CallContext,
  defaultAgent,
  type Mode,
  type ToolExecutor,
  type ToolLimits,
  type Trust,
} from "../../kernel/index.ts";
import type { ChatModel, ImagePart, TextPart } from "../../model/index.ts";
import type { Reply } from "../../modules/messages/index.ts";
import { type Run, type Session, toRunJob } from "../../modules/sessions/index.ts";
import type { AgentFile } from "../../sources/index.ts";
import type { Agents } from "../availability/agents.ts";
import { AgentSetupError } from "../errors.ts";
import type { Models } from "../models/models.ts";
import type { Store } from "../store/open-store.ts";
import { DrivenRuns } from "../tasks/driven-runs.ts";
import { findUnfinished } from "../tasks/open-tasks.ts";
import { requireApproved } from "../tasks/require-approved.ts";
import { withTaskProgress } from "../tasks/task-progress.ts";
import { limitTask } from "../tasks/task-tools.ts";
import { WorkTime } from "../tasks/work-time.ts";
import { AgentPrompt, type PromptServices } from "./agent-prompt.ts";
import { beginAgain } from "./begin-again.ts";
import { callHistory } from "./call-history.ts";
import { describeWork } from "./describe-work.ts";
import { findCaller, requireAgent } from "./memory-scope.ts";
import { readArguments } from "./read-arguments.ts";
import { type RecordServices, recordDueTurns } from "./record-turns.ts";
import { frameReflection, type ReflectionFrame } from "./reflection.ts";
import { Replies } from "./replies.ts";
import { requireTighter } from "./resumed-mode.ts";
import { findSessionFolder, readFolder, requireFolder } from "./run-folder.ts";
import { meterRun } from "./run-meter.ts";
import {
  chooseSettings,
  type OtherLimits,
  readSettings,
  requireModel,
  type WantedSettings,
} from "./turn-settings.ts";

/** A run to begin: the message, the agent and the session. */
export interface NewTurn extends WantedSettings {
  readonly parts: readonly (TextPart | ImagePart)[];
  /** How far the parts can be trusted. With files that hold data from outside, the message is untrusted. @default "trusted" */
  readonly trust?: Trust;
  /** The session that the run continues. @default a new one */
  readonly sessionId?: string;
  /** The channel of a new session: `terminal`, … */
  readonly channel: string;
  /** The place of a new session in its channel: the agent's session there is continued. @default a place of its own */
  readonly address?: string;
  /** The agent of a new session. @default "main" */
  readonly agentId?: string;
  /** Whether the run is left to a program that works in the background for this folder. @default false */
  readonly inBackground?: boolean;
}

/** How a run is driven. */
export interface DriveTurn {
  readonly emit: (event: AgentEvent) => void;
  readonly interrupts: Interrupts;
  /** Who is asked about its calls. @default nobody: what would ask is refused */
  readonly approver?: Approver;
  /** Leaves the run for later, or for another process. */
  readonly leave?: AbortSignal;
  /** The channel of a person who is shown the events, so that the agent can speak by `reply`. @default nobody is */
  readonly replyChannel?: string;
  /** Whether a call that asks is parked if nobody can be asked, or nobody answers in time. @default false */
  readonly inBackground?: boolean;
}

/** What whoever starts a task wants of it. */
export interface TaskWishes {
  readonly budget?: BudgetSettings;
  readonly mode?: Mode;
  /** The name of a model in the configuration. @default the agent's */
  readonly model?: string;
  /** The only tools that it may call: those of the run that starts it. @default all that its agent may */
  readonly allowedTools?: readonly string[];
}

/** How a paused run is resumed. */
export interface ResumedTurn {
  /** How many more steps it may have. @default as many as it had */
  readonly more?: number;
  /** The run's budget in US dollars, with what it has spent already. @default as before */
  readonly usd?: number;
  /** Other limits of the run's budget, also with what is spent already. @default as before */
  readonly limits?: OtherLimits;
  /** Name of the model to ask from now on. @default as before */
  readonly model?: string;
  /** Its mode from now on, which allows no more than the one that it was begun in. @default as before */
  readonly mode?: Mode;
}

const mostTitleChars = 80;
const compactLeaseMs = 300_000;
const resumeLeaseMs = 10_000;
/** How long a question of a background run can be answered. */
const questionLifeMs = 86_400_000;

/** Services of an installation that its agents use. */
export interface AgentServices extends PromptServices, RecordServices {
  readonly memory: PromptServices["memory"] & RecordServices["memory"];
  readonly executor: ToolExecutor;
  readonly context: CallContext;
  readonly models: Pick<Models, "open" | "findPrices">;
  readonly agents: Agents;
  readonly mode: Mode;
  readonly store: () => Promise<Store>;
}

/** Starts, resumes and drives the runs of one installation. */
export class AgentHost {
  readonly #app: AgentServices;
  readonly #replies: Replies;
  /** The runs that this process drives. */
  readonly driven: DrivenRuns = new DrivenRuns();

  constructor(app: AgentServices) {
    this.#app = app;
    this.#replies = new Replies(app.registry);
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
    const agentId = there?.agentId ?? turn.agentId ?? defaultAgent;
    await this.#app.sources.ready();
    requireAgent(this.#app.agents, agentId);
    const { config } = this.#app.loaded;
    const settings = chooseSettings(turn, { agentId, own: this.#findAgent(agentId)?.settings, config });
    const session = there ?? (await this.#openSession(turn));
    if (there !== undefined) await this.#supersede(there);
    const { folder } = this.#app;
    const { parts, trust = "trusted" } = turn;
    if (parts.length > 0)
      await sessions.post({ scope: this.#scope, sessionId: session.id, sender: "user", parts, trust });
    return runs.begin({
      scope: this.#scope,
      kind: turn.kind ?? "turn",
      sessionId: session.id,
      settings: { ...settings, folder } satisfies Json,
      project: folder,
      queued: turn.inBackground === true,
    });
  }

  /**
   * Chooses the settings of a task for an agent.
   *
   * @throws {AgentSetupError} AGENT_UNKNOWN, AGENT_MODEL
   */
  async chooseTaskSettings(
    agentId: string,
    { budget: { usd, ...limits } = {}, mode, model, allowedTools }: TaskWishes,
  ): Promise<Json> {
    await this.#app.sources.ready();
    requireAgent(this.#app.agents, agentId);
    const settings = chooseSettings(
      {
        kind: "task",
        ...(model !== undefined && { model }),
        ...(usd !== undefined && { usd }),
        ...(mode !== undefined && { mode }),
        ...(allowedTools !== undefined && { allowedTools }),
      },
      { agentId, own: this.#findAgent(agentId)?.settings, config: this.#app.loaded.config },
    );
    const { folder } = this.#app;
    return { ...settings, ...(Object.keys(limits).length > 0 && { limits }), folder } satisfies Json;
  }

  /**
   * Resumes a run that paused, is parked, failed or was interrupted last, or that no process drives any more. Undefined if
   * another process has it, or it has ended. What failed or was interrupted goes on in a new run.
   *
   * @throws {AgentSetupError} AGENT_FOLDER: it works in another folder. AGENT_MODE: it was begun in a mode that allows less.
   * AGENT_MODEL: there is no model of this name.
   * @throws {TaskError} QUEUE_TASK_STATE: a person has to approve a task that its own depends on.
   */
  async resume(
    runId: string,
    { more, usd, limits, model, mode }: ResumedTurn = {},
  ): Promise<Run | undefined> {
    const { runs, sessions, tasks } = await this.#app.store();
    const there = await runs.get(this.#scope, runId);
    if (there !== undefined) {
      requireFolder(there, this.#app.folder);
      if (mode !== undefined) requireTighter(there, mode);
      await requireApproved(tasks, there);
    }
    if (model !== undefined) requireModel(model, this.#app.loaded.config);
    const isSameMode = mode === undefined || (there !== undefined && readSettings(there).mode === mode);
    const isAsBefore = more === undefined && usd === undefined && limits === undefined && isSameMode;
    // What waits for a person or for tasks goes on with the model that it has asked.
    const isSameModel = model === undefined || there?.why !== "rate-limit";
    if (there?.state === "parked" && isAsBefore && isSameModel) return there;
    const again = there && (await beginAgain({ runs, sessions }, there));
    const run = await runs.claim(this.#scope, again?.id ?? runId, resumeLeaseMs);
    if (run === undefined) return undefined;
    const settings = readSettings(run);
    const isOut = run.steps >= settings.maxSteps;
    const maxSteps = isOut ? run.steps + (more ?? settings.maxSteps) : settings.maxSteps;
    const folder = readFolder(run);
    const kept = { ...settings, ...(folder !== undefined && { folder }) };
    await runs.write(run, {
      entries: [{ kind: "note", about: "resumed", text: "Go on with what you were at." }],
      run: {
        state: "running",
        settings: {
          ...kept,
          maxSteps,
          ...(model !== undefined && { model }),
          ...(mode !== undefined && { mode }),
          ...(usd !== undefined && { usd }),
          ...(limits !== undefined && { limits: { ...settings.limits, ...limits } }),
        },
      },
    });
    await runs.release(run);
    return runs.get(this.#scope, run.id);
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

  /** The folder that the newest run of a session works in; undefined if it is not known. */
  async findFolder(sessionId: string): Promise<string | undefined> {
    return findSessionFolder(await this.#app.store(), this.#scope, sessionId);
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
  async drive(run: Run, driving: DriveTurn): Promise<RunEnd | undefined> {
    await this.#app.sources.listed();
    const { emit, replyChannel: channel } = driving;
    const speaks = channel === undefined ? "text" : this.#findSpeech(run);
    if (channel === undefined || speaks === "text") return this.#drive(run, driving, "text");
    const hear = ({ text }: Reply) => emit({ type: "reply", text });
    const stopListening = this.#replies.listen(run.id, { channel, hear });
    try {
      return await this.#drive(run, driving, speaks);
    } finally {
      stopListening();
    }
  }

  async #drive(
    run: Run,
    { emit, interrupts, approver, leave, inBackground = false }: DriveTurn,
    speaks: SpeechMode,
  ): Promise<RunEnd | undefined> {
    const app = this.#app;
    const store = await app.store();
    const { sessions, ledger, approvals } = store;
    const { model: modelName, maxSteps, mode: ownMode, judges = false } = readSettings(run);
    const model = await app.models.open(modelName);
    const frame = frameReflection(run, app.mode);
    const mode = frame?.mode ?? ownMode;
    const prompt = await this.#openPrompt(run, model, speaks, frame);
    const worked = new WorkTime();
    const workedMs = () => worked.ms;
    const asked = approver && worked.exclude(approver);
    const runs = run.kind === "task" ? withTaskProgress({ ...store, workedMs }) : store.runs;
    const left = new AbortController();
    const stopDriving = this.driven.add(run.id, {
      parks: inBackground,
      leave: (reason) => left.abort(reason),
    });
    const end = await driveRun({
      store: { sessions, runs },
      scope: this.#scope,
      runId: run.id,
      model,
      executor: app.executor,
      history: callHistory(ledger, app.registry, approvals),
      readArguments: (name, given) => readArguments(app.registry, name, given, model.facts),
      makePrefix: () => prompt.makePrefix(),
      news: prompt,
      speaks,
      context: () => ({
        ...prompt.context,
        taskId: run.id,
        trust: run.trust,
        ...(mode !== undefined && { mode }),
        ...(asked !== undefined && { approver: asked }),
        ...(inBackground && { ...(approver === undefined && { personMs: 0 }), questionLifeMs }),
      }),
      parks: inBackground ? "all" : "time",
      interrupts,
      emit,
      meter: await meterRun(app, run, { model, workedMs }),
      maxSteps,
      describeWork: () => this.#describeWork(store, run, model),
      ...(inBackground && { findUnfinished: () => findUnfinished(store, run) }),
      judges,
      mayPause: frame === undefined,
      mayRepeat: (name) => findTool(app.registry, name)?.mayRepeat === true,
      leave: leave === undefined ? left.signal : AbortSignal.any([left.signal, leave]),
    }).finally(stopDriving);
    if (end !== undefined && end.state !== "parked") await ledger.forgetOutcomes(`${run.id}.`);
    // What can't be recorded now is left to a program that works in the background.
    if (end !== undefined && run.kind === "turn") await recordDueTurns(app).catch(() => {});
    return end;
  }

  /** Leaves a run to a program that works in the background for its folder. */
  async queue(run: Run): Promise<void> {
    const { jobs } = await this.#app.store();
    await jobs.enqueue(toRunJob(run, Date.now()));
  }

  /** Ends a run that can't go on. Nothing happens if another process has it, or it has ended. */
  async fail({ id }: Run, { code, text }: { readonly code: string; readonly text: string }): Promise<void> {
    const { runs } = await this.#app.store();
    const run = await runs.claim(this.#scope, id, resumeLeaseMs);
    if (run !== undefined) await runs.write(run, { run: { state: "failed", why: code, result: text } });
  }

  /** Sums up the older part of a session, unless it is stopped, and returns a sentence about the outcome. */
  async compact(sessionId: string, stop: AbortSignal = new AbortController().signal): Promise<string> {
    const store = await this.#app.store();
    const { sessions, runs } = store;
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
    const speaks = this.#findSpeech(last);
    // The prefix made here lists `reply` only while somebody listens.
    const stopListening =
      speaks === "reply" ? this.#replies.listen(id, { channel: "", hear: () => {} }) : () => {};
    try {
      const journal = await StoredJournal.open({ sessions, runs }, run);
      const prompt = await this.#openPrompt(run, model, speaks);
      await prompt.resume(journal);
      const done = await compactNow({
        journal,
        model,
        makePrefix: () => prompt.makePrefix(),
        describeWork: () => this.#describeWork(store, run, model),
        meter: await meterRun(this.#app, run, { model, workedMs: () => 0 }),
        signal: AbortSignal.any([stop, AbortSignal.timeout(compactLeaseMs)]),
      });
      if (done === undefined) return "There is too little to sum up";
      return "text" in done ? done.text : "What was said first is summed up now";
    } finally {
      stopListening();
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

  /** Ends the runs that wait for a model: the new run answers their messages. */
  async #supersede({ id: sessionId }: Session): Promise<void> {
    const { runs } = await this.#app.store();
    for (const { id, why } of await runs.list({ scope: this.#scope, sessionId, states: ["parked"] }))
      if (why === "rate-limit") await runs.stop(this.#scope, id, "superseded");
  }

  async #openSession({ channel, address, agentId = defaultAgent, parts }: NewTurn): Promise<Session> {
    const { sessions } = await this.#app.store();
    const [first] = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const title = (first ?? "").trim().split("\n")[0]?.slice(0, mostTitleChars);
    return sessions.open({
      scope: this.#scope,
      agentId,
      channel,
      ...(address !== undefined && { address }),
      ...(title !== undefined && { title }),
    });
  }

  #findAgent(agentId: string): AgentFile | undefined {
    return this.#app.sources.agentSource?.agents().find(({ id }) => id === agentId);
  }

  /** Facts about the work of a run's conversation, for a summary. */
  #describeWork(store: Store, run: Run, { facts }: ChatModel): Promise<readonly string[]> {
    const { executor, registry, context, folder } = this.#app;
    return describeWork({ store, executor, registry, context, folder, facts }, run);
  }

  /** How the agent of a run speaks. Only a conversation speaks by `reply`; any other run hands over its last text. */
  #findSpeech({ kind, agentId }: Run): SpeechMode {
    if (kind !== "turn") return "text";
    return this.#findAgent(agentId)?.settings?.speaks ?? this.#app.loaded.config.agent?.speaks ?? "text";
  }

  async #openPrompt(
    run: Run,
    model: ChatModel,
    speaks: SpeechMode,
    frame?: ReflectionFrame,
  ): Promise<AgentPrompt> {
    const { agentId, rootId, scope } = run;
    const { runs } = await this.#app.store();
    const root = rootId === run.id ? run : await runs.get(scope, rootId);
    const caller = findCaller(this.#app.agents, agentId);
    return new AgentPrompt(this.#app, {
      run,
      model,
      speaks,
      findAgent: () => this.#findAgent(agentId),
      conversation: root?.sessionId ?? run.sessionId,
      ...(caller !== undefined && { caller }),
      limits: this.#listLimits(run, frame),
      ...(frame !== undefined && { rules: frame.rules }),
    });
  }

  /** All that limits the tools of a run, beside what limits its agent. */
  #listLimits(run: Run, frame: ReflectionFrame | undefined): readonly ToolLimits[] {
    const { allowedTools } = readSettings(run);
    return [
      ...(allowedTools === undefined ? [] : [{ by: "the run (context.tools)", allowedTools }]),
      ...limitTask(run, this.#findAgent(run.agentId), this.#app.loaded.config),
      ...(frame?.limits ?? []),
    ];
  }
}

function noSession(id: string): AgentSetupError {
  return new AgentSetupError(
    "AGENT_SESSION",
    `Cannot go on with "${id}": there is no session and no run of this id; \`haft sessions\` lists them`,
  );
}
