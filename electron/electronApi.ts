import type * as electron from 'electron';

/** What the host uses of Electron; passed in, so that a test double can replace it where there is no binary. */
export type ElectronApi = Pick<
  typeof electron,
  'app' | 'BaseWindow' | 'WebContentsView' | 'ipcMain' | 'Menu' | 'powerSaveBlocker' | 'screen' | 'session'
>;
