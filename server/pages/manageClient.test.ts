import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { type CommandRow, curlFor, EventText, pageCodeFor, requestFor } from './manage/client/requests.ts';
import { purposeOf } from './manage/settingValue.ts';

const ACTIVATE: CommandRow = { method: 'POST', path: '/api/manage/projects/:id/activate', scope: 'manage' };
const LED: CommandRow = { method: 'POST', path: '/api/remote/led/on', scope: 'control', page: true };

describe('the request of a call', () => {
  test('should put params into the path, the query, headers and the body, as the contract says', () => {
    assert.deepEqual(requestFor(ACTIVATE, { id: 'a/b?c' }), {
      method: 'POST',
      path: '/api/manage/projects/a%2Fb%3Fc/activate',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    const journal: CommandRow = { method: 'GET', path: '/j', scope: 'view', query: ['limit', 'before'] };
    const { path, body, headers } = requestFor(journal, { limit: 5, before: undefined });
    assert.deepEqual([path, body, headers], ['/j?limit=5', undefined, {}]);
    const forget: CommandRow = { method: 'DELETE', path: '/t/:id', scope: 'manage' };
    assert.deepEqual(requestFor(forget, { id: 'x' }).body, undefined);
  });

  test('should write a header in UTF-8, one character for each byte', () => {
    const restore: CommandRow = {
      ...{ method: 'POST', path: '/r', scope: 'manage' },
      headers: { passphrase: 'x-passphrase' },
      upload: { field: 'backup', type: 'application/zip' },
    };
    const { headers, body } = requestFor(restore, { passphrase: 'grün €' });
    assert.equal(Buffer.from(headers['x-passphrase']!, 'latin1').toString('utf8'), 'grün €');
    assert.equal(body, undefined);
  });

  test('security: should give a shell only text, whatever the params hold', () => {
    const text = `'; echo $(id) "\`id\`" \\ '`;
    const line = curlFor(LED, { text }, "http://panel'$(id)");
    const printed = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; TOKEN=t; ${line}`], {
      encoding: 'utf8',
    });
    assert.deepEqual(printed.trimEnd().split('\n'), [
      ...['-X', 'POST', "http://panel'$(id)/api/remote/led/on", '-H', 'Authorization: Bearer t'],
      ...['-H', 'content-type: application/json', '-d', JSON.stringify({ text })],
    ]);
  });

  test('should say how a page makes the call, where pages may', () => {
    assert.equal(pageCodeFor('led.on', LED, { on: true }), `await container.call('led.on', {"on":true});`);
    assert.equal(pageCodeFor('projects.activate', ACTIVATE, {}), undefined);
  });
});

test('should read events from pieces of a stream, wherever they were cut', () => {
  const stream = ':\n\nevent: log\ndata: {"a":"é"}\n\ndata: one\ndata: two\n\n:\n\nevent: cut\ndata: no';
  for (const size of [1, 7, stream.length]) {
    const events: string[][] = [];
    const reader = new EventText((event, data) => events.push([event, data]));
    for (let at = 0; at < stream.length; at += size) reader.push(stream.slice(at, at + size));
    assert.deepEqual(events, [
      ['log', '{"a":"é"}'],
      ['message', 'one\ntwo'],
    ]);
  }
});

test('should sort settings by the longest beginning that fits', () => {
  assert.equal(purposeOf('kiosk.url'), 'show');
  assert.equal(purposeOf('kiosk.debugPort'), 'service');
  assert.equal(purposeOf('sip.port'), 'intercom');
  assert.equal(purposeOf('nobody.knows'), 'service');
});
