import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { certificateText, developersSigner, KeyError, namedSigner } from './updateKeys.ts';

let work: string;
before(() => {
  work = temporaryFolder('keys');
});

const NOBODY = () => assert.fail('nothing is new');

test('security: should make a key that only its owner can read, once', () => {
  const said: string[] = [];
  const env = { XDG_CONFIG_HOME: join(work, 'config') };
  const signer = developersSigner((line) => said.push(line), env);
  assert.equal(signer.key, join(work, 'config/faceplate/update.key'));
  assert.equal(statSync(signer.key).mode & 0o777, 0o600);
  assert.equal(said.length, 1);
  const key = readFileSync(signer.key, 'utf8');
  assert.deepEqual(developersSigner(NOBODY, env), signer);
  assert.equal(readFileSync(signer.key, 'utf8'), key);
  assert.match(
    certificateText(signer.certificate, '1.0.0'),
    /^-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----\n$/,
  );
});

test('security: should never replace a key whose other half is missing', () => {
  const env = { XDG_CONFIG_HOME: join(work, 'half') };
  const { certificate } = developersSigner(() => {}, env);
  rmSync(certificate);
  assert.throws(() => developersSigner(NOBODY, env), KeyError);
});

test('should refuse files that are missing, no key, or of two pairs', () => {
  const [one, two] = ['one', 'two'].map((name) =>
    developersSigner(() => {}, { XDG_CONFIG_HOME: join(work, name) }),
  );
  assert.deepEqual(namedSigner(one!.key, one!.certificate), one);
  assert.throws(() => namedSigner(one!.key, two!.certificate), /not the certificate of/);
  assert.throws(() => namedSigner(one!.certificate, one!.certificate), /cannot read/);
  assert.throws(() => namedSigner(join(work, 'none'), one!.certificate), /no file/);
  assert.throws(() => certificateText(one!.key, '1.0.0'), /holds no certificate/);
});

test('security: should keep the oldest version that a file of certificates names, and no other words', () => {
  const { certificate } = developersSigner(() => {}, { XDG_CONFIG_HOME: join(work, 'oldest') });
  const block = readFileSync(certificate, 'utf8');
  const write = (text: string) => writeFileSync(certificate, text);
  write(`Our panels\nOldest-Version:  1.2.0\n${block}words\noldest-version: 1.1.0`);
  assert.equal(
    certificateText(certificate, '1.2.0'),
    `oldest-version: 1.2.0\noldest-version: 1.1.0\n${block}`,
  );
  assert.throws(() => certificateText(certificate, '1.2.0-rc.1'), /1\.2\.0, which 1\.2\.0-rc\.1 is not/);
  write(`oldest-version: new\n${block}`);
  assert.throws(() => certificateText(certificate, '1.2.0'), /"new" .* is no version/);
});
