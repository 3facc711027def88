import type { HowToAllow } from "../../kernel/index.ts";

/** Adds to a refusal, if nobody watched for questions, how to make such a call wait for an answer. */
export function withWatchingHint(howToAllow: HowToAllow): HowToAllow {
  return (toolName, verdict, questionId, unwatched) => {
    const how = howToAllow(toolName, verdict, questionId, unwatched);
    return unwatched === true && questionId !== undefined
      ? `${how}; while a person watches for questions (\`haft approvals watch\`), such a call waits for the answer`
      : how;
  };
}
