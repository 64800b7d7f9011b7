import { mkdirSync, readlinkSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { App } from 'electron';
import { SettingsError } from '../server/config/loadSettings.ts';
import { type SettingKey, type Settings, settingDeclarations } from '../server/config/settings.ts';
import {
  joinedArguments,
  LIST_SWITCHES,
  PAGE_SWITCHES,
  whyRefusedArgument,
} from '../server/platform/browserArguments.ts';

/** Below the data folder: profiles, caches and the lock of the only instance. */
const USER_DATA = 'electron';

const NO_SANDBOX =
  'Faceplate never runs without the sandbox of its browser, and this machine or its command line (--no-sandbox) would take it away. Allow user namespaces for programs without privileges (docs/electron.md), install the Debian package, or use host=chromium.';

/**
 * Sets what Electron needs before it is ready.
 * @throws Error when another Faceplate runs on this data folder, or the sandbox is off
 */
export function prepareApp(app: App, settings: Settings): void {
  app.enableSandbox();
  // Also what an AppImage or a variable of the environment added.
  if (app.commandLine.hasSwitch('no-sandbox')) throw new Error(NO_SANDBOX);
  // From the sources the program is called "Electron", and would share profile and lock with every other one.
  app.setName('Faceplate');
  const userData = resolve(settings.dataDir, USER_DATA);
  mkdirSync(userData, { recursive: true, mode: 0o700 });
  app.setPath('userData', userData);
  addSwitches(app, settings);
  removeStaleSocket(userData);
  if (!app.requestSingleInstanceLock())
    throw new Error(`Faceplate runs already on the data folder ${settings.dataDir}.`);
  // The API keeps running when its window is closed.
  app.on('window-all-closed', () => {});
}

/** The switches of the Chromium host, and what the settings add to them; all before Chromium's threads start. */
function addSwitches(app: App, settings: Settings): void {
  const { commandLine } = app;
  const further = [...(settings['kiosk.browserArguments'] ?? [])];
  if (settings['kiosk.fakeMedia']) further.push('--use-fake-device-for-media-stream');
  if (!settings['kiosk.scrollbars']) further.push('--hide-scrollbars');
  if (settings['kiosk.screenReader']) further.push('--force-renderer-accessibility');
  const secure = settings['kiosk.secureOrigins'] ?? [];
  if (secure.length > 0) further.push(`--unsafely-treat-insecure-origin-as-secure=${secure.join(',')}`);
  const text = settings['kiosk.userAgent'] ?? '';
  if (text !== '') app.userAgentFallback = `${app.userAgentFallback} ${text}`;
  // What a person gave on the command line is there already: lists must come once, with all their values.
  const given = LIST_SWITCHES.filter((name) => commandLine.hasSwitch(name)).map(
    (name) => `--${name}=${commandLine.getSwitchValue(name)}`,
  );
  for (const argument of joinedArguments(PAGE_SWITCHES, [...given, ...further])) {
    const [name = '', ...value] = argument.slice(2).split('=');
    if (value.length === 0) commandLine.appendSwitch(name);
    else commandLine.appendSwitch(name, value.join('='));
  }
}

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

/**
 * Removes the socket that a killed Electron has left among the temporary files: a panel that loses its program now and
 * then would fill them. The lock is a link to `<host name>-<process id>`, and beside it is one to the socket, in a folder
 * of its own (process_singleton_posix.cc). The lock itself Electron takes over.
 */
export function removeStaleSocket(userData: string): void {
  const [, holder] = /-(\d+)$/.exec(linkOf(join(userData, 'SingletonLock')) ?? '') ?? [];
  const socket = linkOf(join(userData, 'SingletonSocket'));
  if (holder === undefined || socket === undefined || isAlive(Number(holder))) return;
  const folder = dirname(socket);
  if (/^scoped_dir\w+$/.test(basename(folder))) rmSync(folder, { recursive: true, force: true });
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
