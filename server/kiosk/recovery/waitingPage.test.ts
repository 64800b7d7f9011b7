import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { panelForTests } from '../testing/panelForTests.ts';
import { waitingPage, waitingTexts } from './waitingPage.ts';

const page = (reason: Parameters<typeof waitingPage>[0]['reason'], panel = panelForTests) =>
  decodeURIComponent(waitingPage({ place: 'http://dashboard.local', reason, panel }));

describe('the waiting page', () => {
  test('should say what it waits for and why, in the language of the panel', () => {
    assert.match(page('refused'), /Waiting for http:\/\/dashboard\.local.*not on this port.*five fingers/s);
    assert.match(
      page('no-network', { ...panelForTests, language: 'de' }),
      /Warten auf http:.*kein Netzwerk/s,
    );
    assert.match(page('silent', { ...panelForTests, language: 'xx' }), /Waiting for/);
    assert.match(page({ sentence: 'ERR_SOMETHING' }), /ERR_SOMETHING/);
  });

  test('should name a network that wants a login first, beside the reason', () => {
    assert.match(
      page('no-name', { ...panelForTests, isBehindPortal: true }),
      /cannot be found.*a login in a browser/s,
    );
    assert.doesNotMatch(page('no-name'), /login/);
  });

  test('should say when it is tried again at the latest', () => {
    const within = (language: string, withinMs: number) =>
      decodeURIComponent(
        waitingPage({ place: 'http://x', reason: 'silent', panel: { ...panelForTests, language }, withinMs }),
      );
    assert.match(within('en', 7_600), /Next try in at most 8 seconds\./);
    assert.match(within('de', 600_000), /Nächster Versuch in höchstens 10 Minuten\./);
    assert.match(within('xx', 60_000), /at most 1 minute\./);
    assert.match(page('silent'), /Trying again automatically/);
  });

  test('should bring its typeface along, in an address that stays small', () => {
    const address = waitingPage({ place: 'http://x', reason: 'silent', panel: panelForTests });
    assert.match(decodeURIComponent(address), /@font-face\{font-family:"Inter Variable";[^}]+base64,d09GMg/);
    assert.ok(address.length < 100_000, `${address.length}`);
  });

  test('should break a fingerprint between its pairs alone', () => {
    const shown = page({ sentence: 'SHA-256 0A:BC:9f. At 12:30:00 x::1 <b>' });
    assert.match(shown, /SHA-256 0A:<wbr>BC:<wbr>9f\. At 12:<wbr>30:<wbr>00 x::1 &#60;b&#62;</);
  });

  test('should show name, address and QR code, which nobody needs where only this machine can connect', () => {
    const shown = page('refused');
    assert.match(shown, /Test panel.*http:\/\/192\.0\.2\.7:8080\/manage\//s);
    assert.match(shown, /<footer>.*<svg/s);
    const alone = page('refused', { ...panelForTests, manageUrl: null });
    assert.doesNotMatch(alone, /<footer>.*<svg|manage/s);
    assert.match(alone, /Test panel/);
  });

  test('should have all texts in all languages', () => {
    for (const texts of Object.values(waitingTexts)) {
      assert.deepEqual(Object.keys(texts), Object.keys(waitingTexts.en!));
      assert.deepEqual(Object.keys(texts.reasons), Object.keys(waitingTexts.en!.reasons));
      assert.match(texts.waitingFor, /\{place\}/);
      assert.match(texts.within, /\{time\}/);
    }
  });

  test('security: should show texts and never run them', () => {
    const markup = '"><img src=x onerror=alert(1)><script>';
    const panel = { name: markup, language: markup, manageUrl: markup };
    const shown = decodeURIComponent(waitingPage({ place: markup, reason: { sentence: markup }, panel }));
    assert.doesNotMatch(shown, /<script|<img/);
  });
});
