import { App } from './app.ts';
import {
  dataFolder,
  describeSettings,
  type LoadedSettings,
  loadSettings,
  REPLAY_HELP,
  SettingsError,
  takeReplayFlags,
} from './config/loadSettings.ts';
import { countStart } from './config/proof/startProof.ts';
import { mendSettings } from './config/proof/starts.ts';
import type { HostDependencies, KioskHost } from './kiosk/host.ts';
import { backgroundClock } from './platform/clock.ts';
import { finishPending } from './platform/files/dataFolder.ts';
import { endOnCrash, keepCompiledCode } from './platform/files/ownProcess.ts';
import { createLogger, LogTail, ReadableLog } from './platform/log.ts';
import { sendDatagram } from './platform/native/program.ts';
import { keepInterfacesReadable } from './platform/net/addresses.ts';
import { SystemdNotifier } from './platform/systemd/systemdNotifier.ts';

/** Longest time from SIGTERM to the end of the process, in milliseconds. */
const STOP_LIMIT_MS = 4_500;

/** What differs between the programs that run the service: Node, and Electron's main process. */
export interface ProgramOptions {
  readonly version: string;
  /** The command line without program and script. @throws SettingsError when it has a mistake */
  readonly given: () => readonly string[];
  readonly createHost: (dependencies: HostDependencies) => Promise<KioskHost>;
  /** The browser that `createHost` will need, if it can start before everything else. */
  readonly earlyBrowser?: ConstructorParameters<typeof App>[0]['earlyBrowser'];
  /** Ends the process at once. */
  readonly exit: (status: number) => void;
  /** Runs once the settings are known, before the first `await`. */
  readonly prepare?: (loaded: LoadedSettings) => void;
  /** Has the process started again when it ends; without it only systemd can do that. */
  readonly relaunch?: () => void;
  /** Calls back when something other than a signal asks the program to end. */
  readonly onQuit?: (stop: () => void) => void;
}

/**
 * The whole program around the service: command line, log, signals, systemd, restart, and the sentence for a start that
 * failed. It awaits nothing before `prepare` has returned. Never rejects.
 * @returns whether the service has started; else the process ends
 */
export async function runProgram(options: ProgramOptions): Promise<boolean> {
  try {
    return await run(options);
  } catch (error) {
    process.stderr.write(`faceplate: ${sentenceOf(error)}\n`, () => options.exit(1));
    return false;
  }
}

async function run(options: ProgramOptions): Promise<boolean> {
  const { version, createHost, earlyBrowser, exit, prepare, relaunch, onQuit } = options;
  const given = options.given();
  if (given.includes('--help')) return say(helpText(version), exit);
  if (given.includes('--version')) return say(version, exit);
  const { args, replay } = takeReplayFlags(given);
  const folder = dataFolder(args, process.env);
  finishPending(folder);
  mendSettings(folder);
  const settings = loadSettings(args, process.env, version);
  countStart(settings);
  prepare?.(settings);
  const { dataDir } = settings.settings;
  const { stdout, stderr } = process;
  const logTail = new LogTail(stderr.isTTY ? new ReadableLog(stderr, !process.env.NO_COLOR) : stderr);
  const log = createLogger(settings.settings['log.level'], logTail);
  endOnCrash({ dataDir, version, log, exit });
  keepInterfacesReadable();
  // systemd starts the service again after any end (Restart=always).
  const bySystemd = process.env.NOTIFY_SOCKET !== undefined;
  const isWatched = bySystemd || relaunch !== undefined;
  const app = new App({
    settings,
    version,
    log,
    logTail,
    print,
    isAtTerminal: stdout.isTTY === true,
    createHost,
    ...(earlyBrowser && { earlyBrowser }),
    restart,
    isWatched,
    replay,
  });
  const systemd = new SystemdNotifier({
    environment: process.env,
    pid: process.pid,
    send: sendDatagram,
    isWell: () => app.isWell(),
    log,
  });
  const stop = (why: object, last = () => {}) => {
    log.info(why, 'service: stopping');
    systemd.stop();
    setTimeout(() => exit(0), STOP_LIMIT_MS).unref();
    const end = () => {
      last();
      exit(0);
    };
    app.stop().then(end, (error: unknown) => {
      log.error({ err: error }, 'service: could not stop cleanly');
      end();
    });
  };
  function restart(why: 'reset' | 'asked'): void {
    if (!isWatched) print('faceplate was reset and ends now: start it again');
    // Below systemd a second process would end with this one.
    if (!bySystemd) relaunch?.();
    stop({ reason: why }, () => finishPending(dataDir));
  }
  // Not `once`: Ctrl+C in `npm start` comes from the terminal and from npm, and the second must not kill the stop.
  process.on('SIGTERM', (signal) => stop({ signal }));
  process.on('SIGINT', (signal) => stop({ signal }));
  onQuit?.(() => stop({ reason: 'quit' }));
  keepCompiledCode(backgroundClock);
  systemd.starting();
  await app.start();
  systemd.start();
  return true;
}

function helpText(version: string): string {
  return `Faceplate ${version}: the open runtime host for HTML5 touch panels\n\n${describeSettings()}\n\n${REPLAY_HELP}`;
}

function say(text: string, exit: (status: number) => void): false {
  process.stdout.write(`${text}\n`, () => exit(0));
  return false;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The sentence for the person who started the service. */
function sentenceOf(error: unknown): string {
  if (error instanceof SettingsError) return error.message;
  const { code, port, path, message, address } = error as NodeJS.ErrnoException & {
    port?: number;
    address?: string;
  };
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use by another program. Stop it, or choose another port with --http.port.`;
  if (code === 'EADDRNOTAVAIL' && address)
    return `${address} is no address of this machine. Choose another one with --http.host.`;
  if (code === 'EACCES' && port !== undefined)
    return `Port ${port} may be opened by root only. Choose one above 1023 with --http.port.`;
  if ((code === 'EACCES' || code === 'EROFS' || code === 'ENOSPC') && path)
    return `${path} cannot be written (${code}). Choose another folder with --dataDir.`;
  return message;
}
