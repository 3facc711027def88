import type { KeptApproval, ListedApproval } from "../../../modules/approvals/index.ts";

/** A question, with everything that its page shows before the answer. */
export interface QuestionDetail {
  readonly question: KeptApproval;
  /** The change to the file as a unified diff, for a call that writes a text file. */
  readonly diff: string | undefined;
  /** The number of other questions of the last 30 days that each wider offer would have answered, by offer id. */
  readonly covered: { readonly [offer: string]: number };
}

/** The answer to a question. A yes needs the digest of the question as shown, and the owner's PIN if one is set. */
export type QuestionAnswer =
  | { readonly decision: "deny"; readonly reason?: string }
  | {
      readonly decision: "approve";
      readonly digest: string;
      readonly pin?: string;
      readonly remember?: { readonly offer: string; readonly term: "session" | "always" | number };
    };

export interface QuestionsApi {
  readonly "GET /questions": {
    readonly query: { readonly state?: "pending" | "all" };
    readonly answer: readonly ListedApproval[];
  };
  readonly "GET /questions/:id": { readonly answer: QuestionDetail };
  readonly "POST /questions/:id/answer": { readonly body: QuestionAnswer; readonly answer: KeptApproval };
}
