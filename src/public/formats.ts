// Definitions for model APIs, and chains of calls.
export {
  type Chain,
  type ChainDefinition,
  type ChainStep,
  defineChain,
  toTargetTool,
} from "../formats/index.ts";
