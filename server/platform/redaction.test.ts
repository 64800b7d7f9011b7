import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from './log.ts';
import { shownCameraAddress } from './redaction.ts';

test('should show where a camera is and the last element of its path', () => {
  for (const [url, shown] of [
    ['rtsp://10.0.0.5:8554/live', 'rtsp://10.0.0.5:8554/live'],
    ['rtsps://door.local', 'rtsps://door.local'],
    ['rtsp://cam:s3cret@10.0.0.5/', 'rtsp://cam@10.0.0.5/'],
    ['rtsp://[fe80::1]/Streaming/Channels/101', 'rtsp://[fe80::1]/…/101'],
    ['rtsp://10.0.0.5/cam/realmonitor?channel=1&subtype=0', 'rtsp://10.0.0.5/…/realmonitor'],
    ['no address', ''],
  ] as const) {
    assert.equal(shownCameraAddress(url), shown);
  }
});

/** Addresses in the forms of camera makers, each with the passwords SECRET1 and SECRET2. */
const WITH_SECRETS = [
  'rtsp://admin:SECRET1@10.0.0.5/live',
  'rtsp://10.0.0.5/user=admin&password=SECRET1&channel=1?pwd=SECRET2',
  'rtsp://10.0.0.5/user=admin_password=SECRET1_channel=1_stream=0.sdp',
  'rtsp://10.0.0.5/USER=admin&PassWord=SECRET1/SECRET2&channel=1',
  'rtsp://10.0.0.5/user%3Dadmin%26passwd%3DSECRET1',
  'rtsp://10.0.0.5/admin/SECRET1/ch1?token=SECRET2',
  'rtsp://10.0.0.5/videostream?loginuse=admin&loginpas=SECRET1&pwd=SECRET2',
  'rtsp://10.0.0.5/ch1?user_pwd=SECRET1&camera-passphrase=SECRET2#SECRET1',
];

/** Logins as people paste them. */
const PASTED = [
  'a/SECRET1',
  'SECRET1@SECRET2',
  'SECRET1##SECRET2',
  'SECRET1?x=SECRET2/@',
  '%0XSECRET1',
  'SECRET1^ !SECRET2',
  '@/SECRET1',
  'SECRET1"SECRET2',
  'SECRET1\\SECRET2',
].map((password) => `rtsp://admin:${password}@10.0.0.5:554/live`);

test('security: should show no user and no password from the path or query of a camera address', () => {
  for (const url of WITH_SECRETS) {
    const shown = shownCameraAddress(url);
    assert.match(shown, /^rtsp:\/\/(admin@)?10\.0\.0\.5\//, url);
    assert.doesNotMatch(shown, /SECRET/, url);
    if (!url.includes('admin:')) assert.doesNotMatch(shown, /admin/, url);
  }
  assert.equal(shownCameraAddress(WITH_SECRETS[1]!), 'rtsp://10.0.0.5/user=***&password=***&channel=1');
});

test('security: should leave no login of an address in a log line, wherever it is', () => {
  const lines: string[] = [];
  const log = createLogger('info', { write: (line: string) => lines.push(line) } as never);
  const named = [...WITH_SECRETS.filter((url) => !/\/admin\/|token/.test(url)), ...PASTED];
  for (const url of named) {
    log.info({ reason: `no answer from "${url}"`, deep: { a: { b: { c: [url] } } } }, `opening ${url}`);
    log.error({ err: new Error(`Invalid URL: '${url}'`) }, 'failed');
    log.child({ camera: url }).warn('"quoted" a@b');
  }
  assert.equal(lines.length, 3 * named.length);
  assert.doesNotMatch(lines.join(''), /SECRET/);
  for (const line of lines) assert.ok(JSON.parse(line).msg, 'the line stays JSON');
  assert.equal(JSON.parse(lines[2]!).msg, '"quoted" a@b');
  log.info({ site: 'http://10.0.0.5', to: 'a@b' }, 'http://10.0.0.5/a "mail@example.org"');
  assert.deepEqual(
    [JSON.parse(lines.at(-1)!)].map(({ site, to, msg }) => [site, to, msg]),
    [['http://10.0.0.5', 'a@b', 'http://10.0.0.5/a "mail@example.org"']],
  );
});
