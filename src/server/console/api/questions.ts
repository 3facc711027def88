import type { KeptApproval, ListedApproval } from "../../../modules/approvals/index.ts";

/** A question as a person sees it before they answer. */
export interface QuestionDetail {
  readonly question: KeptApproval;
  /** How the file would change, as a unified diff, for a call that writes a text file. */
  readonly diff: string | undefined;
  /** Questions of the last 30 days that a yes to each wider offer would have answered, by the offer's id. */
  readonly covered: { readonly [offer: string]: number };
}

/** An answer. A yes needs the digest of what was shown, and the owner's PIN if there is one. */
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
