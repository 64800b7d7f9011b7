import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Headers } from '../message/headers.ts';
import { parseMessage } from '../message/parse.ts';
import { Dialog, minSeOf, sessionExpiresOf } from './dialog.ts';

function read(...lines: string[]) {
  const message = parseMessage(Buffer.from([...lines, '', ''].join('\r\n')));
  assert.ok(message.kind !== 'malformed');
  return message;
}

const FIELDS = [
  'Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1',
  'From: "Hall" <sip:panel1@pbx.test>;tag=ours',
  'To: <sip:door@pbx.test>;tag=theirs',
  'Call-ID: c1',
  'CSeq: 3 INVITE',
  'Contact: <sip:door@192.0.2.9:5070;transport=tcp>',
];

test('should send requests along the route set, reversed for the caller (loose routing, section 12.2.1.1)', () => {
  const routes = 'Record-Route: <sip:p2.test;lr>, <sip:p1.test:5080;lr>';
  const response = read('SIP/2.0 200 OK', ...FIELDS, routes);
  assert.ok(response.kind === 'response');
  const dialog = Dialog.ofResponse(response)!;
  const bye = dialog.request('BYE');
  assert.equal(bye.uri, 'sip:door@192.0.2.9:5070;transport=tcp');
  assert.deepEqual(bye.headers.all('route'), ['<sip:p1.test:5080;lr>', '<sip:p2.test;lr>']);
  assert.deepEqual(
    [bye.headers.get('cseq'), bye.headers.get('from')],
    ['4 BYE', '"Hall" <sip:panel1@pbx.test>;tag=ours'],
  );
  assert.deepEqual([dialog.nextHop?.host, dialog.nextHop?.port], ['p1.test', 5080]);
  assert.equal(dialog.request('ACK', 3).headers.get('cseq'), '3 ACK');
});

test('should put a strict router into the Request-URI and the target at the end of the route', () => {
  const request = read(
    'INVITE sip:panel1@192.0.2.1 SIP/2.0',
    ...FIELDS,
    'Record-Route: <sip:old.test>,<sip:p1.test;lr>',
  );
  assert.ok(request.kind === 'request');
  const dialog = Dialog.ofRequest(request, 'new', { host: '192.0.2.9', port: 5060 })!;
  const bye = dialog.request('BYE');
  assert.equal(bye.uri, 'sip:old.test');
  assert.deepEqual(bye.headers.all('route'), ['<sip:p1.test;lr>', '<sip:door@192.0.2.9:5070;transport=tcp>']);
  assert.equal(dialog.nextHop?.host, 'old.test');
});

test('should accept requests only in order, and follow the remote party when it moves', () => {
  const request = read('INVITE sip:panel1@192.0.2.1 SIP/2.0', ...FIELDS);
  assert.ok(request.kind === 'request');
  const dialog = Dialog.ofRequest(request, 'new', { host: '192.0.2.9', port: 5060 })!;
  const later = read(
    'INVITE sip:panel1@192.0.2.1 SIP/2.0',
    ...FIELDS.slice(0, 4),
    'CSeq: 5 INVITE',
    'Contact: <sip:door@192.0.2.10>',
  );
  assert.ok(later.kind === 'request');
  assert.deepEqual([dialog.takes(later), dialog.takes(later), dialog.takes(request)], [true, false, false]);
  dialog.refresh(later);
  assert.equal(dialog.request('BYE').uri, 'sip:door@192.0.2.10');
});

test('should read the headers of session timers', () => {
  const of = (value: string) => sessionExpiresOf(Headers.of([['x', value]]));
  assert.deepEqual(of('1800'), { seconds: 1800, refresher: undefined });
  assert.deepEqual(of('90 ; refresher=UAS'), { seconds: 90, refresher: 'uas' });
  assert.equal(of('99999999999'), undefined);
  assert.equal(of('x'), undefined);
  assert.equal(minSeOf(Headers.of([['Min-SE', '120;a=b']])), 120);
});
