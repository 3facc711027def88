let waiting: string | undefined;

/** Keeps rules, in YAML, for the editor that opens next. They are in no address: no link can bring rules along. */
export function giveDraft(rules: string): void {
  waiting = rules;
}

/** The rules that wait for the editor, once. */
export function takeDraft(): string | undefined {
  const rules = waiting;
  waiting = undefined;
  return rules;
}

/** The rules with others below them. */
export function appendRules(text: string, rules: string): string {
  const above = text.trimEnd();
  return `${above === "" ? "" : `${above}\n`}${rules.trimEnd()}\n`;
}

/** The line, from 1, that a fault of the rules is about; undefined if it names none. */
export function findFaultLine(text: string, message: string): number | undefined {
  const line = /at line (\d+)/.exec(message)?.[1];
  if (line !== undefined) return Number(line);
  const index = /permissions\.(\d+)/.exec(message)?.[1];
  if (index === undefined) return undefined;
  const lines = text.split("\n");
  const items = lines.flatMap((one, at) => (one.startsWith("- ") ? [at + 1] : []));
  return items[Number(index)];
}
