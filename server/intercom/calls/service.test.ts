import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settled } from '../../testing/fakeClock.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { AUDIO_OFFER } from '../testing/fakeSignalling.ts';
import { startIntercom } from '../testing/testIntercom.ts';
import { RETRY_MS } from './service.ts';

describe('the intercom', () => {
  test('should answer SIP_DISABLED to every method while sip.enabled is false', async (t) => {
    const { sip } = await startIntercom(t, { isEnabled: false });
    const calls = [
      () => sip.placeCallToIp({ ip: '127.0.0.1' }),
      () => sip.placeCallToExtension({ extension: '1' }),
      () => sip.answer(),
      () => sip.reject(),
      () => sip.ignore(),
      () => sip.hangup(),
      () => sip.pageAll(),
      () => sip.hangupPageAll(),
      () => sip.setAutoAnswer({ enabled: true }),
      () => sip.setMicMuted({ muted: true }),
      () => sip.setCallVolume({ volume: 1 }),
      () => sip.sendDtmf({ digits: '1' }),
      () => sip.openDoor({}),
      () => sip.setDoNotDisturb({ enabled: true }),
      () => sip.history(),
      () => sip.getStatus(),
      () => sip.listPanels(),
      () => sip.showVideo({ target: 'remote', sdp: 'v=0' }),
      () => sip.hideVideo({}),
      () => sip.overview(),
      () => sip.placeCall({ peer: '1' }),
    ];
    for (const call of calls) await assert.rejects(call(), { code: 'SIP_DISABLED' });
  });

  test('should be idle at first, and change nothing on calls of methods that need a call', async (t) => {
    const panel = await startIntercom(t);
    const { sip, told } = panel;
    const idle = {
      callStatus: 'idle',
      calleeBusy: false,
      callHasVideo: false,
      activeCallId: null,
      incomingCallerName: '',
      incomingIsBroadcast: false,
      registered: false,
      pagingActiveCount: 0,
      deviceName: 'Hall',
      micMuted: false,
      callVolume: 7,
      callMaxVolume: 10,
      lastError: null,
    };
    assert.deepEqual(await sip.getStatus(), idle);
    for (const method of ['answer', 'reject', 'ignore', 'hangup', 'hangupPageAll'] as const)
      assert.deepEqual(await sip[method](), idle, method);
    assert.deepEqual(await sip.sendDtmf({ digits: '1' }), idle);
    assert.deepEqual(await sip.hideVideo({}), idle);
    assert.deepEqual([told, await sip.history(), await sip.listPanels()], [[], [], []]);
    await assert.rejects(sip.showVideo({ target: 'local', sdp: 'v=0' }), { code: 'NOT_FOUND' });
  });

  test('should tell callers outside the page everything at once', async (t) => {
    const doors = [{ name: 'Front', peer: '192.168.1.40', url: 'http://u:secret@192.168.1.40/', gapMs: 500 }];
    const panel = await startIntercom(t, { doors });
    panel.found('Attic', '192.168.1.21');
    await panel.sip.setDoNotDisturb({ enabled: true });
    panel.signalling.ring({ peer: { displayName: 'Early bird' } });
    const { status, panels, doors: named, history, doNotDisturb } = await panel.sip.overview();
    assert.deepEqual(status, await panel.sip.getStatus());
    assert.deepEqual(panels, [{ name: 'Attic', host: '192.168.1.21', port: 5060 }]);
    // The name alone: how a door is opened, and its password, is nobody's business.
    assert.deepEqual(named, [{ name: 'Front' }]);
    assert.equal(history[0]?.name, 'Early bird');
    assert.equal(doNotDisturb, true);
  });

  test('should call an address or an extension, whichever the caller names', async (t) => {
    const panel = await startIntercom(t, { hasRegistrar: true });
    for (const peer of ['192.168.1.20:5070', '200']) {
      assert.equal((await panel.sip.placeCall({ peer })).callStatus, 'calling...');
      await settled();
      await panel.sip.hangup();
    }
    const history = await panel.sip.history();
    assert.deepEqual(
      history.map(({ address, viaPbx }) => [address, viaPbx]),
      [
        ['200', true],
        ['192.168.1.20', false],
      ],
    );
  });

  test('should keep volume, mute, do-not-disturb and the history over a restart', async (t) => {
    const dataDir = temporaryFolder('sip');
    const first = await startIntercom(t, { dataDir });
    await first.sip.setCallVolume({ volume: 3 });
    await first.sip.setMicMuted({ muted: true });
    await first.sip.setDoNotDisturb({ enabled: true });
    first.signalling.ring({ peer: { displayName: 'Early bird' } });
    assert.equal(first.page.volume, 0.3);
    const id = first.discovery.own?.id;
    await first.sip.stop();
    const second = await startIntercom(t, { dataDir });
    const { callVolume, micMuted } = await second.sip.getStatus();
    assert.deepEqual([callVolume, micMuted, second.page.volume], [3, true, 0.3]);
    assert.equal((await second.sip.history())[0]?.name, 'Early bird');
    assert.deepEqual(second.signalling.ring().said, ['480']);
    assert.deepEqual([second.discovery.own?.id, second.discovery.own?.name], [id, 'Hall']);
    assert.ok(id);
  });

  test('should keep the last 100 calls, the newest first', async (t) => {
    const panel = await startIntercom(t);
    await panel.sip.setDoNotDisturb({ enabled: true });
    for (let i = 0; i < 105; i++) panel.signalling.ring({ peer: { displayName: `caller ${i}` } });
    const calls = await panel.sip.history();
    assert.equal(calls.length, 100);
    assert.deepEqual([calls[0]?.name, calls[99]?.name], ['caller 104', 'caller 5']);
  });

  test('should mute current and later calls, and keep them alive', async (t) => {
    const panel = await startIntercom(t);
    await panel.sip.placeCallToIp({ ip: '127.0.0.1' });
    await settled();
    assert.equal(panel.media.last.isMuted, false);
    assert.equal((await panel.sip.setMicMuted({ muted: true })).micMuted, true);
    assert.deepEqual([panel.media.last.isMuted, panel.media.last.isStopped], [true, false]);
    await panel.sip.hangup();
    await panel.sip.placeCallToIp({ ip: '127.0.0.1' });
    await settled();
    assert.equal(panel.media.last.isMuted, true);
  });

  test('should press keys in the stream, or by INFO when the remote party takes none', async (t) => {
    const panel = await startIntercom(t);
    await panel.sip.placeCallToIp({ ip: '127.0.0.1' });
    await settled();
    panel.placed().onAccepted(AUDIO_OFFER);
    await settled();
    await panel.sip.sendDtmf({ digits: '1#' });
    assert.deepEqual(panel.media.last.done, ['accept', 'dtmf 1# 100']);
    panel.media.last.takesDtmf = false;
    const pressed = panel.sip.sendDtmf({ digits: '2a' });
    await panel.clock.advance(2_000);
    await pressed;
    assert.deepEqual(panel.placed().said, [
      'INFO application/dtmf-relay Signal=2',
      'INFO application/dtmf-relay Signal=A',
    ]);
  });

  test('should pass on requests for key frames by INFO, both ways', async (t) => {
    const panel = await startIntercom(t);
    await panel.sip.placeCallToIp({ ip: '127.0.0.1' });
    await settled();
    const far = panel.placed();
    const request =
      '<media_control><vc_primitive><to_encoder><picture_fast_update/></to_encoder></vc_primitive></media_control>';
    far.onInfo('application/media_control+xml', request);
    far.onInfo('application/dtmf-relay', 'Signal=1');
    panel.media.last.onKeyFrameNeeded();
    assert.deepEqual(panel.media.last.done, ['key frame']);
    assert.match(far.said[0] ?? '', /^INFO application\/media_control\+xml .*picture_fast_update/);
  });

  test('should announce registrations, and show their failure in the status', async (t) => {
    const panel = await startIntercom(t);
    panel.signalling.onRegistration(false, '401 Unauthorized');
    assert.equal((await panel.sip.getStatus()).lastError, '401 Unauthorized');
    panel.signalling.registered = true;
    panel.signalling.onRegistration(true, null);
    const { registered, lastError } = await panel.sip.getStatus();
    assert.deepEqual([registered, lastError], [true, null]);
    assert.deepEqual(panel.told, [
      { event: 'registrationChanged', payload: { registered: false, lastError: '401 Unauthorized' } },
      { event: 'registrationChanged', payload: { registered: true, lastError: null } },
    ]);
  });

  test('should list panels as they come and go, with clean names', async (t) => {
    const panel = await startIntercom(t);
    panel.found('Kitchen', '10.0.0.5');
    panel.found('Kitchen', '10.0.0.5');
    panel.discovery.onFound({ id: 'b', name: '<b>\u0000Bath\u202e', host: '10.0.0.6', port: 5070 });
    assert.deepEqual(await panel.sip.listPanels(), [
      { name: '<b>Bath', host: '10.0.0.6', port: 5070 },
      { name: 'Kitchen', host: '10.0.0.5', port: 5060 },
    ]);
    panel.discovery.onLost({ id: 'b', name: 'b', host: '', port: 1 });
    panel.discovery.onLost({ id: 'b', name: 'b', host: '', port: 1 });
    assert.deepEqual(
      panel.told.map(({ event, payload }) => `${event} ${'name' in payload && payload.name}`),
      ['panelFound Kitchen', 'panelFound <b>Bath', 'panelLost <b>Bath'],
    );
  });

  test('should send tone and volume to the intercom page again when it comes back', async (t) => {
    const panel = await startIntercom(t);
    panel.signalling.ring();
    await settled();
    panel.page.tone = 'none';
    panel.page.volume = 0;
    panel.page.onReset();
    await settled();
    assert.deepEqual([panel.page.tone, panel.page.volume], ['ring', 0.7]);
    assert.equal(panel.media.resets, 1);
    assert.equal(await panel.status(), 'incoming...');
  });

  test('should start without its port, say so, and take it once it is free', async (t) => {
    const panel = await startIntercom(t, { isPortBusy: true });
    assert.match((await panel.sip.getStatus()).lastError ?? '', /5060/);
    assert.equal(panel.discovery.own, undefined);
    await panel.clock.advance(RETRY_MS);
    assert.match((await panel.sip.getStatus()).lastError ?? '', /5060/);
    panel.signalling.fails = undefined;
    await panel.clock.advance(RETRY_MS);
    assert.equal((await panel.sip.getStatus()).lastError, null);
    assert.ok(panel.signalling.isStarted && panel.discovery.own !== undefined);
    assert.equal(panel.clock.pending, 0);
  });

  test('should hang up, unregister and release everything on stop, even twice and before start', async (t) => {
    const panel = await startIntercom(t);
    await panel.sip.placeCallToIp({ ip: '127.0.0.1' });
    await settled();
    await panel.sip.stop();
    await panel.sip.stop();
    assert.deepEqual(panel.placed().said, ['hangup']);
    assert.ok(panel.media.last.isStopped);
    assert.deepEqual(
      [panel.signalling.isStarted, panel.media.isStarted, panel.discovery.own, panel.clock.pending],
      [false, false, undefined, 0],
    );
    await assert.rejects(panel.sip.getStatus(), { code: 'SHUTTING_DOWN' });
  });
});

describe('announcements', () => {
  test('should call every panel with the same announcement, count those who hear it, and hang up on all', async (t) => {
    const panel = await startIntercom(t);
    for (const [i, name] of ['Attic', 'Bath', 'Cellar'].entries()) panel.found(name, `10.0.0.${i + 1}`);
    panel.told.splice(0);
    const { callStatus, activeCallId } = await panel.sip.pageAll();
    assert.equal(callStatus, 'paging...');
    await settled();
    const [a, b, c] = panel.signalling.calls;
    assert.deepEqual(
      panel.signalling.calls.map(({ target, headers }) => [target, headers]),
      ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map((host) => [
        { kind: 'address', host, port: 5060 },
        { autoAnswer: true, pageId: activeCallId },
      ]),
    );
    assert.ok(panel.media.opened.every(({ options }) => options.direction === 'sendonly' && !options.video));
    a!.onAccepted(AUDIO_OFFER);
    b!.onAccepted(AUDIO_OFFER);
    c!.onEnd({ cause: 'refused', status: 486, reason: 'Busy Here' });
    await settled();
    const status = await panel.sip.getStatus();
    assert.deepEqual([status.callStatus, status.pagingActiveCount], ['paging (2 active)', 2]);
    const second = panel.signalling.ring();
    assert.deepEqual(second.said, ['486']);
    await panel.sip.setMicMuted({ muted: true });
    assert.ok(panel.media.opened.slice(0, 2).every(({ isMuted }) => isMuted));
    assert.equal((await panel.sip.hangupPageAll()).callStatus, 'idle');
    await settled();
    assert.deepEqual([a!.said, b!.said, c!.said], [['hangup'], ['hangup'], []]);
    assert.deepEqual(
      panel.told.map(({ event, payload }) => ('activeCount' in payload ? payload.activeCount : event)),
      [1, 2, 1, 0],
    );
    assert.deepEqual([panel.media.pages, panel.clock.pending], [0, 0]);
    assert.ok(panel.media.opened.every(({ isStopped }) => isStopped));
    const entry = (await panel.sip.history()).find(({ isBroadcast }) => isBroadcast);
    assert.equal(entry?.outcome, 'answered');
  });

  test('should end when the last panel is gone, or none accepts it', async (t) => {
    const panel = await startIntercom(t);
    panel.found('Attic', '10.0.0.1');
    await panel.sip.pageAll();
    await settled();
    panel.placed().onAccepted(AUDIO_OFFER);
    await settled();
    panel.placed().onEnd({ cause: 'bye' });
    assert.equal(await panel.status(), 'idle');
    await panel.sip.pageAll();
    await panel.clock.advance(21_000);
    const { callStatus, lastError } = await panel.sip.getStatus();
    assert.equal(callStatus, 'idle');
    assert.match(lastError ?? '', /No other panel/);
    assert.deepEqual(panel.told.at(-1), { event: 'pagingStatusChanged', payload: { activeCount: 0 } });
    assert.equal(panel.media.pages, 0);
  });

  test('should say why no panel accepted it', async (t) => {
    const panel = await startIntercom(t);
    panel.found('Attic', '10.0.0.1');
    await panel.sip.pageAll();
    await settled();
    panel.placed().onEnd({ cause: 'unreachable', problem: 'its certificate is not trusted' });
    const { lastError } = await panel.sip.getStatus();
    assert.equal(
      lastError,
      'No other panel took the page. The remote party cannot be reached: its certificate is not trusted.',
    );
  });

  test('security: should speak to no panel that did not prove itself if there is a secret', async (t) => {
    const panel = await startIntercom(t);
    panel.signalling.provesPanels = true;
    for (const [i, name] of ['Attic', 'Liar'].entries()) panel.found(name, `10.0.0.${i + 1}`);
    await panel.sip.pageAll();
    await settled();
    const [attic, liar] = panel.signalling.calls;
    // A description before the answer would be enough to hear the announcement.
    liar!.onProgress(183, AUDIO_OFFER);
    await settled();
    assert.ok(panel.media.opened.every(({ done }) => done.length === 0));
    attic!.isProven = true;
    attic!.onAccepted(AUDIO_OFFER);
    liar!.onAccepted(AUDIO_OFFER);
    await settled();
    assert.deepEqual([attic!.said, liar!.said], [[], ['hangup']]);
    assert.deepEqual(
      panel.media.opened.map(({ done }) => done),
      [['accept'], []],
    );
    assert.equal((await panel.sip.getStatus()).pagingActiveCount, 1);
  });

  test('should say so when there is no other panel, and end by hangup too', async (t) => {
    const panel = await startIntercom(t);
    const status = await panel.sip.pageAll();
    assert.equal(status.callStatus, 'idle');
    assert.match(status.lastError ?? '', /No other panel/);
    panel.found('Attic', '10.0.0.1');
    assert.equal((await panel.sip.pageAll()).callStatus, 'paging...');
    assert.equal((await panel.sip.hangup()).callStatus, 'idle');
  });
});
