/** One module, built into one file with the packages that it takes from: nobody has to install these. */
export interface Bundled {
  /** Below `src/`, without its ending. */
  readonly module: string;
  readonly packages: readonly string[];
  /** Packages that stay installed, since others of our modules take from them too. @default none */
  readonly shared?: readonly string[];
  /** The form of the packages. That for browsers brings no DOM of its own. */
  readonly platform: "node" | "browser";
}

export const bundled: readonly Bundled[] = [
  {
    module: "mcp/client/sdk",
    packages: ["@modelcontextprotocol/client"],
    shared: ["zod"],
    platform: "node",
  },
  { module: "app/costs/o200k", packages: ["gpt-tokenizer"], platform: "node" },
  { module: "modules/web/page/linkedom", packages: ["linkedom"], platform: "node" },
  { module: "modules/web/page/turndown", packages: ["turndown", "turndown-plugin-gfm"], platform: "browser" },
];
