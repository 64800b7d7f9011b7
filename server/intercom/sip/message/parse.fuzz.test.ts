import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseNameAddr } from './fields.ts';
import { StreamFramer } from './framer.ts';
import { responseTo, serialise } from './message.ts';
import { parseMessage } from './parse.ts';
import { parseUri } from './uri.ts';

/** Messages of door stations, PBXs and attackers; the fuzzing starts from them. Lines end in LF in the files. */
const folder = join(import.meta.dirname, 'corpus');
const CORPUS = readdirSync(folder).map((name) => {
  const text = readFileSync(join(folder, name), 'utf8');
  return { name, data: Buffer.from(text.replaceAll('\n', '\r\n')) };
});

const PIECES = [
  '\r\n',
  '\r\n\r\n',
  ';',
  ',',
  '<',
  '>',
  '"',
  '\\',
  '%00',
  '@',
  ':',
  '=',
  '\0',
  '\r\n ',
  'SIP/2.0',
  '__proto__',
];

function mutated(message: Buffer): fc.Arbitrary<Buffer> {
  const change = fc.record({
    at: fc.nat(message.length),
    remove: fc.nat(30),
    insert: fc.oneof(
      fc.constantFrom(...PIECES).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
    ),
  });
  return fc.array(change, { minLength: 1, maxLength: 5 }).map((changes) => {
    let data = message;
    for (const { at, remove, insert } of changes)
      data = Buffer.concat([data.subarray(0, at), insert, data.subarray(at + remove)]);
    return data;
  });
}

/**
 * What must hold for any bytes: no exception, and every message sent because of them can be parsed and has no extra
 * header.
 */
function holds(data: Buffer): void {
  const parsed = parseMessage(data);
  if (parsed.kind === 'malformed') {
    if (parsed.request !== undefined) serialise(responseTo(parsed.request, parsed.status, 'tag'));
    return;
  }
  const again = parseMessage(serialise(parsed));
  assert.notEqual(again.kind, 'malformed');
  if (parsed.kind !== 'request') return;
  const lines = serialise(responseTo(parsed, 486, 'tag'))
    .toString('latin1')
    .split('\r\n');
  const copied = ['via', 'from', 'to', 'call-id', 'cseq', 'record-route'];
  const expected = copied.reduce((sum, name) => sum + parsed.headers.all(name).length, 0);
  assert.equal(lines.length, 1 + expected + 1 + 2);
}

test('should read every message of the corpus', () => {
  for (const { name, data } of CORPUS) assert.notEqual(parseMessage(data).kind, 'malformed', name);
  assert.ok(CORPUS.length >= 5);
});

test('security: should never throw, whatever is done to a message', () => {
  for (const { data } of CORPUS) fc.assert(fc.property(mutated(data), holds), { numRuns: 400 });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => holds(Buffer.from(bytes))),
    { numRuns: 500 },
  );
});

test('security: should never throw on pieces of a stream, and keep no more than one message', () => {
  for (const { data } of CORPUS) {
    const property = fc.property(
      fc.array(mutated(data), { maxLength: 4 }),
      fc.integer({ min: 1, max: 900 }),
      (parts, size) => {
        const ignore = (): void => {};
        const framer = new StreamFramer({
          onMessage: ignore,
          onMalformed: ignore,
          onPing: ignore,
          onPong: ignore,
          onLost: ignore,
        });
        const stream = Buffer.concat(parts);
        for (let at = 0; at < stream.length; at += size) framer.push(stream.subarray(at, at + size));
        assert.ok(framer.buffered <= 130 * 1024);
      },
    );
    fc.assert(property, { numRuns: 60 });
  }
});

test('security: should read hostile addresses in linear time', () => {
  const hostile = [
    '<'.repeat(8_000),
    '"\\'.repeat(4_000),
    ';a'.repeat(4_000),
    `a${' '.repeat(8_000)}b`,
    '<sip:'.repeat(1_600),
  ];
  for (const text of hostile) {
    const started = performance.now();
    parseNameAddr(text);
    parseUri(`sip:${text}`);
    parseMessage(Buffer.from(`INFO sip:x SIP/2.0\r\nVia: ${text}\r\nTo: ${text}\r\n\r\n`));
    assert.ok(performance.now() - started < 1_000, text.slice(0, 10));
  }
});
