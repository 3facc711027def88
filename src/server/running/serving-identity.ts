/** One running `haft serve`, as its home folder and its own answer describe it. */
export interface Serving {
  readonly pid: number;
  /** The address for MCP clients. */
  readonly url: string;
  readonly folder: string;
  /** Unix ms. */
  readonly startedAt: number;
}
