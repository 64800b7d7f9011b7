import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { type Settings, settingDeclarations } from '../../config/settings.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { KioskAddresses } from '../addresses.ts';
import type { PageState } from '../contract.ts';
import type { KioskHost } from '../host.ts';
import { isNavigationAllowed, mayStay } from '../navigationPolicy.ts';
import { GivenQueries, PageScheduler } from './pageScheduler.ts';

const PORT = 8_080;
const HOME = 'http://lobby.localhost:8080/';
const X = 'http://x.example/';

describe('the pages of the kiosk', () => {
  let clock: FakeClock;
  let settings: Settings;
  let addresses: KioskAddresses;
  let scheduler: PageScheduler;
  let went: string[];
  let state: PageState;

  beforeEach(() => {
    clock = new FakeClock();
    const defaults = Object.entries(settingDeclarations).map(([key, value]) => [key, value.default]);
    settings = Object.fromEntries(defaults) as Settings;
    addresses = new KioskAddresses(() => settings, PORT);
    addresses.choose('lobby');
    went = [];
    const since = '2026-01-01T00:00:00.000Z';
    state = { url: HOME, title: 'Lobby', state: 'shown', since, errors: 0, home: true, until: null };
    const host = {
      pageState: () => state,
      navigate: async (url: string) => {
        assert.ok(isNavigationAllowed(addresses.policy, url), url);
        went.push(url);
        state = { ...state, url, state: 'shown', title: '' };
      },
    } as unknown as KioskHost;
    const given = new GivenQueries(() => settings);
    scheduler = new PageScheduler({ settings: () => settings, addresses, given, clock, log: silentLogger() });
    scheduler.begin({ host, isProject: (id) => ['lobby', 'other'].includes(id) });
  });

  const change = (values: Partial<Settings>) => {
    settings = { ...settings, ...values };
  };

  test('should answer with what is wanted before it goes there', async () => {
    const answer = scheduler.show({ url: X, seconds: 5 });
    assert.deepEqual(went, []);
    assert.equal(answer.url, X);
    assert.equal(answer.state, 'loading');
    assert.equal(answer.home, false);
    assert.notEqual(answer.until, null);
    await clock.advance(100);
    assert.deepEqual(went, [X]);
    await clock.advance(6_000);
    assert.deepEqual(went, [X, HOME]);
    assert.equal(scheduler.stateOf(state).home, true);
  });

  test('should show pages by name and projects with their parameters', async () => {
    change({ 'kiosk.pages': [{ name: 'Weather', url: X }], 'projects.parameters': { other: 'room=1' } });
    scheduler.show({ page: 'Weather' });
    await clock.advance(1_000);
    scheduler.show({ project: 'other' });
    await clock.advance(1_000);
    assert.deepEqual(went, [X, 'http://other.localhost:8080/?room=1']);
    assert.throws(() => scheduler.show({ page: 'None' }), { code: 'NOT_FOUND' });
    assert.throws(() => scheduler.show({ project: 'none' }), { code: 'PROJECT_NOT_FOUND' });
    assert.deepEqual(went.length, 2);
  });

  test('security: should tell nobody but the owner what a setting gave to an address', async () => {
    const pages = [{ name: 'Weather', url: 'https://news.lan/?key=S1#S2' }];
    change({
      'kiosk.pages': pages,
      'projects.parameters': { other: 'key=S3' },
      'kiosk.parameters': 'key=S4',
    });
    const told = (isOwner = false) => scheduler.stateOf(state, isOwner).url;
    const show = async (params: Parameters<PageScheduler['show']>[0], isOwner = false) => {
      const answer = scheduler.show(params, isOwner).url;
      assert.equal(answer, told(isOwner));
      await clock.advance(1_000);
      assert.equal(answer, told(isOwner));
      return answer;
    };
    assert.equal(await show({ page: 'Weather' }), 'https://news.lan/?…#…');
    assert.equal(await show({ page: 'Weather' }, true), pages[0]?.url);
    // Taken out of the settings, it is still shown.
    change({ 'kiosk.pages': [] });
    assert.equal(told(), 'https://news.lan/?…#…');
    // The page went there by itself, with the key or without.
    state = { ...state, url: 'https://news.lan/today?key=S1&page=2' };
    assert.equal(told(), 'https://news.lan/today?…');
    state = { ...state, url: 'https://news.lan/today?page=2#top' };
    assert.equal(told(), state.url);
    assert.equal(await show({ project: 'other' }), 'http://other.localhost:8080/?…');
    assert.equal(await show({ url: 'https://x.lan/?mine=1#2' }), 'https://x.lan/?mine=1#2');
    change({ 'kiosk.url': 'https://hub.lan/#token=S5', 'kiosk.parameters': '' });
    await scheduler.renew();
    assert.equal(told(), 'https://hub.lan/#…');
    assert.equal(told(true), 'https://hub.lan/#token=S5');
  });

  test('security: should hide it in texts too, with the line and the column where they stand', () => {
    change({ 'kiosk.url': 'https://hub.lan/?key=S1' });
    const given = new GivenQueries(() => settings);
    const stack =
      'at f (https://hub.lan/?key=S1:12:3)\n at https://hub.lan/app.js?v=2:1:2 "https://hub.lan/?key=S1"';
    assert.equal(
      given.shownIn(stack),
      'at f (https://hub.lan/?…:12:3)\n at https://hub.lan/app.js?v=2:1:2 "https://hub.lan/?…"',
    );
  });

  test('should change nothing when it is at home already', async () => {
    assert.equal(scheduler.home().state, 'shown');
    await clock.advance(1_000);
    assert.deepEqual(went, []);
    scheduler.show({ url: X });
    scheduler.home();
    scheduler.home();
    await clock.advance(1_000);
    assert.deepEqual(went, [HOME]);
  });

  test('should come back to a home page that a person has left by its links', async () => {
    scheduler.stateOf(state);
    state = { ...state, url: `${HOME}other` };
    scheduler.home();
    await clock.advance(1_000);
    assert.deepEqual(went, [HOME]);
  });

  test('security: should refuse every address of the panel itself that is no project', () => {
    change({ 'http.allowedHosts': ['panel.lan', '*.example.org'] });
    for (const url of [
      'http://settings.localhost:8080/',
      'http://SETTINGS.localhost:8080/x',
      'http://settings.localhost.:8080/',
      'http://intercom.localhost:8080/',
      'http://127.0.0.1:8080/manage/',
      'http://127.1:8080/',
      'http://2130706433:8080/',
      'http://0.0.0.0:8080/',
      'http://[::1]:8080/',
      'http://[::]:8080/',
      'http://[::ffff:127.0.0.1]:8080/',
      'http://localhost:8080/manage/',
      'http://panel.lan:8080/',
      'http://a.example.org:8080/manage/',
    ])
      assert.throws(() => scheduler.show({ url }), { code: 'FORBIDDEN' }, url);
    for (const url of ['http://127.0.0.1:8123/', 'http://lobby.localhost:8080/', 'http://hub.lan:8080/'])
      scheduler.show({ url });
  });

  test('security: a shown page keeps to its own origin, and gets no bridge and no camera', async () => {
    change({ 'kiosk.url': 'https://hub.lan/', 'bridge.origins': ['https://friend.lan'] });
    scheduler.show({ url: X });
    await clock.advance(100);
    const { policy } = addresses;
    const may = (url: string) => policy.mayNavigate(new URL(url));
    assert.equal(may(`${X}a`), true);
    for (const url of ['https://hub.lan/', HOME, 'https://friend.lan/', 'http://y.example/'])
      assert.equal(may(url), false, url);
    assert.equal(policy.bridgeOrigins().includes('http://x.example'), false);
    assert.equal(policy.mediaOrigins?.().includes('http://x.example'), false);
    // What was under way when the page was asked for may still come, but nobody may go there.
    assert.equal(mayStay(policy, 'https://hub.lan/'), true);
    assert.equal(mayStay(policy, 'http://y.example/'), false);
  });

  test('security: kiosk.url gets camera and microphone by https or as a secure origin alone', () => {
    const has = (origin: string) => addresses.policy.mediaOrigins!().includes(origin);
    change({ 'kiosk.url': 'http://hub.lan:8123/' });
    assert.equal(has('http://hub.lan:8123'), false);
    change({ 'kiosk.secureOrigins': ['http://hub.lan:8123'] });
    assert.equal(has('http://hub.lan:8123'), true);
    change({ 'kiosk.url': 'https://hub.lan/' });
    assert.equal(has('https://hub.lan'), true);
    assert.equal(has('http://lobby.localhost:8080'), true);
  });

  test('security: should go to the last of a flood only, a few times a second', async () => {
    for (let i = 0; i < 1_000; i++) {
      scheduler.show({ url: `${X}${i}` });
      await clock.advance(60);
    }
    await clock.advance(1_000);
    assert.ok(went.length <= 60 * 4 + 2, String(went.length));
    assert.equal(went.at(-1), `${X}999`);
  });

  test('should show the project again when one is installed or the address changes', async () => {
    scheduler.show({ url: X, seconds: 5 });
    await clock.advance(100);
    await scheduler.renew();
    assert.deepEqual(went, [X, HOME]);
    await clock.advance(10_000);
    assert.deepEqual(went, [X, HOME]);
  });

  test('should come home when nobody uses the panel, but leave a rotation alone', async () => {
    await scheduler.goHome();
    assert.deepEqual(went, []);
    scheduler.show({ url: X });
    await clock.advance(1_000);
    await scheduler.goHome();
    assert.deepEqual(went, [X, HOME]);
    change({ 'kiosk.pages': [{ name: 'x', url: X, seconds: 5 }] });
    scheduler.pagesChanged();
    await clock.advance(1_000);
    await scheduler.goHome();
    assert.deepEqual(went, [X, HOME, X]);
  });

  test('should leave a project that is removed', async () => {
    scheduler.show({ project: 'other' });
    await clock.advance(100);
    scheduler.projectGone('lobby');
    scheduler.projectGone('other');
    await clock.advance(1_000);
    assert.equal(went.at(-1), HOME);
  });

  test('should name the origins that were shown, once, without the home page’s own', async () => {
    scheduler.show({ url: X });
    await clock.advance(1_000);
    scheduler.show({ url: `${HOME}a` });
    await clock.advance(1_000);
    assert.deepEqual(scheduler.takeOriginsShown(), ['http://x.example']);
    assert.deepEqual(scheduler.takeOriginsShown(), []);
  });

  test('should begin with the rotation, and leave out what is the panel’s own', async () => {
    await scheduler.stop();
    change({
      'kiosk.pages': [
        { name: 'own', url: 'http://settings.localhost:8080/', seconds: 5 },
        { name: 'x', url: X, seconds: 5 },
      ],
    });
    const given = new GivenQueries(() => settings);
    const again = new PageScheduler({
      settings: () => settings,
      addresses,
      given,
      clock,
      log: silentLogger(),
    });
    assert.equal(again.begin({ host: {} as KioskHost, isProject: () => false }), X);
    await again.stop();
    assert.equal(clock.pending, 0);
  });
});
