import type { VNode } from "preact";
import type { AnswerTo } from "../../net/api.ts";
import { toHref } from "../../shell/address.ts";
import { Text } from "../../text/text.tsx";

export type ServerState = AnswerTo<"GET /servers">[number];
type Status = ServerState["status"];

/** The states of servers in words, each with a sign and how good it is. */
const states: Readonly<Record<Status, readonly [sign: string, word: string, kind: string]>> = {
  ready: ["✓", "connected", "ready"],
  connecting: ["▸", "connecting", "started"],
  degraded: ["!", "does not answer well", "unknown"],
  failed: ["✕", "not connected", "failed"],
  closed: ["◌", "closed", "cancelled"],
  disabled: ["◌", "switched off", "cancelled"],
  untrusted: ["⊘", "project not trusted", "denied"],
  shadowed: ["◌", "another has its name", "cancelled"],
  invalid: ["✕", "can't be read", "failed"],
};

export function ServerMark({ state }: { readonly state: ServerState }): VNode {
  const needsLogin = isLoginWanted(state);
  const [sign, word, kind] = states[state.status] ?? ["?", state.status, "unknown"];
  return (
    <span class="state" data-state={needsLogin ? "denied" : kind}>
      <span class="sign" aria-hidden="true">
        {needsLogin ? "⊘" : sign}
      </span>
      {needsLogin ? "needs a login" : <Text value={word} oneLine />}
    </span>
  );
}

export function isLoginWanted({ code }: ServerState): boolean {
  return code === "MCP_LOGIN_REQUIRED" || code === "MCP_LOGIN_FAILED";
}

/** What the owner can do about a state, as a sentence; undefined where the reason says it or nothing is wrong. */
export function describeRemedy(state: ServerState, isProgram: boolean): string | undefined {
  if (isLoginWanted(state)) return "Log in below, or with `haft mcp login`.";
  switch (state.status) {
    case "untrusted":
      return "Look at the project's file, then run `haft trust` in its folder.";
    case "shadowed":
      return "Give one of the two another name in its file.";
    case "invalid":
      return "Mend its entry in the file; haft reads it again at once.";
    case "disabled":
      return "Take `enabled: false` out of its entry.";
    case "failed":
    case "degraded":
      return isProgram
        ? "What it said beside the protocol stands below. Mend that, then connect anew."
        : "Look whether it runs and its address is right, then connect anew.";
    case "ready":
    case "connecting":
    case "closed":
      return undefined;
  }
}

export function toServerHref(name: string): string {
  return toHref(`servers/${encodeURIComponent(name)}`);
}
