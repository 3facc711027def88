/** Where data comes from: `untrusted` is whatever somebody outside this installation could have written. */
export const trusts = ["trusted", "untrusted"] as const;
export type Trust = (typeof trusts)[number];
