import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FaceplateError } from '../contract/errors.ts';
import { MAX_SDP_LINES, readSdp, type SdpBounds, type SdpText } from './sdp.ts';

const bounds: SdpBounds = {
  lines: MAX_SDP_LINES,
  media: 4,
  refuse: (what) => new FaceplateError('INVALID_REQUEST', `It has ${what}.`),
};
const read = (text: string): SdpText => readSdp(text, bounds);

test('should split a description into session and media lines, whatever the line ends', () => {
  for (const end of ['\r\n', '\n', '\r']) {
    const { session, media } = read(
      [
        'v=0',
        '',
        'c=IN IP4 1.2.3.4',
        ' a=setup : passive ',
        'a=ice-lite',
        'm=audio 9/2  RTP/AVP\t0 8 0',
        'a=mid:x',
      ]
        .join(end)
        .concat(end),
    );
    assert.deepEqual(session.values('c'), ['IN IP4 1.2.3.4']);
    assert.deepEqual(session.attributes('setup'), ['passive']);
    assert.deepEqual([session.has('ice-lite'), session.has('mid')], [true, false]);
    const [line] = media;
    assert.deepEqual([line!.kind, line!.port, line!.protocol], ['audio', '9/2', 'RTP/AVP']);
    assert.deepEqual(
      [line!.formatList, line!.payloadTypes],
      [
        ['0', '8'],
        [0, 8],
      ],
    );
    assert.deepEqual(line!.attributes('mid'), ['x']);
  }
});

test('should skip text that is not a line, and end with the text', () => {
  for (const text of [
    '',
    '\r',
    '\n\r\n',
    'a',
    'a=',
    '=',
    'm',
    'm=',
    'a=:',
    'a=:x',
    'a=x:',
    ' \t ',
    '\r\n a=x',
  ]) {
    const { session, media } = read(text);
    assert.equal(media.length, text === 'm=' ? 1 : 0, JSON.stringify(text));
    assert.equal(session.has('x'), text.includes('x:') || text.endsWith('=x'), JSON.stringify(text));
  }
});

test('should find the lines about each format', () => {
  const { media } = read(
    [
      'm=video 9 RTP/AVP 96 97 0 x',
      'a=rtpmap:096 h264/90000',
      'a=fmtp:96 a=1;B = Zz==',
      'a=fmtp:96 c=2; 0-16',
      'a=rtcp-fb:* ccm fir',
      'a=rtcp-fb:96 nack',
      'a=rtpmap:97 opus/48000/2',
      'a=rtpmap:98 none/1',
    ].join('\n'),
  );
  const [h264, opus, pcmu, ...others] = media[0]!.formats;
  assert.deepEqual([h264!.codec, h264!.clockRate, h264!.channels], ['H264', 90_000, 1]);
  assert.deepEqual(Object.fromEntries(h264!.parameters), { a: '1', b: 'Zz==', c: '2', '': '0-16' });
  assert.deepEqual([h264!.feedback, opus!.feedback], [['nack', 'ccm fir'], ['ccm fir']]);
  assert.deepEqual([opus!.codec, opus!.clockRate, opus!.channels], ['OPUS', 48_000, 2]);
  assert.deepEqual([pcmu!.codec, pcmu!.clockRate], ['PCMU', 8_000]);
  assert.deepEqual(others, []);
});

test('security: should refuse a description over the limits', () => {
  const refuses = (text: string, what: RegExp): void =>
    assert.throws(
      () => read(text),
      (error: unknown) => error instanceof FaceplateError && what.test(error.message),
    );
  read('a=x\r\n'.repeat(MAX_SDP_LINES));
  refuses('a=x\r\n'.repeat(MAX_SDP_LINES + 1), /more than 2000 lines/);
  refuses('\n'.repeat(100_000), /more than 2000 lines/);
  read('m=audio 1 RTP/AVP 0\n'.repeat(4));
  refuses('m=audio 1 RTP/AVP 0\n'.repeat(5), /more than 4 media lines/);
  const formats = (count: number): string => Array.from({ length: count }, (_, i) => i).join(' ');
  read(`m=audio 1 RTP/AVP ${formats(64)}`);
  refuses(`m=audio 1 RTP/AVP ${formats(65)}`, /more than 64 formats/);
  refuses(`m=audio 1 RTP/AVP ${'0 '.repeat(65)}`, /more than 64 formats/);
});
