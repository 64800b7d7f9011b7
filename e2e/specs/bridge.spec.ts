import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';

test('should give the version and whether the hardware is real', async ({ page, api }) => {
  const told = await page.evaluate(() => [window.container?.version, window.container?.isOem]);
  expect(told).toEqual([(await api('/api/remote/info')).body.version, false]);
});

test('security: should not let a page change the container, except to declare its name', async ({ page }) => {
  const outcomes = await page.evaluate(() => {
    const container = window.container!;
    const attempts: (() => unknown)[] = [
      () => Object.assign(container, { version: 'changed' }),
      () => Object.assign(container.gpioBridge, { postMessage: () => 'changed' }),
      () => Object.assign(container.sendUdp, { call: () => 'changed' }),
    ];
    return attempts.map((attempt) => {
      try {
        return attempt();
      } catch (error) {
        return (error as Error).name;
      }
    });
  });
  expect(outcomes).toEqual(Array(3).fill('TypeError'));
  // A page that declares this name must not fail; the next document has the container again.
  expect(await page.evaluate(() => Reflect.defineProperty(window, 'container', { value: 'mine' }))).toBe(
    true,
  );
  await page.reload();
  expect(await page.evaluate(() => typeof window.container?.version)).toBe('string');
});

test('should reject with the code and the field of the failure', async ({ page }) => {
  const failures = {
    'gpioBridge.postMessage(\'{"action":"write","pin":9,"level":1}\')': ['INVALID_REQUEST', 'pin'],
    'gpioBridge.postMessage(\'{"action":"explode"}\')': ['INVALID_REQUEST', 'action'],
    "gpioBridge.postMessage('no JSON')": ['INVALID_REQUEST', undefined],
    'gpioBridge.postMessage(\'{"action":"serialClose","port":"/dev/ttyX"}\')': ['NOT_FOUND', undefined],
    "sendUdp('8.8.8.8', 53, '00')": ['FORBIDDEN', undefined],
    "sendUdp('127.0.0.1', 9, 'xyz')": ['INVALID_REQUEST', 'hex'],
    "sendUdpRaw('127.0.0.1', 0, 'text')": ['INVALID_REQUEST', 'port'],
    "sendUdpRaw('127.0.0.1', 9, 'x'.repeat(2 ** 21))": ['TOO_LARGE', undefined],
  };
  for (const [call, [code, field]] of Object.entries(failures)) {
    expect(await outcomeOf(page, call), call).toEqual({
      isError: true,
      message: expect.stringMatching(/^\S.* .*\.$/),
      code,
      field,
    });
  }
});

test('should deliver answers and failures to onmessage and listeners too', async ({ page }) => {
  const heard = await page.evaluate(async () => {
    const { gpioBridge } = window.container!;
    const handler: string[] = [];
    const listener: string[] = [];
    const listen = (event: { data: string }) => listener.push(event.data);
    gpioBridge.onmessage = (event: { data: string }) => handler.push(event.data);
    gpioBridge.addEventListener('message', listen);
    // Pages may ignore the promise: its failure must not become an unhandled rejection.
    const unhandled: unknown[] = [];
    addEventListener('unhandledrejection', ({ reason }) => unhandled.push(reason));
    for (const [index, pin] of [3, 4].entries()) {
      gpioBridge.postMessage(JSON.stringify({ action: 'read', pin }));
      while (listener.length <= index) await new Promise((resolve) => setTimeout(resolve));
    }
    gpioBridge.removeEventListener('message', listen);
    gpioBridge.onmessage = null;
    await gpioBridge.postMessage('{"action":"read","pin":3}');
    return { handler, listener, unhandled: unhandled.length };
  });
  expect(heard.handler).toEqual(heard.listener);
  expect(heard.unhandled).toBe(0);
  expect(heard.listener.map((text) => JSON.parse(text))).toEqual([
    { status: 'ok', pin: 3, level: expect.any(Number), ok: true },
    { action: 'read', error: expect.any(String), code: 'INVALID_REQUEST' },
  ]);
});

test('should deliver events to listeners, until they stop', async ({ page, api }) => {
  await api('/api/remote/simulate', { part: 'gpio', pin: 1, level: 0 });
  const heard = await page.evaluateHandle(() => {
    const pins: string[] = [];
    const follow = ({ pin, level }: { pin: number; level: number }) => pins.push(`${pin}:${level}`);
    window.container!.on('gpio', follow);
    return { pins, stop: () => window.container!.off('gpio', follow) };
  });
  const pins = () => heard.evaluate((it) => it.pins);
  await api('/api/remote/simulate', { part: 'gpio', pin: 1, level: 1 });
  await expect.poll(pins).toEqual(['1:1']);
  await heard.evaluate((it) => it.stop());
  await api('/api/remote/simulate', { part: 'gpio', pin: 1, level: 0 });
  await expect(page.getByTestId('pin-1-level')).toHaveText('LOW');
  expect(await pins()).toEqual(['1:1']);
});

test('should make no network request for a call', async ({ page, udpPeer }) => {
  // Its WHEP call is over.
  await expect(page.getByTestId('camera-card')).toHaveAttribute('data-state', 'playing');
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.evaluate(
    async ([host, port]) => {
      await window.container!.sendUdpRaw(host, port, 'over the bridge');
      await window.container!.gpioBridge.postMessage('{"action":"ledColor","red":1,"green":2,"blue":3}');
      await window.container!.gpioBridge.postMessage('{"action":"read","pin":0}');
    },
    [udpPeer.host, udpPeer.port] as const,
  );
  await expect.poll(() => udpPeer.received.map(String)).toEqual(['over the bridge']);
  // The probe does notice requests.
  await page.evaluate(() => fetch('/api/stream/sessions'));
  await expect.poll(() => requests).toEqual([expect.stringContaining('/api/stream/sessions')]);
});

/** The outcome of a promise of the container, as a value that can leave the page. */
function outcomeOf(page: Page, call: string): Promise<unknown> {
  return page.evaluate(
    `window.container.${call}.then((result) => ({ result }), (error) => ({
      isError: error instanceof Error, message: error.message, code: error.code, field: error.field }))`,
  );
}
