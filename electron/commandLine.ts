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
 * any script runs; here they are only taken out, and refused where `kiosk.browserArguments` refuses them too.
 * @param argv program, switches, then the main script unless it is packed, then the rest
 * @throws SettingsError when a switch weakens what keeps pages in
 */
export function splitArguments(argv: readonly string[], isPackaged: boolean): string[] {
  const at = isPackaged ? 0 : scriptAt(argv);
  const before = argv.slice(1, at).filter((argument) => argument.startsWith('--'));
  const own: string[] = [];
  const switches = [...before];
  for (const argument of argv.slice(at + 1)) (isSwitch(argument) ? switches : own).push(argument);
  const mistakes = switches.map(whyRefusedArgument).filter((why) => why !== undefined);
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return own;
}

/** The place of the main script: the first word that is neither a switch nor the value of `-r`. */
function scriptAt(argv: readonly string[]): number {
  for (let at = 1; at < argv.length; at++) {
    const argument = argv[at]!;
    if (argument === '-r' || argument === '--require') at++;
    else if (!argument.startsWith('-')) return at;
  }
  return argv.length;
}

/** Whether it is meant for Chromium. What is nearly one of ours is a mistake that the settings tell. */
function isSwitch(argument: string): boolean {
  const [, name] = /^--([a-z][a-z0-9-]*)(?:=.*)?$/s.exec(argument) ?? [];
  return name !== undefined && !PLAIN.has(plain(name));
}
