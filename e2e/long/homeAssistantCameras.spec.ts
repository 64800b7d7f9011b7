import { expect, test } from '@playwright/test';
import { type RtspCamera, startRtspCamera } from '../../server/testing/rtspCamera.ts';
import { House } from '../homeAssistant/house.ts';
import { noHomeAssistant } from '../homeAssistant/install.ts';
import { type Bell, bellOf } from '../peers/bell.ts';

const MINUTE_MS = 60_000;
const SLOW = { timeout: 90_000, intervals: [250] };
/** A name as people write them. In an entity's id it is `haustur_ost`. */
const DOOR = 'Haustür "Ost"';

test.describe.configure({ mode: 'serial' });
test.skip(noHomeAssistant() !== false, String(noHomeAssistant()));
test.setTimeout(5 * MINUTE_MS);

let house: House;
let streams: RtspCamera;
let door: Bell;

test.beforeAll(async () => {
  test.setTimeout(30 * MINUTE_MS);
  house = await House.start((line) => process.stdout.write(`${line}\n`));
  streams = await startRtspCamera();
  door = bellOf(streams.url('h264'));
  await door.camera.start();
  const cameras = [
    { name: 'Yard', url: streams.url('h264') },
    { name: DOOR, url: door.camera.url(), events: ['motion', 'visitor'] },
  ];
  await house.settings({ streams: { cameras } });
});

test.afterAll(async () => {
  test.setTimeout(5 * MINUTE_MS);
  await house?.stop();
  await door?.camera.stop();
  await streams?.stop();
});

/** An entity of the camera at the door, by what it reports. */
async function ofDoor(kind: string) {
  const all = await house.entities();
  const found = all.find(({ unique_id }) => new RegExp(`_camera_.*_${kind}$`).test(unique_id));
  return found && house.server.state(found.entity_id);
}

test('should show what a camera reports: motion as a state, a visitor as an event', async () => {
  // A moment after it subscribed, a camera may say again what is.
  await expect.poll(() => door.camera.calls.includes('PullMessages'), SLOW).toBe(true);
  await expect
    .poll(async () => (await ofDoor('motion'))?.attributes.friendly_name, SLOW)
    .toBe(`Hall ${DOOR} motion`);
  for (const isOn of [true, false]) {
    door.move(isOn);
    await expect.poll(async () => (await ofDoor('motion'))?.state, SLOW).toBe(isOn ? 'on' : 'off');
  }
  expect((await ofDoor('visitor'))?.state).toBe('unknown');
  door.ring();
  await expect.poll(async () => (await ofDoor('visitor'))?.attributes.event_type, SLOW).toBe('ring');
  expect((await ofDoor('visitor'))?.attributes.device_class).toBe('doorbell');
});

test('should give its pictures to the Generic Camera, as the guide says', async () => {
  const { origin } = new URL(await house.panel.url);
  const { token } = (await house.api('/api/manage/tokens', { name: 'cameras', scopes: ['view', 'control'] }))
    .body;
  const flow = '/api/config/config_entries/flow';
  const { flow_id } = await house.server.call('POST', flow, { handler: 'generic' });
  const asked = await house.server.call('POST', `${flow}/${String(flow_id)}`, {
    still_image_url: `${origin}/api/stream/snapshot?url=camera:Yard&width=1280`,
    username: 'any',
    password: token,
    advanced: { framerate: 2, verify_ssl: true, authentication: 'basic' },
  });
  expect(asked, JSON.stringify(asked)).toMatchObject({ step_id: 'user_confirm', errors: null });
  const made = await house.server.call('POST', `${flow}/${String(flow_id)}`, { confirmed_ok: true });
  expect(made.type, JSON.stringify(made)).toBe('create_entry');
  const camera = async () =>
    (await house.server.states()).find(({ entity_id }) => entity_id.startsWith('camera.'));
  await expect.poll(async () => (await camera())?.state, SLOW).toBe('idle');
  const jpeg = await house.server.image((await camera())!.entity_id);
  expect([...jpeg.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  expect(jpeg.length).toBeGreaterThan(1_000);
});

test('should lose the entities of a camera that is removed, and of no other', async () => {
  await house.settings({ streams: { cameras: [{ name: 'Yard', url: streams.url('h264'), events: [] }] } });
  await expect.poll(() => ofDoor('motion'), SLOW).toBeUndefined();
  expect(await ofDoor('visitor')).toBeUndefined();
  expect(await house.state('led')).not.toBe('unknown entity');
});
