import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../../server/kiosk/testing/testKiosk.ts';
import { noScreen } from '../../server/kiosk/testing/testScreen.ts';
import { type Kiosk, openPlain, shareKiosk } from './bareBrowser.ts';
import { touch, untouched } from './touch.ts';

const SCHEMES = [
  ...['tel:123', 'mailto:a@b.example', 'foo:bar', 'intent:x#Intent;end', 'ftp://127.0.0.1/'],
  ...['web+foo:x', 'steam://x', 'sms:1', 'chrome://settings', 'file:///etc/passwd', 'view-source:http://x/'],
];

describe('addresses that are not of a page', { skip: noScreen }, () => {
  let kiosk: Kiosk;
  shareKiosk((opened) => {
    kiosk = opened;
  });

  test('security: each refusal is logged', async () => {
    const before = lines(kiosk).length;
    await touch(kiosk, `location.href = 'tel:123'`);
    await until(() => lines(kiosk).length > before, 'its line');
    assert.equal(lines(kiosk).length, before + 1);
  });

  for (const url of SCHEMES)
    test(`security: ${url} leads nowhere, by script or link, and opens no dialog`, async () => {
      const deed = `location.href = '${url}';
        const link = document.createElement('a'); link.href = '${url}'; document.body.append(link); link.click()`;
      assert.deepEqual(await touch(kiosk, deed), untouched('done'));
    });

  test('security: a frame leads nowhere either', async () => {
    const frame = `const frame = document.createElement('iframe');
      frame.hidden = true; frame.src = 'tel:1'; document.body.append(frame)`;
    assert.deepEqual(await touch(kiosk, frame), untouched('done'));
  });

  test('should see in plain Chromium how it asks whether to open another program', async () => {
    await using plain = await openPlain();
    await touch(plain, `location.href = 'tel:123'`);
    // Its dialog stays until a person answers.
    await until(async () => (await plain.screen.colours()).length > 1, 'the dialog');
  });
});

const lines = ({ service }: Kiosk) => service.output.match(/navigation refused/g) ?? [];
