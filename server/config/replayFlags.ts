import { SettingsError } from './loadSettings.ts';

/** A journal to be replayed. */
export interface ReplayFlags {
  readonly path: string;
  /** How many seconds of the journal pass in one second. */
  readonly speed: number;
}

/** For `--help`. */
export const REPLAY_HELP =
  '  --replay <file>  Plays the journal of a panel on this desk.\n  --speed <number>  How much faster: 0.1 to 1000 (default: 1)';

const SPEEDS = { least: 0.1, most: 1_000 } as const;

/**
 * Takes `--replay` and `--speed` out of a command line; all else are settings.
 * @throws SettingsError when one has no value, or a wrong one
 */
export function takeReplayFlags(args: readonly string[]): {
  readonly args: readonly string[];
  readonly replay: ReplayFlags | undefined;
} {
  const mistakes: string[] = [];
  const rest: string[] = [];
  const given: { replay?: string; speed?: string } = {};
  for (let i = 0; i < args.length; i++) {
    const match = /^--(replay|speed)(?:=(.*))?$/s.exec(args[i]!);
    if (match === null) {
      rest.push(args[i]!);
      continue;
    }
    const name = match[1] as keyof typeof given;
    const value = match[2] ?? (args[i + 1]?.startsWith('--') ? undefined : args[++i]);
    if (value === undefined || value === '') mistakes.push(`flag --${name}: needs a value`);
    else given[name] = value;
  }
  const speed = Number(given.speed ?? 1);
  if (!(speed >= SPEEDS.least && speed <= SPEEDS.most))
    mistakes.push(`flag --speed: must be a number from ${SPEEDS.least} to ${SPEEDS.most}`);
  if (given.speed !== undefined && given.replay === undefined && mistakes.length === 0)
    mistakes.push('flag --speed: belongs to --replay');
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return { args: rest, replay: given.replay === undefined ? undefined : { path: given.replay, speed } };
}
