import { cutHead, oneLine } from "../../../../base/index.ts";
import type { Redact } from "../../../../kernel/index.ts";
import { MemoryError } from "../errors.ts";
import type { GraphFacts, NewGraphEdge, NewGraphNode, NodeName } from "./memory-graph.ts";
import { foldName, foldRelation, longestName } from "./names.ts";

const longestRelation = 100;
const longestType = 40;
const mostAliases = 20;
/** Nodes and edges of one call: it is one transaction. */
const mostFacts = 2000;

export interface CheckedName {
  readonly name: string;
  readonly folded: string;
}

export interface CheckedNode extends CheckedName {
  /** Undefined: not said, or no more than `entity`. */
  readonly type: string | undefined;
  readonly aliases: readonly CheckedName[];
}

export interface CheckedEdge {
  readonly source: CheckedNode;
  readonly relation: string;
  readonly target: CheckedNode;
  readonly validFrom: number | undefined;
  readonly validTo: number | undefined;
}

export interface CheckedFacts {
  readonly entryId: string;
  readonly nodes: readonly CheckedNode[];
  readonly edges: readonly CheckedEdge[];
}

/** Without the secrets that they may hold. @throws {MemoryError} MEMORY_INVALID, MEMORY_TOO_LONG */
export function checkFacts(
  facts: readonly GraphFacts[],
  redact: Redact = (text) => text,
): readonly CheckedFacts[] {
  const count = facts.reduce((sum, { nodes = [], edges = [] }) => sum + nodes.length + edges.length, 0);
  if (count > mostFacts) {
    throw new MemoryError(
      "MEMORY_TOO_LONG",
      `Cannot add ${count} nodes and edges at once: the limit is ${mostFacts}; add them in several calls`,
    );
  }
  return facts.map(({ entryId, nodes = [], edges = [] }) => ({
    entryId,
    nodes: nodes.map((node) => checkNode(node, redact)),
    edges: edges.map((edge) => checkEdge(edge, redact)),
  }));
}

function checkNode({ name, type, aliases = [] }: NewGraphNode, redact: Redact): CheckedNode {
  const checked = checkName(name, redact);
  if (aliases.length > mostAliases)
    throw invalid(`${aliases.length} other names for "${shown(name)}"`, `the limit is ${mostAliases}`);
  return {
    ...checked,
    type: checkType(type, redact),
    aliases: aliases.map((alias) => checkName(alias, redact)),
  };
}

function checkEdge(edge: NewGraphEdge, redact: Redact): CheckedEdge {
  const { source, relation, target, validFrom, validTo } = edge;
  const folded = foldRelation(redact(relation.toWellFormed().replaceAll("\0", " ")));
  if (folded === "" || folded.length > longestRelation) {
    throw invalid(
      `the relation "${shown(relation)}"`,
      `it has 1 to ${longestRelation} characters, as in "works at"`,
    );
  }
  if (validFrom !== undefined && validTo !== undefined && validTo <= validFrom)
    throw invalid(`the relation "${folded}"`, "it ends before it begins; give the later time as its end");
  return {
    source: checkEnd(source, redact),
    relation: folded,
    target: checkEnd(target, redact),
    validFrom,
    validTo,
  };
}

function checkEnd(end: NodeName, redact: Redact): CheckedNode {
  return checkNode(typeof end === "string" ? { name: end } : end, redact);
}

function checkName(name: string, redact: Redact): CheckedName {
  const clean = oneLine(redact(name).toWellFormed().replaceAll("\0", " "));
  const folded = foldName(clean);
  if (folded === "" || clean.length > longestName || folded.length > longestName)
    throw invalid(`the name "${shown(name)}"`, `a name has 1 to ${longestName} characters`);
  return { name: clean, folded };
}

function checkType(type: string | undefined, redact: Redact): string | undefined {
  const word =
    type === undefined ? "" : oneLine(redact(type).toWellFormed().replaceAll("\0", " ")).toLowerCase();
  if (word.length > longestType)
    throw invalid(`the type "${shown(word)}"`, `a type has at most ${longestType} characters`);
  return word === "" || word === "entity" ? undefined : word;
}

function shown(text: string): string {
  return cutHead(oneLine(text), 60);
}

function invalid(what: string, rule: string): MemoryError {
  return new MemoryError("MEMORY_INVALID", `Cannot add ${what} to the graph: ${rule}`);
}
