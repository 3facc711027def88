/** The names of the colours that the chart draws with; `trace.css` has each, for light and dark. */
export const inkNames = [
  "run",
  "model",
  "call",
  "person",
  "turn",
  "text",
  "dim",
  "line",
  "bad",
  "accent",
  "raised",
  "sunken",
] as const;

/** Colours as the canvas takes them. */
export type Inks = Readonly<Record<(typeof inkNames)[number], string>>;

/** Reads the colours in force from elements that have each as the colour of their text. */
export function readInks(within: Element): Inks {
  const read = (name: string) => {
    const element = within.querySelector(`[data-ink="${name}"]`);
    return element === null ? "gray" : getComputedStyle(element).color;
  };
  return Object.fromEntries(inkNames.map((name) => [name, read(name)])) as Inks;
}
