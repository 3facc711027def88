import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { ask } from "../../net/api.ts";
import { Fault } from "../../parts/states.tsx";
import { useAct } from "../../parts/use-act.ts";
import { go, toHref } from "../../shell/address.ts";
import { AttachButton, AttachedList } from "./attachments.tsx";
import { MessageField } from "./message-field.tsx";
import { toBody, useAttachments } from "./use-attachments.ts";

/** The first message of a session, and who it is for. */
export function NewChat(): VNode {
  const [text, setText] = useState("");
  const [agent, setAgent] = useState("");
  const [model, setModel] = useState("");
  const attached = useAttachments();
  const act = useAct();
  const isEmpty = text.trim() === "" && attached.files.length === 0;
  const send = () => {
    if (isEmpty) return;
    act.run(async () => {
      const { sessionId } = await ask("POST /chat/send", {
        body: {
          ...(await toBody(text, attached.files)),
          ...(agent.trim() !== "" && { agent: agent.trim() }),
          ...(model.trim() !== "" && { model: model.trim() }),
        },
      });
      go(toHref(`chat/${encodeURIComponent(sessionId)}`), { replace: true });
      return "Sent.";
    });
  };
  return (
    <form
      class="new-chat"
      data-over={attached.isOver}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <MessageField
        text={text}
        change={setText}
        send={send}
        attach={attached.add}
        label="Message"
        rows={6}
        autoFocus
      />
      <AttachedList attached={attached} />
      <div class="new-chat-more">
        <label>
          <span>Agent</span>
          <input
            value={agent}
            placeholder="main"
            autoComplete="off"
            onInput={(event) => setAgent(event.currentTarget.value)}
          />
        </label>
        <label>
          <span>Model</span>
          <input
            value={model}
            placeholder="as configured"
            autoComplete="off"
            onInput={(event) => setModel(event.currentTarget.value)}
          />
        </label>
      </div>
      <div class="composer-bar">
        <AttachButton attached={attached} />
        <button type="submit" class="primary" disabled={act.busy || isEmpty}>
          Send
        </button>
      </div>
      {act.fault !== undefined && <Fault fault={act.fault} />}
      {act.fault?.code === "AGENT_MODEL" && (
        <p class="dim">
          A model is named in <code>config.yml</code> of haft's home folder; in a terminal,{" "}
          <code>haft models</code> shows what there is and <code>haft doctor</code> what is missing.
        </p>
      )}
    </form>
  );
}
