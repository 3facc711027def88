import "./policy.css";
import type { VNode } from "preact";
import { toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";
import type { PageProps } from "../../shell/page-props.ts";
import { Editor } from "./editor.tsx";
import { Explain, writeExplainCommand } from "./explain.tsx";
import { GrantList } from "./grant-list.tsx";
import { Rules } from "./rules.tsx";

const views = [
  { path: "", title: "Rules" },
  { path: "explain", title: "Explain" },
  { path: "edit", title: "Edit" },
  { path: "grants", title: "Grants" },
] as const;

/** What decides calls: rules in force, why a call would be decided how, an editor, and remembered answers. */
export default function Policy({ rest: [part = ""], query }: PageProps): VNode {
  const view = views.find(({ path }) => path === part) ?? views[0];
  return (
    <Page
      title="Policy"
      command={writeCommand(view.path, query)}
      class="policy-page"
      head={
        <nav class="tabs" aria-label="Parts of the policy">
          {views.map(({ path, title }) => (
            <a
              key={path}
              href={toHref(path === "" ? "policy" : `policy/${path}`)}
              aria-current={path === view.path ? "page" : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
      }
    >
      {view.path === "" && <Rules source={query.get("source") ?? ""} />}
      {view.path === "explain" && <Explain query={query} />}
      {view.path === "edit" && (
        <Editor callId={query.get("call") ?? undefined} questionId={query.get("question") ?? undefined} />
      )}
      {view.path === "grants" && <GrantList all={query.get("all") === "true"} />}
    </Page>
  );
}

function writeCommand(view: (typeof views)[number]["path"], query: URLSearchParams): string {
  if (view === "explain") return writeExplainCommand(query);
  if (view === "edit") return "haft policy shadow --file new.config.yml";
  if (view === "grants") return query.get("all") === "true" ? "haft grants --all" : "haft grants";
  return query.get("source") === "all" ? "haft policy --all" : "haft policy";
}
