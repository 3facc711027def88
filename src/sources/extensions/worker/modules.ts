import { isBuiltin, registerHooks } from "node:module";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { ModuleSet } from "../messages.ts";

const formats: Readonly<Record<string, string>> = {
  ".ts": "module-typescript",
  ".mts": "module-typescript",
  ".js": "module",
  ".mjs": "module",
  ".json": "json",
};

/** haft's own, as an extension knows it: what a tool is made of. */
const kernelNames: readonly string[] = ["haft", "haft/kernel"];

const kernelUrl = new URL(`../../../kernel/index${extname(fileURLToPath(import.meta.url))}`, import.meta.url)
  .href;

/**
 * Lets the modules of an extension be found, with exactly these texts, where they were read; the files themselves are
 * not looked at. They may import each other, `haft`, what haft lends, and what Node has.
 */
export function provideModules({ files, packages }: ModuleSet): void {
  const texts = new Map(files.map(({ url, text }) => [url, text]));
  registerHooks({
    resolve(specifier, context, next) {
      if (texts.has(specifier)) return { url: specifier, shortCircuit: true };
      const { parentURL } = context;
      if (parentURL === undefined || !texts.has(parentURL) || isBuiltin(specifier))
        return next(specifier, context);
      if (kernelNames.includes(specifier)) return { url: kernelUrl, shortCircuit: true };
      const wanted = formerNames.get(specifier) ?? specifier;
      const lent = packages.find(({ name }) => wanted === name || wanted.startsWith(`${name}/`));
      // A package knows itself by its name, wherever it lies.
      if (lent !== undefined) return next(wanted, { ...context, parentURL: lent.url });
      const url = /^(\.{0,2}\/|file:)/.test(specifier) ? new URL(specifier, parentURL).href : undefined;
      if (url !== undefined && texts.has(url)) return { url, shortCircuit: true };
      throw new Error(
        `Cannot resolve the import of "${specifier}": ${url === undefined ? noPackage : noFile}`,
      );
    },
    load(url, context, next) {
      const source = texts.get(url);
      if (source === undefined) return next(url, context);
      return { format: formats[extname(url)] ?? "module", source, shortCircuit: true };
    },
  });
}

/** Packages that had another name before. */
const formerNames: ReadonlyMap<string, string> = new Map([["@sinclair/typebox", "typebox"]]);

const noPackage =
  'an extension has "haft", "zod", "typebox" and the modules of Node, and no other package; bundle what it needs into a file of its own';
const noFile =
  "there is no such file among those of this extension that its owner accepted (its own file or folder, and lib/); see `haft doctor`";
