import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as electron from 'electron';
import { runProgram } from '../server/program.ts';
import { ElectronHost } from './electronHost.ts';
import { prepareApp, splitArguments } from './prepareApp.ts';

const { app, BaseWindow } = electron;
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
  version: string;
};

/** What `process.exit` calls last: it ends the process at once. */
interface EndingProcess {
  reallyExit(status: number): never;
}

// From the sources Electron would write warnings to the console of each page.
process.env.ELECTRON_DISABLE_SECURITY_WARNINGS = 'true';

// Never awaited here: Electron is ready only once this module has been evaluated to its end, and the host waits for that.
void runProgram({
  version,
  given: () => splitArguments(process.argv, app.isPackaged),
  prepare: ({ settings }) => prepareApp(app, settings),
  createHost: async (dependencies) =>
    new ElectronHost({
      ...dependencies,
      electron,
      icon: join(import.meta.dirname, 'icon.png'),
      preload: join(import.meta.dirname, '../preload/electronPreload.cjs'),
      builtInPreload: join(import.meta.dirname, '../preload/builtInPreload.cjs'),
    }),
  exit: (status) => {
    // `app.exit` closes the windows first, and a host that was not stopped opens another one: Electron would run on.
    if (BaseWindow.getAllWindows().length > 0) {
      // Its socket would stay among the temporary files.
      app.releaseSingleInstanceLock();
      (process as unknown as EndingProcess).reallyExit(status);
    }
    app.exit(status);
  },
  // The folder of an AppImage is gone when it ends: the file itself is started.
  relaunch: () => app.relaunch(process.env.APPIMAGE ? { execPath: process.env.APPIMAGE } : {}),
  onQuit: (stop) => {
    app.on('before-quit', (event) => {
      event.preventDefault();
      stop();
    });
    void app.whenReady().then(hearSignalsAgain);
  },
});

/**
 * Electron has put its own handlers in the place of Node's by now. They hear one signal; the next one would end the
 * program in the middle of its stop.
 */
function hearSignalsAgain(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const listeners = process.listeners(signal);
    process.removeAllListeners(signal);
    for (const listener of listeners) process.on(signal, listener);
  }
}
