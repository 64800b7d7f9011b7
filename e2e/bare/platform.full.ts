import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { noScreen } from '../../server/kiosk/testing/testScreen.ts';
import { type BareBrowser, openKiosk, openPlain } from './bareBrowser.ts';
import { platformRows } from './platformRows.ts';

/** What plain Chromium has and the page here does not: it would open a window or dialog of the browser. */
const MISSING: readonly string[] = [
  'DocumentPictureInPicture',
  'DocumentPictureInPictureEvent',
  'EyeDropper',
  'HTMLAnchorElement.hrefTranslate',
  'IdentityCredential',
  'IdentityCredentialError',
  'IdentityProvider',
  'Navigator.login',
  'NavigatorLogin',
  'documentPictureInPicture',
];
/** What every page that holds the bridge has in addition. */
const OURS: readonly string[] = ['MobileBridge', 'container'];

/** Runs in the page. @returns the names of all globals, and of the members of the objects they make */
function namesOfAll(): string[] {
  const names = new Set<string>();
  for (const name of Object.getOwnPropertyNames(window)) {
    names.add(name);
    const value: unknown = Object.getOwnPropertyDescriptor(window, name)?.value;
    if (typeof value !== 'function' || typeof value.prototype !== 'object' || value.prototype === null)
      continue;
    for (const own of Object.getOwnPropertyNames(value.prototype)) names.add(`${name}.${own}`);
  }
  return [...names];
}

describe('the web platform', { skip: noScreen }, () => {
  let kiosk: BareBrowser;
  let plain: BareBrowser;
  before(async () => {
    [kiosk, plain] = await Promise.all([openKiosk(), openPlain()]);
    for (const { site } of [kiosk, plain]) site.files.set('/file', { body: 'text', type: 'text/plain' });
  });
  after(async () => {
    await kiosk?.[Symbol.asyncDispose]();
    await plain?.[Symbol.asyncDispose]();
  });

  for (const { what, result, task } of platformRows)
    test(`should give the page ${what}`, async () => {
      assert.deepEqual(await plain.site.ask(task), result);
      assert.deepEqual(await kiosk.site.ask(task), result);
    });

  test('should give the page all the names that plain Chromium has, except those of windows and dialogs', async () => {
    const [here, there] = [await kiosk.site.ask(namesOfAll), await plain.site.ask(namesOfAll)];
    const notIn = (others: readonly string[]) => (name: string) => !others.includes(name);
    const missing = there
      .filter(notIn(here))
      .filter((name) => here.includes(name.split('.')[0]!) || !name.includes('.'));
    assert.deepEqual(missing.toSorted(), MISSING);
    // The function that delivers answers has a name that no page can know.
    const added = here.filter(notIn(there)).filter((name) => !/^_[0-9a-f]{24}$/.test(name));
    assert.deepEqual(added.toSorted(), OURS);
  });
});
