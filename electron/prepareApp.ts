import type { App } from 'electron';
import type { Settings } from '../server/config/settings.ts';

/**
 * Sets what Electron needs before it is ready.
 * @throws Error when another Faceplate runs for this user
 */
export function prepareApp(app: App, settings: Settings): void {
  app.enableSandbox();
  const { commandLine } = app;
  commandLine.appendSwitch('autoplay-policy', 'no-user-gesture-required');
  commandLine.appendSwitch('disable-pinch');
  commandLine.appendSwitch('disable-quic');
  if (settings['kiosk.fakeMedia']) commandLine.appendSwitch('use-fake-device-for-media-stream');
  if (!app.requestSingleInstanceLock()) throw new Error('Faceplate runs already.');
  // The API keeps running when its window is closed.
  app.on('window-all-closed', () => {});
}
