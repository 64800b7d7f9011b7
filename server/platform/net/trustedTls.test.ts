import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import tls from 'node:tls';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { authoritiesOf, trustedAuthorities } from './trustedTls.ts';

describe('the authorities that are trusted', () => {
  test('should be those of Node and of the system', () => {
    const found = new Set(trustedAuthorities());
    for (const kind of ['default', 'system'] as const)
      for (const authority of tls.getCACertificates(kind)) assert.ok(found.has(authority));
  });

  test('should be read from the file of the system where Node cannot tell them', () => {
    const [first, second] = tls.rootCertificates as [string, string];
    const folder = temporaryFolder('authorities');
    const file = join(folder, 'bundle.crt');
    writeFileSync(file, `# a comment\n${first}\n${second}\n`);
    assert.deepEqual(authoritiesOf(file), [first, second]);
    assert.deepEqual(authoritiesOf(join(folder, 'missing.crt')), []);
  });
});
