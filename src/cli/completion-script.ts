/** What a shell offers after one command. */
export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  /** Long forms, with what they mean. */
  readonly options: readonly { readonly name: string; readonly summary: string }[];
  /** Words for the first place after the command. */
  readonly words: readonly string[];
  /** Words after which a tool's name is offered; "" stands for the command itself. */
  readonly toolAfter: readonly string[];
  /** Words after which an MCP server's name is. */
  readonly serverAfter: readonly string[];
  /** Words that a task id follows. */
  readonly taskAfter: readonly string[];
}

export const completionShells = ["bash", "zsh", "fish"] as const;
export type CompletionShell = (typeof completionShells)[number];

export function renderCompletion(shell: CompletionShell, commands: readonly CompletedCommand[]): string {
  switch (shell) {
    case "bash":
      return renderBash(commands);
    case "zsh":
      return renderZsh(commands);
    case "fish":
      return renderFish(commands);
    default:
      return shell satisfies never;
  }
}

/** What prints the names that come after a word of a command, by that word; "" stands for the command itself. */
function namePlaces({
  name,
  toolAfter,
  serverAfter,
  taskAfter,
}: CompletedCommand): { after: string; fetch: string }[] {
  const place = (word: string, kind: string) => ({
    after: word === "" ? name : word,
    fetch: `haft __names ${kind} 2>/dev/null`,
  });
  return [
    ...toolAfter.map((word) => place(word, "tools")),
    ...serverAfter.map((word) => place(word, "servers")),
    ...taskAfter.map((word) => place(word, "tasks")),
  ];
}

function renderBash(commands: readonly CompletedCommand[]): string {
  const cases = commands.map((command) => {
    const { name, options, words } = command;
    const lines = [
      `    ${name})`,
      `      options="${options.map((option) => option.name).join(" ")}"`,
      ...(words.length > 0
        ? [`      if [[ "$previous" == "${name}" ]]; then words="${words.join(" ")}"; fi`]
        : []),
      ...namePlaces(command).map(
        ({ after, fetch }) => `      if [[ "$previous" == "${after}" ]]; then words="$words $(${fetch})"; fi`,
      ),
      "      ;;",
    ];
    return lines.join("\n");
  });
  return `# haft completion for bash: put  source <(haft completion bash)  into ~/.bashrc
_haft() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" options="" words=""
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")} help" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    help)
      words="${commands.map(({ name }) => name).join(" ")} exit-codes"
      ;;
  esac
  if [[ "$current" == -* ]]; then words="$options"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _haft haft
`;
}

function renderZsh(commands: readonly CompletedCommand[]): string {
  const described = commands.map(({ name, summary }) => `    ${zshPair(name, summary)}`).join("\n");
  const cases = commands.map((command) => {
    const { name, options, words } = command;
    return [
      `    ${name})`,
      ...(words.length > 0 ? [`      [[ $previous == ${name} ]] && compadd -- ${words.join(" ")}`] : []),
      ...namePlaces(command).map(
        ({ after, fetch }) => `      [[ $previous == ${after} ]] && compadd -- \${(f)"$(${fetch})"}`,
      ),
      "      if [[ $PREFIX == -* ]]; then",
      `        local -a options=(${options.map((option) => zshPair(option.name, option.summary)).join(" ")})`,
      "        _describe option options -o",
      "      fi",
      "      ;;",
    ].join("\n");
  });
  return `#compdef haft
# haft completion for zsh: put  source <(haft completion zsh)  into ~/.zshrc, after compinit
_haft() {
  local previous=\${words[CURRENT-1]}
  local -a commands=(
${described}
    'help:Explain a command'
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case \${words[2]} in
${cases.join("\n")}
    help)
      _describe command commands
      ;;
  esac
  [[ $PREFIX == -* ]] || _files
}
compdef _haft haft
`;
}

function zshPair(name: string, summary: string): string {
  return quote(`${name.replaceAll(":", "\\:")}:${summary}`);
}

function renderFish(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap((command) => {
    const { name, summary, options, words } = command;
    const here = `-n ${quote(`__fish_seen_subcommand_from ${name}`)}`;
    return [
      `complete -c haft -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`,
      ...(words.length > 0 ? [`complete -c haft ${here} -f -a ${quote(words.join(" "))}`] : []),
      ...namePlaces(command).map(({ after, fetch }) => {
        const test = `__fish_seen_subcommand_from ${name}; and __fish_prev_arg_in ${after}`;
        return `complete -c haft -n ${quote(test)} -f -a ${quote(`(${fetch})`)}`;
      }),
      ...options.map(
        (option) => `complete -c haft ${here} -l ${option.name.slice(2)} -d ${quote(option.summary)}`,
      ),
    ];
  });
  return `# haft completion for fish: haft completion fish > ~/.config/fish/completions/haft.fish
${lines.join("\n")}
complete -c haft -n __fish_use_subcommand -f -a help -d 'Explain a command'
`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
