import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../../server/kiosk/testing/testKiosk.ts';
import { noScreen } from '../../server/kiosk/testing/testScreen.ts';
import { callApi, type Kiosk, shareKiosk } from './bareBrowser.ts';

/** The bar of a question, and the ground of an alarm that fills the screen (server/pages/glass/message/message.css). */
const QUESTION = '#A5B2C1';
const ALARM = '#A50E1F';

describe('what lies above the page, on a real screen', { skip: noScreen }, () => {
  let kiosk: Kiosk;
  shareKiosk((opened) => {
    kiosk = opened;
  });
  const shows = (colour: string, isShown = true) =>
    until(async () => (await kiosk.screen.colours()).includes(colour) === isShown, `${colour} ${isShown}`);
  for (const [key, answer] of [
    ['Return', true],
    ['Escape', false],
  ] as const)
    test(`should answer confirm of the page by ${key}`, async () => {
      const asked = kiosk.site.ask(() => confirm('Delete the scene?'));
      await shows(QUESTION);
      await kiosk.screen.input(`key ${key}`);
      assert.equal(await asked, answer);
      await shows(QUESTION, false);
    });

  test('should answer prompt with what a person types', async () => {
    const asked = kiosk.site.ask(() => prompt('Name of the room?', 'Hall'));
    await shows(QUESTION);
    await kiosk.screen.input('type Kitchen');
    await kiosk.screen.input('key Return');
    assert.equal(await asked, 'Kitchen');
  });

  test('should show an alarm over the whole screen until it is closed', async () => {
    const message = { text: 'Leave the house.', level: 'alarm', style: 'full', seconds: 0, id: 'fire' };
    assert.equal((await callApi(kiosk.service, 'POST', 'remote/message', message)).status, 200);
    await shows(ALARM);
    assert.equal((await kiosk.screen.colours())[0], ALARM);
    await kiosk.screen.input('key Escape');
    await shows(ALARM, false);
    assert.equal((await callApi(kiosk.service, 'DELETE', 'remote/message/fire')).status, 404);
  });
});
