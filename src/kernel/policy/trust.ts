/** The origin of data: `untrusted` is whatever somebody outside this installation could have written. */
export const trusts = ["trusted", "untrusted"] as const;

/** One of {@link trusts}. */
export type Trust = (typeof trusts)[number];
