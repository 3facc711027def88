export type { Chain, ChainStep } from "./chain/chain.ts";
export { type ChainDefinition, defineChain, planSteps } from "./chain/define-chain.ts";
export { runSteps } from "./chain/run-steps.ts";
export { checkChain, mostSteps as mostChainSteps } from "./chain/step-order.ts";
export { toTargetTool } from "./targets.ts";
