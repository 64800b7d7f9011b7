import assert from 'node:assert/strict';
import { test } from 'node:test';
import vm from 'node:vm';
import { offerSipVideo } from './sipVideo.ts';
import type { SipVideoFactory, StreamTools } from './streamTools.ts';

/** Runs the script from its text in an empty realm; the streams of the page are played by the test. */
function openPage() {
  const posted: Record<string, unknown>[] = [];
  const called: object[] = [];
  const page: { faceplateSipVideo?: SipVideoFactory; faceplateStreams: unknown } = {
    faceplateStreams: (given: StreamTools) => {
      tools = given;
      return async (json: string) => {
        posted.push(JSON.parse(json));
      };
    },
  };
  let tools!: StreamTools;
  let hear: ((message: { event: string }) => void) | undefined;
  let callStatus = 'incoming...';
  let isRefusing = false;
  const offer = vm.runInNewContext(`(${offerSipVideo.toString()})`) as typeof offerSipVideo;
  offer(page as never);
  const pictures = page.faceplateSipVideo!({
    call: async (fields) => {
      called.push({ ...fields });
      if (isRefusing) throw Object.assign(new Error('No picture.'), { code: 'NOT_FOUND' });
      return { sdp: 'answer' };
    },
    status: async () => ({ callStatus }),
    onSip: (listener) => {
      hear = listener;
      return () => {
        hear = undefined;
      };
    },
    failure: (message, code, field) => Object.assign(new Error(message), { code, field }),
  });
  const stopHearing = tools.onSession(() => {});
  return {
    ...pictures,
    tools,
    posted,
    called,
    stopHearing,
    isListening: () => hear !== undefined,
    tell: (event: string) => hear?.({ event }),
    refuse: () => {
      isRefusing = true;
    },
    becomes: (status: string) => {
      callStatus = status;
    },
  };
}

test('should show, move and hide a picture of the call, and answer the status', async () => {
  const page = openPage();
  const rect = { x: 0, y: 0, w: 0.5, h: 0.5 };
  assert.deepEqual(await page.showVideo({ target: 'remote', divId: 'box' }), { callStatus: 'incoming...' });
  await page.showVideo({ target: 'local', rect });
  await page.resizeVideo({ target: 'remote', rect });
  await page.hideVideo({ target: 'local' });
  await page.hideVideo();
  await page.hideVideo();
  assert.deepEqual(page.posted, [
    { action: 'open', id: 'remote', url: 'remote', divId: 'box' },
    { action: 'open', id: 'local', url: 'local', rect },
    { action: 'resize', id: 'remote', rect },
    { action: 'close', id: 'local' },
    { action: 'close', id: 'remote' },
  ]);
});

test('should ask the panel for the picture of the target, and release it', async () => {
  const { tools, called } = openPage();
  assert.deepEqual(await tools.call({ action: 'open', id: 'page.remote', url: 'remote', sdp: 'offer' }), {
    sdp: 'answer',
  });
  await tools.call({ action: 'close', id: 'page.local' });
  await tools.call({ action: 'close', id: 'page.remote' });
  assert.deepEqual(called, [
    { action: 'show', target: 'remote', sdp: 'offer' },
    { action: 'hide', target: 'local' },
    { action: 'hide', target: 'remote' },
  ]);
  assert.equal(tools.isUrl('rtsp://camera/1'), false);
});

test('should remove the pictures when the call ends, and show none without a call', async () => {
  const page = openPage();
  await page.showVideo({ target: 'remote', divId: 'box' });
  page.tell('callConnected');
  assert.equal(page.posted.length, 1);
  page.tell('callEnded');
  assert.deepEqual(page.posted.at(-1), { action: 'closeAll' });
  for (const status of ['idle', 'failed']) {
    page.becomes(status);
    assert.deepEqual(await page.showVideo({ target: 'remote', divId: 'box' }), { callStatus: status });
  }
  await page.resizeVideo({ target: 'remote', divId: 'box' });
  await page.hideVideo({ target: 'remote' });
  assert.equal(page.posted.length, 2);
  page.stopHearing();
  assert.equal(page.isListening(), false);
});

test('should remove the picture of a call that ended without an event', async () => {
  const page = openPage();
  await page.showVideo({ target: 'remote', divId: 'box' });
  page.refuse();
  const again = { action: 'open', id: 'page.remote', url: 'remote', sdp: 'offer' };
  // The picture may still come during the call.
  await assert.rejects(page.tools.call(again), { code: 'NOT_FOUND' });
  assert.equal(page.posted.length, 1);
  page.becomes('idle');
  await assert.rejects(page.tools.call(again), { code: 'NOT_FOUND' });
  assert.deepEqual(page.posted.at(-1), { action: 'closeAll' });
});

test('should reject what is malformed, and name the field', async () => {
  const { showVideo, resizeVideo, hideVideo, posted } = openPage();
  for (const [attempt, field] of [
    [() => showVideo(), 'target'],
    [() => showVideo({ target: 'door', divId: 'box' }), 'target'],
    [() => resizeVideo({ divId: 'box' }), 'target'],
    [() => hideVideo(null), 'target'],
    [() => hideVideo({ target: 7 }), 'target'],
    [() => showVideo({ target: 'remote', url: 'rtsp://camera' }), 'url'],
  ] as const) {
    await assert.rejects(attempt, { code: 'INVALID_REQUEST', field });
  }
  assert.deepEqual(posted, []);
});
