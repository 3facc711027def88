import "./chat.css";
import type { VNode } from "preact";
import { shellWord } from "../../../../src/base/index.ts";
import { toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";
import type { PageProps } from "../../shell/page-props.ts";
import { Conversation } from "./conversation.tsx";
import { NewChat } from "./new-chat.tsx";
import { SessionList } from "./session-list.tsx";

/** Sessions with agents; one of them open, or a new one. */
export default function Chat({ rest: [id] }: PageProps): VNode {
  if (id === undefined || id === "")
    return (
      <Page
        title="Chat"
        command="haft sessions"
        head={
          <a class="button" href={toHref("chat/new")}>
            New session
          </a>
        }
      >
        <SessionList />
      </Page>
    );
  if (id === "new")
    return (
      <Page title="New session" command="haft chat" head={<a href={toHref("chat")}>All sessions</a>}>
        <NewChat />
      </Page>
    );
  return <Conversation key={id} id={id} command={`haft chat --resume ${shellWord(id)}`} />;
}
