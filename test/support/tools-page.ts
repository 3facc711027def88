import catalogue from "../../src/app/catalogue.json" with { type: "json" };

const marker = "<!-- Below this line `npm run catalogue` writes. -->";

const titles: Readonly<Record<string, string>> = {
  shell: "Shell (profiles `coding`, `full` and `queue`)",
  coding: "Files (profile `coding`)",
  task: "Files (profiles `task`, `full` and, but for `read_file`, `queue`)",
  queue: "Files (profile `queue`)",
  undo: "Undo",
  network: "Network",
  data: "Data",
  system: "System",
  secrets: "Secrets",
  chain: "Several calls in one",
  script: "A program that calls tools",
  selection: "Finding tools",
  taskQueue: "Tasks (profile `queue`)",
  todos: "Todos (profile `full`)",
  ruleTools: "Rules, deprecated (profile `queue`)",
};

interface Entry {
  readonly name: string;
  readonly description: string;
  readonly timeoutMs?: number | string;
  readonly parameters: {
    readonly properties?: Record<string, Property>;
    readonly required?: readonly string[];
  };
}

interface Property {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Property[];
  readonly description?: string;
  readonly default?: unknown;
}

/** The page with its tables made anew of the catalogue. */
export function renderToolsPage(page: string): string {
  const written = page.slice(0, page.indexOf(marker) + marker.length);
  const families = Object.entries(catalogue as unknown as Record<string, readonly Entry[]>);
  return `${written}\n\n${families.map(([family, entries]) => renderFamily(family, entries)).join("\n")}`;
}

function renderFamily(family: string, entries: readonly Entry[]): string {
  return `## ${titles[family] ?? family}\n\n${entries.map(renderTool).join("\n")}`;
}

function renderTool({ name, description, timeoutMs, parameters }: Entry): string {
  const limit = typeof timeoutMs === "number" ? ` At most ${timeoutMs / 1000} s.` : "";
  const rows = Object.entries(parameters.properties ?? {}).map(([key, property]) => {
    const need = parameters.required?.includes(key)
      ? "required"
      : property.default === undefined
        ? ""
        : `\`${JSON.stringify(property.default)}\``;
    return `| \`${key}\` | ${describeType(property)} | ${need} | ${(property.description ?? "").replaceAll("|", "\\|")} |`;
  });
  const table =
    rows.length === 0
      ? ""
      : `\n| Parameter | Type | Default | |\n| --- | --- | --- | --- |\n${rows.join("\n")}\n`;
  return `### \`${name}\`\n\n${description}${limit}\n${table}`;
}

function describeType({ type, enum: values, anyOf }: Property): string {
  if (anyOf !== undefined) return anyOf.map(describeType).join(" or ");
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(", ");
  return type === undefined ? "any" : [type].flat().join(" or ");
}
