import "./calls.css";
import type { VNode } from "preact";
import type { PageProps } from "../../shell/page-props.ts";
import { CallPage } from "./call.tsx";
import { CallsList } from "./calls-list.tsx";

/** All calls, or the one that the address names. */
export default function Calls({ rest: [id], query }: PageProps): VNode {
  return id === undefined || id === "" ? <CallsList query={query} /> : <CallPage key={id} id={id} />;
}
