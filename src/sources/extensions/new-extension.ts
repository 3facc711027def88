/** A first tool in TypeScript: it works as it is. */
export function newExtensionText(name: string): string {
  const [haft, zod] = ["haft", "zod"].map((from) => JSON.stringify(from));
  return `import { defineTool } from ${haft};
import { z } from ${zod};

export const meta = {
  // What the tool needs beside computing: without it there is no network, and no file of the project.
  requires: { hosts: [], read: [], write: [], secrets: [] },
  // \`haft tools test ${name}\` makes these calls.
  examples: [{ name: "greets", input: { who: "Ada" }, expect: { output: "Hello, Ada!" } }],
};

export default defineTool({
  name: ${JSON.stringify(name)},
  description: "Say what it does and when to use it: the model chooses by this.",
  parameters: z.object({
    who: z.string().describe("Whom to greet"),
    loud: z.boolean().default(false).describe("In capital letters"),
  }),
  annotations: { readOnly: true, openWorld: false },
  execute: ({ who, loud }) => {
    console.log("greeting %s", who); // For you: \`haft call\` shows it, no model reads it.
    return loud ? \`HELLO, \${who.toUpperCase()}!\` : \`Hello, \${who}!\`;
  },
});
`;
}

/** The files on this machine that hold the types of what an extension may import. */
export interface TypePlaces {
  /** The declarations of haft's kernel, or its source. */
  readonly haft: string;
  /** Folders of the packages that extensions have, by their names. */
  readonly packages: Readonly<Record<string, string>>;
  /** The folder of `@types/node`, where there is one. */
  readonly node: string | undefined;
}

/** A tsconfig.json for the extension folder, by which editors and \`tsc\` find the types without installing anything. */
export function extensionConfigText({ haft, packages, node }: TypePlaces): string {
  const paths = {
    haft: [haft],
    ...Object.fromEntries(Object.entries(packages).map(([name, at]) => [name, [at]])),
  };
  const config = {
    compilerOptions: {
      target: "esnext",
      module: "nodenext",
      strict: true,
      noEmit: true,
      erasableSyntaxOnly: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types: node === undefined ? [] : ["node"],
      ...(node !== undefined && { typeRoots: [node] }),
      paths,
    },
    include: ["tools", "lib"],
  };
  return `// Written by \`haft tools new --ts\`. The paths are those of this machine; delete the file and make a tool to write it again.
${JSON.stringify(config, undefined, 2)}
`;
}
