import type { AgentEvent } from "./events.ts";

/** Leaves the model's own text out of the events, for an agent that speaks by its tool `reply`. */
export function hideAnswers(emit: (event: AgentEvent) => void): (event: AgentEvent) => void {
  return (event) => {
    if (event.type === "answer.text" || event.type === "answer.withdrawn") return;
    emit(event.type === "answer.ended" ? { ...event, text: "" } : event);
  };
}
