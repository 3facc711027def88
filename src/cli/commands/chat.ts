import type { Command } from "commander";
import { defaultAgent } from "../../kernel/index.ts";
import { approverFor } from "../asking/terminal-approver.ts";
import { Chat } from "../chat/chat.ts";
import { addExamples } from "../examples.ts";
import { agentOption, checkSpeaker, findUntrusted } from "../options/agent.ts";
import { modeOverride } from "../options/mode.ts";
import { type Overrides, pickOverrides } from "../options/overrides.ts";
import { profileOverride } from "../options/profile.ts";
import type { Session } from "../session.ts";

interface ChatOptions extends Overrides {
  readonly agent?: string;
  readonly model?: string;
  readonly resume?: string | true;
  readonly notify?: boolean;
}

export function defineChat(command: Command, session: Session): void {
  command
    .addOption(agentOption("the agent to talk to", defaultAgent))
    .option("--model <name>", "the model to ask, by its name in the configuration (default: agent.model)")
    .option("--resume [id]", "go on with a conversation (without an id: the newest)")
    .option("--notify", "show on the desktop, too, what becomes of the agent's tasks")
    .addOption(profileOverride())
    .addOption(modeOverride())
    .action(async (options: ChatOptions) => {
      const app = await session.openApp({ ...pickOverrides(options), sources: "follow" });
      session.warn(app.loaded.warnings);
      await checkSpeaker(app, options.agent);
      session.warn(findUntrusted(app, options.agent));
      const { approver } = await approverFor(session, false, () => chat.interrupt());
      const chat = new Chat(session, app, {
        ...(approver !== undefined && { approver }),
        ...(options.agent !== undefined && { agentId: options.agent }),
        ...(options.model !== undefined && { model: options.model }),
        ...(options.mode !== undefined && { mode: options.mode }),
        notify: options.notify === true,
      });
      await chat.run(options.resume);
    });
  addExamples(command, [
    ["haft chat", "talk to the agent; /help lists what else can be typed"],
    ["haft chat --resume", "go on with the newest conversation"],
    ["printf 'Hello\\nAnd now?\\n' | haft chat", "a line at a time, without a terminal"],
  ]);
  command.addHelpText(
    "after",
    "\nEnter says it, also while the agent works: it reads it at its next step.\nCtrl-C interrupts; twice, or Ctrl-D, leaves.\nReminders and other work in the background go on only while haft runs: `haft serve`.",
  );
}
