import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LoginRequest, mayHaveLogin } from './pageExtras.ts';

const HUB = 'http://hub.lan:8123';
const HOME = 'http://p1.localhost:8080';
const EVIL = 'http://evil.lan';

test('security: a login should go to its own site, below pages that the settings chose, and from no other site', () => {
  const read = { method: 'GET', from: undefined, isDocument: false };
  const document = { ...read, isDocument: true };
  const written = (from: string | undefined) => ({ ...read, method: 'POST', from });
  const rows: [boolean, LoginRequest][] = [
    // The whole page, and what it asks of its own site.
    [true, { ...document, documents: [] }],
    [true, { ...document, method: 'POST', from: HUB, documents: [] }],
    [true, { ...document, method: 'POST', from: HOME, documents: [] }],
    [false, { ...document, method: 'POST', from: EVIL, documents: [] }],
    [true, { ...read, documents: [HUB] }],
    [true, { ...read, documents: ['http://hub.lan:8124'] }],
    [false, { ...read, documents: ['https://hub.lan:8123'] }],
    [true, { ...written(HUB), documents: [HUB] }],
    // A frame in the home page, and what it asks.
    [true, { ...document, documents: [HOME] }],
    [true, { ...read, documents: [HUB, HOME] }],
    [true, { ...written(HUB), documents: [HUB, HOME] }],
    [false, { ...read, documents: [HOME] }],
    [false, { ...written(HOME), documents: [HOME] }],
    [false, { ...document, method: 'POST', from: HOME, documents: [HOME] }],
    [false, { ...written(undefined), documents: [HUB, HOME] }],
    [false, { ...written('null'), documents: [HUB, HOME] }],
    // Another page, and a frame of another site.
    [false, { ...document, documents: [EVIL] }],
    [false, { ...read, documents: [HUB, EVIL] }],
    [false, { ...read, documents: [EVIL, HUB] }],
    [false, { ...document, documents: [EVIL, HOME] }],
    [false, { ...read, documents: ['://', HUB] }],
    [false, { ...read, documents: [''] }],
    // What belongs to no document.
    [false, { ...read, documents: [] }],
  ];
  for (const [wanted, request] of rows)
    assert.equal(mayHaveLogin(HUB, request, [HOME]), wanted, JSON.stringify(request));
});
