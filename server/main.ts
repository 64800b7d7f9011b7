import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from './app.ts';
import { dataFolder, describeSettings, loadSettings, SettingsError } from './config/loadSettings.ts';
import { REPLAY_HELP, takeReplayFlags } from './config/replayFlags.ts';
import { sendDatagram } from './drivers/native/datagram.ts';
import { SystemdNotifier } from './drivers/systemd/systemdNotifier.ts';
import { chooseHost, earlyBrowser } from './kiosk/chooseHost.ts';
import { backgroundClock } from './platform/clock.ts';
import { keepCompiledCode } from './platform/compiledCode.ts';
import { endOnCrash } from './platform/crashFiles.ts';
import { createLogger } from './platform/log.ts';
import { LogTail } from './platform/logTail.ts';
import { finishPending } from './platform/pendingChange.ts';

/** Longest time from SIGTERM to the end of the process, in milliseconds. */
const STOP_LIMIT_MS = 4_500;

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as {
  version: string;
};
const given = process.argv.slice(2);

/** The service without Electron: the system's Chromium shows the page, or no page is shown. */
async function main(): Promise<void> {
  if (given.includes('--help')) {
    process.stdout.write(
      `Faceplate ${version}: the open runtime host for HTML5 touch panels\n\n${describeSettings()}\n\n${REPLAY_HELP}\n`,
    );
    return;
  }
  if (given.includes('--version')) {
    process.stdout.write(`${version}\n`);
    return;
  }
  const { args, replay } = takeReplayFlags(given);
  finishPending(dataFolder(args, process.env));
  const settings = loadSettings(args, process.env, version);
  const logTail = new LogTail();
  const log = createLogger(settings.settings['log.level'], logTail);
  const { dataDir } = settings.settings;
  endOnCrash({ dataDir, version, log, exit: (status) => process.exit(status) });
  // systemd starts the service again after any end (Restart=always); nobody else does.
  const isWatched = process.env.NOTIFY_SOCKET !== undefined;
  const app = new App({
    settings,
    version,
    log,
    logTail,
    print,
    createHost: chooseHost,
    earlyBrowser,
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
    log.info(why, 'stopping');
    systemd.stop();
    setTimeout(() => process.exit(0), STOP_LIMIT_MS).unref();
    const end = () => {
      last();
      process.exit(0);
    };
    app.stop().then(end, (error: unknown) => {
      log.error({ err: error }, 'stop failed');
      end();
    });
  };
  function restart(why: 'reset' | 'asked'): void {
    if (!isWatched) print('faceplate was reset and ends now: start it again');
    stop({ reason: why }, () => finishPending(dataDir));
  }
  // Not `once`: Ctrl+C in `npm start` comes from the terminal and from npm, and the second must not kill the stop.
  process.on('SIGTERM', (signal) => stop({ signal }));
  process.on('SIGINT', (signal) => stop({ signal }));
  keepCompiledCode(backgroundClock);
  systemd.starting();
  await app.start();
  systemd.start();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The sentence for the person who started the service. */
function sentenceOf(error: unknown): string {
  if (error instanceof SettingsError) return error.message;
  const { code, port, path, message } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use by another program. Stop it, or choose another port with --http.port.`;
  if (code === 'EACCES' && port !== undefined)
    return `Port ${port} may be opened by root only. Choose one above 1023 with --http.port.`;
  if ((code === 'EACCES' || code === 'EROFS' || code === 'ENOSPC') && path)
    return `${path} cannot be written (${code}). Choose another folder with --dataDir.`;
  return message;
}

main().catch((error: unknown) => {
  process.stderr.write(`faceplate: ${sentenceOf(error)}\n`);
  process.exitCode = 1;
  // Parts that are already up must not keep a failed start alive.
  setTimeout(() => process.exit(1), 2_000).unref();
});
