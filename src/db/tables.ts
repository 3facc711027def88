/** The version that the migrations lead to. Raise it with each new one. */
export const schemaVersion = 16;
