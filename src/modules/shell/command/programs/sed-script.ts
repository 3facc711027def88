/** What stands between two slashes: the other brackets of a set would end it elsewhere in other versions of sed. */
const regex = String.raw`(?:[^/\\\n\[\]]|\\[^\n]|\[[^\]/\\\n]+\])`;
const number = String.raw`(?:\d+(?:~\d+)?|\$)`;
const address = String.raw`(?:${number}|/${regex}+/I?)`;
const addresses = String.raw`(?:${address}(?: ?, ?(?:${address}|[+~]\d+))? ?!? ?)?`;
/** Commands that print, delete and move lines. Not `e`, `r`, `R`, `w`, `W`, which start programs or name files. */
const plain = "[pPdDgGhHxnNl=z]|[qQ]\\d*|[bt] ?[A-Za-z0-9_]*";
const start = new RegExp(
  String.raw`^[\s;{}]*${addresses}(?:(?:${plain}) ?(?=[;}\n]|$)|:[A-Za-z0-9_]+(?=[;\n]|$)|(?=\{))`,
);
const substitution = new RegExp(String.raw`^[\s;{}]*${addresses}(?=[sy])`);

/** Whether a script of sed only prints what it reads, changed or not: it names no file and starts nothing. */
export function isSedPrinting(script: string): boolean {
  let rest = script;
  while (!/^[\s;{}]*$/.test(rest)) {
    const command = start.exec(rest);
    if (command !== null && command[0] !== "") {
      rest = rest.slice(command[0].length);
      continue;
    }
    const before = substitution.exec(rest);
    const after = before && afterSubstitution(rest.slice(before[0].length));
    if (after === null || after === undefined) return false;
    rest = after;
  }
  return true;
}

/** What follows `s/…/…/flags` or `y/…/…/`; undefined where that is anything else. */
function afterSubstitution(text: string): string | undefined {
  const delimiter = text.charAt(1);
  if (!/^[/|#,:@!%~_+=]$/.test(delimiter)) return undefined;
  let at = 2;
  for (let part = 0; part < 2; part++) {
    let brackets = 0;
    for (; text.charAt(at) !== delimiter; at++) {
      const char = text.charAt(at);
      if (char === "" || char === "\n") return undefined;
      if (char === "\\") {
        at++;
        if (text.charAt(at) === "\n" || at >= text.length) return undefined;
      } else if (part === 0 && char === "[") brackets++;
      else if (part === 0 && char === "]") brackets--;
    }
    // A set that holds the delimiter ends in one version of sed where it goes on in another.
    if (brackets > 0) return undefined;
    at++;
  }
  const [flags] = (text.startsWith("s") ? /^[gpiI0-9]*/ : /^/).exec(text.slice(at)) as RegExpExecArray;
  const rest = text.slice(at + flags.length);
  return /^ *([;}\n]|$)/.test(rest) ? rest : undefined;
}
