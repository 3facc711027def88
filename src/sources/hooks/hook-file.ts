import { withoutUndefined } from "../../base/index.ts";
import type { SourceFile } from "../../host/index.ts";
import { Fields } from "../fields.ts";
import { readFrontMatter } from "../front-matter.ts";
import type { ReadFile } from "../kept-files.ts";
import { Problems } from "../problems.ts";
import { type HookDefinition, type HookEntry, hookIdPattern, toDefinition } from "./hook-definition.ts";

/** A hook in Markdown. What follows the front matter is its description. */
export function readHookFile({ path, text }: SourceFile): ReadFile<HookDefinition> {
  const problems = new Problems(path);
  const read = readFrontMatter(text);
  if ("code" in read) {
    problems.error(read.code, `Cannot read the hook: ${read.message}`, read.place);
    return { value: undefined, problems: problems.list() };
  }
  const fields = new Fields(read.fields, [], problems);
  const entry = readEntry(fields, read.body);
  fields.refuseOthers();
  const value = entry === undefined || problems.hasErrors ? undefined : toDefinition(entry, path, 1000);
  return { value, problems: problems.list() };
}

function readEntry(fields: Fields, body: string): HookEntry | undefined {
  const id = fields.text("id", {
    required: true,
    most: 64,
    pattern: hookIdPattern,
    form: 'letters, digits, ".", "_" and "-"',
  });
  const type = fields.oneOf("type", ["pre_tool", "post_tool"]);
  if (type === undefined && !fields.has("type")) fields.missing("type");
  const command = fields.text("command", { required: true, most: 100_000 });
  const given = withoutUndefined({
    name: fields.text("name", { most: 200 }),
    description: fields.text("description", { most: 2000 }) ?? (body === "" ? undefined : body),
    tools: fields.texts("tools", { most: 200, mostItems: 1000 }),
    blocking: fields.flag("blocking"),
    timeout: fields.number("timeout", { least: 1, most: 600 }),
    priority: fields.number("priority", { least: -1_000_000, most: 1_000_000 }),
    hosts: fields.texts("hosts", { most: 300, mostItems: 20 }),
    enabled: fields.flag("enabled"),
  });
  if (id === undefined || type === undefined || command === undefined) return undefined;
  return { id, type, command, ...given };
}
