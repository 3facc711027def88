// The types of haft.config.yml as TypeScript, read off its schema: every option, its type and its comment are written once, there.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { isRecord } from "../src/base/index.ts";
import type { JsonSchema } from "../src/kernel/index.ts";

interface NamedType {
  readonly name: string;
  /** What stands above the type. Without it, that is the description of the part. */
  readonly comment?: string;
  /** The type itself, where another folder reads the part and has the type. */
  readonly text?: string;
}

const servers: NamedType = {
  name: "ServersConfig",
  comment: "The servers by name, or a list of entries with `name`; `readServers` of haft/mcp reads both.",
  text: "Readonly<Record<string, object>> | readonly object[]",
};

const expose: NamedType = {
  name: "Expose",
  comment:
    "What clients of haft's MCP server are shown: every tool, a few that lead to the others, or what `tools.budget` says.",
};

/**
 * The parts of the schema whose types have names, by path: `a.b` is an option, `a[]` an item of a list, `a*` a value
 * by name, and `a|1` the second of several forms.
 */
const named: Readonly<Record<string, NamedType>> = {
  "": { name: "HaftConfig", comment: "What a configuration file says; every part may be left out." },
  "tools.profile": { name: "Profile", comment: "A vocabulary of tools: one name for each ability." },
  "tools.search": { name: "SearchConfig" },
  "tools.search.embedder": { name: "EmbedderConfig", comment: "What tells texts that mean alike." },
  "tools.search.embedder|1": { name: "ApiEmbedderConfig" },
  "tools.search.embedder|2": { name: "TransformersConfig" },
  "tools.mcpServers": servers,
  "tools.webSearch": {
    name: "WebSearchConfig",
    comment: "Which service searches the web, and how it is reached.",
    text: "WebSearchOptions & { readonly provider: SearchProviderName }",
  },
  "tools.webRead": { name: "WebReadConfig", comment: "How web pages are read.", text: "WebReadOptions" },
  mcpServers: servers,
  "agents*": {
    name: "AgentLists",
    comment: "Names and globs of tools. A block wins, and an empty list of allowed ones allows none.",
  },
  "policyTests[]": { name: "PolicyTest", comment: "One call, and what is to be decided of it." },
  sandbox: { name: "SandboxConfig" },
  snapshots: { name: "SnapshotsConfig" },
  memory: { name: "MemoryConfig" },
  "memory.vocabularies[]": { name: "MemoryVocabulary", comment: "A set of tools that work on memory." },
  "memory.model": { name: "ApiModelConfig", comment: "A model behind an API that speaks as OpenAI's does." },
  "models*": { name: "NamedModelConfig", comment: "One language model, and how it is reached." },
  "models*.prices": { name: "ModelPricesConfig", comment: "USD for a million tokens." },
  agent: { name: "AgentConfig", comment: "Which models are asked for what." },
  serve: { name: "ServeConfig", comment: "How MCP clients are served." },
  "serve.expose": expose,
  "serve.clients*": { name: "ClientProfile", comment: "What one client is shown." },
  "serve.clients*.expose": expose,
};

/** The parts whose types other folders have, by path; `head` imports them. */
const elsewhere: Readonly<Record<string, string>> = {
  "tools.budget": "ToolBudget",
  "hooks[]": "HookEntry",
  mode: "Mode",
  ledger: "LedgerPolicy",
  "permissions[]": "Rule",
  "shadowPermissions[]": "Rule",
  "policyTests[].mode": "Mode",
  "policyTests[].trust": "Trust",
  "policyTests[].expect": "Decision",
  "sandbox.atLeast": "SandboxLevel",
};

const head = `// \`npm run config-schema\` writes this file from \`configSchema\` (config-schema.ts); change an option there.
import type { SandboxLevel } from "../../host/index.ts";
import type { Decision, LedgerPolicy, Mode, Rule, Trust } from "../../kernel/index.ts";
import type { SearchProviderName, WebReadOptions, WebSearchOptions } from "../../modules/web/index.ts";
import type { ToolBudget } from "../../search/index.ts";
import type { HookEntry } from "../../sources/index.ts";
`;

/** The text of `src/app/config/config-types.ts`. */
export function renderConfigTypes(schema: JsonSchema): string {
  const writer = new TypeWriter();
  writer.describeType(schema, "");
  const stale = [...Object.keys(named), ...Object.keys(elsewhere)].filter((path) => !writer.met.has(path));
  if (stale.length > 0) throw new Error(`The schema has no ${stale.join()}; correct scripts/config-types.ts`);
  const text = [head, ...writer.declared.values()].join("\n");
  const biome = fileURLToPath(new URL("../node_modules/.bin/biome", import.meta.url));
  return execFileSync(biome, ["format", "--stdin-file-path=config-types.ts"], {
    input: text,
    encoding: "utf8",
  });
}

class TypeWriter {
  /** The types that have names, by name. */
  readonly declared: Map<string, string> = new Map();
  /** The paths that the schema has. */
  readonly met: Set<string> = new Set();

  describeType(part: JsonSchema, path: string): string {
    this.met.add(path);
    const foreign = elsewhere[path];
    if (foreign !== undefined) return foreign;
    const type = named[path];
    if (type === undefined) return this.#describeShape(part, path);
    if (!this.declared.has(type.name)) {
      // Its place is taken first, so that a type stands above those of its parts.
      this.declared.set(type.name, "");
      const text = type.text ?? this.#describeShape(part, path);
      const isInterface = isRecord(part["properties"]) && part["oneOf"] === undefined;
      const comment = renderComment(type.comment ?? part["description"], type.name);
      this.declared.set(
        type.name,
        isInterface && type.text === undefined
          ? `${comment}export interface ${type.name} ${text}\n`
          : `${comment}export type ${type.name} = ${text};\n`,
      );
    }
    return type.name;
  }

  #describeShape(part: JsonSchema, path: string): string {
    const values = part["const"] === undefined ? part["enum"] : [part["const"]];
    if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
    if (Array.isArray(part["anyOf"])) {
      return part["anyOf"]
        .map((form: JsonSchema, at) => this.describeType(form, `${path}|${at}`))
        .join(" | ");
    }
    switch (part["type"]) {
      case "integer":
      case "number":
        return "number";
      case "string":
      case "boolean":
        return part["type"];
      case "array":
        return `readonly (${this.describeType(part["items"] as JsonSchema, `${path}[]`)})[]`;
      case "object":
        return this.#describeObject(part, path);
      default:
        throw new Error(
          `No type is known for ${path}: ${JSON.stringify(part)}; teach scripts/config-types.ts`,
        );
    }
  }

  #describeObject(part: JsonSchema, path: string): string {
    const { properties, additionalProperties, oneOf } = part;
    if (!isRecord(properties)) {
      const value = isRecord(additionalProperties)
        ? this.describeType(additionalProperties, `${path}*`)
        : "unknown";
      return `Readonly<Record<string, ${value}>>`;
    }
    const body = (names: readonly string[], required: ReadonlySet<string>): string => {
      const options = names.map((name) => {
        const option = properties[name] as JsonSchema;
        const type = this.describeType(option, path === "" ? name : `${path}.${name}`);
        const mark = required.has(name) ? "" : "?";
        return `${renderComment(option["description"], name)}readonly ${name}${mark}: ${type};\n`;
      });
      return `{\n${options.join("")}}`;
    };
    const names = Object.keys(properties);
    if (!Array.isArray(oneOf)) return body(names, listRequired(part));
    // Each form has the options that it requires, and all have those that no form names.
    const forms = oneOf.map((form: JsonSchema) => listRequired(form));
    const shared = names.filter((name) => !forms.some((form) => form.has(name)));
    const each = forms.map((form) => body([...form], form)).join(" | ");
    return `${body(shared, listRequired(part))} & (${each})`;
  }
}

function listRequired(part: JsonSchema): ReadonlySet<string> {
  return new Set(part["required"] as readonly string[] | undefined);
}

const readsOn = /^(Of|As|By|After|In|With|To|From|For) /;

/** What is said of an option. A description that reads on from the option's name gets that name back in front. */
function renderComment(description: unknown, name: string): string {
  if (typeof description !== "string") return "";
  const text = readsOn.test(description)
    ? `\`${name}\`${description.startsWith("For ") ? "," : ""} ${description.charAt(0).toLowerCase()}${description.slice(1)}`
    : description;
  if (text.length <= 100) return `/** ${text} */\n`;
  const lines = text.match(/.{1,100}(?: |$)/g) ?? [];
  return `/**\n${lines.map((line) => ` * ${line.trimEnd()}\n`).join("")} */\n`;
}
