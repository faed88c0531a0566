import { Argument, Command } from "commander";
import { print } from "./text.ts";

/**
 * `spotloop completion`: what makes a shell complete `spotloop`. The shells ask `spotloop complete -- WORDS`, so that
 * what they offer is always what this version can do.
 */
export function completionCommand(): Command {
  return new Command("completion")
    .description("print what makes a shell complete spotloop")
    .addArgument(new Argument("<shell>").choices(Object.keys(SCRIPTS)))
    .addHelpText("after", HELP)
    .action((shell: keyof typeof SCRIPTS) => print(SCRIPTS[shell]));
}

const HELP = `
  bash:  echo 'source <(spotloop completion bash)' >> ~/.bashrc
  zsh:   echo 'source <(spotloop completion zsh)' >> ~/.zshrc
  fish:  spotloop completion fish > ~/.config/fish/completions/spotloop.fish`;

/**
 * `spotloop complete -- WORDS`, asked by shells: a line for each word that may stand where the last of these does. `load`
 * makes all commands.
 */
export function completeCommand(load: () => Promise<Command>): Command {
  return new Command("complete").argument("[words...]").action(async (words: readonly string[]) => {
    print(...candidates(await load(), words));
  });
}

/** The commands and options that may stand in the place of the last word; none where a file or value is to stand. */
export function candidates(program: Command, words: readonly string[]): readonly string[] {
  const [before, begun] = [words.slice(0, -1), words.at(-1) ?? ""];
  const command = before.reduce((at, word) => named(at, word) ?? at, program);
  const option = command.options.find((one) => one.long === before.at(-1));
  const offered = option?.required ? (option.argChoices ?? []) : wordsOf(command, begun);
  return offered.filter((word) => word.startsWith(begun));
}

function named(command: Command, word: string): Command | undefined {
  return command.commands.find((inner) => inner.name() === word || inner.aliases().includes(word));
}

function wordsOf(command: Command, begun: string): readonly string[] {
  if (!begun.startsWith("-")) {
    const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
    return [...command.commands.map((inner) => inner.name()), ...choices];
  }
  return [...command.options.flatMap(({ long }) => long ?? []), "--help"];
}

const SCRIPTS = {
  bash: `_spotloop() {
  mapfile -t COMPREPLY < <(spotloop complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _spotloop spotloop`,
  zsh: `#compdef spotloop
_spotloop() {
  local -a found
  found=("\${(@f)$(spotloop complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -- $found; else _files; fi
}
# A zsh whose .zshrc says nothing of completion has none yet.
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
compdef _spotloop spotloop`,
  fish: `complete -c spotloop -a '(spotloop complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
} as const;
