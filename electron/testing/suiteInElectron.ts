import * as electron from 'electron';
import { hostSuite } from '../../server/kiosk/testing/suite/hostSuite.ts';
import { openInElectron } from './electronTestKiosk.ts';

// Loaded by suiteRunner.ts in Electron's main process.
hostSuite(
  'ElectronHost',
  openInElectron({
    electron,
    preload: process.env.SUITE_PRELOAD ?? '',
    builtInPreload: process.env.SUITE_BUILT_IN_PRELOAD ?? '',
    debugPort: Number(process.env.SUITE_DEBUG_PORT),
  }),
);
