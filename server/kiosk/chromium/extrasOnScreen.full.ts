import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowserExtras } from '../../platform/kioskJobs.ts';
import { timeToGoWrong } from '../../testing/waiting.ts';
import { noExtras } from '../pageExtras.ts';
import { TestKiosk, until } from '../testing/testKiosk.ts';
import { noScreen, TestScreen } from '../testing/testScreen.ts';

const GREEN = '<body style="margin:0;background:#00ff00">';

test('security: should show no bar, notice or login of the browser for what the settings add', {
  skip: noScreen,
}, async () => {
  await using screen = await TestScreen.open({ windowManager: false });
  let logins: { origin: string; username: string; password: string }[] = [];
  await using kiosk = await TestKiosk.open(
    '/',
    { '/': GREEN, '/private': 'private' },
    {
      headless: false,
      env: screen.env,
      pageExtras: { ...noExtras, logins: () => logins },
      browserExtras: {
        ...noBrowserExtras,
        userAgent: 'Wall/1',
        secureOrigins: ['http://hub.example:8123'],
        browserArguments: ['--ignore-gpu-blocklist', '--use-gl=angle', '--enable-features=VaapiVideoDecoder'],
      },
    },
  );
  kiosk.logins.set('/private', 'anna:secret');
  kiosk.debugPort = 0;
  // Wrong ones: the browser itself would ask for better.
  logins = ['p1', 'other'].map((name) => ({
    origin: kiosk.origin(name),
    username: 'anna',
    password: 'wrong',
  }));
  await kiosk.host.navigate(`${kiosk.origin('p1')}/`);
  await kiosk.untilTrue(`document.readyState === 'complete' && document.body !== null`);
  const isGreen = async () => (await screen.colours()).join() === '#00FF00';
  await until(isGreen, 'the page alone on the screen');
  for (const origin of [kiosk.origin('p1'), kiosk.origin('other')])
    await kiosk.evaluate(`void (async () => {
      fetch('${origin}/private', { mode: 'no-cors', credentials: 'include' }).catch(() => {});
      new Image().src = '${origin}/private';
      new WebSocket('${origin.replace('http', 'ws')}/private');
      new EventSource('${origin}/private');
      navigator.sendBeacon('${origin}/private');
      document.body.append(Object.assign(document.createElement('iframe'), { src: '${origin}/private', style: 'display:none' }));
      new Worker(URL.createObjectURL(new Blob(["fetch('${origin}/private', { mode: 'no-cors', credentials: 'include' })"])));
    })()`);
  await until(
    () => kiosk.requests.filter((request) => request.endsWith('/private')).length > 8,
    'the requests',
  );
  await timeToGoWrong(1_500);
  assert.deepEqual(await screen.colours(), ['#00FF00']);
});

test('should have no eye dropper in the colour picker of a page', {
  skip: noScreen,
}, async () => {
  await using screen = await TestScreen.open({ windowManager: false });
  const page = `<style>body{margin:0;background:#00ff00}input{position:absolute;top:20px;box-sizing:border-box;width:200px;height:40px}</style>
    <input type="color" style="left:100px">`;
  await using _kiosk = await TestKiosk.open('/', { '/': page }, { headless: false, env: screen.env });
  await until(() => screen.colourAt(50, 300) === '#00FF00', 'the page');
  await screen.input('mousemove 200 40 click 1');
  // The bar of hues begins with red.
  await until(() => screen.colourAt(188, 221) === '#FF0000', 'the colour picker');
  const dropper = [...Array(20).keys()].map((i) => [110 + i, 234 - i] as const);
  for (const [x, y] of dropper) assert.equal(screen.colourAt(x, y), '#FFFFFF', `${x},${y}`);
});
