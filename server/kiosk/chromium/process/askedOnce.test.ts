import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { askedOnce } from '../live/target.ts';

describe('an expression that a browser may get twice', () => {
  test('should be evaluated once, and give its value each time', () => {
    const page: { count: number } = { count: 0 };
    const first = askedOnce('count += 1; "answer " + count', true);
    assert.equal(runInNewContext(first, page), 'answer 1');
    assert.equal(runInNewContext(first, page), 'answer 1');
    assert.equal(runInNewContext(askedOnce('"answer " + (count += 1)', true), page), 'answer 2');
    assert.equal(page.count, 2);
  });

  test('should stay as it is in other browsers', () => {
    assert.equal(askedOnce('1 + 1'), '1 + 1');
  });
});
