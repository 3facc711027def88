export { costsOfApp } from "./costs-of-app.ts";
export { type DefinitionCounter, definitionCounter } from "./definition-counter.ts";
export {
  type CostReport,
  type GroupCost,
  type ListCost,
  type Saving,
  type ToolCost,
  tierOf,
  type ToolTier,
} from "./tool-costs.ts";
