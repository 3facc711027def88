import type { ToolInfo } from "../tool/tool-info.ts";
import { type Availability, findAvailability } from "./availability.ts";

/** What one caller has of the registry, for those who only look. */
export interface ToolView {
  /** The availability of any name, also one that no tool has. */
  of(name: string): Availability;
  /** The shown tools in the order of the registry. The same array until something changes. */
  shown(): readonly ToolInfo[];
  /** Those that can be called, shown or not; as {@link shown}. */
  usable(): readonly ToolInfo[];
}

/** The view of a caller who has no tools. */
export const noTools: ToolView = {
  of: (name) => findAvailability({ name, tool: undefined, fault: undefined, refused: undefined }, []),
  shown: () => [],
  usable: () => [],
};
