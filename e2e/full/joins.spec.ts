import { Listener } from '../../server/surfaces/mqtt/testing/listener.ts';
import { ch5zFile, zipFile } from '../../server/testing/zipFile.ts';
import { expect, test } from '../fixtures.ts';
import { ch5Library } from '../peers/ch5Library.ts';

/** Nothing in it knows this panel. */
const PAGE = `<!doctype html><script src="cr-com-lib.js"></script>
<ch5-button id="light" label="Light" sendEventOnTouch="12" receiveStateSelected="13"></ch5-button>
<ch5-button id="tap" label="Tap" sendEventOnClick="14"></ch5-button>
<script>
  const got = {};
  for (const [type, name] of [['n', '21'], ['s', 'Room.Name_fb'], ['n', 'Csig.Lcd_Brt_fb'], ['b', 'Csig.All_Control_Systems_Online_fb']])
    CrComLib.subscribeState(type, name, (value) => { got[name] = value; });
</script>`;

test('should run an unmodified library of CH5 projects, with a client on the broker as its processor', async ({
  sharedFaceplate,
  openPage,
  broker,
  dataDir,
}) => {
  test.setTimeout(120_000);
  const script = await ch5Library(dataDir);
  test.skip(script === undefined, 'the npm packages cannot be reached');
  const service = await sharedFaceplate({
    kiosk: true,
    // The fleets of other tests on this broker do not hear of it.
    env: { FACEPLATE_MQTT_URL: broker.url, FACEPLATE_MQTT_ID: 'joined', FACEPLATE_MQTT_PREFIX: 'ch5' },
  });
  const call = async (path: string, body?: unknown, type = 'application/json') => {
    const headers = { authorization: `Bearer ${await service.token()}`, 'content-type': type };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: body as BodyInit };
    return (await fetch(`${await service.url}${path}`, init)).json() as Promise<Record<string, unknown>>;
  };
  const processor = await Listener.start(broker.url);
  await processor.hear('ch5/joined/state/join/#');
  const give = (name: string, value: unknown) =>
    processor.publish(`ch5/joined/set/join/${name}`, JSON.stringify(value));

  const files = [
    { name: 'index.html', content: PAGE },
    { name: 'cr-com-lib.js', content: script! },
    { name: 'joins.json', content: JSON.stringify({ version: 1 }) },
  ];
  const archive = new Uint8Array(ch5zFile(zipFile(files)));
  await call('/api/manage/projects?name=joined', archive, 'application/zip');
  await call('/api/manage/projects/joined/activate', '{}');
  const page = await openPage(service);
  // While the page loads there is no `got`.
  const got = (name: string) => page.evaluate(`got[${JSON.stringify(name)}]`).catch(() => undefined);
  await expect.poll(() => got('Csig.All_Control_Systems_Online_fb')).toBe(true);
  expect(await page.evaluate('CrComLib.isCrestronTouchscreen()')).toBe(true);

  // A press that is held, and its feedback from the processor.
  const light = page.locator('#light');
  const selected = () => page.evaluate(`document.querySelector('#light').outerHTML.includes('--selected')`);
  const box = (await light.boundingBox())!;
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  expect((await processor.next('ch5/joined/state/join/boolean/12')).text).toBe('true');
  await give('boolean/fb13', true);
  await expect.poll(selected).toBe(true);
  await page.mouse.up();
  expect((await processor.next('ch5/joined/state/join/boolean/12')).text).toBe('false');
  await give('boolean/fb13', false);
  await expect.poll(selected).toBe(false);

  // A tap, which the library lets go at once.
  await page.locator('#tap').click();
  const taps = [];
  while (taps.at(-1) !== 'false') taps.push((await processor.next('ch5/joined/state/join/boolean/14')).text);
  expect(taps).toContain('true');

  await give('integer/fb21', 99);
  await give('string/Room.Name_fb', 'Hall');
  await expect.poll(() => got('21')).toBe(99);
  await expect.poll(() => got('Room.Name_fb')).toBe('Hall');
  await page.evaluate(`CrComLib.publishEvent('n', '5', 4711)`);
  expect((await processor.next('ch5/joined/state/join/integer/5')).text).toBe('4711');

  // The panel's own joins need no processor.
  await page.evaluate(`CrComLib.publishEvent('n', 'Csig.Lcd_Brt', 32768)`);
  await expect.poll(async () => (await call('/api/remote/display')).brightness).toBe(50);
  await expect.poll(() => got('Csig.Lcd_Brt_fb')).toBe(32_768);

  // All of it comes back with the page.
  await page.evaluate(() => location.reload());
  await expect.poll(() => got('Room.Name_fb')).toBe('Hall');
  expect(await got('21')).toBe(99);
  const names = (await processor.retained('ch5/joined/state/join/#')) as Record<string, string>;
  expect(Object.keys(names).some((name) => name.includes('Csig.'))).toBe(false);
  await processor.stop();
});
