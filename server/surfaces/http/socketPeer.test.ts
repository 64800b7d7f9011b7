import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { SocketPeer, type UsedSocket } from './screenSocket.ts';

/** A socket whose other end answers only what a test answers. */
class FakeSocket extends EventEmitter {
  readyState = 1;
  readonly pings: string[] = [];
  terminated = 0;
  code: number | undefined;

  send(): void {}

  ping(data = ''): void {
    this.pings.push(String(data));
  }

  close(code: number): void {
    this.readyState = 2;
    this.code = code;
  }

  terminate(): void {
    this.terminated++;
    this.readyState = 3;
    this.emit('close');
  }
}

function start() {
  const [socket, clock] = [new FakeSocket(), new FakeClock()];
  const ends: string[] = [];
  const dialogue = { open: () => {}, receive: () => {}, end: () => void ends.push('end') };
  const peer = new SocketPeer(socket as unknown as UsedSocket, dialogue, clock);
  peer.start();
  return { socket, clock, peer, ends };
}

describe('the other end of a WebSocket', () => {
  test('should be gone after 20 s without a sign of life, and stay while it answers', async () => {
    const { socket, clock, ends } = start();
    for (let i = 0; i < 6; i++) {
      await clock.advance(10_000);
      socket.emit('pong', Buffer.from(''));
    }
    assert.equal(socket.terminated, 0);
    await clock.advance(10_000);
    assert.equal(socket.terminated, 0);
    await clock.advance(10_000);
    assert.deepEqual([socket.terminated, ends], [1, ['end']]);
    assert.equal(clock.pending, 0);
  });

  test('should have taken a message when it answers the ping after it, in order', () => {
    const { socket, peer } = start();
    const taken: number[] = [];
    peer.send('a', () => taken.push(1));
    peer.send('b', () => taken.push(2));
    socket.emit('pong', Buffer.from('never sent'));
    assert.deepEqual(taken, []);
    socket.emit('pong', Buffer.from(socket.pings[0]!));
    assert.deepEqual(taken, [1]);
    socket.emit('pong', Buffer.from(socket.pings[1]!));
    assert.deepEqual(taken, [1, 2]);
  });

  test('should be cut off half a second after a close that it does not answer', async () => {
    const { socket, clock, peer } = start();
    peer.end('revoked');
    assert.equal(socket.code, 4401);
    await clock.advance(499);
    assert.equal(socket.terminated, 0);
    await clock.advance(1);
    assert.equal(socket.terminated, 1);
    assert.equal(clock.pending, 0);
  });
});
