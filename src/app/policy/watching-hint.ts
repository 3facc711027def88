import type { HowToAllow } from "../../kernel/index.ts";

/** Has a refusal say, where nobody watched for questions, what would have made the call wait. */
export function withWatchingHint(howToAllow: HowToAllow): HowToAllow {
  return (toolName, verdict, questionId, unwatched) => {
    const how = howToAllow(toolName, verdict, questionId, unwatched);
    return unwatched === true && questionId !== undefined
      ? `${how}; while a person watches for questions (\`haft approvals watch\`), such a call waits for the answer`
      : how;
  };
}
