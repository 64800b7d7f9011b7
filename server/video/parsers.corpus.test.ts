import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FaceplateError } from '../contract/errors.ts';
import { corpusOf } from './testing/corpus.ts';
import { parsers } from './testing/parsers.ts';

for (const [kind, parse] of Object.entries(parsers)) {
  test(`should accept or refuse every ${kind} message of the corpus as before, and survive it`, () => {
    const entries = corpusOf(kind as keyof typeof parsers);
    assert.ok(entries.length >= 8);
    const isTaken = (data: Buffer): boolean => {
      try {
        return parse(data);
      } catch (error) {
        if (error instanceof FaceplateError) return false;
        throw error;
      }
    };
    for (const { about, isTaken: expected, data } of entries) assert.equal(isTaken(data), expected, about);
  });
}
