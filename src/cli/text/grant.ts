import { showInvisible } from "../../base/index.ts";
import { describePattern } from "../../kernel/index.ts";
import type { Grant } from "../../modules/grants/index.ts";
import type { Terminal } from "../terminal.ts";
import { formatSpan } from "./span.ts";
import { renderTable } from "./table.ts";

/** One line a grant: what it covers, how often it was used, when it ends. */
export function renderGrantList(grants: readonly Grant[], terminal: Terminal, now: number): string {
  return renderTable(
    [
      { title: "Grant", whole: true, paint: (text) => terminal.paint("bold", text) },
      { title: "By" },
      { title: "Uses", align: "right" },
      { title: "Last used" },
      { title: "Ends" },
      { title: "Covers", overflow: "cut" },
    ],
    grants.map((grant) => [
      grant.id,
      showInvisible(grant.by),
      String(grant.uses),
      grant.lastUsedAt === undefined ? "never" : `${formatSpan(now - grant.lastUsedAt)} ago`,
      endText(grant, now),
      showInvisible(coverText(grant)).replace(/\s+/g, " "),
    ]),
    { width: terminal.width, paintTitle: (text) => terminal.paint("dim", text) },
  );
}

function coverText({ toolName, agentId, patterns, paramsText, folder }: Grant): string {
  const what =
    patterns === undefined
      ? `exactly ${paramsText ?? "one call"}`
      : patterns.map((pattern) => describePattern(pattern)).join(", ");
  return `${toolName}${agentId === undefined ? "" : ` of ${agentId}`}: ${what}${folder === undefined ? "" : ` in ${folder}`}`;
}

function endText({ state, term, expiresAt, unusedAt }: Grant, now: number): string {
  if (state !== "standing") return state;
  if (expiresAt !== undefined) return `in ${formatSpan(Math.min(expiresAt, unusedAt ?? expiresAt) - now)}`;
  if (term === "session") return "with its session";
  return unusedAt === undefined ? "when revoked" : `unused for ${formatSpan(unusedAt - now)} more`;
}
