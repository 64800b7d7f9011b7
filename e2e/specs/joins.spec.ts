import type { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { zipFile } from '../../server/testing/zipFile.ts';
import { apiOf } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { followEvents } from '../heardEvents.ts';

/** A page that speaks as the library of a CH5 project does, and holds a value for each name. */
const PAGE = `<!doctype html><button>Light</button><input type="range" max="65535"><p></p><iframe></iframe><script>
  const got = {};
  for (const kind of ['Boolean', 'Integer', 'String', 'Object'])
    window['bridgeReceive' + kind + 'FromNative'] = (name, value) => { got[name] = value; };
  const hold = (isHeld) => JSInterface.bridgeSendObjectToNative('1', JSON.stringify({ repeatdigital: isHeld }));
  document.querySelector('button').onpointerdown = () => { hold(true); hold(true); };
  document.querySelector('button').onpointerup = () => hold(false);
  document.querySelector('input').oninput = ({ target }) =>
    JSInterface.bridgeSendIntegerToNative('Csig.Lcd_Brt', Number(target.value));
  JSInterface.bridgeSendStringToNative('Room.Name', 'Hall');
</script>`;

const JOINS = {
  version: 1,
  boolean: {
    '1': { press: { call: 'gpio.write', with: { pin: 2, level: 1 } } },
    fb1: { from: 'gpio.level', where: { pin: 2 } },
  },
};

async function install(service: FaceplateProcess, name: string, joins?: object) {
  const files = [
    { name: 'index.html', content: PAGE },
    ...(joins ? [{ name: 'joins.json', content: JSON.stringify(joins) }] : []),
  ];
  const body = new Uint8Array(zipFile(files));
  const headers = { authorization: `Bearer ${await service.token()}`, 'content-type': 'application/zip' };
  const api = await apiOf(service);
  return api(`/api/manage/projects?name=${name}`, undefined, { method: 'POST', body, headers });
}

test('should run a CH5 project without a processor', async ({ panel: service, page, api }) => {
  const set = (kind: string, name: string, value: unknown) => api('/api/remote/joins', { kind, name, value });
  // While the page loads there is no `got`.
  const got = (name: string) => page.evaluate(`got[${JSON.stringify(name)}]`).catch(() => undefined);
  const hasInterface = () => page.evaluate(() => 'JSInterface' in window);
  expect(await hasInterface()).toBe(false);
  expect(await set('boolean', 'fb1', true)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });

  const wrong = { version: 1, boolean: { '1': { press: { call: 'gpio.explode' } } } };
  expect(await install(service, 'wrong', wrong)).toMatchObject({
    status: 400,
    body: { code: 'INVALID_REQUEST', field: 'boolean.1.press.call' },
  });

  expect(await install(service, 'joined', JOINS)).toMatchObject({ status: 200 });
  const events = await followEvents(service, 'join', ({ name, value }) => `${name} ${value}`);
  await api('/api/manage/projects/joined/activate', {});
  await expect(page.locator('button')).toBeVisible();
  await expect.poll(() => got('fb1')).toBe(false);
  await expect.poll(() => got('Csig.All_Control_Systems_Online_fb')).toBe(true);
  expect(await page.evaluate(() => 'JSInterface' in (frames[0] as object))).toBe(false);

  await page.locator('button').click();
  await expect.poll(() => got('fb1')).toBe(true);
  expect((await api('/api/remote/gpio/read', { pin: 2 })).body).toMatchObject({ level: 1 });
  await expect.poll(() => events.heard).toEqual(['Room.Name Hall', '1 true', '1 false']);
  await events.end();

  await page.locator('input').fill('65535');
  await expect.poll(async () => (await api('/api/remote/display')).body.brightness).toBe(100);
  await expect.poll(() => got('Csig.Lcd_Brt_fb')).toBe(65_535);

  expect(await set('integer', 'fb21', 99)).toMatchObject({ status: 200, body: { status: 'ok' } });
  await expect.poll(() => got('fb21')).toBe(99);
  await page.evaluate(() => location.reload());
  await expect.poll(() => got('fb21')).toBe(99);
  const { joins } = (await api('/api/remote/joins')).body as { joins: { name: string }[] };
  expect(joins.map(({ name }) => name).sort()).toEqual(['1', 'Room.Name', 'fb1', 'fb21']);

  // Without the file it is a project as any other.
  expect(await install(service, 'joined')).toMatchObject({ status: 200 });
  await expect.poll(() => hasInterface().catch(() => undefined)).toBe(false);
  expect((await api('/api/remote/joins')).body).toEqual({ joins: [] });
});
