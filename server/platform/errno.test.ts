import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { errnoError, errnoOf, errnoWords } from './errno.ts';

test('should name the system error of an exception of node', () => {
  let error: unknown;
  try {
    readFileSync('/nonexistent');
  } catch (thrown) {
    error = thrown;
  }
  assert.equal(errnoOf(error), 'ENOENT');
});

test('should not mistake a code of another kind for a system error', () => {
  assert.equal(errnoOf(Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE' })), undefined);
  assert.equal(errnoOf(new Error('x')), undefined);
  assert.equal(errnoOf('ENOENT'), undefined);
});

test('should describe system errors in words', () => {
  assert.equal(errnoWords('ENOENT'), 'ENOENT (no such file or directory)');
  assert.equal(errnoWords('EACCES'), 'EACCES (permission denied)');
  assert.equal(errnoWords('ENOTHING'), 'ENOTHING');
  assert.equal(errnoOf(errnoError('EIO', 'x')), 'EIO');
});
