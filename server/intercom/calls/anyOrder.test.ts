import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { settled } from '../../testing/fakeClock.ts';
import type { CallEnd } from '../ports.ts';
import { sipStatus } from '../sipContract.ts';
import {
  AUDIO_OFFER,
  type ScriptedIncoming,
  type ScriptedOutgoing,
  VIDEO_OFFER,
} from '../testing/fakeSignalling.ts';
import { startIntercom, type TestIntercom } from '../testing/testIntercom.ts';

const LISTED = '192.168.1.20';

/** An action of the page, the remote parties or the environment; `which` picks one of the calls so far. */
type Deed = (world: World, which: number) => unknown;
interface World {
  readonly panel: TestIntercom;
  readonly incoming: ScriptedIncoming[];
}

const anyOf = <T>(list: readonly T[], which: number): T | undefined => list[which % (list.length || 1)];
const out = (world: World, which: number): ScriptedOutgoing | undefined =>
  anyOf(world.panel.signalling.calls, which);
const ended: CallEnd[] = [
  { cause: 'bye' },
  { cause: 'cancel', answeredElsewhere: false },
  { cause: 'refused', status: 486, reason: '' },
  { cause: 'unreachable' },
  { cause: 'timeout' },
];

const deeds: Record<string, Deed> = {
  callIp: ({ panel }) => panel.sip.placeCallToIp({ ip: LISTED }),
  callExtension: ({ panel }) => panel.sip.placeCallToExtension({ extension: '8001' }),
  answer: ({ panel }) => void panel.sip.answer(),
  reject: ({ panel }) => panel.sip.reject(),
  ignore: ({ panel }) => panel.sip.ignore(),
  hangup: ({ panel }) => panel.sip.hangup(),
  pageAll: ({ panel }) => panel.sip.pageAll(),
  hangupPageAll: ({ panel }) => panel.sip.hangupPageAll(),
  autoAnswer: ({ panel }, which) => panel.sip.setAutoAnswer({ enabled: which % 2 === 0 }),
  mute: ({ panel }, which) => panel.sip.setMicMuted({ muted: which % 2 === 0 }),
  doNotDisturb: ({ panel }, which) => panel.sip.setDoNotDisturb({ enabled: which % 4 === 0 }),
  dtmf: ({ panel }) => void panel.sip.sendDtmf({ digits: '1' }),
  openDoor: ({ panel }) => void panel.sip.openDoor({}),
  ring: ({ panel, incoming }, which) => {
    const offer = [AUDIO_OFFER, VIDEO_OFFER, 'unusable', undefined][which % 4];
    const page = which % 3 === 0 ? { pageId: 'x' } : {};
    incoming.push(panel.signalling.ring({ offer, ...page, peer: { host: which % 2 ? LISTED : '10.9.9.9' } }));
  },
  progress: (world, which) =>
    out(world, which)?.onProgress(which % 2 ? 180 : 183, which % 2 ? undefined : VIDEO_OFFER),
  accepted: (world, which) => out(world, which)?.onAccepted(which % 5 ? AUDIO_OFFER : 'unusable'),
  outgoingEnds: (world, which) => out(world, which >> 3)?.onEnd(ended[which % ended.length]!),
  incomingEnds: ({ incoming }, which) => anyOf(incoming, which >> 3)?.onEnd(ended[which % 2]!),
  silence: ({ panel }, which) => anyOf(panel.media.opened, which)?.onSilent(),
  pageDies: ({ panel }) => {
    panel.page.isDead = true;
  },
  pageComesBack: ({ panel }) => {
    panel.page.isDead = false;
    // A page that was reloaded plays nothing.
    panel.page.tone = 'none';
    panel.page.onReset();
  },
  mediaFail: ({ panel }, which) => {
    panel.media.fails = which % 3 === 0 ? new Error('no media') : undefined;
  },
  panelFound: ({ panel }, which) => panel.found(`p${which % 3}`, `10.0.0.${which % 3}`),
  timePasses: ({ panel }, which) => panel.clock.advance([10, 1_000, 21_000, 125_000][which % 4]!),
  nothing: () => settled(),
};

function checkInvariants({ panel, incoming }: World, status: unknown): void {
  const now = sipStatus.parse(status);
  const alive = panel.media.opened.filter(({ isStopped }) => !isStopped);
  const isPaging = now.callStatus.startsWith('paging');
  assert.ok(isPaging || alive.length <= 1, `${alive.length} media while ${now.callStatus}`);
  assert.equal(now.activeCallId === null, now.callStatus === 'idle' || now.callStatus === 'failed');
  assert.equal(now.pagingActiveCount > 0, /^paging \(\d+ active\)$/.test(now.callStatus));
  assert.equal(now.incomingCallerName !== '', /incoming/.test(now.callStatus));
  assert.ok(!now.calleeBusy || now.callStatus === 'failed');
  for (const { said } of incoming) {
    assert.ok(said.filter((words) => /^[4-6]\d\d$/.test(words)).length <= 1, `refused twice: ${said}`);
    assert.ok(said.filter((words) => words === '200').length <= 1, `answered twice: ${said}`);
  }
}

/** Every announced call ends exactly once, unless it was ignored; no other call ends. */
function checkStory({ told }: TestIntercom): void {
  const open = new Set<string>();
  for (const { event, payload } of told) {
    if (event === 'incomingCall') open.add(payload.callId);
    if (event === 'callConnected') {
      if (payload.direction === 'incoming') assert.ok(open.has(payload.callId));
      else open.add(payload.callId);
    }
    if (event === 'callEnded') open.delete(payload.callId);
  }
}

/**
 * An automatically answered call cannot play its tone, and ends at the moment when it would start to ring instead.
 */
const RINGS_WHEN_OVER: [string, number][] = [
  ['pageDies', 0],
  ['ring', 417],
  ['hangup', 0],
  ['nothing', 0],
  ['pageComesBack', 0],
  ['hangupPageAll', 0],
];

test('should keep its invariants for any events in any order, and release everything', async () => {
  const step = fc.tuple(fc.constantFrom(...Object.keys(deeds)), fc.nat({ max: 1000 }));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const panel = await startIntercom(undefined, {
        allow: [LISTED],
        hasRegistrar: true,
        doors: [{ name: 'Gate', peer: LISTED, dtmf: '1', gapMs: 500 }],
      });
      const world: World = { panel, incoming: [] };
      try {
        for (const [name, which] of steps) {
          await deeds[name]!(world, which);
          checkInvariants(world, await panel.sip.getStatus());
        }
        await panel.sip.hangup();
        // A wait between two keys ends on its own.
        await panel.clock.advance(10_000);
        assert.match((await panel.sip.getStatus()).callStatus, /^(idle|failed)$/);
        checkStory(panel);
        await panel.clock.advance(10_000);
        assert.equal(panel.clock.pending, 0);
        assert.deepEqual(
          [panel.media.opened.filter(({ isStopped }) => !isStopped), panel.media.pages],
          [[], 0],
        );
        assert.equal(panel.page.isDead || panel.page.tone === 'none', true, panel.page.tone);
      } finally {
        await panel.clean();
      }
    }),
    { numRuns: 60, examples: [[RINGS_WHEN_OVER]] },
  );
});
