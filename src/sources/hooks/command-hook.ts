import { type Clock, compileGlob, formatBytes, getErrorMessage } from "../../base/index.ts";
import type { ProcessOptions, ProcessResult } from "../../host/index.ts";
import {
  type AfterAnswer,
  type BeforeAnswer,
  type Hook,
  type HookCall,
  type HookOutcome,
} from "../../kernel/index.ts";
import { type HookAnswer, readAnswer } from "./hook-answer.ts";
import type { HookDefinition } from "./hook-definition.ts";
import { toInput, toVariables, withoutSecretValues, withSecrets } from "./hook-input.ts";
import type { HookStatistics } from "./hook-statistics.ts";

/** What command hooks are run by. */
export interface HookServices {
  /** Runs a command line kept in as every command is. */
  readonly runShell: (line: string, options: ProcessOptions) => Promise<ProcessResult>;
  /** The project folder: where they start, and what they may change. */
  readonly folder: string;
  /** The variables every process gets. */
  readonly environment: (call: HookCall) => Readonly<Record<string, string>>;
  readonly statistics: HookStatistics;
  readonly clock: Clock;
  /** Takes the secrets out of a text that holds what came back of a call. Absent: there are none. */
  readonly redact?: (text: string) => string;
}

/** More than this is not given to a hook: one that must agree then says no. */
const longestInput = 16 * 1024 ** 2;

/** A hook that asks a program. Its rules are those of {@link readAnswer}. */
export function commandHook(definition: HookDefinition, services: HookServices): Hook {
  const { id, type, tools, blocking, timeoutMs } = definition;
  const globs = tools.map(compileGlob);
  const ask = (call: HookCall, outcome?: HookOutcome) =>
    counted(definition, services, () => run(definition, services, { call, outcome }));
  return {
    name: id,
    timeoutMs,
    blocking,
    ...(globs.length > 0 && { appliesTo: ({ name }) => globs.some((matches) => matches(name)) }),
    ...(type === "pre_tool"
      ? { before: async (call) => toBefore(await ask(call), call, blocking) }
      : { after: async (call, outcome) => toAfter(await ask(call, outcome), outcome, blocking) }),
  };
}

interface Asked {
  readonly call: HookCall;
  readonly outcome: HookOutcome | undefined;
}

async function run(
  definition: HookDefinition,
  services: HookServices,
  { call, outcome }: Asked,
): Promise<HookAnswer> {
  const whole = toInput(definition, call, outcome);
  const input = outcome === undefined ? whole : withoutSecretValues(whole, services.redact);
  const stdin = JSON.stringify(input);
  if (stdin.length > longestInput)
    throw new Error(
      `the call has ${formatBytes(stdin.length)}, and a hook reads ${formatBytes(longestInput)} at most`,
    );
  const result = await services.runShell(definition.command, {
    cwd: services.folder,
    environment: { ...services.environment(call), ...toVariables(input) },
    signal: call.signal,
    stdin,
    bounds: { writable: [services.folder], hosts: definition.hosts, allowedHosts: definition.hosts },
  });
  return readAnswer(result);
}

async function counted(
  { id }: HookDefinition,
  { statistics, clock }: HookServices,
  ask: () => Promise<HookAnswer>,
): Promise<HookAnswer> {
  const startedAt = clock.now();
  const tell = (blocked: boolean, error?: string) =>
    statistics.record(id, {
      at: startedAt,
      durationMs: clock.now() - startedAt,
      blocked,
      ...(error !== undefined && { error }),
    });
  try {
    const answer = await ask();
    tell(answer.block !== undefined);
    return answer;
  } catch (error) {
    tell(false, getErrorMessage(error));
    throw error;
  }
}

function toBefore(answer: HookAnswer, call: HookCall, blocking: boolean): BeforeAnswer {
  if (answer.block !== undefined) return blockOr(answer.block, blocking);
  return answer.modifiedInput === undefined ? undefined : { params: withSecrets(answer.modifiedInput, call) };
}

function toAfter(answer: HookAnswer, outcome: HookOutcome, blocking: boolean): AfterAnswer {
  if (answer.block !== undefined) return blockOr(answer.block, blocking);
  if (answer.modifiedOutput === undefined || !outcome.success) return undefined;
  return { value: answer.modifiedOutput };
}

/** What an advisory hook objects to goes on, with a note. */
function blockOr(message: string, blocking: boolean): { readonly block: string } {
  if (blocking) return { block: message };
  throw new Error(`it would block, and only advises: ${message}`);
}
