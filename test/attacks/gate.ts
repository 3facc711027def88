/** The gate as it is by default, or wide open. */
export type Gate = "closed" | "open";
