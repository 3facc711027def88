import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";
import { minifySync } from "rolldown/utils";
import { bundledPackages, ownPrograms, sharedPackages } from "./bundled.ts";
import { sharedChunks } from "./shared-chunks.ts";
import { requireSlimPackages, slimPackages } from "./slim-packages.ts";

/** Folders that are served or read as they are. */
const plainFolders = ["server/bridge/page", "modules/embeddings/words"];

/** Placeholder for a module's own place, replaced once it is known which file the module is in. */
const mark = "__haftPlace";

/**
 * Bundles haft into `folder` as it is installed: each entry at the path of its source, and code that entries share in
 * `dist/chunks/`, once. A module's `import.meta.url` is the path that it would have without bundling, so that it finds
 * the files beside it; `import.meta.filename` is the bundled file that holds it.
 */
export async function buildProgram(folder: string): Promise<void> {
  const {
    exports: subpaths,
    dependencies,
    peerDependencies,
  } = JSON.parse(readFileSync("package.json", "utf8")) as {
    exports: Readonly<Record<string, string | { readonly "haft-source": string }>>;
    dependencies: object;
    peerDependencies: object;
  };
  const published = Object.values(subpaths).flatMap((target) =>
    typeof target === "string" ? [] : [target["haft-source"].replace(/^\.\//, "")],
  );
  const chunks = await bundle(["src/main.ts", ...published, ...ownPrograms], folder, "dist/chunks");
  // linkedom tries to load canvas and works without it.
  const installed = new Set([...Object.keys({ ...dependencies, ...peerDependencies }), "canvas"]);
  const files = new Set(chunks.map(({ fileName }) => fileName));
  for (const { fileName, imports, dynamicImports } of chunks)
    for (const name of [...imports, ...dynamicImports])
      if (!files.has(name) && !isBuiltin(name) && !installed.has(readPackageName(name)))
        throw new Error(`${fileName} imports "${name}", which is neither built in nor installed`);
  refuseCircles(chunks);
  requireSlimPackages(chunks);
  const bridge = chunks.find(({ fileName }) => fileName === "dist/host/sandbox/egress/bridge.js");
  if (!bridge?.imports.every((name) => isBuiltin(name)))
    throw new Error("The bridge of the sandbox has to be one file: nothing else of haft is in there");
  for (const plain of plainFolders) cpSync(`src/${plain}`, join(folder, "dist", plain), { recursive: true });
  writeFileSync(join(folder, "dist/packages-licences.txt"), formatLicences(chunks));
}

/**
 * Refuses chunks that import each other: one of them runs before the other is initialised, and tests may not notice.
 */
function refuseCircles(chunks: readonly OutputChunk[]): void {
  const imports = new Map(chunks.map((chunk) => [chunk.fileName, chunk.imports]));
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) throw new Error(`Chunks import each other: ${[...path, name].join(" > ")}`);
    if (done.has(name)) return;
    for (const next of imports.get(name) ?? []) visit(next, [...path, name]);
    done.add(name);
  };
  for (const { fileName } of chunks) visit(fileName, []);
}

/** Bundles entries with what they import, except packages that are installed. */
export async function bundle(
  entries: readonly string[],
  folder: string,
  chunkFolder: string,
): Promise<readonly OutputChunk[]> {
  const built = new Set([...bundledPackages, ...sharedPackages, "@oxc-project/runtime"]);
  await using made = await rolldown({
    input: Object.fromEntries(entries.map((source) => [toBuiltPath(source), source])),
    platform: "node",
    resolve: {
      conditionNames: ["haft-source", "node", "import"],
      // Prefers a package's build for bundlers, if it has one.
      mainFields: ["module", "main"],
      // The browser build bundles no DOM of its own.
      alias: {
        turndown: resolve("node_modules/turndown/lib/turndown.browser.es.js"),
        // The Node build is CommonJS, which can't be tree-shaken.
        yaml: resolve("node_modules/yaml/browser/index.js"),
      },
    },
    transform: { target: "node22" },
    external: (id, importer) =>
      isBuiltin(id) || (/^[\w@]/.test(id) && !isInPackage(importer) && !built.has(readPackageName(id))),
    logLevel: "silent",
    plugins: [keepPlaces, slimPackages, takeBuiltins, minifyPackages],
  });
  const { output } = await made.write({
    dir: folder,
    entryFileNames: "[name]",
    chunkFileNames: `${chunkFolder}/[name]-[hash].js`,
    codeSplitting: { groups: [...sharedChunks], includeDependenciesRecursively: false },
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  return output.filter((one) => one.type === "chunk");
}

/** The path of a source once it is built. */
export function toBuiltPath(source: string): string {
  return relative(".", source)
    .replaceAll(sep, "/")
    .replace(/^src\b/, "dist")
    .replace(/\.ts$/, ".js");
}

const keepPlaces: Plugin = {
  name: "keep-places",
  transform: (code, file) =>
    isInPackage(file) || file.startsWith("\0")
      ? undefined
      : code.replaceAll("import.meta.url", `${mark}(${JSON.stringify(toBuiltPath(file))})`),
  renderChunk: (code, { fileName }) =>
    code.replaceAll(new RegExp(`${mark}\\("([^"]*)"\\)`, "g"), (_, place: string) =>
      place === fileName
        ? "import.meta.url"
        : `new URL(${JSON.stringify(relative(dirname(`/${fileName}`), `/${place}`).replaceAll(sep, "/"))}, import.meta.url).href`,
    ),
};

/**
 * Replaces imports of Node's modules by `getBuiltinModule`: an import reads every export, which for `node:http` loads
 * Node's WebSocket, and for `node:process` opens its streams.
 */
const takeBuiltins: Plugin = {
  name: "take-builtins",
  renderChunk: (code) =>
    code
      .replaceAll(/^import (.+) from "([^"]+)";$/gm, (statement, names: string, module: string) => {
        if (!isBuiltin(module)) return statement;
        const [, whole, named] = /^(?:\* as )?([\w$]+)?(?:, )?(\{.*\})?$/.exec(names) ?? [];
        const get = `globalThis.process.getBuiltinModule("${module}")`;
        const functions = lateBuiltins.has(module) ? readFunctions(module, named) : undefined;
        return [
          whole !== undefined && lateBuiltins.has(module)
            ? `const ${whole} = new Proxy({}, { get: (_, name) => ${get}[name] });`
            : whole !== undefined && `const ${whole} = ${get};`,
          functions?.map(({ name, local }) => `const ${local} = (...given) => ${get}.${name}(...given);`) ??
            (named !== undefined && `const ${named.replaceAll(" as ", ": ")} = ${get};`),
        ]
          .flat()
          .filter((line) => line !== false)
          .join(" ");
      })
      .replaceAll(
        /(?<=await )import\("(node:(?!sqlite")[^"]+)"\)/g,
        'globalThis.process.getBuiltinModule("$1")',
      ),
};

/** Node's modules that take some milliseconds to load, and that most starts never call. */
const lateBuiltins: ReadonlySet<string> = new Set(["node:child_process", "node:http", "node:readline"]);

/** The names of an import if all of them are plain functions; undefined if one is a class or a value. */
function readFunctions(module: string, named = "{}"): { name: string; local: string }[] | undefined {
  const found = named
    .slice(1, -1)
    .split(",")
    .map((one) => one.trim().split(" as "))
    .map(([name = "", local = name]) => ({ name, local }));
  const values = process.getBuiltinModule(module) as unknown as Readonly<Record<string, unknown>>;
  const isFunction = (name: string) => typeof values[name] === "function" && /^[a-z]/.test(name);
  return found.every(({ name }) => isFunction(name)) ? found : undefined;
}

/** Our own code keeps its lines and names, so that stack traces can be read. */
const minifyPackages: Plugin = {
  name: "minify-packages",
  renderChunk: (code, { fileName, moduleIds }) =>
    moduleIds.every(isInPackage) ? minifySync(fileName, code, { module: true }).code : undefined,
};

function readPackageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function isInPackage(file: string | undefined): boolean {
  return file !== undefined && /[\\/]node_modules[\\/]/.test(file);
}

function formatLicences(chunks: readonly OutputChunk[]): string {
  const folders = new Set(
    chunks.flatMap(({ moduleIds }) =>
      moduleIds.flatMap((id) => /^.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? []),
    ),
  );
  const packages = [...folders].sort().map(readLicence);
  return packages.map((one) => formatLicence(one, packages)).join("\n");
}

interface LicensedPackage {
  readonly folder: string;
  readonly title: string;
  readonly text: string | undefined;
  /** The name of its licence, and where its sources are. */
  readonly origin: string | undefined;
}

function readLicence(folder: string): LicensedPackage {
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  const {
    name = basename(folder),
    version,
    license,
    repository,
  } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    name?: string;
    version?: string;
    license?: string;
    repository?: { readonly url?: string };
  };
  return {
    folder,
    title: `${name} ${version}`,
    text: file === undefined ? undefined : readFileSync(join(folder, file), "utf8"),
    origin: repository?.url === undefined ? undefined : `${license} ${repository.url}`,
  };
}

/** A package that has no file with its licence has that of another one from the same sources. */
function formatLicence(
  { folder, title, text, origin }: LicensedPackage,
  packages: readonly LicensedPackage[],
): string {
  const sibling = packages.find(
    (one) => one.origin !== undefined && one.origin === origin && one.text !== undefined,
  );
  const licence = text ?? sibling?.text;
  if (licence === undefined) throw new Error(`"${folder}" has no licence: it can't be bundled`);
  return `${title}\n\n${licence}`;
}
