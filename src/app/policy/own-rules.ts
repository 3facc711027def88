import { createHash } from "node:crypto";
import { canonicalJson } from "../../base/index.ts";
import { readVariable } from "../../host/index.ts";
import { parseConfig } from "../config/config.ts";
import { replaceConfig } from "../config/edit-config.ts";
import { readPermissionsText, withPermissions } from "../config/edit-permissions.ts";
import type { App } from "../create-app.ts";
import { readIfThere } from "../home.ts";
import { judgeByFiles, type ShadowReport } from "./shadow-calls.ts";

/** The rules in the user's own configuration file, for an editor. */
export interface OwnRules {
  readonly file: string;
  /** YAML of the rules, with their comments. */
  readonly text: string;
  /** SHA-256 of the whole file. An edit is refused if the file no longer has it. */
  readonly digest: string;
  /** Whether the file was changed since the start, so that its rules are not in force yet. */
  readonly isPending: boolean;
}

export async function readOwnRules({ home, loaded }: Pick<App, "home" | "loaded">): Promise<OwnRules> {
  const file = home.config;
  const written = readIfThere(file) ?? "";
  const { permissions = [] } = await parseConfig(written, file, readVariable);
  return {
    file,
    text: await readPermissionsText(written, file),
    digest: toDigest(written),
    isPending: canonicalJson(permissions) !== canonicalJson(loaded.own.permissions ?? []),
  };
}

/**
 * Judges the newest recorded calls by other rules, and reports those that would be decided differently. Runs and writes nothing.
 *
 * @throws {ConfigError} for rules that can't be used.
 */
export async function tryOwnRules(
  app: App,
  text: string,
  { most, signal }: { readonly most: number; readonly signal: AbortSignal },
): Promise<ShadowReport> {
  const file = app.home.config;
  const next = await withPermissions(readIfThere(file) ?? "", text, file);
  const own = await parseConfig(next, file, readVariable);
  const { ledger } = await app.store();
  return judgeByFiles(app, { own, project: app.loaded.project }, { ledger, query: {}, signal, most });
}

/**
 * Replaces the rules in the user's own file, and keeps everything else. The rules are in force from the next start.
 *
 * @param digest {@link OwnRules.digest} of the file that was edited.
 * @returns Undefined if the file was changed since then.
 * @throws {ConfigError} for rules that can't be used; CONFIG_CHANGED
 */
export async function saveOwnRules(
  app: Pick<App, "home" | "loaded">,
  text: string,
  digest: string,
): Promise<OwnRules | undefined> {
  const file = app.home.config;
  const before = readIfThere(file);
  if (toDigest(before ?? "") !== digest) return undefined;
  const next = await withPermissions(before ?? "", text, file);
  await parseConfig(next, file, readVariable);
  replaceConfig(file, before, next);
  return readOwnRules(app);
}

function toDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
