import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { outsideCommands } from '../../contract/commands.ts';
import { type ErrorCode, FaceplateError } from '../../contract/errors.ts';
import type { ApprovalOnGlass, GlassEvent } from '../../kiosk/glass/contract.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock, settled } from '../../testing/fakeClock.ts';
import { commandWords } from './commandWords.generated.ts';
import { type AskedCall, askWords, questionOf } from './question.ts';
import { type AnsweredCall, ApprovalService, HEED_MS, PATIENCE_MS, WAITING_CALLS } from './service.ts';

const owner = { id: 'a1', name: 'house automation', scopes: ['view', 'control'] as const };
const stay = () => new AbortController().signal;

describe('approval at the panel', () => {
  let clock: FakeClock;
  let shown: ApprovalOnGlass | null;
  let drawn: () => Promise<void>;
  let hasScreen: boolean;
  let holds: number;
  let notes: AnsweredCall[];
  let press: (event: GlassEvent) => void;
  let approval: ApprovalService;

  beforeEach(async () => {
    clock = new FakeClock();
    shown = null;
    drawn = async () => {};
    hasScreen = true;
    holds = 0;
    notes = [];
    approval = new ApprovalService({
      commands: () => ['system.reboot'],
      language: () => 'en',
      madeAt: () => undefined,
      screen: {
        isThere: () => hasScreen,
        show(question) {
          shown = question;
          return drawn();
        },
        onEvent(listener) {
          press = listener;
          return () => {
            press = () => {};
          };
        },
        hold() {
          holds++;
          let isHeld = true;
          return () => {
            if (isHeld) holds--;
            isHeld = false;
          };
        },
      },
      journal: { readable: (_, params) => params, note: (answered) => notes.push(answered) },
      clock,
      log: silentLogger(),
    });
    await approval.start();
  });

  const onGlass = () => shown;
  const call = (given: Partial<AskedCall> = {}): AskedCall => ({
    command: 'system.reboot',
    params: {},
    surface: 'http',
    identity: owner,
    address: '192.168.1.20',
    ...given,
  });
  /** What becomes of a call: `yes`, or the code of its error. */
  const outcome = (asked: Promise<void>) =>
    asked.then(
      () => 'yes',
      (error: FaceplateError) => error.code,
    );
  const say = (isYes: boolean, id = onGlass()?.id ?? '') => press({ slot: 'approval', id, isYes });
  const isReady = () => clock.advance(HEED_MS);
  const refused = (code: ErrorCode, words: RegExp) => (error: unknown) =>
    error instanceof FaceplateError && error.code === code && words.test(error.message);

  test('should cover the listed commands alone', () => {
    assert.equal(approval.covers('system.reboot'), true);
    assert.equal(approval.covers('gpio.write'), false);
  });

  test('should let a call go on after a yes, refuse it after a no, and write both down', async () => {
    const first = outcome(approval.ask(call(), stay()));
    assert.equal(approval.isAsking, true);
    await isReady();
    say(true);
    assert.equal(await first, 'yes');
    assert.equal(onGlass(), null);
    const second = approval.ask(call(), stay());
    await isReady();
    say(false);
    await assert.rejects(second, refused('NOT_APPROVED', /said no/));
    const caller = { id: 'a1', name: 'house automation', address: '192.168.1.20' };
    const note = { command: 'system.reboot', surface: 'http', caller, ms: HEED_MS };
    assert.deepEqual(notes, [
      { ...note, answer: 'yes' },
      { ...note, answer: 'no' },
    ]);
    assert.equal(approval.isAsking, false);
    assert.equal(clock.pending, 0);
  });

  test('should refuse what nobody answers within 30 seconds', async () => {
    const asked = approval.ask(call(), stay());
    asked.catch(() => {});
    await clock.advance(PATIENCE_MS - 1);
    assert.notEqual(onGlass(), null);
    await clock.advance(1);
    await assert.rejects(asked, refused('NOT_APPROVED', /within 30 seconds/));
    assert.equal(onGlass(), null);
    assert.deepEqual([notes[0]?.answer, notes[0]?.ms], ['none', PATIENCE_MS]);
  });

  test('should keep the panel awake as long as it asks', async () => {
    const asked = [approval.ask(call(), stay()), approval.ask(call(), stay())].map(outcome);
    assert.equal(holds, 1);
    for (const answer of asked) {
      await isReady();
      assert.equal(holds, 1);
      say(true);
      await answer;
    }
    await settled();
    assert.equal(holds, 0);
  });

  test('should ask for one call after the other when 100 come at once, and refuse those without a place', async () => {
    const asked = Array.from({ length: 100 }, (_, n) =>
      outcome(approval.ask(call({ params: { n } }), stay())),
    );
    const order: string[] = [];
    for (let n = 0; n <= WAITING_CALLS; n++) {
      order.push(onGlass()?.params[0]?.text ?? '');
      await isReady();
      say(n % 2 === 0);
      await settled();
    }
    assert.deepEqual(order, ['0', '1', '2', '3', '4']);
    const outcomes = await Promise.all(asked);
    assert.deepEqual(outcomes.slice(0, 5), ['yes', 'NOT_APPROVED', 'yes', 'NOT_APPROVED', 'yes']);
    assert.deepEqual(new Set(outcomes.slice(5)), new Set(['RATE_LIMITED']));
    assert.equal(onGlass(), null);
    assert.equal(notes.length, 5);
    assert.equal(clock.pending, 0);
  });

  test('should give each its own 30 seconds', async () => {
    const asked = [approval.ask(call(), stay()), approval.ask(call(), stay())].map(outcome);
    await clock.advance(PATIENCE_MS);
    assert.equal(await asked[0], 'NOT_APPROVED');
    await clock.advance(PATIENCE_MS - 1);
    say(true);
    assert.equal(await asked[1], 'yes');
  });

  test('should take a question away with its caller, also one that waits, and ask for the next', async () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const first = outcome(approval.ask(call({ params: { n: 1 } }), one.signal));
    const second = outcome(approval.ask(call({ params: { n: 2 } }), two.signal));
    const third = outcome(approval.ask(call({ params: { n: 3 } }), stay()));
    two.abort();
    assert.equal(await second, 'REQUEST_TIMEOUT');
    assert.equal(onGlass()?.params[0]?.text, '1');
    one.abort();
    assert.equal(await first, 'REQUEST_TIMEOUT');
    await settled();
    assert.equal(onGlass()?.params[0]?.text, '3');
    await isReady();
    say(true);
    assert.equal(await third, 'yes');
    assert.deepEqual(
      notes.map(({ answer }) => answer),
      ['gone', 'yes'],
    );
    assert.equal(await outcome(approval.ask(call(), one.signal)), 'REQUEST_TIMEOUT');
  });

  test('should refuse at once where nobody can see it', async () => {
    hasScreen = false;
    await assert.rejects(approval.ask(call(), stay()), refused('NOT_APPROVED', /no screen/));
    hasScreen = true;
    drawn = () => Promise.reject(new FaceplateError('UNSUPPORTED_HARDWARE'));
    await assert.rejects(approval.ask(call(), stay()), refused('NOT_APPROVED', /no screen/));
    assert.deepEqual(notes, []);
    assert.equal(clock.pending, 0);
    assert.equal(holds, 0);
  });

  test('should end all at the stop', async () => {
    const asked = [approval.ask(call(), stay()), approval.ask(call(), stay())].map(outcome);
    await approval.stop();
    assert.deepEqual(await Promise.all(asked), ['SHUTTING_DOWN', 'SHUTTING_DOWN']);
    assert.equal(await outcome(approval.ask(call(), stay())), 'SHUTTING_DOWN');
    assert.equal(clock.pending, 0);
    assert.equal(holds, 0);
  });

  test('security: should take no answer in the first half second, nor before the question is on the screen', async () => {
    const onScreen = Promise.withResolvers<void>();
    drawn = () => onScreen.promise;
    const asked = outcome(approval.ask(call(), stay()));
    await clock.advance(2_000);
    say(true);
    onScreen.resolve();
    await clock.advance(HEED_MS - 1);
    say(true);
    await settled();
    assert.equal(approval.isAsking, true);
    await clock.advance(1);
    say(false);
    assert.equal(await asked, 'NOT_APPROVED');
  });

  test('security: should not take the yes of one question for the next', async () => {
    const first = outcome(approval.ask(call(), stay()));
    const second = outcome(approval.ask(call(), stay()));
    const id = onGlass()?.id;
    await isReady();
    say(true, id);
    say(true, id);
    await first;
    await isReady();
    say(true, id);
    await clock.advance(PATIENCE_MS);
    assert.equal(await second, 'NOT_APPROVED');
  });

  test('security: should not carry out the call of a token that ends while it waits', async () => {
    const asked = approval.ask(call(), stay());
    const other = outcome(approval.ask(call({ identity: { ...owner } }), stay()));
    approval.endOf(owner);
    say(true);
    await assert.rejects(asked, refused('UNAUTHORIZED', /revoked or has expired/));
    await settled();
    assert.equal(approval.isAsking, true);
    await isReady();
    say(true);
    assert.equal(await other, 'yes');
  });
});

describe('the question', () => {
  const call: AskedCall = {
    command: 'gpio.write',
    params: {},
    surface: 'http',
    identity: owner,
    address: '192.168.1.20',
  };

  test('should say who asks, what, and with what, in the language of the panel', () => {
    const madeAt = new Date(2026, 1, 3, 4, 5).getTime();
    assert.deepEqual(questionOf(call, { pin: 2, level: 1, note: undefined }, 'de', madeAt), {
      title: 'Anfrage von außerhalb dieses Panels',
      action: 'Einen Pin oder ein Relais schalten?',
      facts: [
        { label: 'Wer fragt', text: 'house automation' },
        { label: 'Darf', text: 'alles sehen, Hardware und Seite bedienen' },
        { label: 'Token erzeugt', text: '03.02.2026, 04:05' },
        { label: 'Von', text: '192.168.1.20' },
        { label: 'Befehl', text: 'gpio.write' },
      ],
      params: [
        { label: 'pin', text: '2' },
        { label: 'level', text: '1' },
      ],
      swatch: null,
      yes: 'Erlauben',
      no: 'Ablehnen',
    });
    assert.equal(questionOf(call, {}, 'es').action, '¿Conmutar un pin o un relé?');
    const byBroker = {
      ...call,
      surface: 'mqtt',
      identity: { id: 'mqtt', name: 'a/b', scopes: [] },
      address: '10.0.0.2',
    };
    assert.deepEqual(questionOf(byBroker, '…', 'xx').facts.slice(0, 3), [
      { label: 'Topic (MQTT)', text: 'a/b' },
      { label: 'May', text: '–' },
      { label: 'Broker', text: '10.0.0.2' },
    ]);
  });

  test('security: should say what the caller may do and since when, in three languages, whatever it calls itself', () => {
    const phone = {
      ...call,
      identity: { id: 'b2', name: 'Your own panel', scopes: ['view', 'manage'] as const },
    };
    const madeAt = new Date(2026, 10, 22, 9, 0).getTime();
    const shown = ['en', 'de', 'es'].map((language) =>
      questionOf(phone, {}, language, madeAt)
        .facts.slice(1, 3)
        .map(({ label, text }) => `${label}: ${text}`),
    );
    assert.deepEqual(shown, [
      ['May: see everything, manage the panel', 'Token made: Nov 22, 2026, 9:00 AM'],
      ['Darf: alles sehen, das Panel verwalten', 'Token erzeugt: 22.11.2026, 09:00'],
      ['Puede: verlo todo, administrar el panel', 'Token creado: 22 nov 2026, 9:00'],
    ]);
  });

  test('should show a colour as such, and no other numbers', () => {
    const asked = (params: unknown) => questionOf({ ...call, command: 'led.color' }, params, 'en');
    const { swatch, params } = asked({ red: 255, green: 10, blue: 0, animation: 'fade' });
    assert.deepEqual([swatch, params], ['#ff0a00', [{ label: 'animation', text: 'fade' }]]);
    for (const other of [
      { red: 1, green: 2 },
      { red: 256, green: 0, blue: 0 },
      { red: '1', green: 0, blue: 0 },
      '#fff',
      null,
    ])
      assert.equal(asked(other).swatch, null);
  });

  test('should have words for every command that may be listed, in three languages', () => {
    assert.deepEqual(Object.keys(commandWords).sort(), [...outsideCommands].sort());
    for (const [name, texts] of Object.entries({ ...commandWords, ...askWords }))
      for (const text of texts) assert.match(text, /^[\p{Lu}„¿].{1,60}$/u, name);
  });

  test('security: should bound what it shows, say how much is missing, and show what hides', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key${n}`, 'x'.repeat(100_000)]));
    const { params, facts } = questionOf(
      { ...call, identity: { ...owner, name: 'n'.repeat(10_000) } },
      many,
      'en',
    );
    assert.equal(params.length, 13);
    assert.equal(params[0]?.text, `${'x'.repeat(1_000)} … (+99000)`);
    assert.equal(params[12]?.text, '+38');
    assert.ok(JSON.stringify({ params, facts }).length < 5_000);
    const command = 'true # \u202Emr\u202C\u0000\r\u200B\nrm -rf /\ud800';
    const [shown] = questionOf(call, { command }, 'en').params;
    assert.equal(shown?.text, 'true # \uFFFDmr\uFFFD\uFFFD\uFFFD\uFFFD\nrm -rf /\uFFFD');
    const [who] = questionOf({ ...call, identity: { ...owner, name: 'a\nb\u2066' } }, {}, 'en').facts;
    assert.equal(who?.text, 'a\uFFFDb\uFFFD');
  });
});
