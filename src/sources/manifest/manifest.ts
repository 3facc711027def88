import { readUserTool, type UserTool } from "../command/user-tool.ts";
import { Fields } from "../fields.ts";
import { type Place, PlacedDocument } from "../placed-document.ts";
import { type FileProblem, Problems } from "../problems.ts";
import { makeVersion } from "../version-of.ts";
import { type NavigationItem, type Page, readNavigation, readPages, refuseLostLinks } from "./pages.ts";
import { readTheme, type Theme } from "./theme.ts";

/** What a space says of itself in `space.manifest.json`. */
export interface SpaceManifest {
  readonly path: string;
  readonly id: string;
  readonly name: string;
  /** The version of the space. */
  readonly version: string;
  readonly description: string | undefined;
  readonly icon: string | undefined;
  readonly scope: Scope;
  readonly navigation: readonly NavigationItem[];
  readonly pages: readonly Page[];
  readonly theme: Theme;
  /** Agents that the space needs, by id. */
  readonly agents: readonly string[];
  readonly tools: readonly ManifestTool[];
}

export const scopes = ["project", "company", "both"] as const;
export type Scope = (typeof scopes)[number];

export interface ManifestTool {
  readonly tool: UserTool;
  /** The version of this entry: an approval holds for one. */
  readonly version: string;
}

export interface ManifestOptions {
  /** The agents that there are, by id. Absent: not known, and none is missed. */
  readonly agents?: readonly string[];
}

export interface ReadManifest {
  /** Undefined where there is an error among the problems. */
  readonly manifest: SpaceManifest | undefined;
  readonly problems: readonly FileProblem[];
}

/** The name of the file that describes a space and its tools. */
export const manifestFileName = "space.manifest.json";
const mostTools = 200;

/**
 * Reads the text of a manifest. It never throws: `problems` lists all that is wrong, each with its place.
 *
 * @example
 * ```ts
 * const { problems } = readManifest({ path: "space.manifest.json", text: "{}" });
 * problems.length > 0; // → true
 * ```
 */
export function readManifest(
  { path, text }: { readonly path: string; readonly text: string },
  { agents: known }: ManifestOptions = {},
): ReadManifest {
  const problems = new Problems(path);
  const document = PlacedDocument.parse(text);
  if (!(document instanceof PlacedDocument) || !isJson(text)) {
    const fault = document instanceof PlacedDocument ? jsonFault(text) : document;
    problems.error(
      "INVALID_MANIFEST",
      `Cannot read the manifest as JSON: ${fault.message}; correct it there`,
      fault.place,
    );
    return { manifest: undefined, problems: problems.list() };
  }
  const fields = new Fields(document, [], problems);
  const id = fields.text("id", {
    required: true,
    pattern: /^[a-z][a-z0-9-]{0,63}$/,
    form: 'lower-case letters, digits and "-"',
  });
  const name = fields.text("name", { required: true, most: 200 });
  const version = fields.text("version", {
    required: true,
    pattern: /^\d+\.\d+\.\d+(?:[-+][\w.+-]{1,100})?$/,
    form: "three numbers, such as 1.0.0",
  });
  const description = fields.text("description", { most: 5000 });
  const icon = fields.text("icon", { most: 200 });
  const scope = fields.oneOf("scope", scopes) ?? "project";
  const pages = readPages(fields);
  const navigation = readNavigation(fields);
  refuseLostLinks(navigation, pages, problems);
  const theme = readTheme(fields, problems);
  const agents = fields.texts("agents", { mostItems: 100, most: 200 });
  for (const agent of agents)
    if (known !== undefined && !known.includes(agent))
      problems.error(
        "AGENT_NOT_FOUND",
        `Cannot find the agent "${agent}": there are ${known.join(", ") || "none"}; add its file, or take it away`,
        fields.findPlace("agents"),
      );
  fields.text("$schema");
  const tools = readTools(fields, document, problems);
  fields.refuseOthers();
  const found = problems.list().map(asManifestProblem);
  if (problems.hasErrors || id === undefined || name === undefined || version === undefined)
    return { manifest: undefined, problems: found };
  return {
    manifest: { path, id, name, version, description, icon, scope, navigation, pages, theme, agents, tools },
    problems: found,
  };
}

function readTools(fields: Fields, document: PlacedDocument, problems: Problems): readonly ManifestTool[] {
  const ids = new Set<string>();
  const raw = fields.objects("tools", mostTools).map((one, at) => {
    const tool = readUserTool(one, problems, {
      needsDescription: false,
      types: ["string", "number", "boolean"],
      beside: "bridge",
    });
    if (tool === undefined) return [];
    if (ids.has(tool.id)) one.invalid("id", "there is another tool of this id; choose another one");
    ids.add(tool.id);
    return [
      { tool, version: makeVersion(JSON.stringify((document.value as { tools: unknown[] }).tools[at])) },
    ];
  });
  return raw.flat();
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** YAML takes more than JSON does; what it takes too much has no place that it knows. */
function jsonFault(text: string): { readonly message: string; readonly place: Place } {
  try {
    JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : "it is no JSON";
    const [, position = "0"] = /position (\d+)/.exec(message) ?? [];
    const before = text.slice(0, Number(position)).split("\n");
    return {
      message: message.replace(/ (?:in JSON )?at position.*$/s, ""),
      place: { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 },
    };
  }
  return { message: "it is no JSON", place: { line: 1, column: 1 } };
}

const ownCodes: ReadonlySet<string> = new Set(["AGENT_NOT_FOUND", "PAGE_NOT_FOUND", "THEME_INVALID"]);

/** The codes that the format has; what was wrong exactly is in the message. */
function asManifestProblem(problem: FileProblem): FileProblem {
  if (ownCodes.has(problem.code) || problem.level === "warning") return problem;
  return { ...problem, code: "INVALID_MANIFEST" };
}
