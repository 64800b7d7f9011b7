import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { app, BrowserWindow, ipcMain, Menu, powerSaveBlocker, screen, session } from 'electron';
import { App } from '../server/app.ts';
import { dataFolder, loadSettings } from '../server/config/loadSettings.ts';
import { takeReplayFlags } from '../server/config/replayFlags.ts';
import { endOnCrash } from '../server/platform/crashFiles.ts';
import { createLogger } from '../server/platform/log.ts';
import { LogTail } from '../server/platform/logTail.ts';
import { finishPending } from '../server/platform/pendingChange.ts';
import { ElectronHost } from './electronHost.ts';
import { prepareApp } from './prepareApp.ts';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
  version: string;
};

try {
  const { args, replay } = takeReplayFlags(process.argv.slice(app.isPackaged ? 1 : 2));
  finishPending(dataFolder(args, process.env));
  const loaded = loadSettings(args, process.env, version);
  const { settings } = loaded;
  // Before the first await, and so before Electron is ready, which sandbox and switches require.
  prepareApp(app, settings);

  const logTail = new LogTail();
  const log = createLogger(settings['log.level'], logTail);
  endOnCrash({ dataDir: settings.dataDir, version, log, exit: (status) => app.exit(status) });
  const service = new App({
    settings: loaded,
    version,
    log,
    logTail,
    isWatched: true,
    replay,
    restart: () => {
      app.relaunch();
      stop();
    },
    print: (line) => process.stdout.write(`${line}\n`),
    createHost: async (dependencies) =>
      new ElectronHost({
        ...dependencies,
        electron: { app, BrowserWindow, ipcMain, Menu, powerSaveBlocker, screen, session },
        preload: join(import.meta.dirname, '../preload/electronPreload.cjs'),
        builtInPreload: join(import.meta.dirname, '../preload/builtInPreload.cjs'),
      }),
  });
  function stop(): void {
    service.stop().finally(() => app.exit(0));
  }
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  app.once('before-quit', (event) => {
    event.preventDefault();
    stop();
  });
  await service.start();
} catch (error) {
  process.stderr.write(`faceplate: ${(error as Error).message}\n`);
  app.exit(1);
}
