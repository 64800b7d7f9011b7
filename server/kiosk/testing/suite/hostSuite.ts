import { describe } from 'node:test';
import { bridgeTests } from './bridgeTests.ts';
import { certificateTests } from './certificateTests.ts';
import { dialogTests } from './dialogTests.ts';
import { evaluateTests } from './evaluateTests.ts';
import { frameTests } from './frameTests.ts';
import { keyboardTests } from './keyboardTests.ts';
import { layerTests } from './layerTests.ts';
import { liveTests } from './liveTests.ts';
import { loginTests } from './loginTests.ts';
import { navigationTests } from './navigationTests.ts';
import type { OpenKiosk } from './openKiosk.ts';
import { pageStateTests } from './pageStateTests.ts';
import { recoveryTests } from './recoveryTests.ts';
import { screenTests } from './screenTests.ts';
import { settingsPageTests } from './settingsPageTests.ts';

/** The contract of KioskHost: what every host does, whichever browser it steers. */
export function hostSuite(host: string, open: OpenKiosk): void {
  describe(`the contract of a host, kept by ${host}`, () => {
    bridgeTests(open);
    frameTests(open);
    navigationTests(open);
    dialogTests(open);
    pageStateTests(open);
    recoveryTests(open);
    screenTests(open);
    liveTests(open);
    evaluateTests(open);
    layerTests(open);
    keyboardTests(open);
    settingsPageTests(open);
    loginTests(open);
    certificateTests(open);
  });
}
