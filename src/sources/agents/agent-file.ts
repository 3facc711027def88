import { nearestNames, withoutUndefined } from "../../base/index.ts";
import type { SourceFile } from "../../host/index.ts";
import type { ToolLimits } from "../../kernel/index.ts";
import { Fields } from "../fields.ts";
import { readFrontMatter } from "../front-matter.ts";
import { type FileProblem, Problems } from "../problems.ts";

/** What a file in Markdown says of an agent. */
export interface AgentFile {
  readonly file: string;
  /** Undefined where the file can't be read: nobody knows for whom it was, and it holds for every agent. */
  readonly id: string | undefined;
  /** Hold whether the file is accepted or not: they only take away. */
  readonly limits: ToolLimits;
  /** Absent where the file is not accepted, or can't be used. */
  readonly settings?: AgentSettings;
}

/** What an agent is and may do beside calling tools. */
export interface AgentSettings {
  readonly name?: string;
  readonly category?: string;
  /** The most steps of one of its runs. Absent: what the configuration says. */
  readonly maxIterations?: number;
  /** The ids of agents that it may call; none where absent. */
  readonly canInvokeAgents: readonly string[];
  readonly canSpawn: boolean;
  readonly model?: string;
  readonly provider?: string;
  /** How it speaks to the person it works for. Absent: what the configuration says. */
  readonly speaks?: "text" | "reply";
  /** The text below the fields. */
  readonly instructions: string;
}

export interface ReadAgent {
  readonly agent: AgentFile;
  readonly problems: readonly FileProblem[];
}

/** Says what is wrong with an entry of a list that names a pack; undefined where nothing is. */
export type FindPackFault = (entry: string) => string | undefined;

/** The form of an agent's id, as operators name agents. */
const idPattern = /^[\w.:@/-]{1,128}$/;
const entries = { most: 200, mostItems: 1000 } as const;

/** A file of which a list can't be read leaves its agent no tools: what it was to take away is not known. */
export function readAgentFile(
  { path, text }: Pick<SourceFile, "path" | "text">,
  accepted: boolean,
  findPackFault: FindPackFault = () => undefined,
): ReadAgent {
  const problems = new Problems(path);
  const read = readFrontMatter(text);
  if ("code" in read) {
    problems.error(read.code, `Cannot read the agent: ${read.message}`, read.place);
    return { agent: brokenAgent(path, undefined), problems: problems.list() };
  }
  const fields = new Fields(read.fields, [], problems);
  const id = fields.text("id", {
    required: true,
    most: 128,
    pattern: idPattern,
    form: 'letters, digits or ". : @ / _ -"',
  });
  const lists = readLists(fields, findPackFault);
  const settings = readSettings(fields, read.body);
  tellOfOthers(fields, problems, read.fields.placeOfKey.bind(read.fields));
  if (id === undefined || problems.hasErrors)
    return { agent: brokenAgent(path, id), problems: problems.list() };
  if (!accepted) problems.warn("SOURCE_NOT_TRUSTED", notTrusted(path));
  const limits: ToolLimits = { by: `the agent "${id}"`, place: `"${path}"`, ...lists };
  return { agent: { file: path, id, limits, ...(accepted && { settings }) }, problems: problems.list() };
}

/** Stands for a file that can't be used. */
export function brokenAgent(file: string, id: string | undefined): AgentFile {
  const by = `"${file}", which can't be used as it is`;
  return { file, id, limits: { by, place: `"${file}", once its faults are gone`, allowedTools: [] } };
}

function readLists(
  fields: Fields,
  findPackFault: FindPackFault,
): Pick<ToolLimits, "allowedTools" | "blockedTools"> {
  const [allowedTools, blockedTools] = (["allowedTools", "blockedTools"] as const).map((key) => {
    const list = fields.texts(key, entries);
    for (const fault of list.flatMap((entry) => findPackFault(entry) ?? [])) fields.invalid(key, fault);
    return list;
  }) as [readonly string[], readonly string[]];
  return {
    ...(fields.has("allowedTools") && { allowedTools }),
    ...(fields.has("blockedTools") && { blockedTools }),
  };
}

function readSettings(fields: Fields, instructions: string): AgentSettings {
  const given = withoutUndefined({
    name: fields.text("name", { most: 200 }),
    category: fields.text("category", { most: 200 }),
    maxIterations: fields.number("maxIterations", { least: 1, most: 10_000 }),
    model: fields.text("model", { most: 200 }),
    provider: fields.text("provider", { most: 200 }),
    speaks: fields.oneOf("speaks", ["text", "reply"]),
  });
  return {
    ...given,
    canInvokeAgents: fields.texts("canInvokeAgents", entries),
    canSpawn: fields.flag("canSpawn") ?? false,
    instructions,
  };
}

const known = [
  "id",
  "name",
  "category",
  "maxIterations",
  "blockedTools",
  "allowedTools",
  "canInvokeAgents",
  "canSpawn",
  "model",
  "provider",
  "speaks",
];

/** Agents have fields that are other programs' business; one that is nearly one of ours is a slip, and may have been a ban. */
function tellOfOthers(
  fields: Fields,
  problems: Problems,
  findPlace: (path: readonly string[]) => { line: number; column: number },
): void {
  for (const key of fields.keys()) {
    if (known.includes(key)) continue;
    const [nearest] = nearestNames(key, known, 1);
    const place = findPlace([key]);
    if (nearest === undefined)
      problems.warn("FIELD_UNKNOWN", `Nothing here goes by the field "${key}"`, place);
    else
      problems.error(
        "FIELD_UNKNOWN",
        `Cannot use the field "${key}": there is none of that name; did you mean "${nearest}"`,
        place,
      );
  }
}

function notTrusted(path: string): string {
  return `Only what takes tools away is taken from "${path}": it is not trusted as it is now; read it, then run \`haft trust\``;
}
