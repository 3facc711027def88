// Reads what each subpath of the package exports: names, signatures, doc comments and examples, off the sources.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isolatedDeclarationSync } from "rolldown/experimental";
import { parseSync, Visitor } from "rolldown/utils";

export interface ApiSubpath {
  /** What an import names: `haft` or `haft/kernel`. */
  readonly name: string;
  /** The line comment that its source begins with. */
  readonly intro: string;
  readonly names: readonly ApiName[];
}

const kinds = {
  FunctionDeclaration: "function",
  TSDeclareFunction: "function",
  ClassDeclaration: "class",
  VariableDeclaration: "constant",
  TSInterfaceDeclaration: "interface",
  TSTypeAliasDeclaration: "type",
} as const;

export interface ApiName {
  readonly name: string;
  readonly kind: (typeof kinds)[keyof typeof kinds];
  /** Exported as a type alone: a class that nobody outside makes is one. */
  readonly isType: boolean;
  /** The source that declares it. */
  readonly file: string;
  /** Its declaration without bodies and without its doc comment; the comments of its members are in it. */
  readonly signature: string;
  /** Its doc comment before the first tag; empty where it has none. */
  readonly comment: string;
  /** The other tags, such as `@throws`, each with what follows it. */
  readonly tags: readonly (readonly [tag: string, text: string])[];
  /** Code of `@example`, in order. */
  readonly examples: readonly string[];
  /** Other public names that its declaration uses. */
  readonly uses: readonly { readonly name: string; readonly file: string }[];
  /** Declarations of types that its declaration uses and that no subpath exports. */
  readonly hidden: readonly string[];
}

type Declared = Omit<ApiName, "name" | "isType" | "uses" | "hidden">;
type Resolved = Omit<ApiName, "name" | "uses" | "hidden">;

interface Exported {
  readonly local: string;
  /** The module that it comes from; absent where it is declared here. */
  readonly from?: string;
  readonly isType: boolean;
}

interface Module {
  readonly declared: Map<string, Declared>;
  readonly imported: Map<string, Exported>;
  readonly exported: Map<string, Exported>;
  /** Modules of which everything is exported. */
  readonly stars: string[];
}

/** Returns what the package's subpaths export, in the order of package.json. */
export function readApi(): readonly ApiSubpath[] {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
    readonly exports: Readonly<Record<string, string | { readonly "haft-source": string }>>;
  };
  const subpaths = Object.entries(exports).flatMap(([subpath, target]) =>
    typeof target === "string" ? [] : [readSubpath(`haft${subpath.slice(1)}`, join(target["haft-source"]))],
  );
  const isPublic = new Set(subpaths.flatMap(({ names }) => names.map(({ name, file }) => `${file} ${name}`)));
  return subpaths.map((subpath) => ({
    ...subpath,
    names: subpath.names.map((one) => {
      const used = listUsed(one);
      return {
        ...one,
        uses: used.filter(({ name, file }) => isPublic.has(`${file} ${name}`)),
        hidden: used
          .filter(({ name, file, kind }) => !isPublic.has(`${file} ${name}`) && kind !== "class")
          .map(({ signature }) => signature),
      };
    }),
  }));
}

function readSubpath(
  name: string,
  file: string,
): Omit<ApiSubpath, "names"> & { readonly names: (Resolved & { readonly name: string })[] } {
  const intro = /^(?:\/\/ .*\n)+/.exec(readFileSync(file, "utf8"))?.[0] ?? "";
  const names = listNames(file).map((one) => ({ ...resolveName(file, one), name: one }));
  return {
    name,
    intro: intro.replaceAll(/^\/\/ /gm, "").trim(),
    names: names.sort((a, b) => a.name.localeCompare(b.name, "en")),
  };
}

/** The types of haft that a declaration uses, in their order. */
function listUsed({
  name,
  file,
  signature,
}: Pick<ApiName, "name" | "file" | "signature">): (Resolved & { readonly name: string })[] {
  const { declared, imported } = readModule(file);
  return [...namesIn(signature)].flatMap((one) => {
    if (one === name) return [];
    const own = declared.get(one);
    if (own !== undefined) return isTypeKind(own.kind) ? [{ ...own, isType: true, name: one }] : [];
    const { from, local } = imported.get(one) ?? {};
    if (from === undefined || local === undefined) return [];
    const origin = resolveName(from, local);
    return isTypeKind(origin.kind) ? [{ ...origin, name: local }] : [];
  });
}

function isTypeKind(kind: ApiName["kind"]): boolean {
  return kind === "interface" || kind === "type" || kind === "class";
}

function listNames(file: string): string[] {
  const { exported, stars } = readModule(file);
  return [...new Set([...exported.keys(), ...stars.flatMap(listNames)])];
}

function resolveName(file: string, name: string): Resolved {
  const { declared, exported, imported, stars } = readModule(file);
  const found = exported.get(name);
  if (found === undefined) {
    const star = stars.find((one) => listNames(one).includes(name));
    if (star === undefined) throw new Error(`${file} exports no ${name}`);
    return resolveName(star, name);
  }
  const own = declared.get(found.local);
  if (found.from === undefined && own !== undefined)
    return { ...own, isType: found.isType || own.kind === "interface" || own.kind === "type" };
  const { from, local } = found.from === undefined ? (imported.get(found.local) ?? found) : found;
  if (from === undefined) throw new Error(`${file} does not declare ${name}`);
  const origin = resolveName(from, local);
  return { ...origin, isType: origin.isType || found.isType };
}

const modules = new Map<string, Module>();

function readModule(file: string): Module {
  const known = modules.get(file);
  if (known !== undefined) return known;
  const module = parseModule(file);
  modules.set(file, module);
  return module;
}

function parseModule(file: string): Module {
  const { code, errors } = isolatedDeclarationSync(file, readFileSync(file, "utf8"), {});
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
  const { program, comments } = parseSync(file.replace(/\.ts$/, ".d.ts"), code);
  const module: Module = { declared: new Map(), imported: new Map(), exported: new Map(), stars: [] };
  for (const statement of program.body) {
    const isExported = statement.type === "ExportNamedDeclaration";
    if (statement.type === "ImportDeclaration" && statement.source.value.startsWith("."))
      for (const { local, ...specifier } of statement.specifiers)
        if (specifier.type === "ImportSpecifier" && "name" in specifier.imported)
          module.imported.set(local.name, {
            local: specifier.imported.name,
            from: join(dirname(file), statement.source.value),
            isType: false,
          });
    if (statement.type === "ExportAllDeclaration")
      module.stars.push(join(dirname(file), statement.source.value));
    if (isExported)
      for (const { local, exported, exportKind } of statement.specifiers)
        if ("name" in local && "name" in exported)
          module.exported.set(exported.name, {
            local: local.name,
            isType: exportKind === "type" || statement.exportKind === "type",
            ...(statement.source !== null && { from: join(dirname(file), statement.source.value) }),
          });
    const declaration = isExported ? statement.declaration : statement;
    if (declaration === null || !isKnown(declaration)) continue;
    const id = "declarations" in declaration ? declaration.declarations[0]?.id : declaration.id;
    if (id?.type !== "Identifier") continue;
    if (isExported) module.exported.set(id.name, { local: id.name, isType: false });
    const doc = comments.findLast(({ end }) => end <= statement.start);
    const isDoc =
      doc !== undefined && doc.value.startsWith("*") && code.slice(doc.end, statement.start).trim() === "";
    const own = {
      kind: kinds[declaration.type],
      file,
      signature: code.slice(statement.start, statement.end),
      ...readComment(isDoc ? doc.value : ""),
    };
    const former = module.declared.get(id.name);
    module.declared.set(id.name, former === undefined ? own : addOverload(former, own));
  }
  return module;
}

function isKnown<Statement extends { readonly type: string }>(
  statement: Statement,
): statement is Extract<Statement, { readonly type: keyof typeof kinds }> {
  return Object.hasOwn(kinds, statement.type);
}

function addOverload(first: Declared, next: Declared): Declared {
  return {
    ...first,
    signature: `${first.signature}\n${next.signature}`,
    comment: [first.comment, next.comment].filter((text) => text !== "").join("\n\n"),
    tags: [...first.tags, ...next.tags],
    examples: [...first.examples, ...next.examples],
  };
}

function readComment(value: string): Pick<ApiName, "comment" | "tags" | "examples"> {
  const text = value
    .slice(1)
    .replaceAll(/^[ \t]*\* ?/gm, "")
    .trim();
  const [comment = "", ...rest] = text.split(/^@(?=\w)/m);
  const tags = rest.map((one) => {
    const [, tag = "", following = ""] = /^(\w+)\s*([\s\S]*)$/.exec(one) ?? [];
    return [tag, following.trim()] as const;
  });
  return {
    comment: comment.trim(),
    tags: tags.filter(([tag]) => tag !== "example"),
    examples: tags
      .filter(([tag]) => tag === "example")
      .map(([, code]) => code.replace(/^```ts\n([\s\S]*?)\n```$/, "$1")),
  };
}

/**
 * Completes the examples of a name with the imports that they need and do not have: of `haft` where that has the name,
 * else of the subpath that the example stands in, else of the first that has it; and `z` of zod.
 */
export function completeExample(code: string, subpath: ApiSubpath, api: readonly ApiSubpath[]): string {
  const order = [...api.filter(({ name }) => name === "haft"), subpath, ...api];
  const used = namesIn(code);
  const imports = new Map<string, string[]>();
  for (const { name: path, names } of new Set(order))
    for (const { name, isType } of names)
      if (used.delete(name))
        imports.set(path, [...(imports.get(path) ?? []), isType ? `type ${name}` : name]);
  const lines = Array.from(imports, ([path, names]) => `import { ${names.join(", ")} } from "${path}";`);
  if (used.has("z")) lines.push('import { z } from "zod";');
  const own = /^(?:import .*\n)*/.exec(code)?.[0] ?? "";
  lines.push(...own.split("\n").filter(Boolean));
  const byPath = lines.toSorted((a, b) =>
    (a.split(" from ")[1] ?? "").localeCompare(b.split(" from ")[1] ?? ""),
  );
  return lines.length === 0 ? code : `${byPath.join("\n")}\n\n${code.slice(own.length)}`;
}

/** Names that code uses and does not declare or import itself. */
function namesIn(code: string): Set<string> {
  const { program } = parseSync("code.ts", code);
  const found = new Set<string>();
  const declared = new Set<string>();
  new Visitor({
    Identifier: ({ name }) => void found.add(name),
    VariableDeclarator: ({ id }) => {
      if (id.type === "Identifier") declared.add(id.name);
    },
    ImportSpecifier: ({ local }) => void declared.add(local.name),
  }).visit(program);
  for (const name of declared) found.delete(name);
  return found;
}
