import type { ToolAnnotations } from "../tool/annotations.ts";
import type { EffectKind } from "../tool/effect.ts";
import type { Trust } from "./trust.ts";

/** What a rule can decide, from the mildest to the strictest; of several the strictest counts. */
export const decisions = ["allow", "ask", "deny"] as const;

/** One of {@link decisions}. */
export type Decision = (typeof decisions)[number];

/** `never`: it is asked each time. `session`: not beyond this session. */
export const remembrances = ["never", "session", "always"] as const;

/** One of {@link remembrances}. */
export type Remembrance = (typeof remembrances)[number];

/**
 * One sentence of policy. It holds for a call where every field it has holds; all texts, and the values of
 * `arguments`, are globs (`*` within a path segment, `**` across). A target or an argument by which it asks or denies
 * may be written in any case of letters: there are machines on which `.GIT` is `.git`.
 */
export interface Rule {
  readonly decision: Decision;
  readonly tool?: string;
  readonly pack?: string;
  readonly category?: string;
  /** The source of the tool: `haft`, `mcp:github`, … */
  readonly origin?: string;
  readonly annotations?: ToolAnnotations;
  /** Who calls: the context's `agentId`; the empty text for a call of no agent. */
  readonly agent?: string;
  /** The channel of the call's origin; the empty text if it is not known. */
  readonly channel?: string;
  /** Whether the arguments hold data from outside. */
  readonly trust?: Trust;
  /**
   * Whether the arguments name a host that data from outside named or came from, and hold beside it what was read on
   * this machine, or what can't be explained: a connection would tell it to that host.
   */
  readonly discloses?: boolean;
  /** `none`: the call declares no effect. */
  readonly effect?: EffectKind | "none";
  readonly target?: string;
  readonly within?: boolean;
  /** Whether a command runs in a sandbox. */
  readonly confined?: boolean;
  /** Whether nothing is known against a command. */
  readonly routine?: boolean;
  /** Whether a risk of a command is known. */
  readonly risky?: boolean;
  /** Matches commands by whether their effects are unknown before they run. */
  readonly opaque?: boolean;
  /** Matches commands by whether a snapshot taken before they run can bring back what they change. */
  readonly undoable?: boolean;
  /** Patterns for arguments by dotted path: `{ "options.mode": "fast*" }`. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** Shown to whoever is asked or refused. */
  readonly reason?: string;
  /** The longest time for which an answer to a rule that asks may be remembered. @default "always" */
  readonly remember?: Remembrance;
  /**
   * Whether an answer to a rule that asks is remembered for exactly this call or not at all, so that no grant
   * for a folder or for a command with other arguments covers it.
   * @default false
   */
  readonly exact?: boolean;
}
