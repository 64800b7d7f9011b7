import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SettingsError } from './loadSettings.ts';
import { takeReplayFlags } from './replayFlags.ts';

test('should take the flags of a replay out of the command line', () => {
  assert.deepEqual(
    takeReplayFlags(['--host', 'none', '--replay', 'a.ndjson', '--speed', '2.5', '--http.port=1']),
    {
      args: ['--host', 'none', '--http.port=1'],
      replay: { path: 'a.ndjson', speed: 2.5 },
    },
  );
  assert.deepEqual(takeReplayFlags(['--speed=10', '--replay=b=c.ndjson']), {
    args: [],
    replay: { path: 'b=c.ndjson', speed: 10 },
  });
  assert.deepEqual(takeReplayFlags(['--host', 'none']), { args: ['--host', 'none'], replay: undefined });
});

test('should name each mistake in the flags of a replay', () => {
  const mistakes = (...args: string[]) => {
    try {
      takeReplayFlags(args);
    } catch (error) {
      return (error as SettingsError).mistakes;
    }
    return [];
  };
  assert.deepEqual(mistakes('--replay'), ['flag --replay: needs a value']);
  assert.deepEqual(mistakes('--replay', '--speed', '2'), ['flag --replay: needs a value']);
  assert.deepEqual(mistakes('--replay='), ['flag --replay: needs a value']);
  assert.deepEqual(mistakes('--speed', '2'), ['flag --speed: belongs to --replay']);
  for (const speed of ['0', '-1', 'fast', '1001', 'NaN', 'Infinity'])
    assert.deepEqual(mistakes('--replay', 'a', '--speed', speed), [
      'flag --speed: must be a number from 0.1 to 1000',
    ]);
});
