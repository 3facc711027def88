import type { Redact } from "../secrets/redactor.ts";

/** What a call can do to something outside itself. */
export const effectKinds = ["read", "write", "delete", "run", "connect"] as const;

/** One of {@link effectKinds}. */
export type EffectKind = (typeof effectKinds)[number];

/** How each kind reads before its target, wherever a person is told of it. */
export const effectVerbs: Readonly<Record<EffectKind, string>> = {
  read: "read",
  write: "change",
  delete: "delete",
  run: "run",
  connect: "connect to",
};

/** A file that a command runs as code. */
export interface CodeFile {
  /** Canonical. */
  readonly path: string;
  /** SHA-256 of its content, in hex. */
  readonly digest: string;
}

/**
 * One thing that a call will do to the world. Policy decides each effect by itself, locks keep two writes to one
 * target apart, and the host refuses what no decided effect covers.
 */
export interface Effect {
  readonly kind: EffectKind;
  /**
   * A canonical absolute path, or `memory:<label or id>` of what is remembered (read, write, delete); a command line
   * (run); an origin such as `https://example.com` (connect).
   */
  readonly target: string;
  /**
   * Inside the bounds that the call was given: `allowedPaths` for files, `allowedHosts` for connections. Of a
   * command: it is known to change nothing, with exactly these arguments.
   */
  readonly within: boolean;
  /** What it does can't be known from its target: no rule that allows by `target` or `arguments` holds for it. */
  readonly opaque?: true;
  /** Why it is opaque, for whoever is asked. */
  readonly unclear?: string;
  /** Other texts for the target, by which `ask` and `deny` rules know it; `allow` rules don't. */
  readonly aliases?: readonly string[];
  /** The argument of which the target is one part: a rule on that argument is held against the part. */
  readonly argument?: string;
  /**
   * Why nothing lets a command that can be read pass unasked, for the person who is asked. Decides nothing.
   */
  readonly asks?: string;
  /** What is risky about it, for whoever is asked. Decides nothing. */
  readonly risk?: string;
  /**
   * Present for a command that can change nothing but the allowed folders, sees no other file of a user, and
   * reaches no host but those that were decided.
   */
  readonly confined?: true;
  /**
   * Present for a command that nothing is known against: it can be read, has no known risk, starts no code of
   * the workspace, and names no file that is there.
   */
  readonly routine?: true;
  /**
   * A snapshot taken before the command runs can bring back what it changes, as far as its line tells. It does not run
   * if it turns out that no snapshot can be taken.
   */
  readonly undoable?: true;
  /** The command runs the project's own programs in a sandbox, and their changes can be undone. */
  readonly project?: true;
  /**
   * The files with code that a command names, as they were when it was decided. A yes is to what they said.
   */
  readonly code?: readonly CodeFile[];
  /**
   * A person has to confirm it each time, whatever the rules allow or was remembered. For tools of which only some calls
   * need that; `confirm` of a tool is for all of its calls.
   */
  readonly confirm?: true;
  /** Canonical folder in which the command starts, shown to the person who is asked. */
  readonly folder?: string;
  /** How what it starts is kept apart, in one phrase for whoever is asked. */
  readonly isolation?: string;
}

/** The effect without secrets in any of its texts; the same effect where there are none. */
export function redactEffect(effect: Effect, redact: Redact): Effect {
  const { target, aliases, unclear, asks, risk } = effect;
  const clean: Effect = {
    ...effect,
    target: redact(target),
    ...(aliases !== undefined && { aliases: aliases.map((alias) => redact(alias)) }),
    ...(unclear !== undefined && { unclear: redact(unclear) }),
    ...(asks !== undefined && { asks: redact(asks) }),
    ...(risk !== undefined && { risk: redact(risk) }),
  };
  return JSON.stringify(clean) === JSON.stringify(effect) ? effect : clean;
}
