import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keyboardTests } from '../server/kiosk/testing/suite/keyboardTests.ts';
import { until } from '../server/kiosk/testing/testKiosk.ts';
import { openWithFields } from './testing/fieldsKiosk.ts';

describe("fields and keys of the Electron host in a real Chromium, which Electron's debugger speaks to", () => {
  keyboardTests(openWithFields(() => {}));

  test('should hear that a frame of another site crashed, and leave workers alone', async () => {
    const opened = Promise.withResolvers<Parameters<Parameters<typeof openWithFields>[0]>[0]>();
    await using kiosk = await openWithFields(opened.resolve)('/', {
      '/': '<h1>home</h1>',
      '/frame': 'frame',
    });
    const heard = await opened.promise;
    await kiosk.show('/');
    const page = await kiosk.devTools();
    const worker = `new Promise((done) => {
      new Worker(URL.createObjectURL(new Blob(['postMessage(1)']))).onmessage = ({ data }) => done(data);
    })`;
    assert.equal(await page.evaluate(worker), 1);
    await page.addFrame({ src: `${kiosk.origin('p2')}/frame` });
    const frame = await kiosk.frameTools();
    await until(() => heard.framesTold.includes('Inspector.enable'), 'the frame to be watched');
    frame.send('Page.crash').catch(() => {});
    await until(() => heard.frameCrashes === 1, 'the crash');
    frame.close();
    page.close();
  });
});
