import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { LayerName } from '../../builtInPageContract.ts';
import type { Layer } from '../../host.ts';
import { type TestKiosk, until } from '../testKiosk.ts';
import type { LendKiosk } from './openKiosk.ts';

const PAGES = {
  '/': '<body style="margin:0;background:#00aa00">',
  '/layer': `<body style="margin:0;background:#0000aa"><script type="module">
    globalThis.got = [];
    faceplateHost.listen((json) => { got.push(json); faceplateHost.post(json); });
  </script>`,
};

/** Layers of a host: they are kept ready, hear and speak, and come back. */
export function layerTests(open: LendKiosk): void {
  describe('layers above the kiosk page', () => {
    let kiosk: TestKiosk;
    const said: string[] = [];
    const layers: Layer[] = [];
    let ready = 0;
    before(async () => {
      kiosk = await open('/', PAGES);
      await kiosk.untilTrue(`document.readyState === 'complete'`);
    });
    after(() => kiosk?.[Symbol.asyncDispose]());
    afterEach(async () => {
      for (const layer of layers.splice(0)) await layer.close();
      said.length = ready = 0;
    });
    const openLayer = async (name: LayerName, hurries = true): Promise<Layer> => {
      const layer: Layer = await kiosk.host.openLayer({
        name,
        url: `${kiosk.origin(name)}/layer`,
        sink: { onMessage: (_caller, json) => said.push(json), onPageGone: () => {} },
        onReady: () => {
          ready++;
          layer?.post(`"${name} ${ready}"`);
        },
      });
      layers.push(layer);
      if (hurries) layer.hurry?.();
      return layer;
    };

    test('should open by itself, and hear and speak from the moment it is ready', async () => {
      await openLayer('glass', false);
      await until(() => said.length === 1, 'the echo');
      assert.deepEqual(said, ['"glass 1"']);
      await assert.rejects(openLayer('glass'), /open already/);
    });

    test('should know the size of the screen', () => {
      assert.deepEqual(kiosk.host.screenSize(), { width: 1280, height: 800 });
    });

    test('should come back hidden after a crash, and after a restart of the browser', async () => {
      const layer = await openLayer('glass');
      await until(() => ready === 1, 'the layer');
      await layer.show('screen', true);
      const tools = await kiosk.ownTools('glass');
      tools.send('Page.crash').catch(() => {});
      await until(() => ready === 2, 'the layer after the crash');
      tools.close();
      const page = await kiosk.host.screenshot();
      await layer.show('screen', true);
      assert.notEqual(Buffer.compare(page, await kiosk.host.screenshot()), 0);
      await kiosk.endBrowser();
      await until(() => ready === 3, 'the layer in the new browser');
      await until(
        async () => Buffer.compare(page, await kiosk.host.screenshot().catch(() => page.subarray(1))) === 0,
        'the page',
      );
      layer.post('"again"');
      await until(() => said.includes('"again"'), 'the echo');
    });

    test('should hear all input while it covers the screen, until the finger is lifted', async () => {
      const layer = await openLayer('glass');
      await until(() => ready === 1, 'the layer');
      const [above, below] = [await kiosk.ownTools('glass'), await kiosk.devTools()];
      await below.evaluate(`heard = 0; addEventListener('mousedown', () => heard++)`);
      await layer.show('screen', true);
      const mouse = (type: string) => ({ type, x: 300, y: 300, button: 'left', clickCount: 1 });
      await below.send('Input.dispatchMouseEvent', mouse('mousePressed'));
      await below.send('Input.dispatchMouseEvent', mouse('mouseReleased'));
      await above.send('Input.dispatchMouseEvent', mouse('mousePressed'));
      let isHidden = false;
      const hiding = layer.hide().then(() => (isHidden = true));
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.equal(isHidden, false);
      await above.send('Input.dispatchMouseEvent', mouse('mouseReleased'));
      await hiding;
      assert.equal(await below.evaluate('heard'), 0);
      for (const tools of [above, below]) tools.close();
    });

    test('should show over the screen in place of the page, and hide again', async () => {
      const page = await kiosk.host.screenshot();
      const layer = await openLayer('glass');
      await until(() => ready === 1, 'the layer');
      await layer.show('screen', true);
      const covered = await kiosk.host.screenshot();
      assert.notEqual(Buffer.compare(page, covered), 0);
      await layer.hide();
      await layer.hide();
      assert.equal(Buffer.compare(page, await kiosk.host.screenshot()), 0);
    });
  });
}
