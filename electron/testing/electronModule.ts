import { ElectronDouble } from './electronDouble.ts';

// Stands in for the module `electron` where the whole bundle runs on the double, in Node.
const double = new ElectronDouble();
const { promise, resolve } = Promise.withResolvers<void>();
double.app.ready = promise;
double.app.exit = (status) => process.exit(status);
if (process.argv.includes('--no-sandbox')) double.app.given.set('no-sandbox', '');

export const { app, BaseWindow, ipcMain, Menu, powerSaveBlocker, screen, session, WebContentsView } =
  double.api;
/** What the program asked of Electron so far. */
export const { calls } = double.app;
/** Electron becomes ready. */
export const becomeReady = resolve;
/** What lies in the window: its pages, from below. */
export const shown = (): string[] => double.window?.views.map(({ loaded }) => loaded.at(-1) ?? '') ?? [];
