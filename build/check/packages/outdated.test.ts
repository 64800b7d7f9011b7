import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outdatedText } from './outdated.ts';

test('should list each package that is behind its latest version, with both versions', () => {
  const said = JSON.stringify({
    werift: { current: '0.25.2', wanted: '0.25.2', latest: '0.26.0', location: '/x' },
    '@types/ws': { wanted: '8.18.2', latest: '8.19.0' },
  });
  assert.equal(
    outdatedText(said),
    [
      'Behind their latest version:',
      '@types/ws  not installed -> 8.19.0',
      'werift     0.25.2 -> 0.26.0',
    ].join('\n'),
  );
  assert.match(outdatedText('{}'), /^Every package /);
});

test('should say so where the registry is out of reach', () => {
  for (const said of [
    '{"error":{"code":"ENOTFOUND","summary":"request to https://x failed"}}',
    '',
    'npm: oops',
  ])
    assert.match(outdatedText(said), /^The registry cannot be reached( \(ENOTFOUND\))?, so nobody can say/);
});
