import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JoinMessage } from '../../contract/pageBridge.ts';
import { Outbox } from './shownPage.ts';

const valueFor = (got: readonly JoinMessage[], name: string) => got.findLast((one) => one[1] === name)?.[2];

describe('what is on its way to a page', () => {
  it('security: should keep the last value of each join for a page that takes nothing', () => {
    const sent: JoinMessage[] = [];
    const outbox = new Outbox((messages) => sent.push(...messages));
    for (let at = 0; at < 50_000; at++) outbox.push(['integer', `fb${at % 100}`, at]);
    let taken = 0;
    while (taken < sent.length) {
      taken = sent.length;
      outbox.taken();
    }
    assert.ok(sent.length < 12_000, `${sent.length} values`);
    for (let at = 0; at < 100; at++) assert.equal(valueFor(sent, `fb${at}`), 49_900 + at);
    const texts: JoinMessage[] = [];
    const long = new Outbox((messages) => texts.push(...messages));
    for (let at = 0; at < 2_000; at++) long.push(['string', 'fb1', 'x'.repeat(16_384)]);
    for (let at = 0; at < 100; at++) long.taken();
    assert.ok(texts.length < 700, `${texts.length} texts`);
  });
});
