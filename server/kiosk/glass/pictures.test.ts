import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock, settled } from '../../testing/fakeClock.ts';
import type { KioskHost, LayerPage } from '../host.ts';
import type { PictureOrder } from './contract.ts';
import { Glass } from './glass.ts';

const never = new AbortController().signal;
const coded = { kind: 'h264', bytes: Buffer.from('abc'), width: 320 } as const;
const fails = (code: string) => (error: unknown) => error instanceof FaceplateError && error.code === code;

/** A glass whose page is played by the test. */
function start() {
  const clock = new FakeClock();
  const glass = new Glass({ language: () => 'en', clock, log: silentLogger() });
  const orders: PictureOrder[] = [];
  let page: LayerPage | undefined;
  const host = {
    screenSize: () => ({ width: 1280, height: 800 }),
    openLayer: async (given: LayerPage) => {
      page = given;
      return {
        post: (json: string) => {
          const told = JSON.parse(json) as PictureOrder;
          if ('picture' in told) orders.push(told);
        },
        hide: async () => {},
        close: async () => {},
      };
    },
  } as unknown as KioskHost;
  glass.attach(host, 'http://glass.localhost/');
  const say = (reply: object) => page!.sink.onMessage({ origin: '', reply: () => {} }, JSON.stringify(reply));
  return { clock, glass, orders, say, crash: () => page!.sink.onPageGone() };
}

test('should have pictures decoded by the page of the glass, once that is there', async () => {
  const { clock, glass, orders, say } = start();
  const first = glass.decode(coded, never);
  await settled();
  assert.equal(orders.length, 0);
  say({ ready: true });
  const second = glass.decode({ kind: 'jpeg', bytes: Buffer.from('x') }, never);
  await settled();
  assert.deepEqual(orders, [
    { picture: 1, kind: 'h264', data: Buffer.from('abc').toString('base64'), width: 320 },
    { picture: 2, kind: 'jpeg', data: Buffer.from('x').toString('base64'), width: null },
  ]);
  say({ decoded: 2, jpeg: Buffer.from('two').toString('base64') });
  say({ decoded: 1, jpeg: Buffer.from('one').toString('base64') });
  say({ decoded: 7, jpeg: '' });
  assert.deepEqual(await Promise.all([first, second]), [Buffer.from('one'), Buffer.from('two')]);
  // The page has not drawn what it was told first.
  await clock.advance(2_000);
  assert.equal(clock.pending, 0);
});

test('should say why there is no picture', async () => {
  const { clock, glass, say } = start();
  const broken = glass.decode(coded, never);
  await settled();
  say({ ready: true });
  say({ decoded: 1, failed: 'broken' });
  await assert.rejects(broken, fails('CAMERA_PROTOCOL'));
  const unsupported = glass.decode(coded, never);
  await settled();
  say({ decoded: 2, failed: 'unsupported' });
  await assert.rejects(unsupported, fails('UNSUPPORTED_HARDWARE'));
  const late = glass.decode(coded, never);
  late.catch(() => {});
  await settled();
  await clock.advance(5_000);
  await assert.rejects(late, fails('HARDWARE_TIMEOUT'));
  const without = new Glass({ language: () => 'en', clock, log: silentLogger() });
  await assert.rejects(without.decode(coded, never), fails('UNSUPPORTED_HARDWARE'));
});

test('should not send a picture again that was with a page that crashed, but one that was not', async () => {
  const { glass, orders, say, crash } = start();
  const lost = glass.decode(coded, never);
  lost.catch(() => {});
  await settled();
  say({ ready: true });
  crash();
  await assert.rejects(lost, fails('HARDWARE_ERROR'));
  const next = glass.decode(coded, never);
  await settled();
  assert.equal(orders.length, 1);
  say({ ready: true });
  assert.equal(orders.length, 2);
  say({ decoded: 2, jpeg: '' });
  assert.deepEqual(await next, Buffer.alloc(0));
});
