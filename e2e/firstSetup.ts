import type { Page } from '@playwright/test';
import type { BuiltInPageChannel } from '../server/kiosk/builtInPageContract.ts';
import type { PageStatus, SetupStep } from '../server/kiosk/settingsPage/contract.ts';
import { expect } from './fixtures.ts';

/** The click of a touch comes at its end; by this much later there is none, in milliseconds. */
const LATE_MS = 300;

/**
 * One finger, as Chromium hears of it from a screen, once the element stands still and can be used. Again where that fell
 * beside it: a page moves while its facts come, and hears nothing before it is drawn.
 */
export async function touch(page: Page, testId: string): Promise<void> {
  const target = page.getByTestId(testId);
  const devTools = await page.context().newCDPSession(page);
  const send = (type: 'touchStart' | 'touchEnd' | 'touchCancel', touchPoints: { x: number; y: number }[]) =>
    devTools.send('Input.dispatchTouchEvent', { type, touchPoints });
  for (;;) {
    await target.click({ trial: true });
    const { x, y, width, height } = (await target.boundingBox())!;
    const tap = await target.evaluateHandle((element, lateMs) => {
      const isOn = ({ target }: Event) => element.contains(target as Node);
      const tap = { isHit: false, isClicked: Promise.resolve(false) };
      const once = { capture: true, once: true };
      const begin = (event: Event) => {
        tap.isHit = isOn(event);
      };
      addEventListener('pointerdown', begin, once);
      tap.isClicked = new Promise((resolve) => {
        addEventListener('click', (event) => resolve(isOn(event)), once);
        for (const end of ['pointerup', 'pointercancel'])
          addEventListener(end, () => void setTimeout(resolve, lateMs, false), once);
      });
      return tap;
    }, LATE_MS);
    await send('touchStart', [{ x: x + width / 2, y: y + height / 2 }]);
    if (!(await tap.evaluate(({ isHit }) => isHit))) {
      await send('touchCancel', []);
      continue;
    }
    await send('touchEnd', []);
    // It may have closed the page. What moves under the finger, or a busy machine's long press, is no click.
    if (await tap.evaluate(({ isClicked }) => isClicked).catch(() => true)) break;
  }
  await devTools.detach().catch(() => undefined);
}

/** Touches what closes the page, and once more where that fell beside it: the page moves while the keys go. */
export async function touchToClose(page: Page, testId: string): Promise<void> {
  await expect(async () => {
    if (page.isClosed()) return;
    const closed = page.waitForEvent('close', { timeout: 5_000 });
    touch(page, testId).catch(() => undefined);
    await closed;
  }).toPass({ timeout: 30_000 });
}

/** Waits until the set-up is at this step. */
export async function isAt(page: Page, step: string): Promise<void> {
  await expect(page.getByTestId('wizard')).toHaveAttribute('data-step', step);
}

/** Goes on to the next step; touches once more where that fell beside it: a step moves while its facts come. */
export async function goOn(page: Page, next: string): Promise<void> {
  const wizard = page.getByTestId('wizard');
  await expect(async () => {
    if ((await wizard.getAttribute('data-step')) !== next) await touch(page, 'setup-next');
    await expect(wizard).toHaveAttribute('data-step', next, { timeout: 5_000 });
  }).toPass({ timeout: 20_000 });
}

/** What the page on the glass learns from the panel, and what it asked. */
interface ScriptedGlass {
  /** The commands that were called so far, with their params. */
  called(): Promise<[string, Record<string, unknown>][]>;
  /** From now on a command has this result, or fails with these words. */
  answer(command: string, result: unknown): Promise<void>;
}

const QR = Array.from({ length: 29 }, (_, y) => [...'01'.repeat(15)].slice(y % 2, 29 + (y % 2)).join(''));
export const CODE = {
  code: '12345678',
  url: 'http://192.168.1.20:8471/manage/#pair=12345678',
  expiresAt: '',
  qr: QR,
};

/** A panel at a first set-up: with a cable, a Wi-Fi, and a Home Assistant in the house. */
function panelAt(status: PageStatus, language: string): Record<string, unknown> {
  const setting = (value: unknown) => ({
    kind: 'text',
    value,
    default: value,
    source: 'default',
    description: '',
  });
  return {
    'settingsPage.status': status,
    'settingsPage.setup': status,
    'settingsPage.close': { status: 'ok' },
    'settingsPage.touch': { status: 'ok' },
    'settings.change': { settings: {}, restartNeeded: [] },
    'panel.facts': {
      name: 'Kitchen',
      language,
      port: 8471,
      addresses: ['192.168.1.20'],
      url: 'http://192.168.1.20:8471',
      versions: {},
    },
    'panel.pairing': { code: CODE, usedBy: null, isTried: false },
    'system.info': { name: 'Kitchen', address: 'http://192.168.1.20:8471' },
    'settings.read': {
      settings: {
        'device.name': setting('vm'),
        'kiosk.url': setting(''),
        'device.language': setting(language),
      },
      restartNeeded: [],
    },
    'network.state': {
      hostname: 'vm',
      interfaces: [
        { name: 'eth0', type: 'ethernet', state: 'connected', addresses: ['192.168.1.20/24'], wifi: null },
        { name: 'wlan0', type: 'wifi', state: 'disconnected', addresses: [], wifi: null },
      ],
    },
    'network.wifi': {
      networks: [
        { ssid: 'Workshop', signal: 82, security: 'wpa2', active: false },
        { ssid: 'Guests', signal: 54, security: 'none', active: false },
        { ssid: 'Office', signal: 20, security: 'enterprise', active: false },
      ],
    },
    'network.join': { networks: [] },
    'time.state': { timeZone: 'UTC' },
    'setup.find': { pages: [{ kind: 'homeAssistant', name: 'Home', url: 'http://192.168.1.10:8123/' }] },
    'setup.probe': { url: 'http://homeassistant.local:8123/', title: 'Overview', reason: null },
    'projects.list': { projects: [] },
  };
}

/**
 * Shows the settings page with the test in place of the panel: at a step of the first set-up, or locked with `null`.
 * The steps follow `settingsPage.setup`.
 */
export async function scriptGlass(
  page: Page,
  step: SetupStep | null,
  { pin = 'missing', language = 'en' }: { pin?: PageStatus['pin']; language?: string } = {},
): Promise<ScriptedGlass> {
  const status: PageStatus = {
    mode: step === null ? 'settings' : 'setup',
    setupStep: step,
    pin,
    locked: step === null,
    waitSeconds: 0,
    manageUrl: 'http://192.168.1.20:8471/manage/',
  };
  await page.addInitScript(
    (answers: Record<string, unknown>) => {
      let receive = (_json: string): void => {};
      const called: [string, Record<string, unknown>][] = [];
      const channel: BuiltInPageChannel = {
        listen: (listener) => {
          receive = listener;
        },
        post: (json) => {
          const { id, command, params } = JSON.parse(json) as { id: number; command?: string; params: never };
          if (command === undefined) return;
          called.push([command, params]);
          if (command === 'settingsPage.setup')
            answers['settingsPage.status'] = {
              ...(answers['settingsPage.status'] as object),
              setupStep: (params as { step: string }).step,
            };
          const result = answers[command];
          const error = {
            error: typeof result === 'string' ? result : `There is no ${command}.`,
            code: 'INVALID_REQUEST',
          };
          const isRefused = result === undefined || typeof result === 'string';
          setTimeout(() => receive(JSON.stringify(isRefused ? { id, error } : { id, result })));
        },
      };
      Object.assign(window, { faceplateHost: channel, called, answers });
    },
    panelAt(status, language),
  );
  await page.reload();
  return {
    called: () => page.evaluate(() => (window as unknown as { called: [] }).called),
    answer: (command, result) =>
      page.evaluate(
        ([name, value]) => {
          (window as unknown as { answers: Record<string, unknown> }).answers[name as string] = value;
        },
        [command, result],
      ),
  };
}
