/** A piece of text, with CSS classes for its colours and weight in a terminal. */
export interface SgrPart {
  readonly text: string;
  /** Separated by spaces; empty for plain text. */
  readonly classes: string;
}

// SGR sequences, which set the colours and weight of text in a terminal: ESC [ numbers m.
const sgr = new RegExp(`${String.fromCharCode(0x1b)}\\[([\\d;]{0,40})m`, "g");

interface Style {
  colour: string;
  background: string;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
}

const plain: Readonly<Style> = {
  colour: "",
  background: "",
  bold: false,
  dim: false,
  italic: false,
  underline: false,
};

/** Splits text at SGR sequences and removes them. All other control characters stay. */
export function splitSgr(text: string): readonly SgrPart[] {
  const parts: SgrPart[] = [];
  let style = { ...plain };
  let from = 0;
  const add = (to: number) => {
    if (to > from) parts.push({ text: text.slice(from, to), classes: formatClasses(style) });
  };
  for (const match of text.matchAll(sgr)) {
    add(match.index);
    from = match.index + match[0].length;
    style = applyCodes(style, (match[1] ?? "").split(";").map(Number));
  }
  add(text.length);
  return parts;
}

function applyCodes(before: Style, codes: readonly number[]): Style {
  let style = { ...before };
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] as number;
    if (code === 0) style = { ...plain };
    else if (code === 1) style.bold = true;
    else if (code === 2) style.dim = true;
    else if (code === 3) style.italic = true;
    else if (code === 4) style.underline = true;
    else if (code === 22) style.bold = style.dim = false;
    else if (code === 23) style.italic = false;
    else if (code === 24) style.underline = false;
    else if (code >= 30 && code <= 37) style.colour = `fg-${code - 30}`;
    else if (code >= 90 && code <= 97) style.colour = `fg-${code - 90}`;
    else if (code === 39) style.colour = "";
    else if (code >= 40 && code <= 47) style.background = `bg-${code - 40}`;
    else if (code >= 100 && code <= 107) style.background = `bg-${code - 100}`;
    else if (code === 49) style.background = "";
    // 256 colours and RGB colours are skipped, with their parameters.
    else if (code === 38 || code === 48) at += codes[at + 1] === 5 ? 2 : codes[at + 1] === 2 ? 4 : 0;
  }
  return style;
}

function formatClasses({ colour, background, ...flags }: Style): string {
  const set = Object.entries(flags).flatMap(([name, on]) => (on ? [`sgr-${name}`] : []));
  return [colour, background, ...set].filter((one) => one !== "").join(" ");
}
