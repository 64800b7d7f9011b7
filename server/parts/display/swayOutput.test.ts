import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { noSway, TestSway } from '../../kiosk/testing/testSway.ts';
import { SwayOutput } from './swayOutput.ts';

describe('the output on sway', { skip: noSway, timeout: 60_000 }, () => {
  let sway: TestSway;
  let output: SwayOutput;

  before(async () => {
    sway = await TestSway.open();
    output = new SwayOutput(sway.ipc);
  });
  after(() => sway?.[Symbol.asyncDispose]());

  test('should turn the picture, and back', async () => {
    for (const rotation of [90, 180, 270, 0] as const) {
      assert.equal(await output.rotate(rotation), true);
      assert.equal((await sway.ipc.outputs())[0]!.rotation, rotation);
    }
  });

  test('should switch the signal, or say that this output cannot', async () => {
    // The virtual output of Debian 12 refuses, though sway answers that all went well; that of Debian 13 goes dark.
    let touches = 0;
    const isDone = await output.power(false, () => touches++);
    assert.equal((await sway.ipc.outputs())[0]!.isLit, !isDone);
    assert.equal(await output.power(true), true);
    assert.equal((await sway.ipc.outputs())[0]!.isLit, true);
    // A press belongs to the windows again. With a real signal that is off, the tests of the virtual panel press.
    await sway.screen.input('mousemove 200 200 click 1');
    await sway.ipc.outputs();
    assert.equal(touches, 0);
  });

  test('should do nothing while there is no compositor', async () => {
    await sway.ipc.stop();
    assert.equal(await output.power(false), false);
    assert.equal(await output.rotate(90), false);
  });
});
