import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { CallOnGlass, GlassEvent } from '../../kiosk/glass/contract.ts';
import { silentLogger } from '../../platform/log.ts';
import { ResourceScopes } from '../../platform/resourceScopes.ts';
import { settled } from '../../testing/fakeClock.ts';
import { VIDEO_OFFER } from '../testing/fakeSignalling.ts';
import { startIntercom } from '../testing/testIntercom.ts';
import { CallSheet } from './callSheet.ts';

type Options = NonNullable<Parameters<typeof startIntercom>[1]>;
type Press = Extract<GlassEvent, { slot: 'call' }>['did'];

const page = () => ({ id: 'page', name: 'http://p1.localhost', scopes: [] });
const preview = 'rtsp://10.0.0.3/1';
const door = { name: 'Porch', peer: '192.168.1.30', gapMs: 500 };
const FROM_DOOR = { peer: { host: '192.168.1.30' } };

async function start(t: TestContext, options: Options = {}) {
  const panel = await startIntercom(t, options);
  const holders = new ResourceScopes(panel.clock);
  let shown: CallOnGlass | null = null;
  let press = (_event: GlassEvent): void => {};
  let covered = (): void => {};
  const cover = {
    isOpen: false,
    onCover: (listener: () => void) => {
      covered = listener;
    },
  };
  const sheet = new CallSheet({
    intercom: panel.sip,
    screen: {
      show: async (call) => {
        shown = call;
      },
      onEvent: (listener) => {
        press = listener;
        return () => {
          press = () => {};
        };
      },
    },
    cover,
    holders,
    events: panel.bus,
    log: silentLogger(),
  });
  await sheet.start();
  t.after(() => sheet.stop());
  const onGlass = () => shown;
  return {
    ...panel,
    sheet,
    holders,
    onGlass,
    did: async (did: Exclude<Press, 'offered'>, id = onGlass()?.id ?? '') => {
      press({ slot: 'call', id, did });
      await settled();
    },
    offer: async (offer: number) => {
      press({ slot: 'call', id: onGlass()?.id ?? '', did: 'offered', offer, sdp: 'v=0' });
      await settled();
    },
    cover: (isOpen: boolean) => {
      cover.isOpen = isOpen;
      covered();
    },
  };
}

describe('the sheet of a call', () => {
  test('should show who calls, answer by a press, and hang up', async (t) => {
    const panel = await start(t);
    const far = panel.signalling.ring({ peer: { displayName: 'Front door' } });
    await settled();
    const id = (await panel.sip.getStatus()).activeCallId;
    assert.deepEqual(panel.onGlass(), {
      id,
      phase: 'ringing',
      caller: 'Front door',
      isBroadcast: false,
      hasVideo: false,
      door: null,
      picture: null,
    });
    await panel.did('answered');
    assert.deepEqual([panel.onGlass()?.phase, far.said], ['connected', ['180', '200']]);
    await panel.did('hungUp');
    assert.deepEqual([panel.onGlass(), far.said], [null, ['180', '200', 'hangup']]);
  });

  test('should go with a call that ends elsewhere, is ignored or refused, and take no press meant for it', async (t) => {
    const panel = await start(t);
    const first = panel.signalling.ring();
    await settled();
    const old = panel.onGlass()!.id;
    first.onEnd({ cause: 'cancel', answeredElsewhere: false });
    await settled();
    assert.equal(panel.onGlass(), null);
    const second = panel.signalling.ring();
    await settled();
    await panel.did('answered', old);
    assert.deepEqual([panel.onGlass()?.phase, second.said], ['ringing', ['180']]);
    await panel.did('ignored');
    assert.deepEqual([panel.onGlass(), panel.page.tone], [null, 'none']);
    panel.signalling.ring();
    await settled();
    await panel.sip.ignore();
    assert.equal(panel.onGlass(), null);
    panel.signalling.ring();
    await panel.sip.reject();
    assert.equal(panel.onGlass(), null);
  });

  test('should show no call of ours', async (t) => {
    const panel = await start(t);
    await panel.sip.placeCallToIp({ ip: '192.168.1.30' });
    await settled();
    panel.placed().onAccepted(VIDEO_OFFER);
    await settled();
    assert.match(await panel.status(), /^connected/);
    assert.equal(panel.onGlass(), null);
  });

  test('should leave calls to a page that claims them, until it is left or covered', async (t) => {
    const panel = await start(t);
    const [one, other] = [page(), page()];
    await panel.sheet.claim({}, { identity: one });
    await panel.sheet.claim({}, { identity: one });
    panel.signalling.ring();
    await settled();
    assert.equal(panel.onGlass(), null);
    panel.cover(true);
    assert.equal(panel.onGlass()?.phase, 'ringing');
    panel.cover(false);
    assert.equal(panel.onGlass(), null);
    panel.holders.end(one);
    assert.equal(panel.onGlass()?.phase, 'ringing');
    assert.equal((await panel.sheet.claim({}, { identity: other })).callStatus, 'incoming...');
    assert.equal(panel.onGlass(), null);
    // A document that is gone claims nothing.
    panel.holders.end(other);
    await panel.sheet.claim({}, { identity: one });
    assert.equal(panel.onGlass()?.phase, 'ringing');
    assert.equal(panel.holders.size, 0);
  });

  test('should refuse a claim while the intercom is off', async (t) => {
    const panel = await start(t, { isEnabled: false });
    await assert.rejects(panel.sheet.claim({}, { identity: page() }), { code: 'SIP_DISABLED' });
  });

  test('should open the door by its request while it rings, and say whether it worked', async (t) => {
    const panel = await start(t, { doors: [{ ...door, url: 'http://10.0.0.4/open' }] });
    panel.signalling.ring(FROM_DOOR);
    await settled();
    assert.deepEqual([panel.onGlass()?.caller, panel.onGlass()?.door], ['Porch', 'closed']);
    await panel.did('openedDoor');
    assert.deepEqual([panel.onGlass()?.door, panel.opened], ['opened', ['http://10.0.0.4/open']]);
    panel.relay.fails = new Error('no relay');
    await panel.did('openedDoor');
    assert.equal(panel.onGlass()?.door, 'failed');
  });

  test('should offer a door that opens by keys once the call is answered, and no door that cannot be opened', async (t) => {
    const panel = await start(t, {
      doors: [
        { ...door, dtmf: '5' },
        { ...door, name: 'Shed', peer: '192.168.1.31', preview },
      ],
    });
    panel.signalling.ring(FROM_DOOR);
    await settled();
    assert.equal(panel.onGlass()?.door, null);
    await panel.did('answered');
    assert.equal(panel.onGlass()?.door, 'closed');
    await panel.did('openedDoor');
    assert.deepEqual([panel.onGlass()?.door, panel.media.last.done.at(-1)], ['opened', 'dtmf 5 500']);
    await panel.did('hungUp');
    panel.signalling.ring({ peer: { host: '192.168.1.31' } });
    await settled();
    assert.deepEqual([panel.onGlass()?.caller, panel.onGlass()?.door], ['Shed', null]);
  });

  test('should connect the picture to the call, or to the preview of its door, and say that there is none yet', async (t) => {
    const panel = await start(t, { doors: [{ ...door, preview }] });
    panel.signalling.ring({ offer: VIDEO_OFFER });
    await settled();
    assert.equal(panel.onGlass()?.hasVideo, true);
    await panel.offer(1);
    assert.deepEqual(panel.onGlass()?.picture, { offer: 1, sdp: 'picture glass' });
    panel.media.last.hasVideo = false;
    await panel.offer(2);
    assert.deepEqual(panel.onGlass()?.picture, { offer: 2, sdp: null });
    await panel.did('ignored');
    panel.signalling.ring(FROM_DOOR);
    await settled();
    assert.equal(panel.onGlass()?.picture, null);
    await panel.offer(3);
    assert.deepEqual(panel.onGlass()?.picture, { offer: 3, sdp: `preview of ${preview}` });
    assert.deepEqual(panel.previews, [preview]);
  });
});
