import type { NumberedRule, PolicyTestResult, ShadowReport } from "../../../app/index.ts";
import type { OwnRules } from "../../../app/views/index.ts";
import type { Mode } from "../../../kernel/index.ts";
import type { Grant } from "../../../modules/grants/index.ts";
import type { ToolDecision } from "./tools.ts";

/** A rule in force. */
export interface ListedRule extends NumberedRule {
  /** No tool there is fits it. */
  readonly unused: boolean;
  /** What it decided among the newest calls. */
  readonly decided: RecentDecisions;
}

/** Calls that one rule decided. */
export interface RecentDecisions {
  readonly calls: number;
  /** The newest of them. */
  readonly last?: { readonly callId: string; readonly at: number };
}

export interface PolicyView {
  readonly mode: Mode;
  readonly rules: readonly ListedRule[];
  /** How many of the newest calls were looked at for what rules decided. */
  readonly looked: number;
  /** The rules of the user's own file, to be edited. */
  readonly own: OwnRules;
  /** How many policy tests the configuration has. */
  readonly tests: number;
}

/** A call whose decision is explained. */
export interface ExplainedCall {
  readonly tool: string;
  readonly params: unknown;
  readonly mode?: Mode;
  readonly agent?: string;
  /** @default "console" */
  readonly channel?: string;
  /** Judges the call as if its arguments held data from outside. */
  readonly untrusted?: boolean;
}

export interface PolicyApi {
  readonly "GET /policy": { readonly answer: PolicyView };
  /** Answers the same as `haft policy explain --json`. */
  readonly "POST /policy/explain": { readonly body: ExplainedCall; readonly answer: ToolDecision };
  /** Runs the policy tests of the configuration. */
  readonly "POST /policy/test": {
    readonly answer: { readonly passed: boolean; readonly results: readonly PolicyTestResult[] };
  };
  /** Which of the newest calls would be decided otherwise by these rules, in YAML. */
  readonly "POST /policy/try": {
    readonly body: { readonly text: string; readonly last?: number };
    readonly answer: ShadowReport;
  };
  /** Writes the rules into the user's own file; they are in force from the next start. */
  readonly "POST /policy/save": {
    readonly body: { readonly text: string; readonly digest: string; readonly pin?: string };
    readonly answer: OwnRules;
  };
  readonly "GET /grants": { readonly query: { readonly all?: "true" }; readonly answer: readonly Grant[] };
  readonly "POST /grants/:id/revoke": {
    readonly body: { readonly pin?: string };
    readonly answer: { readonly revoked: true };
  };
}
