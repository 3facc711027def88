import { createRedactor, type Redactor } from "../../kernel/index.ts";

/** Name and value of a secret. */
export type KnownSecret = readonly [name: string, value: string];

/** A redactor that also lists the secrets it knows, so that a redactor on another thread can learn them. */
export interface KnownSecrets {
  readonly redact: Redactor;
  /** The secrets after the first `count` of them. None is ever removed, so that their order stays. */
  since(count: number): readonly KnownSecret[];
}

/** @param secrets The values known at the start, by name. */
export function createKnownSecrets(secrets: ReadonlyMap<string, string>): KnownSecrets {
  const known: KnownSecret[] = [];
  const seen = new Set<string>();
  const inner = createRedactor(new Map());
  const learn = (name: string, value: string) => {
    const key = JSON.stringify([name, value]);
    if (seen.has(key)) return;
    seen.add(key);
    known.push([name, value]);
    inner.learn(name, value);
  };
  for (const [name, value] of secrets) learn(name, value);
  const redact = Object.assign((text: string) => inner(text), { stream: inner.stream, learn });
  return { redact, since: (count) => known.slice(count) };
}
