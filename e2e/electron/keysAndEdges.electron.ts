import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noScreen, type TestScreen } from '../../server/kiosk/testing/testScreen.ts';
import { noSway, TestSway } from '../../server/kiosk/testing/testSway.ts';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { until } from '../../server/testing/waiting.ts';
import { isElectron, openKiosk, startElectron } from '../bare/bareBrowser.ts';
import { ReportSite } from '../bare/reportSite.ts';
import { GREEN, UNSEEN_PICTURE } from '../bare/touch.ts';

/** It says each key that it gets, and asks a question at the key `q`. */
const PAGE = `<body style="margin:0;background:#00aa00">${UNSEEN_PICTURE}<script>
  addEventListener('keyup', ({ key }) => {
    fetch('/key/' + key);
    if (key === 'q') setTimeout(() => fetch('/answered/' + confirm('Really?')));
  });
  requestAnimationFrame(() => requestAnimationFrame(() => fetch('/ready')));
</script>`;

const notHere = !isElectron && 'npm run test:electron runs it';

/** Nobody has touched the screen: a keyboard and a scanner write into the page all the same. */
async function pressKeys(screen: TestScreen, site: ReportSite): Promise<void> {
  const heard = (path: string) => until(() => site.requests.includes(`bare.localhost${path}`), path);
  void site.show(PAGE);
  await heard('/ready');
  await until(async () => (await screen.colours())[0] === GREEN, 'its picture');
  await screen.input('key a');
  await heard('/key/a');
  await screen.input('key q');
  await until(async () => (await screen.colours()).length > 10, 'the question');
  await screen.input('key Return');
  await heard('/answered/true');
  await screen.input('key b');
  await heard('/key/b');
}

for (const windowManager of [true, false])
  describe(`the Electron host on X ${windowManager ? 'with' : 'without'} a window manager`, {
    skip: notHere || noScreen,
  }, () => {
    test('should give the page the keys at once, and again after a question', async () => {
      await using kiosk = await openKiosk({ windowManager });
      await pressKeys(kiosk.screen, kiosk.site);
    });

    test('should fill the screen to its edges', async () => {
      await using kiosk = await openKiosk({ windowManager });
      void kiosk.site.show(PAGE);
      await until(async () => (await kiosk.screen.colours()).join() === GREEN, 'nothing but the page');
    });

    test('should open the settings page by its keys at once', async () => {
      await using kiosk = await openKiosk({ windowManager });
      void kiosk.site.show(PAGE);
      await until(async () => (await kiosk.screen.colours())[0] === GREEN, 'its picture');
      await kiosk.screen.input('key ctrl+alt+s');
      await until(async () => !(await kiosk.screen.colours()).includes(GREEN), 'the settings page');
    });
  });

describe('the Electron host in sway', { skip: notHere || noSway }, () => {
  test('should give the page the keys at once, and again after a question', async () => {
    await using site = await ReportSite.open();
    await using sway = await TestSway.open();
    const service = new FaceplateProcess({
      spawn: (args, { DISPLAY: _, ...env }) => startElectron(args, env, ['--ozone-platform=wayland']),
      env: {
        WAYLAND_DISPLAY: sway.env.WAYLAND_DISPLAY!,
        XDG_SESSION_TYPE: 'wayland',
        FACEPLATE_HOST: 'electron',
        FACEPLATE_KIOSK_URL: site.home,
        FACEPLATE_BRIDGE_ORIGINS: site.origin(),
      },
    });
    try {
      await service.start();
      await pressKeys(sway.screen, site);
    } finally {
      const { code, signal, left } = await service.stop();
      assert.deepEqual({ code, signal, left }, { code: 0, signal: null, left: [] }, service.output);
    }
  });
});
