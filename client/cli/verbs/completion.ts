import { commands } from '../description.ts';
import { EXIT, UsageError } from '../failures.ts';
import type { Verb } from '../verb.ts';

/** What a script completes. */
interface Known {
  readonly verbs: readonly Verb[];
  readonly common: readonly string[];
}

const SHELLS = ['bash', 'zsh', 'fish'] as const;
const ROLLOUTS = ['projects.fetch', 'update.fetch', 'settings.change'];

/** @param known asked when it runs, because it is one of the verbs itself */
export function completionVerb(known: () => Known): Verb {
  return {
    name: 'completion',
    usage: SHELLS.join('|'),
    summary: 'Print a script that completes words: source <(faceplate completion bash)',
    options: [],
    async run({ words: [shell], terminal }) {
      if (shell === 'bash') terminal.out(bash(known()));
      else if (shell === 'zsh') terminal.out(zsh(known()));
      else if (shell === 'fish') terminal.out(fish(known()));
      else throw new UsageError(`Completion is for ${SHELLS.join(', ')}.`);
      return EXIT.done;
    },
  };
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const optionsOf = (verb: Verb, common: readonly string[]) =>
  [...verb.options, ...common].map((name) => `--${name}`);

/** Words behind a verb that are no files. */
function wordsOf({ name }: Verb): readonly string[] {
  if (name === 'call') return [...commands().keys()];
  if (name === 'rollout') return ROLLOUTS;
  return name === 'completion' ? SHELLS : [];
}

const takesFiles = ({ name }: Verb) => ['push', 'create', 'screenshot'].includes(name);

/** `key=` of each command, as cases of a shell. */
function keyCases(line: (keys: string) => string): string {
  return [...commands().values()]
    .filter(({ fields }) => fields.length > 0)
    .map(({ name, fields }) => `      ${name}) ${line(fields.map((field) => `${field.name}=`).join(' '))} ;;`)
    .join('\n');
}

function bash({ verbs, common }: Known): string {
  const cases = verbs.map(
    (verb) =>
      `    ${verb.name}) words=${quoted([...optionsOf(verb, common), ...wordsOf(verb)].join(' '))}${takesFiles(verb) ? '; files=1' : ''} ;;`,
  );
  return `# Completion of faceplate for bash. Put this into ~/.bashrc: source <(faceplate completion bash)
_faceplate() {
  local word=\${COMP_WORDS[COMP_CWORD]} verb='' command='' words='' files='' at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    case \${COMP_WORDS[at]} in
      --panel | --token | --level | --groups | --ids | --canary | --parallel | --healthy-for) at=$((at + 1)) ;;
      -*) ;;
      *) if [[ -z $verb ]]; then verb=\${COMP_WORDS[at]}; elif [[ -z $command ]]; then command=\${COMP_WORDS[at]}; fi ;;
    esac
  done
  case $verb in
    '') words=${quoted([...verbs.map(({ name }) => name), ...common.map((name) => `--${name}`)].join(' '))} ;;
${cases.join('\n')}
  esac
  if [[ -n $command && ( $verb == call || $verb == rollout ) ]]; then
    compopt -o nospace 2> /dev/null
    case $command in
${keyCases((keys) => `words=${quoted(keys)}`)}
      *) words='' ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  if [[ -n $files ]]; then COMPREPLY+=($(compgen -f -- "$word")); fi
}
complete -F _faceplate faceplate
`;
}

function zsh({ verbs, common }: Known): string {
  const cases = verbs.map(
    (verb) =>
      `    ${verb.name}) compadd -- ${[...optionsOf(verb, common), ...wordsOf(verb)].join(' ')}${takesFiles(verb) ? '; _files' : ''} ;;`,
  );
  return `#compdef faceplate
# Completion of faceplate for zsh. Put this into ~/.zshrc, after compinit: source <(faceplate completion zsh)
_faceplate() {
  local verb='' command='' at
  for ((at = 2; at < CURRENT; at++)); do
    case \${words[at]} in
      --panel|--token|--level|--groups|--ids|--canary|--parallel|--healthy-for) at=$((at + 1)) ;;
      -*) ;;
      *) if [[ -z $verb ]]; then verb=\${words[at]}; elif [[ -z $command ]]; then command=\${words[at]}; fi ;;
    esac
  done
  if [[ -n $command && ( $verb == call || $verb == rollout ) ]]; then
    case $command in
${keyCases((keys) => `compadd -S '' -- ${keys}`)}
    esac
    return
  fi
  case $verb in
    '') compadd -- ${[...verbs.map(({ name }) => name), ...common.map((name) => `--${name}`)].join(' ')} ;;
${cases.join('\n')}
  esac
}
compdef _faceplate faceplate
`;
}

function fish({ verbs, common }: Known): string {
  const names = verbs.map(({ name }) => name).join(' ');
  const lines = verbs.flatMap((verb) => [
    `complete -c faceplate -n "not __fish_seen_subcommand_from ${names}" -a ${verb.name} -d ${quoted(verb.summary)}`,
    ...verb.options.map(
      (name) => `complete -c faceplate -n "__fish_seen_subcommand_from ${verb.name}" -l ${name}`,
    ),
    ...(takesFiles(verb) ? [`complete -c faceplate -n "__fish_seen_subcommand_from ${verb.name}" -F`] : []),
  ]);
  const calls = [...commands().values()].flatMap(({ name, summary, fields }) => [
    `complete -c faceplate -n "__fish_seen_subcommand_from call; and not __fish_seen_subcommand_from $__faceplate_commands" -a ${name} -d ${quoted(summary)}`,
    ...(fields.length > 0
      ? [
          `complete -c faceplate -n "__fish_seen_subcommand_from ${name}" -a "${fields.map((field) => `${field.name}=`).join(' ')}"`,
        ]
      : []),
  ]);
  return `# Completion of faceplate for fish: faceplate completion fish | source
set -g __faceplate_commands ${[...commands().keys()].join(' ')}
complete -c faceplate -f
${common.map((name) => `complete -c faceplate -l ${name}`).join('\n')}
${lines.join('\n')}
complete -c faceplate -n "__fish_seen_subcommand_from rollout" -a "${ROLLOUTS.join(' ')}"
complete -c faceplate -n "__fish_seen_subcommand_from completion" -a "${SHELLS.join(' ')}"
${calls.join('\n')}
`;
}
