import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { type Settings, settingDeclarations } from '../config/settings.ts';
import type {
  GlassContents,
  GlassOrder,
  GlassReply,
  GlassSlot,
  GlassSlots,
} from '../kiosk/glass/contract.ts';
import { Glass } from '../kiosk/glass/glass.ts';
import { PageDialogs } from '../kiosk/glass/pageDialogs.ts';
import type { BuiltInPage, DialogAnswer, KioskHost, Layer, LayerPage, TextField } from '../kiosk/host.ts';
import { KeyboardService } from '../kiosk/keyboard/service.ts';
import { Kiosk } from '../kiosk/kiosk.ts';
import { obeyLayers } from '../kiosk/windowStack.ts';
import { silentLogger } from '../platform/log.ts';
import { FakeClock, settled } from '../testing/fakeClock.ts';

const FIELD: TextField = { type: 'text', inputMode: '', enterKeyHint: '' };
const CONTENTS: Omit<GlassSlots, 'dialog'> = {
  approval: {
    id: 'a',
    title: '',
    action: '',
    facts: [],
    params: [],
    swatch: null,
    seconds: 30,
    yes: '',
    no: '',
  },
  call: {
    id: 'c',
    phase: 'ringing',
    caller: 'Door',
    isBroadcast: false,
    hasVideo: false,
    door: null,
    picture: null,
  },
  microphone: { isOpen: true },
  visitor: { id: 'v', camera: 'Porch', talk: 'none', reason: null, picture: null },
  message: { id: 'm', title: null, text: 'hi', level: 'info', style: 'full', image: null, buttons: [] },
  note: { text: 'the page does not work', url: null },
  saver: { kind: 'clock', photos: null, url: null },
};

describe('what comes above the page', () => {
  let kiosk: Kiosk;
  let glass: Glass;
  let dialogs: PageDialogs;
  let keyboard: KeyboardService;
  /** What the page of the glass draws, and which windows show. */
  let drawn: GlassContents | undefined;
  let shown: Set<string>;
  let settingsPage: BuiltInPage | undefined;
  let answers: DialogAnswer[];
  let plugged: PromiseWithResolvers<boolean> | undefined;

  beforeEach(async () => {
    const clock = new FakeClock();
    const log = silentLogger();
    shown = new Set();
    answers = [];
    drawn = settingsPage = plugged = undefined;
    const host = {
      kind: 'chromium',
      start: async () => {},
      screenSize: () => ({ width: 1280, height: 800 }),
      makeRoom: async () => {},
      openBuiltIn: async (page: BuiltInPage) => {
        settingsPage = page;
        shown.add('settings');
        return { close: async () => void shown.delete('settings') };
      },
      openLayer: async (page: LayerPage): Promise<Layer> => {
        const say = (reply: GlassReply) =>
          page.sink.onMessage({ origin: page.url, reply: () => {} }, JSON.stringify(reply));
        if (page.name === 'glass') queueMicrotask(() => say({ ready: true }));
        return {
          post: (json) => {
            if (page.name !== 'glass') return;
            const order = JSON.parse(json) as GlassOrder;
            drawn = order.contents;
            const { approval, call, message, dialog, saver, note, visitor } = drawn;
            const rings = call?.phase === 'ringing' || visitor !== null;
            const focus = approval !== null || rings || message?.style === 'full' || dialog !== null;
            const area = focus || saver !== null ? 'screen' : note && { x: 0, y: 0, width: 9, height: 9 };
            queueMicrotask(() => say({ drawn: order.order, area, focus }));
          },
          show: async () => void shown.add(page.name),
          hide: async () => void shown.delete(page.name),
          close: async () => {},
        };
      },
    } as unknown as KioskHost;
    const defaults = Object.entries(settingDeclarations).map(([key, value]) => [key, value.default]);
    const settings = Object.fromEntries(defaults) as Settings;
    kiosk = new Kiosk({ settings: () => settings, port: 8_080, log, clock });
    glass = new Glass({ language: () => 'en', clock, log });
    dialogs = new PageDialogs({ glass, clock });
    keyboard = new KeyboardService({
      window: kiosk,
      plugged: { isThere: async () => (await plugged?.promise) ?? false },
      settings: () => ({ enabled: 'auto', layouts: ['en'] }),
      onRoom: (height) => glass.keepClear(height),
      clock,
      log,
    });
    obeyLayers({ glass, keyboard, dialogs, kiosk });
    const sink = { onMessage: () => {}, onPageGone: () => {} };
    await kiosk.openWindow({ host, settingsSink: sink, isProject: () => false }, sink);
    glass.attach(host, 'http://glass.localhost/');
    await keyboard.start();
    await glass.prepare();
    await rest();
  });

  const rest = async () => {
    for (let i = 0; i < 10; i++) await settled();
  };
  const gone = new AbortController().signal;
  const put = <S extends keyof typeof CONTENTS>(slot: S) => glass.set<S>(slot, CONTENTS[slot]);
  const come: Readonly<Record<GlassSlot | 'keys' | 'settings', () => unknown>> = {
    approval: () => put('approval'),
    call: () => put('call'),
    microphone: () => put('microphone'),
    visitor: () => put('visitor'),
    message: () => put('message'),
    note: () => put('note'),
    saver: () => put('saver'),
    dialog: () =>
      dialogs
        .ask({ kind: 'prompt', origin: 'http://p.example', text: 'Name?', value: '' }, gone)
        .then((answer) => answers.push(answer)),
    keys: () => keyboard.focused({ field: FIELD, by: 'touch' }),
    settings: () => kiosk.open(() => {}),
  };
  type Comer = keyof typeof come;
  const isThere = (comer: Comer) =>
    comer === 'keys' || comer === 'settings' ? shown.has(comer) : drawn?.[comer] !== null;

  /** What is left of the first when the second comes. Without a row here both are there. */
  const gives: Readonly<Partial<Record<`${Comer} ${Comer}`, 'first goes' | 'second waits'>>> = {
    'keys approval': 'first goes',
    'keys call': 'first goes',
    'keys message': 'first goes',
    'keys saver': 'first goes',
    'keys visitor': 'first goes',
    'keys settings': 'first goes',
    'dialog settings': 'first goes',
    'note settings': 'first goes',
    'approval keys': 'second waits',
    'call keys': 'second waits',
    'message keys': 'second waits',
    'saver keys': 'second waits',
    'visitor keys': 'second waits',
    'settings dialog': 'second waits',
    'settings note': 'second waits',
  };
  const all = Object.keys(come) as Comer[];
  for (const first of all)
    for (const second of all.filter((one) => one !== first)) {
      const outcome = gives[`${first} ${second}`];
      test(`${second} after ${first}: ${outcome ?? 'both'}`, async () => {
        void come[first]();
        await rest();
        assert.ok(isThere(first));
        void come[second]();
        await rest();
        assert.deepEqual(
          { [first]: isThere(first), [second]: isThere(second) },
          { [first]: outcome !== 'first goes', [second]: outcome !== 'second waits' },
        );
      });
    }

  test('keys that are on their way do not open over the settings page, and its own fields have them', async () => {
    plugged = Promise.withResolvers<boolean>();
    keyboard.focused({ field: FIELD, by: 'touch' });
    await kiosk.open(() => {});
    plugged.resolve(false);
    await rest();
    assert.equal(shown.has('keys'), false);
    keyboard.focused({ field: FIELD, by: 'touch' });
    await rest();
    assert.equal(shown.has('keys'), true);
  });

  test('a banner leaves the keys, and a message above a question takes them', async () => {
    come.keys();
    await glass.set('message', { ...CONTENTS.message, style: 'banner' });
    void come.dialog();
    await rest();
    assert.equal(shown.has('keys'), true);
    await put('message');
    await rest();
    assert.equal(shown.has('keys'), false);
  });

  test('a call that rings takes the keys from a question, and leaves them once it is answered', async () => {
    void come.dialog();
    come.keys();
    await put('call');
    await rest();
    assert.equal(shown.has('keys'), false);
    await glass.set('call', { ...CONTENTS.call, phase: 'connected' });
    come.keys();
    await rest();
    assert.equal(shown.has('keys'), true);
  });

  test('what waits comes when the settings page closes, or crashes', async () => {
    const { close } = await kiosk.open(() => {});
    void come.dialog();
    await put('note');
    await rest();
    assert.deepEqual([isThere('dialog'), isThere('note')], [false, false]);
    await close();
    await rest();
    assert.deepEqual([isThere('dialog'), isThere('note')], [true, true]);
    assert.deepEqual(answers, []);
    await kiosk.open(() => {});
    await rest();
    assert.deepEqual(answers, [{ accepted: false, value: '' }]);
    assert.equal(isThere('note'), false);
    settingsPage?.onGone?.();
    await rest();
    assert.equal(isThere('note'), true);
  });
});
