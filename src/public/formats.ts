export {
  type Chain,
  type ChainDefinition,
  type ChainStep,
  defineChain,
  toTargetTool,
} from "../formats/index.ts";
