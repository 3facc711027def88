import { CharSet, isSpace } from "./scan.ts";

/**
 * Programs with subcommands: for them two words of a page already form a whole command. Most other pairs of words in
 * prose are not commands.
 */
const programs: ReadonlySet<string> = new Set(
  (
    "npm npx pnpm yarn bun bunx deno node corepack python python3 pip pip3 pipx uv uvx poetry conda ruby gem bundle rake rails php " +
    "composer perl lua cargo rustup go dotnet java mvn gradle gradlew sbt lein mix elixir swift flutter dart make gmake cmake ninja just " +
    "task bazel buck nx turbo lerna rush gulp grunt git gh glab hub hg svn jj docker podman nerdctl kubectl helm oc minikube kind k3s " +
    "terraform tofu terragrunt pulumi cdk serverless sls ansible ansible-playbook vagrant packer nomad consul vault aws az gcloud gsutil " +
    "heroku netlify vercel fly flyctl firebase railway wrangler supabase doctl psql mysql sqlite3 redis-cli mongosh dropdb createdb " +
    "systemctl service launchctl crontab apt apt-get yum dnf apk brew snap pacman dpkg rpm sudo doas su bash sh zsh fish source eval exec " +
    "curl wget nc ncat socat ssh scp rsync sftp rm mv cp dd chmod chown kill pkill killall shutdown reboot mkfs mount umount tar unzip " +
    "openssl gpg tee truncate shred find xargs sed awk export alias nix nix-env nix-shell guix asdf mise direnv"
  ).split(" "),
);

const mostCharsOfWord = 100;

const longestProgram = Math.max(...Array.from(programs, (name) => name.length));

const opening = new CharSet("`'\"“‘[{");
const closing = new CharSet("`'\"”’]},:.!?");
/** What ends a command, and so does the end of its line. */
const ending = new CharSet(";&|()\n");

/** Finds pairs of a program and its subcommand. */
export function* commandPairs(text: string): Generator<string, void> {
  let before: string | undefined;
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at);
    if (isApart(unit)) {
      if (ending.has(unit)) before = undefined;
      at++;
      continue;
    }
    let start = at;
    while (at < text.length && !isApart(text.charCodeAt(at))) at++;
    let end = at;
    while (start < end && opening.has(text.charCodeAt(start))) start++;
    while (start < end && closing.has(text.charCodeAt(end - 1))) end--;
    if (start === end || end - start > mostCharsOfWord) continue;
    const word = text.slice(start, end);
    if (before !== undefined) yield `${before} ${word}`;
    before = (word.length <= longestProgram && programs.has(word)) || isScript(word) ? word : undefined;
  }
}

function isApart(unit: number): boolean {
  return ending.has(unit) || isSpace(unit);
}

/** A program given by a path: `./deploy`, `scripts/release.sh`. */
function isScript(word: string): boolean {
  if (!word.includes("/") && !word.includes(".")) return false;
  return /^\.{0,2}\/[\w./-]+$|\.(sh|bash|py|js|mjs|ts|rb|pl|ps1|bat|cmd)$/.test(word);
}
