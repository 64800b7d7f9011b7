import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { settled } from '../../testing/fakeClock.ts';
import { VIDEO_OFFER } from '../testing/fakeSignalling.ts';
import { startIntercom } from '../testing/testIntercom.ts';

describe('doors', () => {
  const gate = { name: 'Gate', peer: '192.168.1.20', gapMs: 700, dtmf: '1#', url: 'http://10.0.0.9/open' };
  const porch = { name: 'Porch', peer: '8001', gapMs: 500, dtmf: '5', preview: 'rtsp://u:p@10.0.0.3/1' };

  test('should open by keys in the call, with the gap of the door', async (t) => {
    const panel = await startIntercom(t, { doors: [gate, porch] });
    panel.signalling.ring();
    await panel.sip.answer();
    assert.equal((await panel.sip.openDoor({})).lastError, null);
    assert.equal(panel.media.last.done.at(-1), 'dtmf 1# 700');
    assert.deepEqual(panel.opened, []);
  });

  test('should open by its URL without a call, also while it rings', async (t) => {
    const panel = await startIntercom(t, { doors: [gate, porch] });
    await panel.sip.openDoor({ name: 'Gate' });
    panel.signalling.ring();
    assert.equal((await panel.sip.openDoor({})).callStatus, 'incoming...');
    assert.deepEqual(panel.opened, [gate.url, gate.url]);
  });

  test('should say what is missing when it cannot be opened', async (t) => {
    const panel = await startIntercom(t, { doors: [gate, porch] });
    const error = async (params: { name?: string }) => (await panel.sip.openDoor(params)).lastError ?? '';
    assert.match(await error({ name: 'Porch' }), /answer, or call it, first/);
    assert.match(await error({}), /name one/);
    panel.relay.fails = new FaceplateError('HARDWARE_ERROR', 'it answered 500.');
    assert.match(await error({ name: 'Gate' }), /could not be opened: it answered 500/);
    panel.relay.fails = new Error('GET http://u:secret@10.0.0.9/open failed');
    assert.ok(!(await error({ name: 'Gate' })).includes('secret'));
    await assert.rejects(panel.sip.openDoor({ name: 'Nowhere' }), { code: 'INVALID_REQUEST', field: 'name' });
    panel.relay.fails = undefined;
    assert.equal(await error({ name: 'Gate' }), '');
  });

  test("security: should send a door's keys to nobody else", async (t) => {
    const panel = await startIntercom(t, { doors: [porch] });
    for (const far of [
      { peer: { user: '8001' } },
      { peer: { host: '192.168.1.66', user: 'x', displayName: 'Porch' }, viaRegistrar: true },
    ]) {
      panel.signalling.ring(far);
      await panel.sip.answer();
      assert.match((await panel.sip.openDoor({})).lastError ?? '', /first/);
      assert.deepEqual(panel.media.last.done, ['answer']);
      await panel.sip.hangup();
    }
    // The registrar vouches for its extensions, and the built-in one for the devices registered there.
    panel.signalling.accounts.set('8001', '10.0.0.77');
    for (const far of [
      { peer: { user: '8001' }, viaRegistrar: true },
      { peer: { user: '8001', host: '10.0.0.77' } },
    ]) {
      panel.signalling.ring(far);
      await panel.sip.answer();
      assert.equal((await panel.sip.openDoor({})).lastError, null);
      assert.equal(panel.media.last.done.at(-1), 'dtmf 5 500');
      await panel.sip.hangup();
    }
  });

  test('should show the preview of a called door until it sends a picture itself', async (t) => {
    const panel = await startIntercom(t, { doors: [{ ...porch, peer: '192.168.1.30' }] });
    const show = () => panel.sip.showVideo({ target: 'remote', sdp: 'v=0' });
    await panel.sip.placeCallToIp({ ip: '192.168.1.30' });
    await settled();
    assert.deepEqual(await show(), { sdp: 'preview of rtsp://u:p@10.0.0.3/1' });
    assert.equal((await panel.sip.getStatus()).callHasVideo, true);
    panel.placed().onAccepted(VIDEO_OFFER);
    await settled();
    assert.deepEqual(await show(), { sdp: 'picture remote' });
    await panel.sip.hangup();
    await settled();
    assert.deepEqual(panel.previews, []);
    await assert.rejects(show(), { code: 'NOT_FOUND' });
  });

  test('should show no preview for an extension that no registrar vouches for', async (t) => {
    const panel = await startIntercom(t, { doors: [porch] });
    panel.signalling.ring({ peer: { user: '8001' } });
    assert.equal((await panel.sip.getStatus()).callHasVideo, false);
    await assert.rejects(panel.sip.showVideo({ target: 'remote', sdp: 'v=0' }), { code: 'NOT_FOUND' });
    assert.deepEqual(panel.previews, []);
  });

  test('should hide the preview, but not when our own picture is hidden', async (t) => {
    const panel = await startIntercom(t, { doors: [porch] });
    panel.signalling.ring({ peer: { user: '8001' }, viaRegistrar: true });
    await panel.sip.showVideo({ target: 'remote', sdp: 'v=0' });
    await panel.sip.hideVideo({ target: 'local' });
    assert.deepEqual(panel.previews, [porch.preview]);
    await panel.sip.hideVideo({});
    assert.deepEqual(panel.previews, []);
    assert.equal(await panel.status(), 'incoming...');
  });

  test('should show the preview of a caller that sends no picture', async (t) => {
    const panel = await startIntercom(t, { doors: [porch] });
    const far = panel.signalling.ring({ peer: { user: '8001' }, viaRegistrar: true });
    const { payload } = panel.told[0]!;
    assert.ok('hasVideo' in payload && payload.hasVideo && 'callerName' in payload);
    assert.deepEqual(await panel.sip.showVideo({ target: 'remote', sdp: 'v=0' }), {
      sdp: 'preview of rtsp://u:p@10.0.0.3/1',
    });
    await assert.rejects(panel.sip.showVideo({ target: 'local', sdp: 'v=0' }), { code: 'NOT_FOUND' });
    assert.deepEqual(panel.previews, [porch.preview]);
    far.onEnd({ cause: 'cancel', answeredElsewhere: false });
    await settled();
    assert.deepEqual(panel.previews, []);
  });
});
