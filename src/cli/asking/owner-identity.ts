import { userInfo } from "node:os";

/** Who sits at this terminal, as questions know them: `owner:ada`. */
export function ownerIdentity(): string {
  return `owner:${userName().replaceAll("/", "_")}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "terminal";
  }
}
