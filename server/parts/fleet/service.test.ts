import assert from 'node:assert/strict';
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { FaceplateError } from '../../contract/errors.ts';
import { FakeHouse, START } from '../testing/fakeHouse.ts';
import { LOOK_MS, SETTLE_MS } from './rollout.ts';
import { LONGEST_MS, PATIENCE_MS, SILENCE_MS, STALE_PAGE_MS } from './rolloutTarget.ts';

const MINUTE_MS = 60_000;
const FETCH = {
  command: 'projects.fetch',
  params: { url: 'http://files.lan/lobby.zip', sha256: 'a'.repeat(64), name: 'Lobby' },
} as const;

let house = new FakeHouse();
beforeEach(async () => {
  house = new FakeHouse();
  await house.start();
});
afterEach(async () => {
  await house.close();
  assert.equal(house.clock.pending, 0);
  assert.equal(house.listeners, 0);
});

const join5 = () => {
  for (const id of ['e', 'b', 'd', 'a', 'c']) house.join(id, { groups: ['hall'] });
};
const hall = { groups: ['hall'] };

describe('the course of a roll-out', () => {
  test('should tell the canary first, then wave after wave, by id, and end', async () => {
    join5();
    const id = await house.begin({ ...hall, parallel: 2 });
    assert.deepEqual(await house.told(1), ['a']);
    assert.deepEqual(house.waiting[0]?.params, { 'idle.saverAfter': 60 });
    assert.deepEqual(house.states(id), ['a sent', 'b waiting', 'c waiting', 'd waiting', 'e waiting']);
    house.answer('a');
    await house.until(() => house.states(id)[0] === 'a proving', 'the proof');
    await house.clock.advance(MINUTE_MS - LOOK_MS);
    assert.equal(house.states(id)[0], 'a proving');
    await house.clock.advance(2 * LOOK_MS);
    assert.equal(house.states(id)[0], 'a healthy');
    assert.deepEqual(await house.told(2), ['b', 'c']);
    house.answer('b');
    await house.clock.advance(2 * MINUTE_MS);
    assert.deepEqual(house.states(id), ['a healthy', 'b healthy', 'c sent', 'd waiting', 'e waiting']);
    house.answer('c');
    await house.clock.advance(MINUTE_MS + 2 * LOOK_MS);
    assert.deepEqual(await house.told(2), ['d', 'e']);
    house.answer('d', 'e');
    await house.clock.advance(MINUTE_MS + 2 * LOOK_MS);
    const { state, reason, startedAt, endedAt, command } = house.progress(id);
    assert.deepEqual([state, reason, startedAt, command], ['done', null, START, 'settings.change']);
    assert.ok(endedAt !== null && endedAt > startedAt);
    assert.equal(house.sent.length, 5);
  });

  test('should announce each step', async () => {
    house.join('a', hall);
    const id = await house.begin({ ...hall, healthyFor: 0 });
    await house.told(1);
    house.answer('a');
    await house.until(() => house.progress(id).state === 'done', 'the end');
    assert.deepEqual(
      house.events.map(({ state, panel }) => `${state} ${panel?.state ?? '-'}`),
      ['running -', 'running sent', 'running proving', 'running healthy', 'done -'],
    );
    assert.ok(house.events.every((event) => event.id === id));
  });

  test('should keep the order of ids, tell each once, and this panel too', async () => {
    join5();
    const id = await house.begin({ ids: ['c', 'owner', 'a', 'c'], canary: 0, parallel: 2, healthyFor: 0 });
    assert.deepEqual(await house.told(2), ['c', 'owner']);
    house.answer('c', 'owner');
    assert.deepEqual(await house.told(1), ['a']);
    house.answer('a');
    await house.until(() => house.progress(id).state === 'done', 'the end');
  });

  test('should pass over panels that are away, so that a canary is one that was really told', async () => {
    house.join('a', { ...hall, isOnline: false });
    house.join('b', hall);
    house.join('c', hall);
    const id = await house.begin(hall);
    assert.deepEqual(await house.told(1), ['b']);
    assert.deepEqual(house.states(id), ['a offline', 'b sent', 'c waiting']);
    house.answer('b');
    await house.clock.advance(MINUTE_MS + 2 * LOOK_MS);
    house.say('c', 'availability', undefined);
    await house.told(1);
    house.answer('c');
    await house.clock.advance(6 * MINUTE_MS);
    assert.match(house.progress(id).panels[2]?.reason ?? '', /not healthy within 360 s: it is offline/);
  });

  test('should say so when no panel was online', async () => {
    house.join('a', { ...hall, isOnline: false });
    const id = await house.begin(hall);
    const { state, reason, panels } = house.progress(id);
    assert.deepEqual([state, reason, panels[0]?.state], ['done', 'no panel was online', 'offline']);
    assert.deepEqual(house.sent, []);
  });

  test('should stop by hand: those under way end their proof, no other begins', async () => {
    join5();
    const id = await house.begin({ ...hall, canary: 2 });
    await house.told(2);
    house.answer('a');
    const stopped = await house.service.stopRollout({ id });
    assert.deepEqual([stopped.state, stopped.reason, stopped.endedAt], ['stopped', 'stopped by hand', null]);
    house.answer('b');
    await house.clock.advance(MINUTE_MS + 2 * LOOK_MS);
    assert.deepEqual(house.states(id), ['a healthy', 'b healthy', 'c waiting', 'd waiting', 'e waiting']);
    assert.notEqual(house.progress(id).endedAt, null);
    assert.equal(house.sent.length, 2);
    const again = await house.begin({ ids: ['c', 'd', 'e'] });
    assert.deepEqual(await house.told(1), ['c']);
    await house.service.stopRollout({ id: again });
  });
});

describe('what fails', () => {
  /** A canary that was told. */
  const canary = async (params: Parameters<FakeHouse['begin']>[0] = {}) => {
    join5();
    const id = await house.begin({ ...hall, ...params });
    await house.told(1);
    return id;
  };
  const failedWith = async (id: string, reason: RegExp) => {
    await house.until(() => house.progress(id).state === 'stopped', 'the stop');
    const { panels, reason: why } = house.progress(id);
    assert.equal(panels[0]?.state, 'failed');
    assert.match(panels[0]?.reason ?? '', reason);
    assert.equal(why, `a failed: ${panels[0]?.reason}`);
    assert.deepEqual(house.states(id).slice(1), ['b waiting', 'c waiting', 'd waiting', 'e waiting']);
    assert.equal(house.sent.length, 1);
  };

  for (const code of ['FORBIDDEN', 'UPDATE_FAILED', 'STORAGE_FULL', 'CONFLICT'] as const)
    test(`should stop with the code of a panel that answers ${code}`, async () => {
      const id = await canary(FETCH);
      house.refuse('a', code);
      await failedWith(id, new RegExp(`^${code}$`));
    });

  for (const state of ['failed', 'blank'])
    test(`should stop when the page is ${state}`, async () => {
      const id = await canary(FETCH);
      await house.clock.advance(LOOK_MS);
      house.page('a', 'loading');
      house.answer('a');
      await house.clock.advance(LOOK_MS);
      house.page('a', state);
      await failedWith(id, new RegExp(`^page ${state}$`));
    });

  test('should take a page that was failed before for the result only after a while', async () => {
    join5();
    house.page('a', 'failed');
    const id = await house.begin({ ...hall, ...FETCH });
    await house.told(1);
    house.answer('a');
    await house.clock.advance(STALE_PAGE_MS / 2);
    assert.equal(house.states(id)[0], 'a proving');
    house.page('a', 'shown');
    await house.clock.advance(MINUTE_MS + 2 * LOOK_MS);
    assert.equal(house.states(id)[0], 'a healthy');
    const stays = await canaryOf('b', 'failed');
    await house.clock.advance(STALE_PAGE_MS + LOOK_MS);
    assert.equal(house.progress(stays).panels[0]?.reason, 'page failed');
  });
  const canaryOf = async (panel: string, state: string) => {
    for (const { id } of house.service.rollouts().rollouts) await house.service.stopRollout({ id });
    for (const one of house.waiting) one.answer();
    await house.clock.advance(MINUTE_MS + 2 * LOOK_MS);
    house.page(panel, state);
    const id = await house.begin({ ids: [panel] });
    await house.told(1);
    house.answer(panel);
    await house.until(() => house.states(id)[0] === `${panel} proving`, 'the proof');
    return id;
  };

  test('should fail after 10 minutes without an answer and without progress', async () => {
    const id = await canary(FETCH);
    await house.clock.advance(SILENCE_MS - MINUTE_MS);
    house.say('a', 'event/project', { name: 'Lobby', state: 'fetching', received: 1, total: null });
    await house.clock.advance(SILENCE_MS - MINUTE_MS);
    assert.equal(house.states(id)[0], 'a sent');
    // Another fetch of that panel is no progress of ours.
    house.say('a', 'event/project', { name: 'Other', state: 'fetching', received: 1, total: null });
    await house.clock.advance(MINUTE_MS + LOOK_MS);
    await failedWith(id, /^no answer and no progress for 10 minutes$/);
    assert.equal(house.waiting.length, 0);
  });

  test('security: progress without end should not keep a roll-out running for ever', async () => {
    const id = await canary(FETCH);
    for (let ms = 0; ms < LONGEST_MS; ms += SILENCE_MS / 2) {
      house.say('a', 'event/project', { name: 'Lobby', state: 'fetching', received: 1, total: null });
      await house.clock.advance(SILENCE_MS / 2);
    }
    await failedWith(id, /^no answer/);
  });

  test('should fail a panel whose page is not shown for long enough in time', async () => {
    const id = await canary();
    house.answer('a');
    await house.until(() => house.states(id)[0] === 'a proving', 'the proof');
    for (let ms = 0; ms < MINUTE_MS + PATIENCE_MS - 40_000; ms += 40_000) {
      house.page('a', 'loading');
      house.page('a', 'shown');
      await house.clock.advance(40_000);
      assert.equal(house.states(id)[0], 'a proving');
    }
    house.page('a', 'loading');
    house.page('a', 'shown');
    await house.clock.advance(40_000);
    await failedWith(id, /^not healthy within 360 s: it did not stay/);
  });

  test('should start the time of health anew when the panel went away', async () => {
    const id = await canary();
    house.answer('a');
    await house.clock.advance(50_000);
    house.say('a', 'availability', 'offline');
    house.say('a', 'availability', 'online');
    await house.clock.advance(50_000);
    assert.equal(house.states(id)[0], 'a proving');
    await house.clock.advance(11_000);
    assert.equal(house.states(id)[0], 'a healthy');
  });

  test('should let a panel without a page be healthy by being online', async () => {
    house.join('a', hall);
    house.say('a', 'state/page', undefined);
    const id = await house.begin(hall);
    await house.told(1);
    house.answer('a');
    await house.clock.advance(MINUTE_MS + LOOK_MS);
    assert.equal(house.progress(id).state, 'done');
  });

  test('should try again what could not be sent, and tell a panel anew that came back without an answer', async () => {
    const id = await canary(FETCH);
    house.waiting[0]?.refuse(new Error('the connection was lost'));
    await house.clock.advance(11_000);
    assert.equal(house.sent.length, 2);
    house.say('a', 'availability', 'offline');
    await house.clock.advance(MINUTE_MS);
    house.say('a', 'availability', 'online');
    await house.told(1);
    assert.equal(house.sent.length, 3);
    // It still fetches: what was told first was not lost.
    house.refuse('a', 'CONFLICT');
    await house.clock.advance(11_000);
    assert.equal(house.sent.length, 4);
    assert.equal(house.states(id)[0], 'a sent');
    house.answer('a');
    await house.until(() => house.states(id)[0] === 'a proving', 'the proof');
  });

  test('should stop, and tell nobody, when the course cannot be written', async () => {
    join5();
    const id = await house.begin({ ...hall, healthyFor: 0 });
    await house.told(1);
    // A folder stands where the file is written first.
    await rm(join(house.dataDir, 'rollouts'), { recursive: true });
    await writeFile(join(house.dataDir, 'rollouts'), '');
    house.answer('a');
    await house.until(() => house.progress(id).state === 'stopped', 'the stop');
    assert.match(house.progress(id).reason ?? '', /cannot be written/);
    assert.deepEqual(house.sent, ['a settings.change']);
    await assert.rejects(house.begin({ ids: ['b'] }), { code: 'STORAGE_FULL' });
    await rm(join(house.dataDir, 'rollouts'));
  });
});

describe('updates', () => {
  beforeEach(async () => {
    join5();
    for (const id of ['a', 'b', 'c', 'd', 'e']) house.updated(id, 'good');
    await house.clock.advance(LOOK_MS);
  });
  const begin = async () => {
    const id = await house.begin({ ...hall, command: 'update.fetch', params: {} });
    await house.told(1);
    return id;
  };

  test('should wait until the new version has proven itself', async () => {
    const id = await begin();
    house.answer('a');
    // The good end of the update before does not count.
    await house.clock.advance(2 * MINUTE_MS);
    assert.equal(house.states(id)[0], 'a proving');
    house.updated('a', 'good');
    await house.clock.advance(MINUTE_MS - 2 * LOOK_MS);
    assert.equal(house.states(id)[0], 'a proving');
    await house.clock.advance(3 * LOOK_MS);
    assert.equal(house.states(id)[0], 'a healthy');
  });

  test('should stop when a panel returned to the version before', async () => {
    const id = await begin();
    house.answer('a');
    await house.clock.advance(MINUTE_MS);
    house.updated('a', 'returned', 'the page was blank');
    await house.until(() => house.progress(id).state === 'stopped', 'the stop');
    assert.equal(house.progress(id).panels[0]?.reason, 'returned: the page was blank');
  });

  test('should go on without an answer that the restart took along', async () => {
    const id = await begin();
    house.say('a', 'availability', 'offline');
    await house.clock.advance(MINUTE_MS);
    house.updated('a', 'good');
    house.say('a', 'availability', 'online');
    await house.clock.advance(MINUTE_MS + 2 * LOOK_MS);
    assert.equal(house.states(id)[0], 'a healthy');
    assert.equal(house.sent.filter((one) => one.startsWith('a ')).length, 1);
  });
});

describe('the owner ends, or loses the broker', () => {
  test('should go on from the disk: what was sent is sent again, a proof begins anew', async () => {
    join5();
    const id = await house.begin({ ...hall, ...FETCH, canary: 2 });
    await house.told(2);
    house.answer('a');
    await house.until(() => house.states(id)[0] === 'a proving', 'the proof');
    await house.clock.advance(30_000);
    await house.restart();
    assert.deepEqual(await house.told(1), ['b']);
    assert.deepEqual(house.states(id).slice(0, 3), ['a proving', 'b sent', 'c waiting']);
    // The fetch of before is still under way there.
    house.refuse('b', 'CONFLICT');
    await house.clock.advance(11_000);
    house.answer('b');
    await house.clock.advance(30_000);
    assert.equal(house.states(id)[0], 'a proving');
    await house.clock.advance(40_000);
    assert.deepEqual(house.states(id).slice(0, 2), ['a healthy', 'b healthy']);
    assert.deepEqual(await house.told(3), ['c', 'd', 'e']);
  });

  test('should not tell anybody before the disk knows of it', async () => {
    join5();
    const id = await house.begin(hall);
    await house.told(1);
    const kept = JSON.parse(await readFile(join(house.dataDir, 'rollouts', `${id}.json`), 'utf8'));
    assert.equal(kept.value.panels[0].state, 'sent');
  });

  test('should not repeat a command of a roll-out that was stopped', async () => {
    join5();
    const id = await house.begin({ ...hall, canary: 2 });
    await house.told(2);
    await house.service.stopRollout({ id });
    await house.restart();
    await house.clock.advance(LOOK_MS);
    assert.deepEqual(house.states(id).slice(0, 3), ['a failed', 'b failed', 'c waiting']);
    assert.match(house.progress(id).panels[0]?.reason ?? '', /answer was lost/);
    assert.equal(house.progress(id).reason, 'stopped by hand');
    assert.equal(house.sent.length, 2);
  });

  test('should judge nobody while the broker is away, and go on when it is back', async () => {
    join5();
    const id = await house.begin(hall);
    await house.told(1);
    house.connect(false);
    await house.clock.advance(30 * MINUTE_MS);
    assert.equal(house.states(id)[0], 'a sent');
    house.connect(true);
    // Its session is gone, and with it the answer.
    await house.until(() => house.sent.length === 2, 'the command again');
    house.answer('a');
    await house.until(() => house.states(id)[0] === 'a proving', 'the proof');
    await house.clock.advance(30_000);
    house.connect(false);
    await house.clock.advance(30_000);
    house.connect(true);
    await house.clock.advance(50_000);
    assert.equal(house.states(id)[0], 'a proving');
    await house.clock.advance(12_000);
    assert.equal(house.states(id)[0], 'a healthy');
  });

  test('should tell a panel again over a broker with other settings, where no answer can come any more', async () => {
    join5();
    const id = await house.begin(hall);
    await house.told(1);
    house.service.attach(undefined);
    house.waiting = [];
    await house.clock.advance(LOOK_MS);
    house.service.attach(house.another());
    await house.until(() => house.sent.length === 2, 'the command again');
    assert.deepEqual(house.states(id).slice(0, 2), ['a sent', 'b waiting']);
  });

  test('should give the others time to come back to a broker that restarted', async () => {
    join5();
    const id = await house.begin(hall);
    await house.told(1);
    house.answer('a');
    await house.clock.advance(LOOK_MS);
    house.connect(false);
    for (const panel of ['b', 'c', 'd', 'e']) house.say(panel, 'availability', 'offline');
    house.connect(true);
    await house.clock.advance(MINUTE_MS + 2 * LOOK_MS);
    assert.deepEqual(house.states(id), ['a healthy', 'b offline', 'c offline', 'd offline', 'e offline']);
    assert.ok(MINUTE_MS > SETTLE_MS);
  });

  test('should wait with a roll-out that begins while the broker is away', async () => {
    join5();
    house.connect(false);
    const id = await house.begin(hall);
    await house.clock.advance(20 * MINUTE_MS);
    assert.equal(house.states(id)[0], 'a waiting');
    house.connect(true);
    assert.deepEqual(await house.told(1), ['a']);
  });
});

describe('what is asked for', () => {
  test('should refuse what is unknown, empty, running or no params of the command', async () => {
    join5();
    const refused = async (params: Parameters<FakeHouse['begin']>[0], code: string, words: RegExp) =>
      assert.rejects(house.begin(params), (error: FaceplateError) => {
        assert.equal(error.code, code);
        assert.match(error.message, words);
        return true;
      });
    await refused({ ids: ['a', 'nobody'] }, 'NOT_FOUND', /nobody/);
    await refused({ groups: ['hall', 'empty'] }, 'NOT_FOUND', /empty/);
    await refused(
      { ...hall, command: 'projects.fetch', params: { url: 'ftp://x' } },
      'INVALID_REQUEST',
      /params\.url/,
    );
    await refused({ ...hall, params: { 'mqtt.password': 'x' } }, 'INVALID_REQUEST', /No secrets/);
    assert.deepEqual(await readdir(house.dataDir), []);
    await house.begin(hall);
    await refused(hall, 'CONFLICT', /running/);
    const { service } = house;
    assert.throws(() => service.progress({ id: '0' }), { code: 'NOT_FOUND' });
    await assert.rejects(service.stopRollout({ id: '0' }), { code: 'NOT_FOUND' });
    service.attach(undefined);
    await refused(hall, 'UNSUPPORTED_HARDWARE', /mqtt\.url/);
    house.isOn = false;
    for (const call of [() => service.list(), () => service.progress({ id: '0' }), () => service.rollouts()])
      assert.throws(call, { code: 'UNSUPPORTED_HARDWARE' });
    await assert.rejects(service.stopRollout({ id: '0' }), { code: 'UNSUPPORTED_HARDWARE' });
    await refused(hall, 'UNSUPPORTED_HARDWARE', /mqtt\.fleet/);
  });

  test('should let only one of two begin at the same moment', async () => {
    join5();
    const both = await Promise.allSettled([house.begin(hall), house.begin(hall)]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['fulfilled', 'rejected'],
    );
  });

  test('should keep the last 20, also over a restart, and show their course', async () => {
    house.join('a', { ...hall, isOnline: false });
    const ids: string[] = [];
    for (let at = 0; at < 22; at++) {
      ids.unshift(await house.begin(hall));
      await house.clock.advance(LOOK_MS);
    }
    const listed = () => house.service.rollouts().rollouts.map(({ id }) => id);
    assert.deepEqual(listed(), ids.slice(0, 20));
    assert.throws(() => house.progress(ids[20]!), { code: 'NOT_FOUND' });
    await house.restart();
    assert.deepEqual(listed(), ids.slice(0, 20));
    assert.deepEqual(house.states(ids[19]!), ['a offline']);
    assert.equal(house.service.rollouts().rollouts[0]?.counts.offline, 1);
    assert.equal((await readdir(join(house.dataDir, 'rollouts'))).length, 20);
  });

  test('should start with a file that is damaged, or cannot be read', async () => {
    join5();
    const id = await house.begin(hall);
    await house.told(1);
    await house.service.stop();
    await writeFile(join(house.dataDir, 'rollouts', `${id}.json`), '{"version":1,"value":{"id":');
    await writeFile(join(house.dataDir, 'rollouts', 'notes.txt'), 'of a person');
    await chmod(join(house.dataDir, 'rollouts'), 0o700);
    house.waiting = [];
    await house.start();
    assert.deepEqual(house.service.rollouts().rollouts, []);
    assert.deepEqual(house.waiting, []);
  });
});

describe('security', () => {
  test('security: a panel should not end the proof of another, nor steer a roll-out by a copy on the broker', async () => {
    join5();
    const id = await house.begin(hall);
    await house.told(1);
    for (const topic of ['event/project', 'state/rollout', 'event/rollout', 'state/page', 'state/update'])
      for (const panel of ['b', 'stranger'])
        house.say(panel, topic, { id, state: 'done', panel: { id: 'a', state: 'healthy', reason: null } });
    house.say('stranger', 'state/info', { id: '0000a', name: 'a', mqtt: { groups: ['hall'] } });
    house.say('stranger', 'availability', 'online');
    house.answer('a');
    await house.clock.advance(30_000);
    house.say('stranger', 'availability', 'offline');
    house.say('b', 'availability', undefined);
    assert.deepEqual(house.states(id).slice(0, 2), ['a proving', 'b waiting']);
    await house.clock.advance(32_000);
    assert.equal(house.states(id)[0], 'a healthy');
    assert.ok(!house.states(id).some((state) => state.startsWith('stranger')));
  });

  test('security: the params should stand in no answer and in no event', async () => {
    join5();
    const id = await house.begin({
      ...hall,
      ...FETCH,
      params: { ...FETCH.params, url: 'http://files.lan/lobby.zip?key=s3cret' },
    });
    await house.told(1);
    const shown = JSON.stringify([house.progress(id), house.service.rollouts(), house.events]);
    assert.doesNotMatch(shown, /s3cret/);
  });
});
