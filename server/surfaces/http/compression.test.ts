import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { acceptsGzip } from './api.ts';

describe('the header Accept-Encoding', () => {
  it('should let gzip be sent where it is named, or all is, and not refused', () => {
    for (const header of [
      'gzip',
      'GZIP',
      'br, gzip',
      'deflate;q=1, gzip;q=0.001',
      'x-gzip',
      '*',
      'identity, *;q=0.5',
    ])
      assert.equal(acceptsGzip(header), true, header);
    for (const header of [
      undefined,
      '',
      'br',
      'identity',
      'gzip;q=0',
      'gzip; q=0.000',
      '*, gzip;q=0',
      '*;q=0',
      'gzipped',
    ])
      assert.equal(acceptsGzip(header), false, header);
  });

  it('security: should be read in time that grows with its length alone', () => {
    const started = process.cpuUsage();
    assert.equal(acceptsGzip(`${' ;,'.repeat(5_000)}br`), false);
    assert.ok(process.cpuUsage(started).user < 1e6);
  });
});
