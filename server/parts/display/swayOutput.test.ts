import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { noSway, TestSway } from '../../kiosk/testing/testSway.ts';
import type { SwayIpc } from '../../platform/sway/swayIpc.ts';
import { settled } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
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

  test('should turn a screen that is plugged in later too, and leave touch to the first', async () => {
    const commands: string[] = [];
    const ipc = {
      listen: sway.ipc.listen.bind(sway.ipc),
      outputs: () => sway.ipc.outputs(),
      command: async (words: string) => {
        commands.push(words);
        await sway.ipc.command(words);
      },
      get isUp() {
        return sway.ipc.isUp;
      },
    };
    const follower = new SwayOutput(ipc as unknown as SwayIpc);
    follower.start(90);
    await until(() => commands.length === 2);
    assert.deepEqual(commands, ['output * transform 90', 'input type:touch map_to_output "X11-1"']);
    await sway.ipc.command('create_output');
    commands.length = 0;
    await until(async () => (await sway.ipc.outputs()).length === 2, 'a second screen');
    assert.ok((await sway.ipc.outputs()).every(({ rotation }) => rotation === 90));
    assert.equal(await follower.rotate(0), true);
    assert.equal(commands[0], 'output * transform 0');
    assert.ok(!commands.includes('output * transform 90'));
    assert.equal(commands.at(-1), 'input type:touch map_to_output "X11-1"');
    follower.stop();
  });

  test('should say everything again to a compositor that starts anew, and no more than once to one that refuses', async () => {
    const commands: string[] = [];
    let listener: Parameters<SwayIpc['listen']>[0] = {};
    const output = { name: 'HDMI-A-1', isActive: true, isLit: true, rotation: 0 };
    const ipc = {
      isUp: true,
      listen: (given: typeof listener) => {
        listener = given;
        return () => {};
      },
      outputs: async () => [output],
      command: async (words: string) => {
        commands.push(words);
        if (words.startsWith('output ')) listener.onOutput?.();
      },
    };
    new SwayOutput(ipc as unknown as SwayIpc).start(270);
    await until(() => commands.length === 1);
    for (let event = 0; event < 5; event++) listener.onOutput?.();
    await settled();
    assert.deepEqual(commands.splice(0), ['output * transform 270']);
    output.rotation = 270;
    listener.onUp?.();
    await until(() => commands.length === 1);
    // The screen is plugged into another socket.
    output.name = 'HDMI-A-2';
    listener.onOutput?.();
    await until(() => commands.length === 2);
    assert.deepEqual(
      commands,
      [1, 2].map((n) => `input type:touch map_to_output "HDMI-A-${n}"`),
    );
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
