import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
import type { NamedCamera } from '../named/settingsContract.ts';
import { namedCameraUrl } from '../rtsp/cameraUrl.ts';
import { fault, OnvifCamera } from '../testing/onvifCamera.ts';
import { openAccess } from '../testing/openAccess.ts';
import { fails } from '../testing/testPanel.ts';
import { type CameraEvent, CameraEvents, kindOf, readNotifications } from './events.ts';
import { OnvifCameras } from './service.ts';
import { referencesOf } from './soap.ts';
import { childAt, readXml, type XmlElement } from './xml.ts';

const report = (topic: string, name: string, value: string, source = 'v1') =>
  `<wsnt:NotificationMessage><wsnt:Topic Dialect="http://www.onvif.org/ver10/tev/topicExpression/ConcreteSet">${topic}</wsnt:Topic><wsnt:Message><tt:Message UtcTime="2026-01-01T00:00:00Z" PropertyOperation="Changed"><tt:Source><tt:SimpleItem Name="VideoSource" Value="${source}"/></tt:Source><tt:Data>${name === '' ? '' : `<tt:SimpleItem Name="${name}" Value="${value}"/>`}</tt:Data></tt:Message></wsnt:Message></wsnt:NotificationMessage>`;
const MOTION = 'tns1:RuleEngine/CellMotionDetector/Motion';
const ALARM = 'tns1:VideoSource/MotionAlarm';

async function start(t: TestContext, events: NamedCamera['events'] = ['motion', 'visitor']) {
  const camera = new OnvifCamera({ login: 'none' });
  const references = { wanted: '' };
  const heads: (XmlElement | undefined)[] = [];
  const waiting: string[] = [];
  const pulls: string[] = [];
  const asked: (() => void)[] = [];
  const granted = { seconds: 60 };
  const times = () =>
    `<wsnt:CurrentTime>2026-01-01T00:00:00Z</wsnt:CurrentTime><wsnt:TerminationTime>2026-01-01T00:${String(Math.floor(granted.seconds / 60)).padStart(2, '0')}:${String(granted.seconds % 60).padStart(2, '0')}Z</wsnt:TerminationTime>`;
  camera.on(
    'CreatePullPointSubscription',
    () =>
      `<tev:CreatePullPointSubscriptionResponse><tev:SubscriptionReference><wsa:Address>${camera.address('/sub/7?x=1')}</wsa:Address>${references.wanted}</tev:SubscriptionReference>${times()}</tev:CreatePullPointSubscriptionResponse>`,
  );
  camera.on('Renew', () => `<wsnt:RenewResponse>${times()}</wsnt:RenewResponse>`);
  camera.on('Unsubscribe', () => '<wsnt:UnsubscribeResponse/>');
  camera.on('PullMessages', async (_body, path, header) => {
    pulls.push(path);
    heads.push(header);
    if (waiting.length === 0) await new Promise<void>((resolve) => asked.push(resolve));
    return `<tev:PullMessagesResponse>${times()}${waiting.splice(0).join('')}</tev:PullMessagesResponse>`;
  });
  const send = (...messages: string[]) => {
    waiting.push(...messages);
    for (const answer of asked.splice(0)) answer();
  };
  await camera.start();
  const list: NamedCamera[] = [{ name: 'Hof', url: camera.url(), talk: 'auto', talkBytes: 160, events }];
  const clock = Object.assign(new FakeClock(), { wall: () => Date.now() });
  const onvif = new OnvifCameras({ access: openAccess, clock, log: silentLogger() });
  const told: CameraEvent[] = [];
  const service = new CameraEvents({
    cameras: () => list,
    urlOf: (one) => namedCameraUrl(one, []),
    onvif,
    emit: (event) => told.push(event),
    clock,
    log: silentLogger(),
  });
  t.after(async () => {
    send();
    await service.stop();
    await onvif.stop();
    await camera.stop();
  });
  await service.start();
  const words = () => told.map(({ kind, on }) => `${kind} ${on ? 'on' : 'off'}`);
  return { camera, clock, list, service, told, words, send, pulls, granted, references, heads };
}

test('should know the kinds of topics, and whether they say that something is so', () => {
  const kinds = {
    [MOTION]: 'motion',
    [ALARM]: 'motion',
    'tns1:RuleEngine/MyRuleDetector/PeopleDetect': 'person',
    'tns1:RuleEngine/MyRuleDetector/FaceDetect': 'face',
    'tns1:RuleEngine/MyRuleDetector/VehicleDetect': 'vehicle',
    'tns1:RuleEngine/MyRuleDetector/DogCatDetect': 'animal',
    'tns1:RuleEngine/MyRuleDetector/Visitor': 'visitor',
    'tns1:RuleEngine/LineDetector/Crossed': 'other',
    'tns1:Device/Trigger/Relay': undefined,
    'tns1:Monitoring/ProcessorUsage': undefined,
  };
  for (const [topic, kind] of Object.entries(kinds)) assert.equal(kindOf(topic), kind, topic);
  const read = (...messages: string[]) =>
    readNotifications(
      readXml(
        `<PullMessagesResponse>${messages.join('')}</PullMessagesResponse>`.replaceAll(/(<\/?)\w+:/g, '$1'),
      ),
    );
  assert.deepEqual(
    read(
      report(MOTION, 'IsMotion', 'true'),
      report(ALARM, 'State', '0'),
      report(ALARM, 'Odd', 'TRUE'),
      report(ALARM, 'Level', '17'),
      report(ALARM, '', ''),
      report('', 'State', 'true'),
    ).map(({ on }) => on),
    [true, false, true, null, null],
  );
});

test('should tell what begins and ends, once for several subjects, and only what is asked for', async (t) => {
  const { told, words, send, pulls, camera, clock } = await start(t);
  await until(() => pulls.length === 1, 'the subscription');
  assert.deepEqual(pulls, ['/sub/7?x=1']);
  send(report(MOTION, 'IsMotion', 'false'));
  await until(() => told.length === 1);
  assert.deepEqual(told[0], { camera: 'Hof', kind: 'motion', topic: MOTION, on: false });
  await clock.advance(1_000);
  await until(() => pulls.length === 2);
  send(
    report(MOTION, 'IsMotion', 'true'),
    report(ALARM, 'State', 'true'),
    report('tns1:RuleEngine/MyRuleDetector/FaceDetect', 'State', 'true'),
  );
  await until(() => told.length === 2);
  await clock.advance(1_000);
  await until(() => pulls.length >= 3);
  assert.ok(camera.calls.includes('CreatePullPointSubscription'));
  assert.deepEqual(words(), ['motion off', 'motion on']);
});

test('should end what happens without a state, and all that a lost subscription had reported', async (t) => {
  const { clock, told, words, send, pulls, camera, granted } = await start(t);
  granted.seconds = 40;
  await until(() => pulls.length === 1);
  send(report('tns1:RuleEngine/MyRuleDetector/Visitor', '', ''));
  await until(() => told.length === 1);
  await clock.advance(5_000);
  assert.deepEqual(words(), ['visitor on', 'visitor off']);
  await until(() => pulls.length === 2);
  send(report(ALARM, 'State', 'true'));
  await until(() => told.length === 3);
  await clock.advance(31_000);
  // Renewed at half of what was granted, before the next question.
  await until(() => pulls.length === 3);
  send();
  await until(() => camera.calls.includes('Renew'), 'the subscription to be renewed').catch(async () => {
    await clock.advance(1_000);
    await until(() => camera.calls.includes('Renew'));
  });
  camera.options.instead = (method, response) => {
    if (method !== 'PullMessages') return false;
    response.destroy();
    return true;
  };
  send();
  for (let tries = 0; tries < 20 && words().at(-1) !== 'motion off'; tries++) {
    await clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal(words().at(-1), 'motion off');
  camera.options.instead = () => false;
  const before = pulls.length;
  for (let tries = 0; tries < 100 && pulls.length === before; tries++) {
    await clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  send(report(ALARM, 'State', 'true'));
  await until(() => words().at(-1) === 'motion on', 'events of the new subscription');
});

test('should follow the setting, and end its subscriptions', async (t) => {
  const { service, list, pulls, send, camera, told, words } = await start(t);
  await until(() => pulls.length === 1);
  send(report(ALARM, 'State', 'true'));
  await until(() => told.length === 1);
  list[0] = { ...list[0]!, events: [] };
  service.follow();
  await until(() => words().at(-1) === 'motion off', 'what was on to end');
  await until(() => camera.calls.includes('Unsubscribe'));
});

test('should give a camera back what tells its subscriptions apart, and make a new one where it renews none', async (t) => {
  const { camera, clock, pulls, heads, send, words, references, granted } = await start(t);
  await until(() => pulls.length === 1);
  const idOf = (header: XmlElement | undefined) => {
    const id = childAt(header, 'Id');
    const { namespace, text, attributes } = id ?? {};
    return id && { namespace, text, attributes: Object.fromEntries(attributes!) };
  };
  assert.equal(idOf(heads[0]), undefined);
  granted.seconds = 40;
  camera.options.instead = (method, response) => {
    if (method !== 'Renew') return false;
    response.writeHead(500).end(fault('s:Receiver', 'ter:ActionNotSupported'));
    return true;
  };
  send(report(ALARM, 'State', 'true'));
  await until(() => words().length === 1);
  const begun = () => camera.calls.filter((call) => call === 'CreatePullPointSubscription').length;
  for (let round = 1; round <= 2; round++) {
    references.wanted = `<wsa:ReferenceParameters><d:Id xmlns:d="urn:d" kind="a&amp;b">&lt;${round}</d:Id></wsa:ReferenceParameters>`;
    for (let tries = 0; tries < 100 && begun() === round; tries++) {
      send();
      await clock.advance(31_000);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const wanted = {
      namespace: 'urn:d',
      text: `<${round}`,
      attributes: { kind: 'a&b', IsReferenceParameter: 'true' },
    };
    await until(() => idOf(heads.at(-1))?.text === wanted.text, 'a question to it');
    assert.deepEqual(idOf(heads.at(-1)), wanted);
  }
  assert.ok(camera.calls.includes('Unsubscribe'));
  // Nothing was lost meanwhile.
  assert.deepEqual(words(), ['motion on']);
});

test('security: should bound what a camera wants to have back', () => {
  const endpoint = (length: number) =>
    readXml(`<E><ReferenceParameters><Id>${'x'.repeat(length)}</Id></ReferenceParameters></E>`);
  assert.match(referencesOf(endpoint(4_000)), /^<Id xmlns="" a:IsReferenceParameter="true">x+<\/Id>$/);
  assert.throws(() => referencesOf(endpoint(4_097)), fails('CAMERA_PROTOCOL'));
});
