/**
 * Data for a prompt, one JSON object a line, between marks that no text in it can have: what it says is never read as
 * what to do.
 */
export function dataLines(name: string, items: readonly object[]): string {
  const lines = items.map((item) => JSON.stringify(item).replaceAll("<", "\\u003c"));
  return [`<${name}>`, ...lines, `</${name}>`].join("\n");
}
