import { render } from "preact";
import { openSession, takeCode } from "./net/session.ts";
import { address, startAddress } from "./shell/address.ts";
import { App } from "./shell/app.tsx";
import { findPage } from "./shell/pages.ts";
import { startTheme } from "./shell/theme.ts";

// Runs first, so that no other code finds the one-time code in the address.
const code = takeCode();
startTheme();
startAddress();
// The page is loaded while the session opens. What can't be loaded now is told by the page itself.
findPage(address.value)
  ?.load()
  .catch(() => {});
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
void openSession(code);

// A new link in the same tab changes nothing but the fragment.
window.addEventListener("hashchange", () => {
  const next = takeCode();
  if (next !== undefined) void openSession(next);
});
