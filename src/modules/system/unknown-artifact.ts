import { cutHead } from "../../base/index.ts";
import { ToolError } from "../../kernel/index.ts";

/** There is none of that id in the call's scope. */
export function unknownArtifact(toolName: string, id: string): ToolError {
  return new ToolError(
    toolName,
    "ARTIFACT_NOT_FOUND",
    `Cannot find artifact "${cutHead(id, 100)}": there is none of this id, or it is kept no longer; take the id from a result that was cut`,
  );
}
