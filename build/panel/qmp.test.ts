import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { PanelError } from './arguments.ts';
import { Qmp, type QmpEvent } from './qmp.ts';

/** Speaks as QEMU does: a greeting, then an answer for each command, which `answer` gives as a line. */
async function withQemu(
  answer: (command: string, socket: Socket) => object | undefined,
  act: (qmp: Qmp) => Promise<void>,
): Promise<void> {
  const folder = temporaryFolder('qmp');
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('{"QMP": {"version": {}, "capabilities": []}}\r\n');
    socket.setEncoding('utf8').on('data', (text: string) => {
      for (const line of text.trim().split('\n')) {
        const { execute } = JSON.parse(line) as { execute: string };
        const said = execute === 'qmp_capabilities' ? { return: {} } : answer(execute, socket);
        if (said === undefined) continue;
        // In two pieces, as a socket may bring them.
        const words = `${JSON.stringify(said)}\r\n`;
        socket.write(words.slice(0, 5));
        setImmediate(() => socket.write(words.slice(5)));
      }
    });
  }).listen(join(folder, 'qmp.sock'));
  try {
    await once(server, 'listening');
    const qmp = await Qmp.open(join(folder, 'qmp.sock'));
    await act(qmp).finally(() => qmp.close());
  } finally {
    server.close();
  }
}

test('should give each command its answer, and events to those who listen', async () => {
  const heard: QmpEvent[] = [];
  await withQemu(
    (command, socket) => {
      socket.write('{"event": "POWERDOWN", "timestamp": {}}\r\n');
      return { return: { command } };
    },
    async (qmp) => {
      qmp.onEvent((event) => heard.push(event));
      assert.deepEqual(await qmp.ask('query-status'), { command: 'query-status' });
      assert.deepEqual(await qmp.ask('query-vnc'), { command: 'query-vnc' });
    },
  );
  assert.deepEqual(
    heard.map(({ event }) => event),
    ['POWERDOWN', 'POWERDOWN'],
  );
});

test('should say what QEMU refuses, in its words', async () => {
  const refused = () => ({ error: { class: 'GenericError', desc: 'no such display' } });
  await withQemu(refused, async (qmp) => {
    await assert.rejects(
      qmp.ask('screendump'),
      (error) => error instanceof PanelError && /no such display/.test(error.message),
    );
  });
});

test('should end what waits for an answer when QEMU is killed', async () => {
  const killed = (_: string, socket: Socket) => void socket.destroy();
  await withQemu(killed as () => undefined, async (qmp) => {
    await assert.rejects(qmp.ask('quit'), /The panel is gone/);
    await qmp.closed;
  });
});

test('should say that no panel runs where nobody listens', async () => {
  await assert.rejects(Qmp.open('/nowhere/qmp.sock'), /No virtual panel runs/);
});

test('should give up a QEMU that takes the connection and never answers', async () => {
  const folder = temporaryFolder('qmp');
  const taken: Socket[] = [];
  const server = createServer((socket) => void taken.push(socket)).listen(join(folder, 'qmp.sock'));
  try {
    await once(server, 'listening');
    await assert.rejects(Qmp.open(join(folder, 'qmp.sock'), 50), /does not answer qmp_capabilities/);
    // The connection does not keep the door taken.
    await once(taken[0]!.resume(), 'close');
  } finally {
    for (const socket of taken) socket.destroy();
    server.close();
  }
});
