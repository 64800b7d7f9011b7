import * as electron from 'electron';
import { hostSuite } from '../../server/kiosk/testing/suite/hostSuite.ts';
import { openInElectron } from './electronTestKiosk.ts';

// Loaded by suiteRunner.ts in Electron's main process.
electron.app.on('window-all-closed', () => {});
hostSuite(
  'ElectronHost',
  openInElectron({
    electron,
    preload: process.env.SUITE_PRELOAD ?? '',
    // The suite opens no built-in page.
    builtInPreload: '',
    debugPort: Number(process.env.SUITE_DEBUG_PORT),
  }),
);
