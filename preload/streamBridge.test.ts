import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import vm from 'node:vm';
import { offerStreams } from './streamBridge.ts';
import { offerSizes } from './streamSize.ts';
import type { StreamFactory, StreamSessionState } from './streamTools.ts';

type Told = { id: string; state: string; code?: string; error?: string };

/** Runs the script from its text in an empty realm, with a page of one box and a panel played by the test. */
function openPage(
  answer: (fields: { action: string }) => Promise<{ sdp?: string; profile?: object | null }>,
) {
  const sent: Record<string, unknown>[] = [];
  const told: Told[] = [];
  const box = { left: 1, top: 2, width: 300, height: 40 };
  const timers: { run: () => void; wait: number }[] = [];
  const frames: (() => void)[] = [];
  const pictures: (() => void)[] = [];
  let hide = () => {};
  let hear: ((session: StreamSessionState) => void) | undefined;
  const makeElement = (id = '') => ({
    id,
    isConnected: true,
    style: { cssText: '' },
    append() {},
    remove() {},
    setAttribute() {},
    attachShadow: () => ({ append() {} }),
    getBoundingClientRect: () => box,
    requestVideoFrameCallback: (callback: () => void) => pictures.push(callback),
  });
  const page: Record<string, unknown> = {
    document: {
      documentElement: makeElement(),
      createElement: () => makeElement(),
      getElementById: (id: string) => (id === 'box' ? makeElement('box') : null),
    },
    RTCPeerConnection: class {
      connectionState = 'new';
      localDescription = { sdp: 'offer' };
      addTransceiver() {}
      addEventListener() {}
      async setLocalDescription() {}
      async setRemoteDescription() {}
      close() {}
    },
    innerWidth: 1_000,
    innerHeight: 500,
    MediaStream: class {},
    requestAnimationFrame: (callback: () => void) => frames.push(callback),
    addEventListener: (_type: string, listener: () => void) => {
      hide = listener;
    },
    setTimeout: (run: () => void, wait: number) => timers.push({ run, wait }),
    clearTimeout: () => {},
  };
  const sizes = vm.runInNewContext(`(${offerSizes.toString()})`) as typeof offerSizes;
  const sizeTimers = new Map<number, { run: () => void; wait: number }>();
  let lastTimer = 0;
  const sizePage = {
    innerWidth: 1_000,
    innerHeight: 500,
    devicePixelRatio: 2,
    setTimeout: (run: () => void, wait: number) => {
      sizeTimers.set(++lastTimer, { run, wait });
      return lastTimer;
    },
    clearTimeout: (timer: number) => sizeTimers.delete(timer),
    faceplateSizes: undefined,
  };
  sizes(sizePage as never);
  page.faceplateSizes = sizePage.faceplateSizes;
  const offer = vm.runInNewContext(`(${offerStreams.toString()})`) as typeof offerStreams;
  offer(page as never);
  const handle = (page.faceplateStreams as StreamFactory)({
    call: (fields) => {
      sent.push({ ...fields });
      return answer(fields as { action: string });
    },
    failure: (message, code, field) => Object.assign(new Error(message), { code, field }),
    announce: (message) => told.push(message as Told),
    onSession: (listener) => {
      hear = listener;
      return () => {
        hear = undefined;
      };
    },
    isUrl: (url) => url.startsWith('rtsp://'),
  });
  const settle = () => new Promise(setImmediate);
  const post = async (message: object) => {
    const result = await handle(JSON.stringify(message));
    await settle();
    return result;
  };
  const session = (state: string, problem: StreamSessionState['problem'] = null) =>
    hear?.({ id: 'page.door', state, problem });
  const isListening = () => hear !== undefined;
  return {
    box,
    post,
    sent,
    told,
    timers,
    sizeTimers,
    frames,
    pictures,
    settle,
    session,
    isListening,
    hide: () => hide(),
  };
}

const open = { action: 'open', id: 'door', url: 'rtsp://camera/1', divId: 'box' };
const statesOf = (told: readonly Told[]) => told.map(({ state }) => state);

describe('the streams of the page script', () => {
  test('should open under its own id, and report playing, stalled and playing again', async () => {
    const page = openPage(async () => ({ sdp: 'answer' }));
    await page.post(open);
    assert.deepEqual(page.sent, [
      { action: 'open', id: 'page.door', url: open.url, sdp: 'offer', width: 600, height: 80 },
    ]);
    page.pictures.shift()!();
    page.session('stalled');
    page.pictures.shift()!();
    assert.deepEqual(statesOf(page.told), ['connecting', 'playing', 'stalled', 'playing']);
  });

  test('should say why there is no picture with each state, and once when that is over', async () => {
    const page = openPage(async () => ({ sdp: 'answer' }));
    await page.post(open);
    const problem = { code: 'NO_MEDIA', error: 'Nothing comes.' };
    page.session('connecting', problem);
    page.session('connecting', problem);
    page.session('stalled', problem);
    page.session('stalled', { code: 'CAMERA_UNREACHABLE', error: 'Away.' });
    page.session('stalled');
    page.pictures.shift()!();
    assert.deepEqual(
      page.told.map(({ state, code, error }) => [state, code, error]),
      [
        ['connecting', undefined, undefined],
        ['connecting', 'NO_MEDIA', 'Nothing comes.'],
        ['stalled', 'NO_MEDIA', 'Nothing comes.'],
        ['stalled', 'CAMERA_UNREACHABLE', 'Away.'],
        ['stalled', undefined, undefined],
        ['playing', undefined, undefined],
      ],
    );
    page.session('playing', problem);
    await page.post({ action: 'close', id: 'door' });
    assert.deepEqual(
      page.told.slice(-2).map(({ state, code }) => [state, code]),
      [
        ['playing', 'NO_MEDIA'],
        ['closed', undefined],
      ],
    );
  });

  test('should try again with growing delays, until it is closed', async () => {
    const page = openPage(async () => {
      throw Object.assign(new Error('Away.'), { code: 'CAMERA_UNREACHABLE' });
    });
    await page.post(open);
    for (let i = 0; i < 5; i++) {
      page.timers.at(-1)!.run();
      await page.settle();
    }
    assert.deepEqual(
      page.timers.map(({ wait }) => wait),
      [500, 1000, 2000, 5000, 10_000, 10_000],
    );
    await page.post({ action: 'close', id: 'door' });
    assert.equal(page.told.at(-1)!.state, 'closed');
  });

  test('should not try again with a wrong password, which could lock the camera', async () => {
    const page = openPage(async () => {
      throw Object.assign(new Error('No.'), { code: 'CAMERA_UNAUTHORIZED' });
    });
    await page.post(open);
    assert.deepEqual(page.timers, []);
    assert.equal(page.told.at(-1)!.code, 'CAMERA_UNAUTHORIZED');
  });

  test('should close everything with the page, and check no frames when nothing is open', async () => {
    const page = openPage(async () => ({ sdp: 'answer' }));
    assert.equal(page.frames.length, 0);
    await page.post(open);
    await page.post({ ...open, id: 'hall' });
    assert.equal(page.frames.length, 1);
    page.hide();
    assert.deepEqual(
      page.sent.slice(2).map(({ action, id }) => [action, id]),
      [
        ['close', 'page.door'],
        ['close', 'page.hall'],
      ],
    );
    page.frames.shift()!();
    assert.equal(page.frames.length, 0);
    assert.equal(page.isListening(), false);
  });

  test('should tell the size half a second after its last change, of a camera with several streams alone', async () => {
    let profile: object | null = { token: 'sub', width: 640, height: 360 };
    const page = openPage(async () => ({ sdp: 'answer', profile }));
    const sizes = () => page.sent.filter(({ action }) => action === 'size');
    const settle = async () => {
      assert.ok([...page.sizeTimers.values()].every(({ wait }) => wait === 500));
      for (const [id, { run }] of page.sizeTimers) {
        page.sizeTimers.delete(id);
        run();
      }
      await page.settle();
    };
    await page.post(open);
    await settle();
    assert.deepEqual(sizes(), []);
    const look = (width: number, height: number) => {
      Object.assign(page.box, { width, height });
      page.frames.shift()!();
    };
    look(400, 50);
    look(960, 540);
    look(960, 540);
    assert.equal(page.sizeTimers.size, 1);
    await settle();
    const size = { action: 'size', id: 'page.door' };
    assert.deepEqual(sizes(), [{ ...size, width: 1920, height: 1080 }]);
    look(960.1, 540);
    look(960, 540);
    await settle();
    // Not shown at all.
    look(0, 0);
    await settle();
    assert.equal(sizes().length, 1);
    await page.post({ action: 'resize', id: 'door', rect: { x: 0, y: 0, w: 0.001, h: 0.5 } });
    await settle();
    assert.deepEqual(sizes()[1], { ...size, width: 16, height: 500 });
    await page.post({ action: 'close', id: 'door' });
    profile = null;
    await page.post(open);
    look(500, 500);
    await settle();
    assert.equal(sizes().length, 2);
  });
});
