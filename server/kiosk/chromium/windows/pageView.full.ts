import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { FakeClock } from '../../../testing/fakeClock.ts';
import { TestKiosk, until } from '../../testing/testKiosk.ts';
import { noScreen, TestScreen } from '../../testing/testScreen.ts';
import type { CdpSend } from '../process/cdpProtocol.ts';
import { PageView } from './pageView.ts';

const PAGE = `<body style="margin:0;background:#00aa00">
<div style="position:fixed;right:0;bottom:0;width:20px;height:20px;background:#0000aa"></div><script>
  heard = [];
  addEventListener('click', ({ clientX, clientY }) => heard.push([clientX, clientY]));
</script>`;
const PAGES = {
  '/': PAGE,
  '/other': PAGE,
  '/frames': `<body style="margin:0"><iframe src="/frame" width="300" height="100"></iframe></body>`,
  '/frame': '<p>frame</p>',
};
const LOOK = `[innerWidth, innerHeight, devicePixelRatio, matchMedia('(max-width: 700px)').matches]`;

for (const onScreen of [false, true])
  describe(`zoom of a kiosk ${onScreen ? 'on a screen' : 'without a screen'}`, {
    skip: onScreen && noScreen,
  }, () => {
    let kiosk: TestKiosk;
    let screen: TestScreen | undefined;
    let size: [number, number];
    before(async () => {
      screen = onScreen ? await TestScreen.open({ windowManager: false }) : undefined;
      const options = screen ? { headless: false, env: screen.env } : {};
      kiosk = await TestKiosk.open('/', PAGES, options);
      size = await kiosk.evaluate<[number, number]>('[screen.width, screen.height]');
    });
    after(async () => {
      await kiosk?.[Symbol.asyncDispose]();
      await screen?.[Symbol.asyncDispose]();
    });

    const zoomed = (factor: number) => [
      Math.round(size[0] / factor),
      Math.round(size[1] / factor),
      factor,
      size[0] / factor <= 700,
    ];
    const untilZoomed = (factor: number) =>
      until(
        async () =>
          JSON.stringify(await kiosk.evaluate(LOOK).catch(() => [])) === JSON.stringify(zoomed(factor)),
        `a zoom of ${factor}`,
      );

    test('should be as large as the browser would make it, and go back', async () => {
      for (const factor of [2, 0.25, 5, 1.5]) {
        await kiosk.host.zoom(factor);
        await untilZoomed(factor);
      }
      await kiosk.host.zoom(1);
      await until(async () => (await kiosk.evaluate('devicePixelRatio')) === 1, 'no zoom');
    });

    test('should stay through another page, a crash, a closed window and a restart of the browser', async () => {
      await kiosk.host.zoom(2);
      await kiosk.show('/other');
      await untilZoomed(2);
      const tools = await kiosk.devTools();
      tools.send('Page.crash').catch(() => {});
      await until(() => Object.keys(kiosk.host.recoveries()).includes('renderer-crash'), 'the crash');
      await untilZoomed(2);
      await kiosk.closeWindow();
      await until(
        () => Object.keys(kiosk.host.recoveries()).includes('window-closed'),
        'the end of the window',
      );
      await untilZoomed(2);
      await kiosk.host.zoom(1);
    });

    test('should be that of the frames as well', async () => {
      await kiosk.show('/frames');
      await kiosk.host.zoom(2);
      const frame = () => kiosk.evaluate('[frames[0].innerWidth, frames[0].devicePixelRatio]');
      await until(async () => JSON.stringify(await frame()) === '[300,2]', 'the zoom of the frame');
      await kiosk.host.zoom(1);
      await kiosk.show('/');
    });

    test('should let a touch land where the person sees it', async () => {
      await kiosk.host.zoom(2);
      await untilZoomed(2);
      if (screen !== undefined) await screen.input('mousemove 300 200 click 1');
      else {
        let seen: { width: number; height: number } | undefined;
        const watch = kiosk.host.watch({
          onPicture: (_jpeg, shown) => {
            seen = shown;
          },
        });
        await until(() => seen !== undefined, 'a picture');
        assert.deepEqual(seen, { width: size[0] / 2, height: size[1] / 2 });
        watch.input({ type: 'tap', x: 150, y: 100 });
        watch.stop();
      }
      await until(async () => (await kiosk.evaluate<unknown[]>('heard')).length > 0, 'the click');
      assert.deepEqual(await kiosk.evaluate('heard'), [[150, 100]]);
      await kiosk.host.zoom(1);
    });

    test('should show a picture of the whole screen while zoomed', async () => {
      const [width, height] = size;
      for (const factor of [1.5, 0.5]) {
        await kiosk.host.zoom(factor);
        await untilZoomed(factor);
        const picture = await kiosk.host.screenshot();
        assert.deepEqual(pngSize(picture), size);
        const corner = await kiosk.evaluate<number[]>(`(async () => {
          const bytes = Uint8Array.fromBase64('${Buffer.from(picture).toString('base64')}');
          const context = new OffscreenCanvas(1, 1).getContext('2d');
          context.drawImage(await createImageBitmap(new Blob([bytes])), ${2 - width}, ${2 - height});
          return [...context.getImageData(0, 0, 1, 1).data];
        })()`);
        assert.deepEqual(corner, [0, 0, 170, 255]);
        if (screen) await until(() => screen!.colourAt(width - 2, height - 2) === '#0000AA', 'the corner');
      }
      await kiosk.host.zoom(1);
    });

    test('should turn the page where there is no screen, and only there', async () => {
      if (onScreen) {
        assert.equal(await kiosk.host.turn(90, false), false);
        assert.equal(await kiosk.host.turn(0, false), true);
        return;
      }
      const orientation = () =>
        kiosk.evaluate('[innerWidth, innerHeight, screen.width, screen.orientation.angle]');
      const [width, height] = size;
      for (const [rotation, wanted] of [
        [90, [height, width, height, 90]],
        [180, [width, height, width, 180]],
        [270, [height, width, height, 270]],
        [0, [width, height, width, 0]],
      ] as const) {
        assert.equal(await kiosk.host.turn(rotation, false), true);
        await until(
          async () => JSON.stringify(await orientation()) === JSON.stringify(wanted),
          `${rotation} degrees`,
        );
        const [across, down] = rotation % 180 === 0 ? [width, height] : [height, width];
        assert.deepEqual(pngSize(await kiosk.host.screenshot()), [across, down]);
      }
    });
  });

test('should leave room for the keys, zoomed or not, in the kiosk page and in others', async () => {
  const view = new PageView(new FakeClock());
  const told: [string, unknown][] = [];
  const send = (async (method: string, params: object, sessionId: string) => {
    if (method === 'Runtime.evaluate') return { result: { value: [1280, 800, 1] } };
    told.push([sessionId, method === 'Emulation.clearDeviceMetricsOverride' ? null : params]);
    return {};
  }) as unknown as CdpSend;
  const last = () => told.splice(0).map(([session, params]) => [session, sizeOf(params)]);
  const sizeOf = (params: unknown) => {
    const { width, height, scale } = (params ?? {}) as { width?: number; height?: number; scale?: number };
    return params === null ? 'plain' : [width, height, scale ?? 1];
  };
  await view.apply(send, 'page');
  await view.makeRoom(send, 'page', 300);
  view.zoom(2);
  await view.apply(send, 'page');
  await view.makeRoom(send, 'page', 0);
  assert.deepEqual(last(), [
    ['page', [1280, 500, 1]],
    ['page', [640, 250, 2]],
    ['page', [640, 400, 2]],
  ]);
  await view.makeRoom(send, 'settings', 300);
  await view.makeRoom(send, 'settings', 0);
  assert.deepEqual(last(), [
    ['settings', [1280, 500, 1]],
    ['settings', 'plain'],
  ]);
  view.zoom(1);
  await view.apply(send, 'page');
  await view.apply(send, 'page');
  assert.deepEqual(last(), [['page', 'plain']]);
});

test('should measure a page that has no document for a moment', async () => {
  const clock = new FakeClock();
  const view = new PageView(clock);
  let asked = 0;
  let zoomed: unknown;
  const send = (async (method: string, params: { scale?: number }) => {
    if (method !== 'Runtime.evaluate') zoomed = params.scale;
    else if (asked++ === 0) throw new Error('Runtime.evaluate: Cannot find default execution context');
    return { result: { value: [1280, 800, 1] } };
  }) as unknown as CdpSend;
  view.zoom(2);
  const applied = view.apply(send, 'page');
  await clock.advance(100);
  await applied;
  assert.deepEqual([asked, zoomed], [2, 2]);
});

/** Width and height of a PNG (its first chunk). */
function pngSize(png: Uint8Array): [number, number] {
  const view = new DataView(png.buffer, png.byteOffset);
  return [view.getUint32(16), view.getUint32(20)];
}
