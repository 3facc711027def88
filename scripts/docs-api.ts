// Writes docs/reference/api/ from the doc comments of what the package exports. With `--check` it writes nothing, and
// says what has no comment, what has no example, and which pages are out of date.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApiName, type ApiSubpath, completeExample, readApi } from "./read-api.ts";

const folder = "docs/reference/api";

const headings = {
  function: "Functions",
  class: "Classes",
  constant: "Constants",
  interface: "Interfaces",
  type: "Types",
};

const api = readApi();
const anchors = new Map(
  api.map((subpath) => [subpath, findAnchors(subpath.names.filter((one) => findHome(one) === subpath))]),
);
const pages = formatPages(
  new Map([
    ["README.md", renderIndex()],
    ...api.map((subpath) => [getPageName(subpath), renderPage(subpath)] as const),
  ]),
);
if (process.argv.includes("--check")) {
  const faults = findFaults();
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
} else {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [page, text] of pages) writeFileSync(join(folder, page), text);
}

/** Formats the pages as everything else is, in one go. */
function formatPages(raw: ReadonlyMap<string, string>): Map<string, string> {
  const place = mkdtempSync(join(tmpdir(), "haft-docs-api-"));
  try {
    for (const [page, text] of raw) writeFileSync(join(place, page), text);
    execFileSync("biome", ["format", "--write", "--config-path=.", place], { stdio: "pipe" });
    return new Map(Array.from(raw.keys(), (page) => [page, readFileSync(join(place, page), "utf8")]));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function findFaults(): string[] {
  const own = api.flatMap((subpath) => subpath.names.filter((one) => findHome(one) === subpath));
  return [
    ...own
      .filter(({ comment }) => comment === "")
      .map(({ file, name }) => `${file}: ${name} has no doc comment`),
    ...own
      .filter((one) => needsExample(one) && one.examples.length === 0)
      .map(({ file, name }) => `${file}: ${name} has no @example`),
    ...[...new Set([...pages.keys(), ...globSync("*.md", { cwd: folder })])]
      .filter((page) => pages.get(page) !== readIfThere(join(folder, page)))
      .map((page) => `${join(folder, page)} is out of date: npm run docs:api`),
  ];
}

function needsExample({ kind, isType }: ApiName): boolean {
  return (kind === "function" || kind === "class") && !isType;
}

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** The subpath whose page describes a name that several export: not the root, which repeats what others have. */
function findHome({ file, name }: Pick<ApiName, "file" | "name">): ApiSubpath | undefined {
  const exporting = api.filter(({ names }) => names.some((one) => one.name === name && one.file === file));
  return exporting.find((one) => one.name !== "haft") ?? exporting[0];
}

function getPageName({ name }: ApiSubpath): string {
  return `${name.replace(/^haft\//, "").replaceAll("/", "-")}.md`;
}

function renderIndex(): string {
  const rows = api.map((subpath) => `| [\`${subpath.name}\`](${getPageName(subpath)}) | ${subpath.intro} |`);
  return `# API reference

What programs can import. Written by \`npm run docs:api\` from the comments of the sources; the examples are compiled and run.

| Import | What it has |
| --- | --- |
${rows.join("\n")}
`;
}

function renderPage(subpath: ApiSubpath): string {
  const own = subpath.names.filter((one) => findHome(one) === subpath);
  const others = api
    .map((home) => ({ home, names: subpath.names.filter((one) => findHome(one) === home) }))
    .filter(({ home, names }) => home !== subpath && names.length > 0);
  const contents = Object.entries(headings).flatMap(([kind, heading]) => {
    const names = own.filter((one) => one.kind === kind);
    if (names.length === 0) return [];
    return [
      `- ${heading}: ${names.map(({ name }) => `[${name}](#${anchors.get(subpath)?.get(name)})`).join(", ")}`,
    ];
  });
  const parts = [
    `# ${subpath.name}`,
    subpath.intro,
    contents.join("\n"),
    ...others.map(
      ({ home, names }) =>
        `From [${home.name}](${getPageName(home)}): ${names.map(({ name }) => `\`${name}\``).join(", ")}.`,
    ),
    ...own.map((one) => renderName(one, subpath)),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** Anchors of headings as they are made of them: two that differ in case alone get numbers. */
function findAnchors(names: readonly ApiName[]): Map<string, string> {
  const seen = new Map<string, number>();
  return new Map(
    names.map(({ name }) => {
      const anchor = name.toLowerCase();
      const count = seen.get(anchor) ?? 0;
      seen.set(anchor, count + 1);
      return [name, count === 0 ? anchor : `${anchor}-${count}`];
    }),
  );
}

function renderName(
  { name, kind, comment, tags, signature, examples, uses, hidden }: ApiName,
  subpath: ApiSubpath,
): string {
  const declarations = [plainSignature(signature, kind), ...hidden.map((one) => plainSignature(one, "type"))];
  const links = uses.flatMap((used) => {
    const home = findHome(used);
    if (home === undefined) return [];
    const page = home === subpath ? "" : getPageName(home);
    return [`[${used.name}](${page}#${anchors.get(home)?.get(used.name)})`];
  });
  const parts = [
    plainText(comment),
    tags.map(renderTag).join("\n"),
    fence(declarations.join("\n\n")),
    links.length === 0 ? "" : `Uses ${links.join(", ")}.`,
    ...examples.map((code) => `Example:\n\n${fence(completeExample(code, subpath, api))}`),
  ];
  return [`## ${name}`, ...parts.filter((part) => part !== "")].join("\n\n");
}

function renderTag([tag, text]: readonly [string, string]): string {
  const line = text.replaceAll(/\s*\n\s*/g, " ");
  const [, first = "", rest = ""] = /^\{?(\w+)\}?\s*(.*)$/.exec(line) ?? [];
  if (tag === "throws") return `- Throws \`${first}\`: ${plainText(rest)}`;
  if (tag === "param") return `- \`${first}\`: ${plainText(rest)}`;
  return `- ${tag[0]?.toUpperCase()}${tag.slice(1)}: ${plainText(line)}`;
}

function plainText(text: string): string {
  return text
    .replaceAll(/\{@link (\w[^}]*)\}/g, "`$1`")
    .replace(/^@default /, "Default: ")
    .replaceAll(/\.?\s+@default /g, ". Default: ");
}

function plainSignature(signature: string, kind: ApiName["kind"]): string {
  return signature
    .replaceAll(/^export (?:declare )?/gm, "")
    .replace(kind === "class" ? /^\s*#private;\n/m : /^$/, "")
    .replaceAll("\t", "  ")
    .replaceAll(/^(\s+)\* /gm, "$1 * ")
    .replaceAll(/^(\s+)\*(\/?)$/gm, "$1 *$2");
}

function fence(code: string): string {
  return `\`\`\`ts\n${code}\n\`\`\``;
}
