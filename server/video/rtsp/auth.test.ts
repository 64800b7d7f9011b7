import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Authenticator, parseChallenges } from './auth.ts';

const MUFASA = { user: 'Mufasa', password: 'Circle of Life' };
const MUFASA_CNONCE = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';

const mufasaChallenge = (algorithm: string): string =>
  `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, ` +
  'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';

function fieldOf(header: string | undefined, name: string): string | undefined {
  return new RegExp(`[ ,]${name}="?([^",]*)`).exec(header ?? '')?.[1];
}

test('should give the MD5 and SHA-256 responses of RFC 7616 section 3.9.1', () => {
  const expected = {
    MD5: '8ca523f5e9506fed4657c9700eebdbec',
    'SHA-256': '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1',
  };
  for (const [algorithm, response] of Object.entries(expected)) {
    const authenticator = new Authenticator(MUFASA, () => MUFASA_CNONCE);
    assert.equal(authenticator.challenge([mufasaChallenge(algorithm)]), true);
    const header = authenticator.authorization('GET', '/dir/index.html');
    assert.equal(fieldOf(header, 'response'), response);
    assert.equal(fieldOf(header, 'nc'), '00000001');
    assert.equal(fieldOf(header, 'opaque'), 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS');
  }
});

test('should give the SHA-512-256 response and user hash of RFC 7616 section 3.9.2, erratum 4897', () => {
  const cnonce = 'NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v';
  const authenticator = new Authenticator({ user: 'Jäsøn Doe', password: 'Secret, or not?' }, () => cnonce);
  authenticator.challenge([
    'Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, ' +
      'nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", ' +
      'opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true',
  ]);
  const header = authenticator.authorization('GET', '/doe.json');
  assert.equal(
    fieldOf(header, 'response'),
    '3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5',
  );
  assert.equal(
    fieldOf(header, 'username'),
    '793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b',
  );
});

test('should give the response of RFC 2617 section 3.5, and count the nonce up', () => {
  const authenticator = new Authenticator({ user: 'Mufasa', password: 'Circle Of Life' }, () => '0a4f113b');
  authenticator.challenge([
    'Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"',
  ]);
  const first = authenticator.authorization('GET', '/dir/index.html');
  assert.equal(fieldOf(first, 'response'), '6629fae49393a05397450978507c4ef1');
  const second = authenticator.authorization('GET', '/dir/index.html');
  assert.equal(fieldOf(second, 'nc'), '00000002');
  assert.notEqual(fieldOf(second, 'response'), fieldOf(first, 'response'));
});

test('should leave out qop, nc and cnonce for cameras of the old form (RFC 2069)', () => {
  const authenticator = new Authenticator({ user: 'Mufasa', password: 'CircleOfLife' });
  authenticator.challenge(['Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"']);
  const header = authenticator.authorization('GET', '/dir/index.html');
  // The value of RFC 2069 section 2.4 as corrected by erratum 749.
  assert.equal(fieldOf(header, 'response'), '1949323746fe6a43ef61f9606e7febea');
  assert.equal(fieldOf(header, 'qop'), undefined);
  assert.equal(fieldOf(header, 'cnonce'), undefined);
});

test('should bind the -sess forms to the nonces', () => {
  const responses = ['MD5', 'MD5-sess'].map((algorithm) => {
    const authenticator = new Authenticator(MUFASA, () => MUFASA_CNONCE);
    authenticator.challenge([mufasaChallenge(algorithm)]);
    return fieldOf(authenticator.authorization('GET', '/dir/index.html'), 'response');
  });
  // Computed with openssl: HA1 = MD5(MD5(user:realm:password):nonce:cnonce).
  assert.deepEqual(responses, ['8ca523f5e9506fed4657c9700eebdbec', 'e783283f46242139c486a698fec7211d']);
});

test('should answer the strongest challenge, whatever their order', () => {
  const offers = ['Basic realm="r"', mufasaChallenge('MD5'), mufasaChallenge('SHA-256')];
  for (const order of [offers, offers.toReversed(), [offers.join(', ')]]) {
    const authenticator = new Authenticator(MUFASA);
    authenticator.challenge(order);
    assert.equal(fieldOf(authenticator.authorization('DESCRIBE', 'rtsp://c/'), 'algorithm'), 'SHA-256');
  }
});

test('should fall back to Basic when no digest can be answered', () => {
  const authenticator = new Authenticator({ user: 'cam', password: 'a:b' });
  authenticator.challenge(['Digest realm="r", nonce="n", algorithm=TURBO-1', 'Basic realm="r"']);
  const header = authenticator.authorization('DESCRIBE', 'rtsp://c/');
  assert.equal(header, `Basic ${Buffer.from('cam:a:b').toString('base64')}`);
});

test('should give up when nothing can be answered', () => {
  const authenticator = new Authenticator(MUFASA);
  assert.equal(authenticator.challenge(['Negotiate', 'Digest realm="r", nonce="n", qop="auth-int"']), false);
  assert.equal(authenticator.challenge([]), false);
  assert.equal(authenticator.authorization('DESCRIBE', 'rtsp://c/'), undefined);
});

test('should try again with a fresh nonce, and not with the one that was refused', () => {
  const authenticator = new Authenticator(MUFASA);
  const challenge = (nonce: string, extra = ''): string =>
    `Digest realm="r", nonce="${nonce}", qop="auth"${extra}`;
  assert.equal(authenticator.challenge([challenge('one')]), true);
  assert.equal(authenticator.challenge([challenge('one')]), false);
  assert.equal(authenticator.challenge([challenge('two', ', stale=TRUE')]), true);
  assert.equal(fieldOf(authenticator.authorization('PLAY', 'rtsp://c/'), 'nonce'), 'two');
});

test('should not repeat a Basic login that was refused', () => {
  const authenticator = new Authenticator(MUFASA);
  assert.equal(authenticator.challenge(['Basic realm="r"']), true);
  assert.equal(authenticator.challenge(['Basic realm="r"']), false);
});

test('should read several challenges in one header, quotes and commas inside values', () => {
  const challenges = parseChallenges(
    'Basic realm="a, \\"b\\"", Digest realm=plain, nonce="x=,y" ,qop="auth"',
  );
  assert.deepEqual(
    challenges.map(({ scheme, params }) => [scheme, Object.fromEntries(params)]),
    [
      ['basic', { realm: 'a, "b"' }],
      ['digest', { realm: 'plain', nonce: 'x=,y', qop: 'auth' }],
    ],
  );
});

test('should end on an unreadable challenge', () => {
  assert.deepEqual(parseChallenges('="'), []);
  assert.equal(parseChallenges('Digest realm="never closed').length, 1);
});

test('should escape quotes in what it sends, so that a realm cannot add fields', () => {
  const authenticator = new Authenticator({ user: 'a"b', password: 'p' });
  authenticator.challenge(['Digest realm="x\\", evil=\\"1", nonce="n"']);
  const header = authenticator.authorization('PLAY', 'rtsp://c/');
  assert.match(header ?? '', /username="a\\"b", realm="x\\", evil=\\"1", nonce="n"/);
});

test('should read a qop however it is quoted', () => {
  for (const qop of [
    '"auth"',
    'auth',
    '"auth,auth-int"',
    'auth,auth-int',
    '"auth-int, auth"',
    "'auth'",
    '"AUTH"',
  ]) {
    const authenticator = new Authenticator(MUFASA, () => MUFASA_CNONCE);
    const challenge = `Digest realm="r", qop=${qop}, nonce="n", algorithm=MD5`;
    assert.equal(authenticator.challenge([challenge]), true, challenge);
    const header = authenticator.authorization('PLAY', 'rtsp://c/');
    assert.deepEqual([fieldOf(header, 'qop'), fieldOf(header, 'nonce')], ['auth', 'n'], challenge);
  }
});

test('should read fields that are set apart by semicolons or blanks', () => {
  for (const challenge of [
    'Digest realm="r"; nonce="n"; stale="FALSE"',
    'Digest realm="r" nonce="n" stale=FALSE',
  ]) {
    const [digest] = parseChallenges(challenge);
    assert.deepEqual(Object.fromEntries(digest!.params), { realm: 'r', nonce: 'n', stale: 'FALSE' });
  }
});

test('should name the algorithm only as the camera named it', () => {
  for (const [field, echoed] of [
    ['', undefined],
    [', algorithm="MD5"', 'MD5'],
    [', algorithm=md5', 'md5'],
    [', algorithm="SHA256"', 'SHA256'],
    [', algorithm=""', undefined],
  ] as const) {
    const authenticator = new Authenticator(MUFASA);
    authenticator.challenge([`Digest realm="r", nonce="n"${field}`]);
    assert.equal(fieldOf(authenticator.authorization('PLAY', 'rtsp://c/'), 'algorithm'), echoed);
  }
});

test('should answer the next challenge where the strongest one is refused, and then none', () => {
  const both = (nonce: string) =>
    ['SHA-256', 'MD5'].map((name) => `Digest realm="r", nonce="${nonce}", algorithm="${name}"`);
  const authenticator = new Authenticator(MUFASA);
  const algorithm = () => fieldOf(authenticator.authorization('PLAY', 'rtsp://c/'), 'algorithm');
  authenticator.begin();
  assert.equal(authenticator.challenge([...both('1'), 'Basic realm="r"']), true);
  assert.equal(algorithm(), 'SHA-256');
  assert.equal(authenticator.challenge([...both('2'), 'Basic realm="r"']), true);
  assert.equal(algorithm(), 'MD5');
  assert.equal(authenticator.challenge([...both('3'), 'Basic realm="r"']), false);
  // What was accepted is taken first when its nonce has grown old.
  authenticator.begin();
  authenticator.challenge(both('4'));
  authenticator.challenge(both('5'));
  authenticator.accept();
  authenticator.begin();
  assert.equal(authenticator.challenge(both('6')), true);
  assert.equal(algorithm(), 'MD5');
});
