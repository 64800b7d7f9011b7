import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import { App } from '../server/app.ts';
import { loadSettings } from '../server/config/loadSettings.ts';
import { createLogger } from '../server/observe/log.ts';
import { ElectronHost } from './electronHost.ts';

// Everything before the first await runs before Electron is ready, which sandbox and switches require.
app.enableSandbox();
const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
  version: string;
};

try {
  const loaded = loadSettings(process.argv.slice(app.isPackaged ? 1 : 2), process.env);
  const { settings } = loaded;
  const { commandLine } = app;
  commandLine.appendSwitch('autoplay-policy', 'no-user-gesture-required');
  commandLine.appendSwitch('disable-pinch');
  commandLine.appendSwitch('disable-quic');
  if (settings['kiosk.fakeMedia']) commandLine.appendSwitch('use-fake-device-for-media-stream');
  if (!app.requestSingleInstanceLock()) throw new Error('Faceplate runs already.');

  const service = new App({
    settings: loaded,
    version,
    log: createLogger(settings['log.level']),
    print: (line) => process.stdout.write(`${line}\n`),
    createHost: async (dependencies) =>
      new ElectronHost({
        ...dependencies,
        preload: join(import.meta.dirname, '../preload/electronPreload.cjs'),
        ownPreload: join(import.meta.dirname, '../preload/ownPreload.cjs'),
      }),
  });
  const stop = () => {
    service.stop().finally(() => app.exit(0));
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  app.once('before-quit', (event) => {
    event.preventDefault();
    stop();
  });
  // The API outlives its window.
  app.on('window-all-closed', () => {});
  await service.start();
} catch (error) {
  process.stderr.write(`faceplate: ${(error as Error).message}\n`);
  app.exit(1);
}
