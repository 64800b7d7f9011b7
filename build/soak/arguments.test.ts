import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readArguments, SoakError } from './arguments.ts';

const read = (line: string, env = {}) => readArguments(line.split(' '), env);

test('should soak this desk where no panel is named', () => {
  const { hours, every, panel, camera, broker } = read('--hours 4');
  assert.deepEqual([hours, every, panel, camera, broker], [4, 60, undefined, undefined, undefined]);
});

test('should take a panel with its camera and broker, and the token from the environment', () => {
  const far =
    '--hours 0.5 --every 30 --panel http://hall:8080 --camera rtsp://c/1 --broker mqtt://b --mqtt-id hall';
  const options = read(far, { FACEPLATE_TOKEN: 't' });
  assert.deepEqual(options.panel, { address: 'http://hall:8080', token: 't' });
  assert.deepEqual(options.broker, { url: 'mqtt://b', id: 'hall' });
  assert.equal(options.camera, 'rtsp://c/1');
  assert.equal(read('--hours 1 --panel hall --token own', { FACEPLATE_TOKEN: 't' }).panel?.token, 'own');
});

for (const [line, sentence] of [
  ['--every 60', /how long/],
  ['--hours soon', /no number above 0/],
  ['--hours -1', /--hours/],
  ['--hours 0.1', /fewer than 12 samples/],
  ['--hours 1 --panel hall', /needs its token/],
  ['--hours 1 --camera rtsp://c/1', /belong to a --panel/],
  ['--hours 1 --token t', /belong to a --panel/],
  ['--hours 1 --panel hall --token t --broker mqtt://b', /--mqtt-id/],
  ['--hours 1 --days 2', /--days/],
] as const) {
  test(`should refuse ${line} with a sentence`, () => {
    assert.throws(
      () => read(line),
      (error) => error instanceof SoakError && sentence.test(error.message),
    );
  });
}
