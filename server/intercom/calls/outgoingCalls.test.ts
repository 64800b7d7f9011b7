import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settled } from '../../testing/fakeClock.ts';
import type { CallEnd } from '../ports.ts';
import { AUDIO_OFFER, VIDEO_OFFER } from '../testing/fakeSignalling.ts';
import { startIntercom, type TestIntercom } from '../testing/testIntercom.ts';
import { FAILED_SHOWN_MS } from './callFeedback.ts';

const HOST = '192.168.1.20';

async function call(panel: TestIntercom, peer = {}) {
  panel.signalling.peer = peer;
  const status = await panel.sip.placeCallToIp({ ip: HOST });
  assert.equal(status.callStatus, 'calling...');
  await settled();
  return panel.placed();
}

describe('an outgoing call', () => {
  test('should go from calling to ringing to connected, and end with the BYE of the remote party', async (t) => {
    const panel = await startIntercom(t);
    const far = await call(panel);
    assert.deepEqual(far.target, { kind: 'address', host: HOST });
    const { activeCallId, callHasVideo } = await panel.sip.getStatus();
    assert.ok(activeCallId);
    assert.equal(callHasVideo, false);
    far.onProgress(180, undefined);
    assert.equal(await panel.status(), 'ringing');
    assert.equal(panel.page.tone, 'ringback');
    far.onAccepted(VIDEO_OFFER);
    await settled();
    assert.equal(await panel.status(), 'connected (outgoing, legacy audio)');
    assert.equal((await panel.sip.getStatus()).callHasVideo, true);
    assert.equal(panel.page.tone, 'none');
    await panel.clock.advance(61_000);
    far.onEnd({ cause: 'bye' });
    await settled();
    const idle = await panel.sip.getStatus();
    assert.deepEqual([idle.callStatus, idle.activeCallId, idle.callHasVideo], ['idle', null, false]);
    assert.deepEqual(panel.told, [
      {
        event: 'callConnected',
        payload: { callId: activeCallId, direction: 'outgoing', hasVideo: true, viaPbx: false, legacy: true },
      },
      { event: 'callEnded', payload: { callId: activeCallId, reason: 'remote_bye' } },
    ]);
    assert.ok(panel.media.last.isStopped);
    assert.equal(panel.clock.pending, 0);
    const [entry] = await panel.sip.history();
    assert.deepEqual([entry?.outcome, entry?.seconds, entry?.address], ['answered', 61, HOST]);
  });

  test('should name the remote party in the status', async (t) => {
    for (const [viaPbx, isFaceplate, words] of [
      [false, true, 'connected (outgoing)'],
      [false, false, 'connected (outgoing, legacy audio)'],
      [true, true, 'connected (outgoing via PBX)'],
      [true, false, 'connected (outgoing via PBX, legacy audio)'],
    ] as const) {
      const panel = await startIntercom(t, { hasRegistrar: true });
      panel.signalling.peer = { isFaceplate };
      await (viaPbx
        ? panel.sip.placeCallToExtension({ extension: '8001' })
        : panel.sip.placeCallToIp({ ip: `${HOST}:5070` }));
      await settled();
      panel.placed().onAccepted(AUDIO_OFFER);
      await settled();
      assert.equal(await panel.status(), words);
      const { payload } = panel.told[0]!;
      assert.ok('legacy' in payload && payload.legacy === !isFaceplate && payload.viaPbx === viaPbx);
      assert.equal(panel.media.last.options.peerHost, viaPbx ? '192.168.1.2' : HOST);
      assert.deepEqual(
        panel.placed().target,
        viaPbx ? { kind: 'extension', extension: '8001' } : { kind: 'address', host: HOST, port: 5070 },
      );
    }
  });

  test('should play the early media of the remote party instead of our own tone', async (t) => {
    const panel = await startIntercom(t);
    const far = await call(panel);
    far.onProgress(180, undefined);
    far.onProgress(183, VIDEO_OFFER);
    await settled();
    assert.equal(await panel.status(), 'ringing');
    assert.equal((await panel.sip.getStatus()).callHasVideo, true);
    assert.equal(panel.page.tone, 'none');
    far.onAccepted(VIDEO_OFFER);
    far.onAccepted(VIDEO_OFFER);
    await settled();
    assert.deepEqual(panel.media.last.done, ['accept early', 'accept']);
    assert.equal(panel.told.filter(({ event }) => event === 'callConnected').length, 1);
  });

  test('should end after 20 s without an answer, and hang up', async (t) => {
    const panel = await startIntercom(t);
    const far = await call(panel);
    far.onProgress(180, undefined);
    await panel.clock.advance(19_900);
    assert.equal(await panel.status(), 'ringing');
    await panel.clock.advance(200);
    assert.deepEqual(far.said, ['hangup']);
    assert.deepEqual(panel.told, [{ event: 'callFailed', payload: { reason: 'timeout', busy: false } }]);
    const status = await panel.sip.getStatus();
    assert.equal(status.callStatus, 'failed');
    assert.match(status.lastError ?? '', /20 seconds/);
    await panel.clock.advance(FAILED_SHOWN_MS);
    assert.equal(await panel.status(), 'idle');
    assert.equal((await panel.sip.history())[0]?.outcome, 'noAnswer');
  });

  test('should end after 20 s, however often the remote party says that it rings', async (t) => {
    const panel = await startIntercom(t);
    const far = await call(panel);
    for (const early of [undefined, VIDEO_OFFER, VIDEO_OFFER]) {
      await panel.clock.advance(6_000);
      far.onProgress(183, early);
      await settled();
    }
    assert.equal(await panel.status(), 'ringing');
    assert.deepEqual(panel.told, []);
    await panel.clock.advance(2_000);
    assert.deepEqual(far.said, ['hangup']);
    assert.deepEqual(panel.told, [{ event: 'callFailed', payload: { reason: 'timeout', busy: false } }]);
    assert.ok(panel.media.last.isStopped);
    // A late answer changes nothing.
    far.onAccepted(AUDIO_OFFER);
    await settled();
    assert.equal(await panel.status(), 'failed');
    assert.equal(panel.told.length, 1);
  });

  test('should not end a call that was answered in time', async (t) => {
    const panel = await startIntercom(t);
    const far = await call(panel);
    await panel.clock.advance(19_000);
    far.onAccepted(AUDIO_OFFER);
    await panel.clock.advance(3_600_000);
    assert.equal(await panel.status(), 'connected (outgoing, legacy audio)');
  });

  const failures: [CallEnd, string, boolean, RegExp][] = [
    [{ cause: 'unreachable' }, 'unreachable', false, /no sign of life/],
    [{ cause: 'timeout' }, 'timeout', false, /Nobody answered/],
    [{ cause: 'refused', status: 486, reason: 'Busy Here' }, 'busy', true, /busy/],
    [{ cause: 'refused', status: 600, reason: 'Busy Everywhere' }, 'busy', true, /busy/],
    [{ cause: 'refused', status: 603, reason: 'Decline' }, 'busy', true, /busy/],
    [{ cause: 'refused', status: 404, reason: 'Not Found' }, 'refused', false, /404 Not Found/],
    [{ cause: 'refused', status: 488, reason: '' }, 'refused', false, /488\.$/],
  ];
  for (const [end, reason, busy, words] of failures) {
    test(`should fail as ${reason} after ${JSON.stringify(end)}`, async (t) => {
      const panel = await startIntercom(t);
      (await call(panel)).onEnd(end);
      await settled();
      assert.deepEqual(panel.told, [{ event: 'callFailed', payload: { reason, busy } }]);
      const { callStatus, calleeBusy, lastError } = await panel.sip.getStatus();
      assert.deepEqual([callStatus, calleeBusy], ['failed', busy]);
      assert.match(lastError ?? '', words);
      assert.equal(panel.page.tone, busy ? 'busy' : 'none');
      assert.ok(panel.media.last.isStopped);
      await panel.clock.advance(FAILED_SHOWN_MS);
      const later = await panel.sip.getStatus();
      assert.deepEqual([later.callStatus, later.calleeBusy, panel.page.tone], ['idle', false, 'none']);
      assert.equal(panel.clock.pending, 0);
    });
  }

  for (const state of ['calling...', 'ringing', 'connected (outgoing, legacy audio)']) {
    test(`should hang up while it is ${state}`, async (t) => {
      const panel = await startIntercom(t);
      const far = await call(panel);
      if (state !== 'calling...') far.onProgress(180, undefined);
      if (state.startsWith('connected')) far.onAccepted(AUDIO_OFFER);
      await settled();
      assert.equal(await panel.status(), state);
      assert.equal((await panel.sip.hangup()).callStatus, 'idle');
      assert.deepEqual(far.said, ['hangup']);
      const { event, payload } = panel.told.at(-1)!;
      assert.equal(event, 'callEnded');
      assert.equal('reason' in payload && payload.reason, 'local');
      // Later messages of the remote party change nothing.
      far.onAccepted(AUDIO_OFFER);
      far.onEnd({ cause: 'bye' });
      await settled();
      assert.equal(panel.told.at(-1)?.event, 'callEnded');
      assert.equal(await panel.status(), 'idle');
    });
  }

  test('should send nothing when it is hung up before the offer is made', async (t) => {
    const panel = await startIntercom(t);
    await panel.sip.placeCallToIp({ ip: HOST });
    await panel.sip.hangup();
    await settled();
    assert.deepEqual(panel.signalling.calls, []);
    assert.ok(panel.media.opened.every((media) => media.isStopped));
    assert.equal(panel.told.at(-1)?.event, 'callEnded');
  });

  test('should go on ringing when the sound before the answer cannot be taken', async (t) => {
    const panel = await startIntercom(t);
    const far = await call(panel);
    far.onProgress(183, 'unusable');
    await settled();
    assert.deepEqual([await panel.status(), panel.page.tone], ['ringing', 'ringback']);
    far.onProgress(180, AUDIO_OFFER);
    await settled();
    assert.deepEqual([await panel.status(), panel.page.tone], ['ringing', 'none']);
    // A new offer before the answer is no answer.
    await far.onOffer(AUDIO_OFFER);
    far.onAccepted(AUDIO_OFFER);
    await settled();
    assert.deepEqual(panel.media.last.done, ['accept early', 'answer early', 'accept']);
    assert.equal(await panel.status(), 'connected (outgoing, legacy audio)');
  });

  test('should hang up and say why when no media fit', async (t) => {
    const panel = await startIntercom(t);
    const far = await call(panel);
    far.onAccepted('unusable');
    await settled();
    assert.deepEqual(far.said, ['hangup']);
    assert.deepEqual(panel.told, [{ event: 'callFailed', payload: { reason: 'media', busy: false } }]);
    assert.match((await panel.sip.getStatus()).lastError ?? '', /No codec in common/);
  });

  test('should end as a timeout when the media fall silent, or the session is lost', async (t) => {
    for (const strike of ['media', 'session'] as const) {
      const panel = await startIntercom(t);
      const far = await call(panel);
      far.onAccepted(AUDIO_OFFER);
      await settled();
      if (strike === 'media') panel.media.last.onSilent();
      else far.onEnd({ cause: 'timeout' });
      await settled();
      const { event, payload } = panel.told.at(-1)!;
      assert.deepEqual([event, 'reason' in payload && payload.reason], ['callEnded', 'timeout']);
      assert.deepEqual(far.said, strike === 'media' ? ['OPTIONS', 'hangup'] : []);
    }
  });

  test('should go on with a silent door as long as it answers', async (t) => {
    const panel = await startIntercom(t);
    const far = await call(panel);
    far.onAccepted(AUDIO_OFFER);
    await settled();
    far.isAlive = true;
    for (let asked = 1; asked < 4; asked++) {
      panel.media.last.onSilent();
      await settled();
      assert.deepEqual(
        [far.said.length, await panel.status()],
        [asked, 'connected (outgoing, legacy audio)'],
      );
    }
    far.onLife();
    assert.deepEqual(panel.media.last.done, ['accept', 'life']);
    far.isAlive = false;
    panel.media.last.onSilent();
    await settled();
    assert.equal(await panel.status(), 'idle');
  });

  test('should report the keys of the remote party, by INFO in all spellings and in its sound', async (t) => {
    const panel = await startIntercom(t);
    const far = await call(panel);
    const digits = () =>
      panel.told.flatMap(({ event, payload }) => (event === 'dtmfReceived' ? [payload.digit] : []));
    assert.equal(far.onInfo('application/dtmf-relay', 'Signal=1'), true);
    panel.media.last.onDtmf('1');
    assert.deepEqual(digits(), [], 'not before the answer');
    far.onAccepted(AUDIO_OFFER);
    await settled();
    const spellings: [type: string, body: string, digits: string[]][] = [
      ['application/dtmf-relay', 'Signal= 5\r\nDuration=160\r\n', ['5']],
      ['application/dtmf-relay', 'Signal=5\nDuration=160', ['5']],
      ['application/dtmf-relay', 'Duration=250\r\nsignal = *', ['*']],
      ['application/dtmf-relay', 'Signal=11\r\nDuration=160', ['#']],
      ['application/dtmf-relay', 'Signal=10', ['*']],
      ['application/dtmf-relay', ' Signal="d"\r\n', ['D']],
      ['application/dtmf_relay', 'Signal=#', ['#']],
      ['application/dtmf', '5', ['5']],
      ['application/dtmf', '\r\n7\r\n', ['7']],
      ['application/dtmf', '123', ['1', '2', '3']],
      ['audio/telephone-event', '9', ['9']],
      ['audio/telephone-event', 'Signal=0\r\nDuration=100\r\n', ['0']],
    ];
    for (const [type, body, pressed] of spellings) {
      const before = digits().length;
      assert.equal(far.onInfo(type, body), true, body);
      assert.deepEqual(digits().slice(before), pressed, body);
    }
    for (const [type, body] of [
      ['text/plain', '5'],
      ['application/dtmf-relay', 'Signal=x'],
      ['application/dtmf-relay', `${' '.repeat(60_000)}5`],
    ] as const)
      assert.equal(far.onInfo(type, body), false, type);
    assert.equal(far.onInfo('application/media_control+xml', '<media_control/>'), true);
    const before = digits().length;
    await panel.clock.advance(1_000);
    panel.media.last.onDtmf('4');
    assert.deepEqual(digits().slice(before), ['4']);
    // No more than a person can press.
    for (let i = 0; i < 100; i++) panel.media.last.onDtmf('4');
    assert.equal(digits().length, before + 32);
  });

  test('should take a new offer of the remote party within the call', async (t) => {
    const panel = await startIntercom(t);
    const far = await call(panel);
    far.onAccepted(AUDIO_OFFER);
    await settled();
    assert.equal(await far.onOffer(VIDEO_OFFER), VIDEO_OFFER);
    await panel.sip.hangup();
    await assert.rejects(far.onOffer(VIDEO_OFFER));
  });

  test('security: should encrypt the sound of calls and announcements over TLS', async (t) => {
    const panel = await startIntercom(t);
    panel.found('Attic', '10.0.0.1');
    for (const isTls of [true, false]) {
      panel.signalling.isTls = isTls;
      await call(panel);
      await panel.sip.hangup();
      await panel.sip.pageAll();
      await settled();
      await panel.sip.hangup();
    }
    const sealed = panel.media.opened.map(({ options }) => options.secure);
    assert.deepEqual(sealed, [true, true, false, false]);
  });

  test('should do nothing while there is another call', async (t) => {
    const panel = await startIntercom(t);
    await call(panel);
    const { activeCallId } = await panel.sip.getStatus();
    const status = await panel.sip.placeCallToIp({ ip: '192.168.1.21' });
    await panel.sip.pageAll();
    await settled();
    assert.deepEqual([status.callStatus, status.activeCallId], ['calling...', activeCallId]);
    assert.equal(panel.signalling.calls.length, 1);
  });

  test('should fail at once for an extension without a registrar', async (t) => {
    const panel = await startIntercom(t);
    const status = await panel.sip.placeCallToExtension({ extension: '8001' });
    assert.equal(status.callStatus, 'failed');
    assert.match(status.lastError ?? '', /sip\.registrar/);
    assert.deepEqual(panel.told, [{ event: 'callFailed', payload: { reason: 'unreachable', busy: false } }]);
  });

  test('should report busy to two panels that call each other at the same time', async (t) => {
    const panel = await startIntercom(t);
    await call(panel);
    const crossing = panel.signalling.ring({ peer: { host: HOST } });
    await settled();
    assert.deepEqual(crossing.said, ['486']);
    assert.equal(await panel.status(), 'calling...');
  });

  test('should clear the failure when the next call begins', async (t) => {
    const panel = await startIntercom(t);
    (await call(panel)).onEnd({ cause: 'refused', status: 486, reason: '' });
    await call(panel);
    const { calleeBusy, lastError } = await panel.sip.getStatus();
    assert.deepEqual([calleeBusy, lastError], [false, null]);
    await panel.clock.advance(FAILED_SHOWN_MS);
    assert.equal(await panel.status(), 'calling...');
  });
});
