import type { ComponentType } from "preact";
import { type Address, decodeSegment } from "./address.ts";
import type { PageProps } from "./page-props.ts";

/** A page of the console. A new one needs a line in `pages`, and nothing else of the shell. */
export interface PageEntry {
  /** The first segment of its address; empty for the page that opens first. */
  readonly path: string;
  readonly title: string;
  /** The letter that goes there after `g`. */
  readonly key: string;
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>;
}

export const pages: readonly PageEntry[] = [
  { path: "", title: "Now", key: "n", load: () => import("../pages/now/now.tsx") },
  { path: "questions", title: "Questions", key: "q", load: () => import("../pages/questions/questions.tsx") },
  { path: "calls", title: "Calls", key: "c", load: () => import("../pages/calls/calls.tsx") },
  { path: "trace", title: "Trace", key: "r", load: () => import("../pages/trace/trace.tsx") },
  { path: "chat", title: "Chat", key: "h", load: () => import("../pages/chat/chat.tsx") },
  { path: "tasks", title: "Tasks", key: "a", load: () => import("../pages/tasks/tasks.tsx") },
  { path: "tools", title: "Tools", key: "t", load: () => import("../pages/tools/tools.tsx") },
  { path: "servers", title: "Servers", key: "s", load: () => import("../pages/servers/servers.tsx") },
  { path: "memory", title: "Memory", key: "m", load: () => import("../pages/memory/memory.tsx") },
  { path: "policy", title: "Policy", key: "p", load: () => import("../pages/policy/policy.tsx") },
  { path: "cost", title: "Cost and speed", key: "o", load: () => import("../pages/cost/cost.tsx") },
  { path: "secrets", title: "Secrets", key: "e", load: () => import("../pages/upkeep/secrets.tsx") },
  { path: "hooks", title: "Hooks", key: "k", load: () => import("../pages/upkeep/hooks.tsx") },
  { path: "doctor", title: "Doctor", key: "d", load: () => import("../pages/upkeep/doctor.tsx") },
];

/** Finds the page at an address. */
export function findPage({ path }: Address): PageEntry | undefined {
  const [first = ""] = path.split("/").map(decodeSegment);
  return pages.find((page) => page.path === first);
}
