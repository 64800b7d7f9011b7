import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settled } from '../../testing/fakeClock.ts';
import { VIDEO_OFFER } from '../testing/fakeSignalling.ts';
import { startIntercom, type TestIntercom } from '../testing/testIntercom.ts';
import { RING_LIMIT_MS } from './incomingSession.ts';

const HOST = '192.168.1.20';

const events = (panel: TestIntercom) => panel.told.map(({ event }) => event);
const reason = (panel: TestIntercom) => {
  const payload = panel.told.at(-1)?.payload;
  return payload !== undefined && 'reason' in payload ? payload.reason : undefined;
};
const outcome = async (panel: TestIntercom) => (await panel.sip.history())[0]?.outcome;

describe('an incoming call', () => {
  test('should ring, be answered, and end with our hangup', async (t) => {
    const panel = await startIntercom(t);
    const far = panel.signalling.ring({ peer: { displayName: 'Front door' } });
    await settled();
    const { activeCallId: callId, ...status } = await panel.sip.getStatus();
    assert.ok(callId);
    assert.deepEqual(
      [status.callStatus, status.incomingCallerName, status.incomingIsBroadcast, status.callHasVideo],
      ['incoming...', 'Front door', false, false],
    );
    assert.deepEqual([far.said, panel.page.tone], [['180'], 'ring']);
    assert.equal((await panel.sip.answer()).callStatus, 'connected (incoming)');
    assert.deepEqual([far.said, panel.page.tone], [['180', '200'], 'none']);
    assert.equal((await panel.sip.hangup()).callStatus, 'idle');
    assert.deepEqual(far.said, ['180', '200', 'hangup']);
    assert.deepEqual(panel.told, [
      {
        event: 'incomingCall',
        payload: { callId, callerName: 'Front door', isBroadcast: false, hasVideo: false },
      },
      {
        event: 'callConnected',
        payload: { callId, direction: 'incoming', hasVideo: false, viaPbx: false, legacy: true },
      },
      { event: 'callEnded', payload: { callId, reason: 'local' } },
    ]);
    assert.equal(await outcome(panel), 'answered');
    assert.equal(panel.clock.pending, 0);
  });

  test('should light up a panel that sleeps, once for each call', async (t) => {
    const panel = await startIntercom(t);
    assert.equal(panel.rings(), 0);
    const far = panel.signalling.ring();
    await settled();
    assert.equal(panel.rings(), 1);
    await panel.sip.answer();
    far.onEnd({ cause: 'bye' });
    await settled();
    assert.equal(panel.rings(), 1);
  });

  test('should show the visitor before anyone answers, and continue with the same media', async (t) => {
    const panel = await startIntercom(t);
    const far = panel.signalling.ring({ offer: VIDEO_OFFER });
    await settled();
    assert.deepEqual(far.said, ['183']);
    assert.equal((await panel.sip.getStatus()).callHasVideo, true);
    assert.deepEqual(await panel.sip.showVideo({ target: 'remote', sdp: 'v=0' }), { sdp: 'picture remote' });
    await panel.sip.answer();
    assert.deepEqual(panel.media.last.done, ['answer early', 'answer']);
    assert.equal(panel.media.opened.length, 1);
    const { event, payload } = panel.told.at(-1)!;
    assert.deepEqual([event, 'hasVideo' in payload && payload.hasVideo], ['callConnected', true]);
  });

  test('security: should not be answered by another offer of the caller while it rings', async (t) => {
    const panel = await startIntercom(t);
    const far = panel.signalling.ring({ offer: VIDEO_OFFER });
    await settled();
    await far.onOffer(VIDEO_OFFER);
    assert.deepEqual(panel.media.last.done, ['answer early', 'answer early']);
    await panel.sip.answer();
    await far.onOffer(VIDEO_OFFER);
    assert.deepEqual(panel.media.last.done.slice(2), ['answer', 'answer']);
  });

  test('should still ring when the visitor cannot be shown', async (t) => {
    const panel = await startIntercom(t);
    panel.media.fails = new Error('no page');
    const far = panel.signalling.ring({ offer: VIDEO_OFFER });
    await settled();
    assert.deepEqual(far.said, ['180']);
    panel.media.fails = undefined;
    assert.equal((await panel.sip.answer()).callStatus, 'connected (incoming)');
  });

  test('should make the offer itself when the caller makes none', async (t) => {
    const panel = await startIntercom(t);
    const far = panel.signalling.ring({ offer: undefined });
    far.acknowledge = async () => VIDEO_OFFER;
    await settled();
    assert.equal((await panel.sip.answer()).callStatus, 'connected (incoming)');
    assert.deepEqual(panel.media.last.done, ['accept']);
    assert.equal((await panel.sip.getStatus()).callHasVideo, true);
  });

  test('should be refused with 486 by reject, and by a hangup while it rings', async (t) => {
    for (const [method, why] of [
      ['reject', 'rejected'],
      ['hangup', 'local'],
    ] as const) {
      const panel = await startIntercom(t);
      const far = panel.signalling.ring();
      await settled();
      assert.equal((await panel.sip[method]()).callStatus, 'idle');
      await settled();
      assert.deepEqual([far.said, panel.page.tone], [['180', '486'], 'none']);
      assert.equal(reason(panel), why);
      assert.equal(await outcome(panel), 'rejected');
    }
  });

  test('should be dropped silently by ignore, also when the caller gives up', async (t) => {
    const panel = await startIntercom(t);
    const far = panel.signalling.ring({ offer: VIDEO_OFFER });
    await settled();
    assert.equal((await panel.sip.ignore()).callStatus, 'idle');
    far.onEnd({ cause: 'cancel', answeredElsewhere: false });
    await panel.clock.advance(RING_LIMIT_MS);
    assert.deepEqual([far.said, panel.page.tone], [['183'], 'none']);
    assert.deepEqual(events(panel), ['incomingCall']);
    assert.ok(panel.media.last.isStopped);
    assert.equal(await outcome(panel), 'ignored');
    const next = panel.signalling.ring();
    await settled();
    assert.deepEqual(next.said, ['180']);
  });

  test('should be missed when the caller gives up, but not when somebody else answered', async (t) => {
    for (const answeredElsewhere of [false, true]) {
      const panel = await startIntercom(t);
      const far = panel.signalling.ring();
      far.onEnd({ cause: 'cancel', answeredElsewhere });
      await settled();
      assert.deepEqual([reason(panel), panel.page.tone], ['remote', 'none']);
      assert.equal(await outcome(panel), answeredElsewhere ? 'answeredElsewhere' : 'missed');
    }
  });

  test('should be missed when nobody answers for two minutes', async (t) => {
    const panel = await startIntercom(t);
    const far = panel.signalling.ring();
    await panel.clock.advance(RING_LIMIT_MS);
    assert.deepEqual([far.said, reason(panel), await outcome(panel)], [['180', '480'], 'timeout', 'missed']);
  });

  test('should end as a timeout when our answer is not acknowledged', async (t) => {
    const panel = await startIntercom(t);
    const far = panel.signalling.ring();
    far.acknowledge = () => Promise.reject(new Error('no ACK'));
    await settled();
    assert.equal((await panel.sip.answer()).callStatus, 'idle');
    assert.deepEqual([reason(panel), far.said], ['timeout', ['180', '200', 'hangup']]);
  });

  test('should end once when CANCEL and our answer cross', async (t) => {
    const panel = await startIntercom(t);
    const far = panel.signalling.ring();
    far.acknowledge = async () => {
      far.onEnd({ cause: 'cancel', answeredElsewhere: false });
      throw new Error('cancelled');
    };
    await settled();
    assert.equal((await panel.sip.answer()).callStatus, 'idle');
    assert.deepEqual(events(panel), ['incomingCall', 'callEnded']);
    assert.equal(reason(panel), 'remote');
  });

  test('should be refused with 488 before it rings when its offer can never be taken', async (t) => {
    const panel = await startIntercom(t);
    const far = panel.signalling.ring({ offer: 'unusable' });
    await settled();
    assert.deepEqual([far.said, events(panel), panel.page.tone], [['488'], [], 'none']);
    assert.deepEqual([await panel.status(), await outcome(panel), panel.rings()], ['idle', 'failed', 0]);
    // The same visitor, with another offer.
    const again = panel.signalling.ring();
    await settled();
    assert.deepEqual([again.said, events(panel)], [['180'], ['incomingCall']]);
  });

  test('should be refused with 488, and reported, when the media fail after all', async (t) => {
    const panel = await startIntercom(t);
    const far = panel.signalling.ring({ offer: 'unusable later' });
    await settled();
    assert.equal((await panel.sip.answer()).callStatus, 'failed');
    assert.deepEqual(far.said, ['180', '488']);
    assert.equal(reason(panel), 'media');
  });

  test('should be answered once, however often answer is called', async (t) => {
    const panel = await startIntercom(t);
    const far = panel.signalling.ring();
    await Promise.all([panel.sip.answer(), panel.sip.answer()]);
    await panel.sip.answer();
    assert.deepEqual(far.said, ['180', '200']);
  });

  test('should have in its history where its media came from, if from elsewhere', async (t) => {
    const panel = await startIntercom(t, { allow: ['192.168.1.0/24', '10.0.0.7'], hasRegistrar: true });
    for (const address of ['10.0.0.7', undefined]) {
      panel.signalling.ring();
      await settled();
      await panel.sip.answer();
      if (address !== undefined) panel.media.last.onElsewhere(address);
      await panel.sip.hangup();
      assert.equal((await panel.sip.history())[0]?.mediaFrom, address);
    }
    const { elsewhere } = panel.media.last.options;
    const named = (address: string) => [elsewhere?.isNamed(address), elsewhere?.mayBeTaken(address)];
    assert.deepEqual(named('192.168.1.2'), [true, true]);
    assert.deepEqual(named('10.0.0.9'), [false, false]);
    panel.signalling.registrar = '10.0.0.9';
    assert.deepEqual(named('10.0.0.9'), [true, true]);
  });

  test('should count a door that is registered at the panel as named in the settings', async (t) => {
    const doors = [{ name: 'Gate', peer: '8001', gapMs: 500, dtmf: '1' }];
    const panel = await startIntercom(t, { doors });
    panel.signalling.ring();
    await settled();
    await panel.sip.answer();
    const { elsewhere } = panel.media.last.options;
    assert.equal(elsewhere?.isNamed('10.0.0.30'), false);
    panel.signalling.accounts.set('8001', '10.0.0.30').set('8002', '10.0.0.31');
    assert.deepEqual(
      ['10.0.0.30', '10.0.0.31'].map((address) => elsewhere?.isNamed(address)),
      [true, false],
    );
  });

  test('should get 486 while there is another call, and be in the history as missed', async (t) => {
    const panel = await startIntercom(t);
    panel.signalling.ring();
    const second = panel.signalling.ring({ peer: { displayName: 'Second' } });
    await settled();
    assert.deepEqual(second.said, ['486']);
    assert.deepEqual(events(panel), ['incomingCall']);
    const [entry] = await panel.sip.history();
    assert.deepEqual([entry?.name, entry?.outcome], ['Second', 'missed']);
    assert.equal(await panel.status(), 'incoming...');
  });

  test('should get 480 and disturb nobody while do-not-disturb is on', async (t) => {
    const panel = await startIntercom(t, { autoAnswer: true, allow: [HOST] });
    await panel.sip.setDoNotDisturb({ enabled: true });
    const far = panel.signalling.ring();
    const page = panel.signalling.ring({ pageId: 'x' });
    await settled();
    assert.deepEqual([far.said, page.said], [['480'], ['480']]);
    assert.deepEqual([panel.told, panel.page.tone, await panel.status()], [[], 'none', 'idle']);
    assert.equal(await outcome(panel), 'missed');
    await panel.sip.setDoNotDisturb({ enabled: false });
    assert.deepEqual(panel.signalling.ring({ peer: { host: '10.0.0.9' } }).said, ['180']);
    assert.equal(await panel.status(), 'incoming...');
  });

  test('should be named by the door, its display name, the panel, its user, its address, in this order', async (t) => {
    const doors = [{ name: 'Gate', peer: '192.168.1.30', gapMs: 500, dtmf: '1' }];
    const panel = await startIntercom(t, { doors });
    panel.found('Kitchen', '192.168.1.40');
    for (const [peer, name] of [
      [{ host: '192.168.1.30', displayName: 'x' }, 'Gate'],
      [{ displayName: '  Porch\r\n\u202edoor ' }, 'Porch door'],
      [{ host: '192.168.1.40', user: 'u' }, 'Kitchen'],
      [{ user: 'u' }, 'u'],
      [{ user: '' }, HOST],
    ] as const) {
      panel.signalling.ring({ peer });
      assert.equal((await panel.sip.getStatus()).incomingCallerName, name);
      await panel.sip.reject();
    }
  });
});

describe('answering without a touch', () => {
  test('should answer a listed peer with a tone and without the camera', async (t) => {
    const panel = await startIntercom(t, { autoAnswer: true, allow: [HOST] });
    const far = panel.signalling.ring({ offer: VIDEO_OFFER });
    await settled();
    assert.deepEqual([far.said, panel.page.tone], [['200'], 'auto-answer']);
    assert.deepEqual(
      panel.media.opened.map(({ options }) => [options.video, options.direction]),
      [[false, 'sendrecv']],
    );
    assert.deepEqual(events(panel), ['incomingCall', 'callConnected']);
    assert.equal((await panel.sip.getStatus()).callHasVideo, false);
  });

  test('security: should answer only listed peers automatically, whatever the headers say', async (t) => {
    const panel = await startIntercom(t, { autoAnswer: true, allow: ['192.168.1.99'] });
    panel.found('Kitchen', '192.168.1.40');
    for (const options of [
      {},
      { pageId: 'x' },
      { peer: { host: '192.168.1.40' } },
      // A discovered panel without a proof.
      { pageId: 'x', peer: { host: '192.168.1.40' } },
    ]) {
      const far = panel.signalling.ring(options);
      await settled();
      assert.deepEqual([far.said, panel.page.tone], [['180'], 'ring']);
      assert.equal((await panel.sip.getStatus()).incomingIsBroadcast, false);
      await panel.sip.reject();
    }
  });

  test('security: should not open the microphone for a listed peer that asks for it while autoAnswer is off', async (t) => {
    const panel = await startIntercom(t, { allow: [HOST] });
    const far = panel.signalling.ring();
    await settled();
    assert.deepEqual(far.said, ['180']);
    await panel.sip.reject();
    await panel.sip.setAutoAnswer({ enabled: true });
    panel.signalling.ring();
    await settled();
    assert.equal(await panel.status(), 'connected (incoming)');
  });

  test('security: should ring instead of answering automatically when the tone cannot be heard', async (t) => {
    const panel = await startIntercom(t, { autoAnswer: true, allow: [HOST] });
    panel.page.isDead = true;
    const far = panel.signalling.ring();
    await settled();
    assert.deepEqual(far.said, ['180']);
    panel.page.isDead = false;
    assert.equal((await panel.sip.answer()).callStatus, 'connected (incoming)');
  });

  test('security: should not answer an announcement automatically without a proof, even from a found or listed caller', async (t) => {
    const panel = await startIntercom(t, { allow: [HOST] });
    panel.found('Kitchen', '192.168.1.40');
    for (const host of [HOST, '192.168.1.40']) {
      const far = panel.signalling.ring({ pageId: 'page-1', peer: { host } });
      await settled();
      assert.deepEqual([far.said, panel.page.tone], [['180'], 'ring']);
      assert.equal((await panel.sip.getStatus()).incomingIsBroadcast, false);
      await panel.sip.reject();
    }
  });

  test('security: should only listen to an announcement, and only from proven panels, found or listed', async (t) => {
    const panel = await startIntercom(t, { allow: [HOST] });
    panel.found('Kitchen', '192.168.1.40');
    for (const host of [HOST, '192.168.1.40']) {
      const far = panel.signalling.ring({ pageId: 'page-1', peer: { host }, isProven: true });
      await settled();
      assert.deepEqual([far.said, panel.page.tone], [['200'], 'auto-answer']);
      const { direction, video } = panel.media.last.options;
      assert.deepEqual([direction, video], ['recvonly', false]);
      const { incomingIsBroadcast, callStatus } = await panel.sip.getStatus();
      assert.deepEqual([incomingIsBroadcast, callStatus], [true, 'connected (incoming)']);
      far.onEnd({ cause: 'bye' });
    }
  });
});
