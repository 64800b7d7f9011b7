import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestKiosk } from '../testing/testKiosk.ts';

const PAGES = { '/': '<title>open</title>', '/private': '<title>private</title>' };
const STATUS = `fetch(location.origin + '/private').then(({ status }) => status)`;

test('should log in when the address of the page contains a login, even a later one, and nowhere else', async () => {
  await using kiosk = await TestKiosk.open('/', PAGES);
  kiosk.logins.set('/private', 'anna:secret');
  await kiosk.untilTrue(`document.title === 'open'`);
  assert.equal(await kiosk.evaluate(STATUS), 401);

  kiosk.debugPort = 0;
  await kiosk.host.navigate(`${kiosk.origin('p1').replace('//', '//anna:secret@')}/private`);
  await kiosk.untilTrue(`document.title === 'private'`);
  assert.equal(await kiosk.evaluate(STATUS), 200);
  assert.deepEqual(kiosk.host.recoveries(), {});

  kiosk.debugPort = 0;
  await kiosk.host.navigate(`${kiosk.origin('p1')}/`);
  await kiosk.untilTrue(`document.title === 'open'`);
  assert.equal(await kiosk.evaluate(STATUS), 401);
  assert.doesNotMatch(kiosk.logText, /secret/);
});
