import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatNameAddr, parseNameAddr } from './fields.ts';
import { StreamFramer } from './framer.ts';
import { Headers } from './headers.ts';
import { NO_BODY, responseTo, serialise } from './message.ts';
import { parseMessage } from './parse.ts';
import { formatUri, parseUri, sipUri } from './uri.ts';

const HEAD = [
  'Via: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bK1',
  'Via: SIP/2.0/TCP 192.0.2.2;branch=z9hG4bK2',
  'From: <sip:a@x>;tag=1',
  'To: <sip:b@y>',
  'Call-ID: c',
  'CSeq: 1 INFO',
];
const message = (body: string): string =>
  [`INFO sip:b@y SIP/2.0`, ...HEAD, `Content-Length: ${body.length}`, '', body].join('\r\n');

test('security: should strip line ends and zero bytes from everything that is written', () => {
  const evil = 'Eve\r\nContact: <sip:evil@x>\n\0Route: <sip:evil>';
  const headers = Headers.of([
    [
      'From',
      formatNameAddr({ displayName: evil, uri: sipUri(evil, '192.0.2.1'), params: new Map([['tag', evil]]) }),
    ],
    ['Subject', evil],
  ]);
  headers.add(`X-Evil\r\nRoute`, 'x');
  const text = serialise({
    kind: 'request',
    method: 'INFO',
    uri: `sip:${evil}`,
    headers,
    body: NO_BODY,
  }).toString();
  const names = text.split('\r\n').map((line) => line.split(':')[0]);
  assert.deepEqual(names, ['INFO sip', 'From', 'Subject', 'X-Evilroute', 'Content-Length', '', '']);
  assert.doesNotMatch(text.replaceAll('\r\n', ''), /[\r\n\0]/);
});

test('security: should treat names such as __proto__ like all others', () => {
  const parsed = parseMessage(Buffer.from(message('').replace('Call-ID', '__proto__: x\r\nCall-ID')));
  assert.ok(parsed.kind === 'request');
  assert.equal(parsed.headers.get('__proto__'), 'x');
  assert.equal(parsed.headers.get('constructor'), undefined);
  const address = parseNameAddr('<sip:a@x>;__proto__=1;constructor=2');
  assert.equal(address?.params.get('__proto__'), '1');
  assert.equal(({} as Record<string, unknown>).constructor, Object);
});

test('should write the same message that it read', () => {
  for (const text of [
    '"Front \\"door\\"" <sip:door@example.org:5070;transport=tcp>;tag=a',
    '<sips:[2001:db8::1]:5061>',
    '<tel:+493012345;phone-context=x>',
  ]) {
    assert.equal(formatNameAddr(parseNameAddr(text)!), text);
  }
});

test('should escape what a user part must not contain', () => {
  assert.equal(formatUri(sipUri('9901#1', '192.0.2.1', 5060)), 'sip:9901%231@192.0.2.1:5060');
  assert.equal(formatUri(sipUri('a@b;c', '2001:db8::1')), 'sip:a%40b%3Bc@[2001:db8::1]');
  assert.equal(formatUri(sipUri('\ud800', 'x')), 'sip:%EF%BF%BD@x');
});

test('should drop the password of a URI', () => {
  assert.equal(formatUri(parseUri('sip:a:secret@x')!), 'sip:a@x');
});

test('should copy the required fields to a response, and tag To once', () => {
  const request = parseMessage(Buffer.from(message('')));
  assert.ok(request.kind === 'request');
  const response = responseTo(request, 481, 'mine');
  assert.deepEqual(response.headers.all('via'), request.headers.all('via'));
  assert.equal(response.headers.get('to'), '<sip:b@y>;tag=mine');
  assert.equal(
    responseTo({ ...request, headers: response.headers }, 200, 'other').headers.get('to'),
    '<sip:b@y>;tag=mine',
  );
  assert.equal(responseTo(request, 100, 'mine').headers.get('to'), '<sip:b@y>');
});

test('should split a stream into its messages, wherever the chunks end', () => {
  const stream = Buffer.from(`${message('one')}\r\n\r\n${message('')}${message('three')}\r\n`);
  for (let size = 1; size < stream.length; size += 7) {
    const seen: string[] = [];
    const framer = new StreamFramer({
      onMessage: (read) => seen.push(read.body.toString()),
      onMalformed: ({ problem }) => seen.push(problem),
      onPing: () => seen.push('keepalive'),
      onPong: () => seen.push('keepalive'),
      onLost: () => seen.push('lost'),
    });
    for (let at = 0; at < stream.length; at += size) framer.push(stream.subarray(at, at + size));
    // A ping that is split in two looks like two answers; this does no harm.
    const once = seen.filter((text, at) => text !== 'keepalive' || seen[at - 1] !== 'keepalive');
    assert.deepEqual(once, ['one', 'keepalive', '', 'three', 'keepalive']);
    assert.equal(framer.buffered, 0);
  }
});

test('security: should give up a stream whose next message cannot be found, and keep nothing of it', () => {
  const cases: Record<string, string> = {
    'no Content-Length': message('').replace(/Content-Length.*\r\n/, ''),
    'two lengths': message('').replace('Content-Length', 'l: 5\r\nContent-Length'),
    'a body too long': message('').replace('Content-Length: 0', 'Content-Length: 65537'),
    'no end': 'X'.repeat(70_000),
    'a stray carriage return': '\rINVITE',
  };
  for (const [what, text] of Object.entries(cases)) {
    let isLost = false;
    const ignore = (): void => {};
    const framer = new StreamFramer({
      onMessage: () => assert.fail(what),
      onMalformed: ignore,
      onPing: ignore,
      onPong: ignore,
      onLost: () => {
        isLost = true;
      },
    });
    framer.push(Buffer.from(text));
    framer.push(Buffer.from(message('')));
    assert.equal(isLost, true, what);
    assert.equal(framer.buffered, 0);
  }
});
