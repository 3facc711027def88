export { costsOfApp } from "./costs-of-app.ts";
export { type DefinitionCounter, definitionCounter } from "./definition-counter.ts";
export {
  type CostReport,
  findTier,
  type GroupCost,
  type ListCost,
  type Saving,
  type ToolCost,
  type ToolTier,
} from "./tool-costs.ts";
