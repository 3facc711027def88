/**
 * Thrown by an approver if no person has seen its question, even if a program answered. The question stays open and
 * does not count as a refusal. The message says what happened.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({
 *     name: "send",
 *     description: "Send it.",
 *     parameters: z.object({}),
 *     confirm: true,
 *     execute: () => "sent",
 *   }),
 * );
 * const approver: Approver = {
 *   identity: "telegram:4711",
 *   ask: async () => {
 *     throw new NobodyThereError("the chat is closed");
 *   },
 * };
 * const result = await new ToolExecutor(registry, { approver }).run("send", {});
 * result.success; // → false
 * ```
 */
export class NobodyThereError extends Error {
  override readonly name = "NobodyThereError";
}
