import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCertificate, warmUp } from './dtls.ts';

test('should do a handshake with itself before the first viewer comes, and end on request', async () => {
  const end = new AbortController();
  const warming = warmUp(await createCertificate(), end.signal);
  // Within the first handshake, which still completes.
  setImmediate(() => end.abort());
  assert.equal(await warming, 1);
  assert.equal(await warmUp(await createCertificate(), AbortSignal.abort()), 0);
});
