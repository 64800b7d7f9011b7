import { describe } from 'node:test';
import { bridgeTests } from './bridgeTests.ts';
import { brokenPageTests } from './brokenPageTests.ts';
import { certificateTests } from './certificateTests.ts';
import { dialogTests } from './dialogTests.ts';
import { evaluateTests } from './evaluateTests.ts';
import { frameTests } from './frameTests.ts';
import { keyboardTests } from './keyboardTests.ts';
import { layerTests } from './layerTests.ts';
import { lentKiosk } from './lentKiosk.ts';
import { liveTests } from './liveTests.ts';
import { loginTests } from './loginTests.ts';
import { navigationTests } from './navigationTests.ts';
import type { OpenKiosk } from './openKiosk.ts';
import { pageStateTests } from './pageStateTests.ts';
import { recoveryTests } from './recoveryTests.ts';
import { screenTests } from './screenTests.ts';
import { settingsPageTests } from './settingsPageTests.ts';

/** The contract of KioskHost: what every host does, whichever browser it steers. */
export function hostSuite(host: string, openKiosk: OpenKiosk): void {
  everydaySuite(host, openKiosk);
  rareSuite(host, openKiosk);
}

/** What every page meets. */
export function everydaySuite(host: string, openKiosk: OpenKiosk): void {
  describe(`the contract of a host, kept by ${host}`, () => {
    const { lend, open } = lentKiosk(openKiosk);
    for (const tests of [bridgeTests, frameTests, navigationTests, screenTests]) tests(lend);
    dialogTests(open);
    pageStateTests(open);
    recoveryTests(open);
    keyboardTests(open);
    settingsPageTests(open);
    certificateTests(open);
  });
}

/** What takes long, and only pages with a fault, a login, a layer or somebody who watches meet. */
export function rareSuite(host: string, openKiosk: OpenKiosk): void {
  describe(`the rarer contract of a host, kept by ${host}`, () => {
    const { lend, open } = lentKiosk(openKiosk);
    for (const tests of [liveTests, layerTests]) tests(lend);
    brokenPageTests(open);
    evaluateTests(open);
    loginTests(open);
  });
}
