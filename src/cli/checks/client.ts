import { type Finding, failed, ok, warning } from "../../app/checks/index.ts";
import {
  type ClientEdit,
  projectFilesBeside,
  readClientValue,
  readIfThere,
  saysEdit,
} from "../../app/index.ts";
import { canonicalJson, getErrorMessage } from "../../base/index.ts";
import type { ClientEntry, ClientHalf, ClientSetting } from "../connect/client-entry.ts";
import { shownPath } from "../connect/shown-path.ts";

/** Checks a client's files: whether haft is in them, and whether its own tools and question are off. */
export async function checkClientFiles(entry: ClientEntry, setting: ClientSetting): Promise<Finding[]> {
  const remedy = `\`haft connect ${entry.id}\` shows what is missing, and writes it`;
  return [
    await checkServer(entry, setting, remedy),
    await checkHalf("own tools", entry.ownTools(setting), {
      fine: `${entry.title}'s own shell and file tools are off`,
      missing: `${entry.title}'s own shell and file tools are still there: a call of theirs never comes to haft`,
      remedy,
    }),
    ...(await checkProjectFiles(entry, setting)),
    await checkHalf("own question", entry.ownQuestion(setting), {
      fine: `${entry.title} leaves the questions about haft's tools to haft`,
      missing: `${entry.title} asks before haft's tools too`,
      remedy,
    }),
  ];
}

async function checkServer(entry: ClientEntry, setting: ClientSetting, remedy: string): Promise<Finding> {
  const edit = entry.server(setting);
  const text = readIfThere(edit.file);
  const file = shownPath(edit.file);
  try {
    if (await saysEdit(text, edit)) return ok("server", `haft is in ${file}`);
    const [change] = edit.changes;
    const isThere =
      text !== undefined &&
      (change?.kind !== "set" || (await readClientValue(text, edit.form, change.path)) !== undefined);
    return isThere
      ? warning("server", `${file} has a haft that is started in another way than this one`, remedy)
      : failed("server", `haft is not in ${file}`, remedy);
  } catch (error) {
    return failed("server", getErrorMessage(error), "correct the file");
  }
}

interface Wording {
  readonly fine: string;
  readonly missing: string;
  readonly remedy: string;
}

async function checkHalf(
  name: string,
  { edits, but, none }: ClientHalf,
  { fine, missing, remedy }: Wording,
): Promise<Finding> {
  try {
    for (const edit of edits) {
      if (await saysEdit(readIfThere(edit.file), edit)) continue;
      return failed(name, `${missing} (${shownPath(edit.file)})`, remedy);
    }
  } catch (error) {
    return failed(name, getErrorMessage(error), "correct the file");
  }
  if (but !== undefined) return warning(name, edits.length > 0 ? fine : missing, but);
  return ok(name, none ?? fine);
}

/** Checks the project's files, which a client reads after the user's and which may override them. */
async function checkProjectFiles(entry: ClientEntry, setting: ClientSetting): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const edit of entry.ownTools(setting).edits) {
    for (const file of projectFilesBeside(edit.file, setting)) {
      for (const place of await contraryPlaces(readIfThere(file) ?? "", edit)) {
        const detail = `${shownPath(file)} says otherwise: ${place}`;
        findings.push(failed("project", detail, "take that out of the project's file"));
      }
    }
  }
  return findings;
}

async function contraryPlaces(text: string, { form, changes }: ClientEdit): Promise<string[]> {
  const places: string[] = [];
  for (const change of changes) {
    if (change.kind !== "set") continue;
    const held = await readClientValue(text, form, change.path);
    if (held !== undefined && canonicalJson(held) !== canonicalJson(change.value)) {
      places.push(`${change.path.join(".")} = ${JSON.stringify(held)}`);
    }
  }
  return places;
}
