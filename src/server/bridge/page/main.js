import { Link } from "./link.js";
import { findInvoke, tauriTools } from "./tauri.js";
import { browserTools } from "./tools.js";
import { View } from "./view.js";

const tokenKey = "haft-bridge-token";
const view = new View();

/** The token of this tab: from the code in the address, which is used up by that, or from before. */
async function findToken() {
  const code = location.hash.slice(1);
  if (code === "") return sessionStorage.getItem(tokenKey) ?? undefined;
  // Neither the history nor a screenshot keeps it.
  history.replaceState(undefined, "", location.pathname);
  const answer = await fetch("/bridge/token", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  const { token, error } = await answer.json();
  if (token === undefined) throw new Error(error);
  sessionStorage.setItem(tokenKey, token);
  return token;
}

async function start() {
  const token = await findToken();
  if (token === undefined) throw new Error("Not paired: `haft bridge` prints an address that is");
  const invoke = findInvoke();
  const tools = invoke === undefined ? browserTools(view) : await tauriTools(invoke);
  const link = new Link({ host: invoke === undefined ? "browser" : "desktop", tools, token, on: view });
  addEventListener("online", () => link.hurry());
  addEventListener("visibilitychange", () => document.visibilityState === "visible" && link.hurry());
  if (invoke === undefined) offerNotifications();
  link.connect();
}

/** A browser asks for the permission only where the person clicked. */
function offerNotifications() {
  const button = document.getElementById("notifications");
  const show = () => {
    button.hidden = globalThis.Notification?.permission !== "default";
  };
  button.addEventListener("click", () => void Notification.requestPermission().then(show));
  show();
}

start().catch((error) => view.state("refused", error.message));
