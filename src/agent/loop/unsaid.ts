import type { AgentEvent } from "./events.ts";

/** Leaves out of the events what the model writes, for an agent that speaks by its tool `reply`. */
export function hideAnswers(emit: (event: AgentEvent) => void): (event: AgentEvent) => void {
  return (event) => {
    if (event.type === "answer.text" || event.type === "answer.withdrawn") return;
    emit(event.type === "answer.ended" ? { ...event, text: "" } : event);
  };
}
