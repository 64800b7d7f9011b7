import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FaceplateError } from '../../../contract/errors.ts';
import { parsePageAnswer } from './pageSdp.ts';

const DIGEST = Array.from({ length: 32 }, () => 'ab').join(':');
const ANSWER = [
  'v=0',
  's=-',
  'm=audio 9 UDP/TLS/RTP/SAVPF 0',
  'a=ice-ufrag:abcd',
  `a=fingerprint:SHA-256 ${DIGEST}`,
  'a=setup:active',
];
const answer = (...lines: string[]): string => `${[...ANSWER, ...lines].join('\r\n')}\r\n`;

const isRefused = (error: unknown): boolean =>
  error instanceof FaceplateError && error.code === 'INVALID_REQUEST' && error.field === 'sdp';

test("should read the page's answer", () => {
  assert.deepEqual(parsePageAnswer(answer('m=video 0 UDP/TLS/RTP/SAVPF 96')), {
    iceUfrag: 'abcd',
    fingerprints: [{ algorithm: 'sha-256', digest: DIGEST.toUpperCase() }],
  });
});

test('should refuse an answer without sound, ICE or DTLS, or one that waits for our handshake', () => {
  for (const [from, to] of [
    ['m=audio 9', 'm=audio 0'],
    ['a=ice-ufrag:', 'a=ice-pwd:'],
    ['a=fingerprint:SHA-256', 'a=fingerprint:MD5'],
    ['a=setup:active', 'a=setup:passive'],
  ] as const) {
    assert.throws(() => parsePageAnswer(answer().replace(from, to)), isRefused, to);
  }
});

test('security: should refuse an answer of too many lines or media lines', () => {
  parsePageAnswer(answer(...Array.from({ length: 1_900 }, () => 'a=x')));
  assert.throws(() => parsePageAnswer(answer(...Array.from({ length: 2_000 }, () => 'a=x'))), isRefused);
  assert.throws(() => parsePageAnswer(answer('m=video 0 x 1', 'm=video 0 x 1')), isRefused);
});
