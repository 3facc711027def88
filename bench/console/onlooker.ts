// Somebody at the console, as the server sees them: a page of a list of a million rows ten times a second, another filter,
// with its counts, once a second, and the stream of events. node bench/console/onlooker.ts ORIGIN TOKEN

const [origin, token] = process.argv.slice(2);
const root = `${origin}/console/api/v1`;
const headers = { authorization: `Bearer ${token}` };
const filters = [
  "tools=chain",
  "states=failed",
  "text=file-77777.ts",
  "agentId=agent_3",
  "text=deploy+release",
];

async function ask(address: string): Promise<void> {
  const answer = await fetch(`${root}${address}`, { headers });
  if (!answer.ok) throw new Error(`Cannot look at ${address}: ${answer.status}`);
  await answer.arrayBuffer();
}

async function follow(): Promise<void> {
  const { body } = await fetch(`${root}/stream`, { headers });
  const reader = body?.getReader();
  while ((await reader?.read())?.done === false);
}

void follow();
await ask("/calls?limit=80");
process.stdout.write("ready\n");
for (let at = 0; ; at++) {
  const next = new Promise((resolve) => void setTimeout(resolve, 100));
  const filter = filters[Math.floor(at / 10) % filters.length];
  if (at % 10 === 0)
    await Promise.all([ask(`/calls?limit=80&${filter}`), ask(`/calls/count?by=day&${filter}`)]);
  else await ask(`/calls?limit=80&before=${1 + ((at * 7919) % 999_000)}`);
  await next;
}
