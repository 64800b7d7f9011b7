import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { House } from './testing/house.ts';

describe('the states of the entities', () => {
  let house: House;

  beforeEach(async () => {
    house = new House();
    await house.start();
  });
  afterEach(() => house[Symbol.asyncDispose]());

  const state = (key: string) => JSON.parse(house.state(key) ?? 'null') as unknown;
  const events = (key: string) =>
    house.link.published
      .filter(({ topic }) => topic === `faceplate/p1/entity/${key}`)
      .map(({ payload, isRetained }) => ({ ...(JSON.parse(payload) as object), isRetained }));
  const sentSince = async (act: () => Promise<void>) => {
    const before = house.link.published.length;
    await act();
    return house.link.published.slice(before).map(({ topic }) => topic);
  };

  test('should show the LED bar as a colour at full light and its brightness', async () => {
    const color = { r: 255, g: 120, b: 0 };
    assert.deepEqual(state('led'), { state: 'ON', color_mode: 'rgb', color, brightness: 128 });
    await house.change({ led: { on: false, red: 0, green: 0, blue: 0 } });
    const white = { r: 255, g: 255, b: 255 };
    assert.deepEqual(state('led'), { state: 'OFF', color_mode: 'rgb', color: white, brightness: 0 });
  });

  test('should show the screen as a light', async () => {
    assert.deepEqual(state('screen'), { state: 'ON', color_mode: 'brightness', brightness: 128 });
    await house.change({ display: { ...house.now.display, on: false, brightness: 0 } });
    assert.deepEqual(state('screen'), { state: 'OFF', color_mode: 'brightness', brightness: 1 });
  });

  test('should name the page that is shown, whatever its spelling, or None', async () => {
    assert.equal(house.state('page'), 'Weather');
    await house.change({ page: { ...house.now.page!, url: 'http://elsewhere.lan/' } });
    assert.equal(house.state('page'), 'None');
  });

  test('should send only what has changed, at most ten times a second, and the last always', async () => {
    await house.pass(1_000);
    const topics = await sentSince(async () => {
      for (let red = 1; red <= 50; red++) {
        house.now = { ...house.now, led: { on: true, red, green: 0, blue: 0 } };
        house.tell('change');
        await house.pass(10);
      }
      await house.pass(100);
    });
    assert.ok(
      topics.length <= 6 && topics.every((topic) => topic === 'faceplate/p1/entity/led'),
      `${topics}`,
    );
    assert.deepEqual(state('led'), {
      state: 'ON',
      color_mode: 'rgb',
      color: { r: 255, g: 0, b: 0 },
      brightness: 50,
    });
    assert.deepEqual(await sentSince(() => house.change({})), []);
  });

  test('should look again after each command that may change something, and after no other', async () => {
    house.now = { ...house.now, intercom: { ...house.now.intercom!, doNotDisturb: true } };
    house.tell('call', 'intercom.state');
    await house.pass(1_000);
    assert.equal(house.state('dnd'), 'OFF');
    house.tell('call', 'sip.setDoNotDisturb');
    await house.pass(1_000);
    assert.equal(house.state('dnd'), 'ON');
  });

  test('should tell edges of inputs as events that are not kept', async () => {
    house.tell('input', { pin: 1, level: 1 });
    house.tell('input', { pin: 1, level: 0 });
    house.tell('input', { pin: 2, level: 1 });
    assert.deepEqual(events('edge2'), [
      { event_type: 'high', isRetained: false },
      { event_type: 'low', isRetained: false },
    ]);
    assert.deepEqual(events('edge1'), []);
  });

  test('should tell presses and scans as events that are not kept, where the button has a name', async () => {
    house.events.emit('button', { name: 'Light', state: 'down' });
    house.events.emit('button', { name: '59', state: 'down' });
    house.events.emit('button', { name: 'Light', state: 'up' });
    house.events.emit('scan', { name: 'Door', text: '04A2' });
    assert.deepEqual(events('button_light'), [
      { event_type: 'down', isRetained: false },
      { event_type: 'up', isRetained: false },
    ]);
    assert.deepEqual(events('button_bell'), []);
    assert.deepEqual(events('scan_door'), [{ event_type: 'scan', text: '04A2', isRetained: false }]);
  });

  test('should tell who rings at a camera, and show what cameras report', async () => {
    const report = (kind: 'motion' | 'visitor', on: boolean, camera = 'Hof') =>
      house.events.emit('camera', { camera, kind, topic: 'tns1:x', on });
    report('visitor', true);
    report('visitor', false);
    report('visitor', true, 'Garten');
    report('motion', true);
    assert.deepEqual(events('camera_hof_visitor'), [{ event_type: 'ring', isRetained: false }]);
    assert.deepEqual(events('camera_hof_motion'), []);
  });

  test('should tell who rings', async () => {
    const call = { callId: 'c1', callerName: 'Front "door"', hasVideo: false };
    house.events.emit('sip', { event: 'incomingCall', payload: { ...call, isBroadcast: true } });
    house.events.emit('sip', { event: 'incomingCall', payload: { ...call, isBroadcast: false } });
    assert.deepEqual(events('ring'), [{ event_type: 'ring', callerName: 'Front "door"', isRetained: false }]);
  });

  test('should be in use for a minute from the last activity, and in a call', async () => {
    assert.equal(house.state('in_use'), 'OFF');
    house.tell('activity');
    await house.pass(100);
    assert.equal(house.state('in_use'), 'ON');
    await house.pass(50_000);
    house.tell('activity');
    await house.pass(59_000);
    assert.equal(house.state('in_use'), 'ON');
    await house.pass(2_000);
    assert.equal(house.state('in_use'), 'OFF');
    const intercom = house.now.intercom!;
    await house.change({ intercom: { ...intercom, callStatus: 'connected (incoming)' } });
    await house.pass(120_000);
    assert.equal(house.state('in_use'), 'ON');
    await house.change({ intercom: { ...intercom, callStatus: 'failed' } });
    assert.equal(house.state('in_use'), 'OFF');
  });

  test('should take a picture after the connection, at a change and every ten minutes, half a minute apart', async () => {
    await house.pass(1_000);
    assert.equal(house.state('screenshot'), 'picture 1');
    for (let second = 0; second < 70; second++) {
      house.events.emit('display', house.now.display);
      await house.pass(1_000);
    }
    assert.equal(house.pictures, 3);
    await house.pass(60_000);
    assert.equal(house.pictures, 4, 'the last change is shown too');
    await house.pass(590_000);
    assert.equal(house.pictures, 5);
    // A new connection gets the last picture at once.
    house.link.retained.clear();
    await house.reconnected();
    assert.equal(house.state('screenshot'), 'picture 5');
  });
});
