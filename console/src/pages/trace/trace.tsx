import "../../parts/tables.css";
import "./trace.css";
import type { VNode } from "preact";
import type { PageProps } from "../../shell/page-props.ts";
import { TraceIndex } from "./trace-index.tsx";
import { TracePage } from "./trace-page.tsx";

/** The trace that the address names, or what there are traces of. */
export default function TraceEntry({ rest: [id], query }: PageProps): VNode {
  return id === undefined || id === "" ? <TraceIndex /> : <TracePage key={id} id={id} query={query} />;
}
