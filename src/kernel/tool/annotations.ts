/**
 * What a tool says of itself, in MCP's words. They are hints of the tool's author: policy may read them, and
 * nothing trusts those of a stranger.
 */
export interface ToolAnnotations {
  /** Changes nothing. @default false */
  readonly readOnly?: boolean;
  /** May destroy what cannot be had again. @default true unless `readOnly` */
  readonly destructive?: boolean;
  /**
   * A second call with the same arguments changes nothing more. If the tool is `readOnly` as well, equal calls of one
   * caller that run at the same moment run it once. @default false
   */
  readonly idempotent?: boolean;
  /** Reaches things outside this installation. @default true */
  readonly openWorld?: boolean;
}
