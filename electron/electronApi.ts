import type * as electron from 'electron';

/** What the host uses of Electron; handed in, so that a double can stand for it where there is no binary. */
export type ElectronApi = Pick<
  typeof electron,
  'app' | 'BrowserWindow' | 'ipcMain' | 'Menu' | 'powerSaveBlocker' | 'session'
>;
