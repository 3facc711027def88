import { showInvisible } from "../../base/index.ts";
import type { Effect } from "../tool/effect.ts";
import { findSeparator, reaches } from "../tool/effect-pattern.ts";
import type { EffectPattern } from "./approval.ts";

/** A pattern that covers more than one effect, with what shows how far it goes. */
export interface WiderPattern {
  readonly pattern: EffectPattern;
  /** A target that it covers. */
  readonly covers: string;
  /** A near one that it does not. */
  readonly leaves: string;
}

/** What a yes to this effect could stand for beyond it; undefined where that can't be said safely. */
export function generalise(effect: Effect, allowedPaths: readonly string[]): WiderPattern | undefined {
  if (effect.opaque === true || effect.risk !== undefined) return undefined;
  if (showInvisible(effect.target) !== effect.target || /[\n\t]/.test(effect.target)) return undefined;
  switch (effect.kind) {
    case "run":
      return generaliseCommand(effect);
    case "connect":
      return generaliseOrigin(effect);
    case "write":
      return generaliseEntry(effect) ?? generalisePath(effect, allowedPaths);
    case "read":
    case "delete":
      return generalisePath(effect, allowedPaths);
    default:
      return effect.kind satisfies never;
  }
}

const scriptNames = /^[A-Za-z][A-Za-z0-9:._-]*$/;
const runners = ["test", "build", "check", "lint", "format", "start"];

/**
 * Programs that run the project's own code, or only record it, by the words that have to stand before any arguments.
 * To whoever can write that code their arguments give no new power. What fetches, sends, deletes, or takes a
 * program's text as an argument is not here: that is remembered exactly or not at all.
 */
const generalised: Readonly<Record<string, readonly (readonly (string | RegExp)[])[]>> = {
  npm: [["test"], ["start"], ["run", scriptNames]],
  pnpm: [...runners.map((name) => [name]), ["run", scriptNames]],
  yarn: [...runners.map((name) => [name]), ["run", scriptNames]],
  bun: [["test"], ["run", /^[A-Za-z][A-Za-z0-9:_-]*$/]],
  deno: [["test"], ["check"], ["lint"], ["fmt"], ["task", scriptNames]],
  cargo: ["build", "test", "check", "clippy", "fmt", "doc", "bench"].map((name) => [name]),
  go: ["build", "test", "vet", "fmt"].map((name) => [name]),
  dotnet: ["build", "test", "format"].map((name) => [name]),
  make: [[scriptNames]],
  just: [[scriptNames]],
  mvn: ["test", "compile", "package", "verify"].map((name) => [name]),
  gradle: ["test", "build", "check", "assemble"].map((name) => [name]),
  "./gradlew": ["test", "build", "check", "assemble"].map((name) => [name]),
  git: [["add"], ["commit"]],
  vitest: [[]],
  jest: [[]],
  pytest: [[]],
  tsc: [[]],
  eslint: [[]],
  prettier: [[]],
  biome: [[]],
  oxlint: [[]],
  ruff: [["check"], ["format"]],
  mypy: [[]],
};

function generaliseCommand({ target, confined }: Effect): WiderPattern | undefined {
  const words = target.split(" ");
  const program = words[0] as string;
  const forms = Object.hasOwn(generalised, program) ? (generalised[program] ?? []) : [];
  const form = forms.find((one) => one.every((part, at) => fits(part, words[at + 1])));
  if (form === undefined) return undefined;
  const prefix = words.slice(0, form.length + 1);
  const pattern: EffectPattern = {
    kind: "run",
    target: prefix.join(" "),
    reach: "arguments",
    ...(confined === true && { confined }),
  };
  return { pattern, covers: `${pattern.target} --verbose`, leaves: otherCommand(prefix) };
}

function fits(part: string | RegExp, word: string | undefined): boolean {
  return word !== undefined && (typeof part === "string" ? part === word : part.test(word));
}

const otherWords: Readonly<Record<string, string>> = { git: "push", go: "install" };

/** The same program, told to do something else. */
function otherCommand(prefix: readonly string[]): string {
  if (prefix.length === 1) return `${prefix[0]}-other`;
  const [program = ""] = prefix;
  const last = Object.hasOwn(otherWords, program) ? otherWords[program] : "publish";
  return [...prefix.slice(0, -1), prefix.at(-1) === last ? "deploy" : last].join(" ");
}

function generaliseOrigin({ target }: Effect): WiderPattern | undefined {
  const [, scheme, host] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@\s]+)$/.exec(target) ?? [];
  if (scheme === undefined || host === undefined) return undefined;
  const isName = /^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*(:\d+)?$/.test(host);
  const leaves = isName ? `${scheme}://other.${host}` : `${scheme === "https" ? "http" : "https"}://${host}`;
  return { pattern: { kind: "connect", target, reach: "same" }, covers: target, leaves };
}

/** An entry of memory: what is to stand in it differs from call to call. */
function generaliseEntry({ target }: Effect): WiderPattern | undefined {
  if (!/^memory:./.test(target)) return undefined;
  return {
    pattern: { kind: "write", target, reach: "same" },
    covers: target,
    leaves: `${target}-other`,
  };
}

/** Homes, and folders that all of a machine hangs on: an answer for one of their files is no answer for all in them. */
const tooWide =
  /^([A-Za-z]:)?[/\\]?$|^[/\\][^/\\]*$|^[/\\](home|Users)[/\\][^/\\]+$|^[A-Za-z]:[/\\]([^/\\]*|Users[/\\][^/\\]+)$/;
const system =
  /^[/\\](dev|proc|sys|etc|boot|bin|sbin|lib|lib64|usr|System|Windows)([/\\]|$)|^[A-Za-z]:[/\\]Windows([/\\]|$)/i;

function generalisePath({ kind, target }: Effect, allowedPaths: readonly string[]): WiderPattern | undefined {
  const isAbsolute = target.startsWith("/") || /^[A-Za-z]:\\/.test(target);
  const separator = findSeparator(target);
  const folder = target.slice(0, target.lastIndexOf(separator));
  if (!isAbsolute || tooWide.test(folder) || (kind !== "read" && system.test(folder))) return undefined;
  if (/^[/\\](dev|proc|sys)([/\\]|$)/.test(folder)) return undefined;
  const isAbove = allowedPaths.some((path) => path === folder || path.startsWith(folder + separator));
  if (isAbove) return undefined;
  const pattern: EffectPattern = { kind, target: folder, reach: "below" };
  if (!reaches(pattern, target)) return undefined;
  return {
    pattern,
    covers: `${folder}${separator}another-file`,
    leaves: `${folder}-other${separator}another-file`,
  };
}
