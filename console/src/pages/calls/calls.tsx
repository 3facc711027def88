import "./calls.css";
import type { VNode } from "preact";
import type { PageProps } from "../../shell/page-props.ts";
import { CallPage } from "./call.tsx";
import { CallsList } from "./calls-list.tsx";
import { OutputPage } from "./output.tsx";

/** The list of calls, or the call that the address names, or the whole output of that call. */
export default function Calls({ rest: [id, part], query }: PageProps): VNode {
  if (id !== undefined && part === "output") return <OutputPage id={id} query={query} />;
  return id === undefined || id === "" ? <CallsList query={query} /> : <CallPage key={id} id={id} />;
}
