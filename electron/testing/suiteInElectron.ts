import { app, BrowserWindow, ipcMain, Menu, powerSaveBlocker, session } from 'electron';
import { hostSuite } from '../../server/host/suite/hostSuite.ts';
import { openInElectron } from './electronTestKiosk.ts';

// Loaded by suiteRunner.ts in Electron's main process.
app.on('window-all-closed', () => {});
hostSuite(
  'ElectronHost',
  openInElectron({
    electron: { app, BrowserWindow, ipcMain, Menu, powerSaveBlocker, session },
    preload: process.env.SUITE_PRELOAD ?? '',
    // The suite opens no page of Faceplate's own.
    ownPreload: '',
    debugPort: Number(process.env.SUITE_DEBUG_PORT),
  }),
);
