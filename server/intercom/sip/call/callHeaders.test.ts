import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Headers } from '../message/headers.ts';
import { readCallHeaders, writeCallHeaders } from './callHeaders.ts';

const read = (...fields: [string, string][]) => readCallHeaders(Headers.of(fields));

test('should read every form in which phones ask for an automatic answer', () => {
  for (const [name, value] of [
    ['Call-Info', '<sip:192.0.2.1>;answer-after=0'],
    ['Call-Info', '<http://x/icon>;purpose=icon, <sip:x>;answer-after=0'],
    ['Call-Info', 'answer-after=0'],
    ['Alert-Info', '<http://192.0.2.1>;info=alert-autoanswer;delay=0'],
    ['Alert-Info', 'info=alert-autoanswer'],
    ['Alert-Info', '<http://x>;intercom=true'],
    ['Alert-Info', 'Auto Answer'],
    ['Alert-Info', '"Ring Answer"'],
    ['Alert-Info', '<http://x>;info=Auto Answer'],
    ['Answer-Mode', 'Auto'],
    ['Answer-Mode', 'Auto;require'],
    ['Priv-Answer-Mode', 'auto'],
  ] as const)
    assert.equal(read([name, value]).autoAnswer, true, `${name}: ${value}`);
});

test('should not answer automatically for anything else', () => {
  for (const [name, value] of [
    ['Call-Info', '<sip:x>;answer-after=5'],
    ['Call-Info', '<sip:x;answer-after=0>'],
    ['Alert-Info', '<http://x>;info=ring1'],
    ['Alert-Info', '<http://x/Auto Answer.wav>'],
    ['Alert-Info', '"'],
    ['Answer-Mode', 'Manual'],
    ['Subject', 'Auto'],
  ] as const)
    assert.equal(read([name, value]).autoAnswer, false, `${name}: ${value}`);
});

test('should read back what it writes', () => {
  const headers = new Headers();
  writeCallHeaders(headers, { autoAnswer: true, pageId: 'a1-b2' }, '2001:db8::1');
  assert.deepEqual(readCallHeaders(headers), { autoAnswer: true, pageId: 'a1-b2' });
  const none = new Headers();
  writeCallHeaders(none, {}, '192.0.2.1');
  assert.equal(none.toString(), '');
});

test('security: should accept an announcement id only if it is a short word', () => {
  assert.equal(read(['X-Panel-Page', '<script>']).pageId, undefined);
  assert.equal(read(['X-Panel-Page', 'a'.repeat(100)]).pageId?.length, 64);
});
