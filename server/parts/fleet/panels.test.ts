import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { FakeWallClock } from '../../testing/fakeClock.ts';
import { FakeHouse, START } from '../testing/fakeHouse.ts';
import { fleetCommands } from './contract.ts';
import type { Heard } from './driver.ts';
import { MAX_KEPT, MAX_PANELS, Panels } from './panels.ts';

const MINUTE_MS = 60_000;

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

/** The list, as callers get it. */
const list = () => {
  const answer = house.service.list();
  return fleetCommands['fleet.list'].result.parse(answer).panels;
};
const entry = (id: string) => list().find((panel) => panel.id === id);
const ids = () => list().map(({ id }) => id);

describe('the list of panels', () => {
  test('should show what a panel says of itself, and this panel too', async () => {
    house.join('kitchen', { groups: ['all', 'ground'] });
    house.say('kitchen', 'state/projects', {
      projects: [
        { id: 'old', name: 'Old', version: '0123456789ab', active: false },
        { id: 'lobby', name: 'Lobby', version: 'ba9876543210', installedAt: START, size: 1, active: true },
      ],
    });
    house.updated('kitchen', 'good');
    assert.deepEqual(ids(), ['kitchen', 'owner']);
    const { page, update, ...rest } = entry('kitchen')!;
    assert.deepEqual(rest, {
      id: 'kitchen',
      name: 'Panel kitchen',
      version: '1.0.0',
      board: 'simulated',
      address: '10.0.0.1:8080',
      https: 8443,
      groups: ['all', 'ground'],
      online: true,
      since: START,
      project: { id: 'lobby', name: 'Lobby', version: 'ba9876543210' },
    });
    assert.equal((page as { state: string }).state, 'shown');
    assert.equal((update as { installed: string }).installed, '2.0.0');
    assert.deepEqual(
      { ...entry('owner'), since: undefined },
      {
        id: 'owner',
        name: 'Owner',
        version: '1.0.0',
        board: 'simulated',
        address: '127.0.0.1:8080',
        https: null,
        groups: ['all'],
        online: true,
        since: undefined,
        page: null,
        project: null,
        update: null,
      },
    );
  });

  test('should tell since when a panel is away, and drop one whose availability is emptied', async () => {
    house.join('a');
    await house.clock.advance(MINUTE_MS);
    house.say('a', 'state/page', undefined);
    house.say('a', 'availability', 'offline');
    house.say('a', 'availability', 'offline');
    const { online, since, page } = entry('a')!;
    assert.deepEqual(
      [online, since, page],
      [false, new Date(Date.parse(START) + MINUTE_MS).toISOString(), null],
    );
    house.say('a', 'availability', undefined);
    assert.deepEqual(ids(), ['owner']);
  });

  test('should not list who never said whether it is online, and forget those a broker lost', async () => {
    house.join('a');
    house.say('half', 'state/info', { id: '1' });
    assert.deepEqual(ids(), ['a', 'owner']);
    house.connect(false);
    assert.deepEqual(ids(), ['a', 'owner']);
    for (const topic of ['availability', 'state/info', 'state/page']) forgetOnBroker('a', topic);
    house.connect(true);
    await house.clock.advance(MINUTE_MS);
    assert.deepEqual(ids(), ['owner']);
  });
  /** The broker loses what it kept while nobody listens. */
  const forgetOnBroker = (id: string, topic: string) => {
    const { say } = house;
    house.service.attach(undefined);
    say.call(house, id, topic, undefined);
    house.service.attach(house);
  };

  test('should join what mDNS and the broker say of the same panel', async () => {
    const found = { name: 'By mDNS', version: '1.1.0', board: 'x', address: '10.0.0.9:8080', https: 8443 };
    house.neighbours = [
      { id: '0000a', ...found },
      { id: '000000000000', ...found },
      { id: 'bbbbbbbbbbbb', ...found },
    ];
    house.join('a');
    assert.deepEqual(ids(), ['a', 'bbbbbbbbbbbb', 'owner']);
    const { name, address, https, groups, online, since } = entry('bbbbbbbbbbbb')!;
    assert.deepEqual([name, address, https], ['By mDNS', '10.0.0.9:8080', 8443]);
    assert.deepEqual([groups, online, since], [null, true, START]);
    assert.equal(entry('a')?.name, 'Panel a');
    await house.clock.advance(MINUTE_MS);
    assert.equal(entry('bbbbbbbbbbbb')?.since, START);
    house.neighbours = [];
    assert.deepEqual(ids(), ['a', 'owner']);
    await assert.rejects(house.begin({ ids: ['bbbbbbbbbbbb'] }), { code: 'NOT_FOUND' });
  });

  test('should listen only while mqtt.fleet is on', async () => {
    house.join('a');
    assert.deepEqual(house.neighbourhood, ['start']);
    house.isOn = false;
    house.service.follow();
    assert.equal(house.listeners, 0);
    assert.deepEqual(house.neighbourhood, ['start', 'stop']);
    house.isOn = true;
    house.service.follow();
    house.service.follow();
    assert.deepEqual(house.neighbourhood, ['start', 'stop', 'start']);
    assert.deepEqual(ids(), ['a', 'owner']);
  });
});

describe('hostile panels', () => {
  test('security: what does not fit should be unknown, and change no other panel', () => {
    house.join('a');
    const before = JSON.stringify(entry('a'));
    const odd = [
      null,
      1,
      [],
      'x',
      {},
      { mqtt: { groups: ['<b>'] }, name: 7, id: { a: 1 } },
      { projects: [null, { active: true, id: '<script>' }] },
      { state: 'shown', url: 1 },
      JSON.parse('{"__proto__":{"online":true},"name":"x"}'),
    ];
    for (const payload of odd)
      for (const topic of [
        'availability',
        'state/info',
        'state/page',
        'state/projects',
        'state/update',
        'state/x',
      ])
        house.say('hostile', topic, payload);
    house.say('hostile', 'availability', { state: 'online' });
    assert.equal(JSON.stringify(entry('a')), before);
    const { online, groups, page, project, update } = entry('hostile')!;
    assert.deepEqual([online, groups, page, project, update], [false, null, null, null, null]);
  });

  test('security: long texts should not be kept', () => {
    const long = 'x'.repeat(2_000_000);
    const said = {
      id: long,
      name: long,
      version: '1.0.0',
      board: long,
      address: long,
      mqtt: { groups: [long] },
    };
    house.say('hostile', 'availability', 'online');
    house.say('hostile', 'state/info', said);
    house.say('hostile', 'state/page', {
      ...{ url: long, title: long, state: 'shown', since: START, errors: 0, home: true, until: null },
    });
    assert.ok(JSON.stringify(entry('hostile')).length < 1_000);
    assert.equal(entry('hostile')?.version, '1.0.0');
  });

  test('security: panels without end should not fill the memory', () => {
    const clock = new FakeWallClock(START);
    const panels = new Panels({
      ownId: () => 'owner',
      own: () => ({
        ...{ id: 'owner', infoId: null, name: null, version: null, board: null, address: null, https: null },
        ...{ groups: null, page: null, project: null, update: null },
      }),
      neighbours: () => [],
      clock,
      log: silentLogger(),
    });
    const hear = (id: string, topic: string, payload: unknown) =>
      panels.hear({ id, topic, payload } as Heard);
    const url = `http://x/${'y'.repeat(8_000)}`;
    const page = { url, title: '', state: 'shown', since: START, errors: 0, home: true, until: null };
    hear('first', 'availability', 'online');
    for (let at = 0; at < MAX_PANELS + 500; at++) {
      hear(`p${at}`, 'state/page', page);
      hear(`p${at}`, 'availability', 'online');
    }
    const all = panels.list();
    assert.equal(all.length, MAX_PANELS + 1);
    assert.ok(JSON.stringify(all).length < MAX_KEPT + 300 * MAX_PANELS);
    assert.ok(all.filter((panel) => panel.page !== null).length > 1_000);
    // Those that were there are heard on, and there is room again when others go.
    hear('first', 'availability', 'offline');
    assert.equal(panels.get('first')?.isOnline, false);
    for (let at = 0; at < 1_000; at++) hear(`p${at}`, 'availability', undefined);
    hear('late', 'availability', 'online');
    hear('late', 'state/page', page);
    assert.equal(panels.get('late')?.page?.url, url);
  });

  test('should list a thousand panels in under 100 ms', () => {
    for (let at = 0; at < 1_000; at++) house.join(`panel-${at}`);
    list();
    const times = Array.from({ length: 5 }, () => {
      const startedAt = performance.now();
      assert.equal(house.service.list().panels.length, 1_001);
      return performance.now() - startedAt;
    });
    assert.ok(Math.min(...times) < 100, String(times));
  });
});
