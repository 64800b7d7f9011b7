import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { type NamedPage, PageRotation, turnsOf } from './pageRotation.ts';

const HOME = 'http://lobby.localhost:8080/';
const A = { name: 'a', url: 'http://a.example/', seconds: 10 };
const B = { name: 'b', url: 'http://b.example/', seconds: 20 };
const SLOW = { name: 'slow', url: 'http://slow.example/', seconds: 300 };

describe('which page the panel shows', () => {
  let clock: FakeClock;
  let pages: NamedPage[];
  let wanted: (string | null)[];
  let rotation: PageRotation;

  beforeEach(() => {
    clock = new FakeClock();
    pages = [];
    wanted = [];
    rotation = new PageRotation({
      clock,
      date: () => new Date(Date.UTC(2026, 0, 1)),
      turns: () => turnsOf(pages, HOME),
      onWanted: (url) => wanted.push(url),
    });
  });

  test('should rest at home without a rotation', () => {
    pages = [{ name: 'x', url: 'http://x.example/' }];
    rotation.rest();
    assert.deepEqual(wanted, [null]);
    assert.equal(rotation.isHome, true);
    assert.equal(rotation.until, null);
    assert.equal(clock.pending, 0);
  });

  test('should go home after the seconds, and say when', async () => {
    rotation.rest();
    rotation.show('http://x.example/', 30);
    assert.equal(rotation.until, '2026-01-01T00:00:30.000Z');
    assert.equal(rotation.isHome, false);
    await clock.advance(29_999);
    assert.equal(rotation.url, 'http://x.example/');
    await clock.advance(1);
    assert.equal(rotation.isHome, true);
    assert.equal(rotation.until, null);
    assert.deepEqual(wanted, [null, 'http://x.example/', null]);
  });

  test('should stay without seconds, and let the last caller win', async () => {
    rotation.show('http://x.example/', 5);
    rotation.show('http://y.example/');
    assert.equal(clock.pending, 0);
    await clock.advance(86_400_000);
    assert.equal(rotation.url, 'http://y.example/');
  });

  test('should count anew when the same page is asked for again', async () => {
    rotation.show('http://x.example/', 10);
    await clock.advance(9_000);
    rotation.show('http://x.example/', 10);
    await clock.advance(9_000);
    assert.equal(rotation.url, 'http://x.example/');
  });

  test('should take turns in the order of the list, home only if it is listed', async () => {
    pages = [A, { name: 'still', url: 'http://still.example/' }, B];
    rotation.rest();
    await clock.advance(30_000);
    assert.deepEqual(wanted, [A.url, B.url, A.url]);
    pages = [A, { name: 'home', url: 'http://lobby.localhost:8080', seconds: 5 }];
    wanted = [];
    rotation.rest();
    await clock.advance(10_000);
    assert.deepEqual(wanted, [A.url, null]);
    assert.equal(rotation.isHome, true);
  });

  test('should not load a lonely page of the rotation again and again', async () => {
    pages = [A];
    rotation.rest();
    await clock.advance(100_000);
    assert.deepEqual(wanted, [A.url]);
  });

  test('should hold the rotation for a minute after a touch, and never shorten a turn', async () => {
    pages = [A, SLOW];
    rotation.rest();
    await clock.advance(9_000);
    rotation.touched();
    await clock.advance(59_999);
    assert.equal(rotation.url, A.url);
    await clock.advance(1);
    assert.equal(rotation.url, SLOW.url);
    rotation.touched();
    await clock.advance(299_999);
    assert.equal(rotation.url, SLOW.url);
    await clock.advance(1);
    assert.equal(rotation.url, A.url);
  });

  test('should interrupt the rotation for a caller, and take it up again', async () => {
    pages = [A, B];
    rotation.rest();
    rotation.show('http://x.example/', 60);
    await clock.advance(59_999);
    assert.deepEqual(wanted, [A.url, 'http://x.example/']);
    await clock.advance(1);
    assert.equal(rotation.url, A.url);
    rotation.home();
    assert.equal(rotation.isHome, true);
    await clock.advance(60_000);
    assert.equal(rotation.url, A.url);
  });

  test('should follow a list that changes, and stop with everything', async () => {
    pages = [A, B];
    rotation.rest();
    pages = [];
    await clock.advance(10_000);
    assert.equal(rotation.isHome, true);
    assert.equal(clock.pending, 0);
    rotation.show('http://x.example/', 60);
    rotation.stop();
    assert.equal(clock.pending, 0);
  });
});
