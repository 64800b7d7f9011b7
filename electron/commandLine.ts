import { SettingsError } from '../server/config/loadSettings.ts';
import { type SettingKey, settingDeclarations } from '../server/config/settings.ts';
import { whyRefusedArgument } from '../server/platform/browserArguments.ts';

/** What the program understands beside its settings. */
const OPTIONS = ['help', 'version', 'replay', 'speed'];
const OURS = [...OPTIONS, ...(Object.keys(settingDeclarations) as SettingKey[])];

/** Names without what people write differently: `http-port` is meant for `http.port`. */
const plain = (name: string): string => name.replaceAll(/[-._]/g, '').toLowerCase();
const PLAIN = new Set(OURS.map(plain));

/**
 * The program's own part of Electron's command line. Chromium reads its switches from the same line by itself, before
 * any script runs; here they are only taken out, and refused unless `kiosk.browserArguments` takes them too.
 * @param argv program, switches, then the main script unless it is packed, then the rest
 * @throws SettingsError that names each refused switch
 */
export function splitArguments(argv: readonly string[], isPackaged: boolean): string[] {
  const at = isPackaged ? 0 : scriptAt(argv);
  const own: string[] = [];
  // Chromium reads a switch with one dash too: nothing before the script is passed over.
  const switches = argv
    .slice(1, at)
    .filter((_, i, before) => !isLoader(before[i]) && !isLoader(before[i - 1]));
  for (const argument of argv.slice(at + 1)) (isSwitch(argument) ? switches : own).push(argument);
  const mistakes = switches.map(whyRefusedArgument).filter((why) => why !== undefined);
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return own;
}

/** The place of the main script: the first word that is neither a switch nor the value of `-r`. */
function scriptAt(argv: readonly string[]): number {
  for (let at = 1; at < argv.length; at++) {
    const argument = argv[at]!;
    if (isLoader(argument)) at++;
    else if (!argument.startsWith('-')) return at;
  }
  return argv.length;
}

/** Electron's own option for a module that it loads first; its value follows. */
function isLoader(argument: string | undefined): boolean {
  return argument === '-r' || argument === '--require';
}

/** Whether it is meant for Chromium. What is nearly one of ours is a mistake that the settings tell. */
function isSwitch(argument: string): boolean {
  const [, name] = /^--([a-z][a-z0-9-]*)(?:=.*)?$/s.exec(argument) ?? [];
  return name !== undefined && !PLAIN.has(plain(name));
}
