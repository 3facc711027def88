// What a shell can do that reads the owner's token: it looks at a question at `/approvals`, and says yes to it.
import { readFileSync } from "node:fs";

const [url, tokenFile, id] = process.argv.slice(2);
const headers = {
  authorization: `Bearer ${readFileSync(tokenFile, "utf8").trim()}`,
  "content-type": "application/json",
};
const question = new URL(`/approvals/${id}`, url);
const shown = await (await fetch(question, { headers })).json();
const body = JSON.stringify({ decision: "approve", digest: shown.digest ?? "none" });
const answer = await fetch(question, { method: "POST", headers, body });
console.log(`${answer.status} ${await answer.text()}`);
