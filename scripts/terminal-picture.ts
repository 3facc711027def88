// Draws what a terminal showed as an SVG: `node scripts/terminal-picture.ts "haft call …" "title" < typescript > picture.svg`
// The input is what a pseudo-terminal received, as `script -q -c "haft call …" typescript` records it.
import { readFileSync } from "node:fs";

const [command = "", title = ""] = process.argv.slice(2);
const lines = [`$ ${command}`, ...drawScreen(readFileSync(0, "utf8"))];
process.stdout.write(toSvg(lines, title));

/** The lines of the screen after all of it was received. Knows the cursor movements that prompts use. */
function drawScreen(received: string): readonly string[] {
  const screen: string[] = [""];
  let row = 0;
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  for (const [, count, kind, text] of received.matchAll(/\u001b\[\??(\d*)[\d;]*([A-Za-z])|([^\u001b]+)/g)) {
    const by = Number(count === "" ? 1 : count);
    if (kind === "A") row = Math.max(0, row - by);
    else if (kind === "B") row += by;
    else if (kind === "J") screen.splice(row, screen.length, "");
    for (const part of (text ?? "").split(/(\n)/)) {
      if (part === "\n") row++;
      else
        screen[row] = part.startsWith("\r")
          ? part.replaceAll("\r", "")
          : `${screen[row] ?? ""}${part.replaceAll("\r", "")}`;
    }
  }
  return Array.from(screen, (line) => (line ?? "").trimEnd())
    .join("\n")
    .trim()
    .split("\n");
}

function toSvg(shown: readonly string[], name: string): string {
  const height = shown.length * 19 + 32;
  const texts = shown.map(
    (line, at) =>
      `  <text x="16" y="${at * 19 + 30}" xml:space="preserve"${line.startsWith("$") || /yes|Allow/.test(line) ? ' fill="#f8fafc" font-weight="600"' : ""}>${escapeXml(line)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, monospace" font-size="14" fill="#cbd5e1" role="img" aria-labelledby="title">
  <title id="title">${escapeXml(name)}</title>
  <rect width="820" height="${height}" rx="8" fill="#0f172a"/>
${texts.join("\n")}
</svg>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
