import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import vm from 'node:vm';
import { offerStreams } from './streamBridge.ts';
import { offerSizes } from './streamSize.ts';
import { offerTalk } from './streamTalk.ts';
import type { StreamFactory, StreamTalkState } from './streamTools.ts';

type Message = Record<string, unknown>;

/** A page with one stream whose microphone and camera the test plays. */
function openPage({ answer = 'ready', isSecure = true } = {}) {
  const told: Message[] = [];
  const directions: string[] = [];
  const replaced: unknown[] = [];
  const asked: PromiseWithResolvers<{ getTracks(): { stop(): void }[] }>[] = [];
  const connections: { connectionState: string; change: () => void }[] = [];
  let stopped = 0;
  let hear: ((event: StreamTalkState) => void) | undefined;
  const track = { stop: () => stopped++ };
  const element = () => ({
    isConnected: true,
    style: {},
    append() {},
    remove() {},
    setAttribute() {},
    attachShadow: () => ({ append() {} }),
    getBoundingClientRect: () => ({}),
    requestVideoFrameCallback() {},
  });
  const getUserMedia = () => {
    asked.push(Promise.withResolvers());
    return asked.at(-1)!.promise;
  };
  const page: Record<string, unknown> = {
    document: { documentElement: element(), createElement: element, getElementById: element },
    navigator: isSecure ? { mediaDevices: { getUserMedia } } : {},
    RTCPeerConnection: class {
      connectionState = 'new';
      change = () => {};
      localDescription = { sdp: 'offer' };
      constructor() {
        connections.push(this);
      }
      addTransceiver(kind: string, { direction }: { direction: string }) {
        directions.push(`${kind} ${direction}`);
        return { sender: { replaceTrack: async (to: unknown) => void replaced.push(to) } };
      }
      addEventListener(type: string, listener: () => void) {
        if (type === 'connectionstatechange') this.change = listener;
      }
      async setLocalDescription() {}
      async setRemoteDescription() {}
      close() {}
    },
    MediaStream: class {},
    requestAnimationFrame() {},
    addEventListener() {},
    setTimeout() {},
    clearTimeout() {},
  };
  for (const script of [offerTalk, offerSizes, offerStreams])
    (vm.runInNewContext(`(${script.toString()})`) as (page: unknown) => void)(page);
  const handle = (page.faceplateStreams as StreamFactory)({
    call: async () => ({ sdp: 'answer', talk: answer }),
    failure: (message, code, field) => Object.assign(new Error(message), { code, field }),
    announce: (message) => told.push(message as Message),
    onSession: () => () => {},
    onTalk: (listener) => {
      hear = listener;
      return () => {
        hear = undefined;
      };
    },
    isUrl: () => true,
  });
  const settle = () => new Promise(setImmediate);
  const post = async (message: object) => {
    const result = await handle(JSON.stringify({ id: 'door', ...message }));
    await settle();
    return result;
  };
  return {
    page,
    told,
    directions,
    replaced,
    asked,
    post,
    settle,
    open: (talk?: unknown) => post({ action: 'open', url: 'rtsp://camera/1', divId: 'box', talk }),
    press: (on: unknown) => post({ action: 'talk', on }),
    /** The microphone that was asked for is there. */
    give: async () => {
      asked.at(-1)!.resolve({ getTracks: () => [track] });
      await settle();
    },
    say: (state: string, reason: string | null = null) => hear?.({ session: 'page.door', state, reason }),
    lose: () => {
      connections[0]!.connectionState = 'failed';
      connections[0]!.change();
    },
    stops: () => stopped,
    isListening: () => hear !== undefined,
    track,
  };
}

const fails = (code: string, field?: string) => (error: { code: string; field?: string }) =>
  error.code === code && error.field === field;

describe('the microphone of a stream', () => {
  test('should be asked for at the press, and stopped at the release', async () => {
    const it = openPage();
    await it.open(true);
    assert.deepEqual(it.directions, ['video recvonly', 'audio sendrecv']);
    assert.deepEqual(it.asked.length, 0);
    const pressed = it.press(true);
    await it.settle();
    await it.give();
    await pressed;
    assert.deepEqual([it.replaced, it.stops()], [[it.track], 0]);
    await it.press(true);
    assert.equal(it.asked.length, 1);
    await it.press(false);
    assert.deepEqual([it.replaced, it.stops()], [[it.track, null], 1]);
  });

  test('should never open where the release came first', async () => {
    const it = openPage();
    await it.open(true);
    const pressed = it.press(true);
    await it.press(false);
    await it.give();
    await pressed;
    assert.deepEqual([it.replaced, it.stops()], [[null], 1]);
  });

  test('should be stopped with the connection, and at the end of the stream', async () => {
    for (const end of ['lose', 'close'] as const) {
      const it = openPage();
      await it.open(true);
      const pressed = it.press(true);
      await it.settle();
      await it.give();
      await pressed;
      if (end === 'lose') it.lose();
      else await it.post({ action: 'close' });
      assert.deepEqual([it.stops(), it.isListening()], [1, end === 'lose']);
    }
  });

  test('should tell in its messages who talks, and only where the page wants to talk', async () => {
    const it = openPage();
    await it.open(true);
    it.say('talking');
    it.say('busy', 'Somebody else talks.');
    const talk = it.told.map(({ talk, talkReason }) => [talk, talkReason]);
    assert.deepEqual(talk, [
      ['none', undefined],
      ['ready', undefined],
      ['talking', undefined],
      ['busy', 'Somebody else talks.'],
    ]);
    const listens = openPage();
    await listens.open();
    listens.say('talking');
    assert.deepEqual([listens.told.length, 'talk' in listens.told[0]!], [1, false]);
    assert.deepEqual(listens.directions[1], 'audio recvonly');
  });

  test('should say why it cannot be opened', async () => {
    const none = openPage({ answer: 'none' });
    await none.open(true);
    await assert.rejects(none.press(true), fails('UNSUPPORTED_HARDWARE', 'id'));
    const open = openPage({ isSecure: false });
    await open.open(true);
    await assert.rejects(open.press(true), fails('UNSUPPORTED_HARDWARE'));
    const it = openPage();
    await it.open(true);
    await assert.rejects(it.press('yes'), fails('INVALID_REQUEST', 'on'));
    await assert.rejects(it.open('yes'), fails('INVALID_REQUEST', 'talk'));
    for (const [name, code] of [
      ['NotAllowedError', 'FORBIDDEN'],
      ['NotFoundError', 'UNSUPPORTED_HARDWARE'],
    ] as const) {
      const pressed = it.press(true);
      it.asked.at(-1)!.reject(Object.assign(new Error(), { name }));
      await assert.rejects(pressed, fails(code));
    }
    const listens = openPage();
    await listens.open();
    await assert.rejects(listens.press(true), fails('INVALID_REQUEST', 'id'));
  });

  test('security: should leave its maker to no page', () => {
    const { page } = openPage();
    assert.equal('faceplateTalk' in page, false);
  });
});
