import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

/** A UDP path on which datagrams get lost, both ways. */
interface LossyRelay {
  /** What is sent here arrives at the target, and its answers come back from here. */
  readonly port: number;
  readonly dropped: () => number;
  readonly passed: () => number;
  close(): void;
}

/**
 * Starts a relay on 127.0.0.1 to another port there, for one client.
 * @param loss share of the datagrams that get lost, from 0 to 1
 * @param random from 0 up to, but not including, 1
 */
export async function startLossyRelay(
  target: number,
  loss: number,
  random: () => number = Math.random,
): Promise<LossyRelay> {
  const [front, back] = [createSocket('udp4'), createSocket('udp4')];
  let client: RemoteInfo | undefined;
  let dropped = 0;
  let passed = 0;
  const passes = (): boolean => {
    if (random() >= loss) {
      passed++;
      return true;
    }
    dropped++;
    return false;
  };
  front.on('message', (data, from) => {
    client = from;
    if (passes()) back.send(data, target, '127.0.0.1');
  });
  back.on('message', (data) => {
    if (client !== undefined && passes()) front.send(data, client.port, client.address);
  });
  for (const socket of [front, back]) {
    socket.on('error', () => {});
    socket.bind(0, '127.0.0.1');
  }
  await Promise.all([once(front, 'listening'), once(back, 'listening')]);
  return {
    port: front.address().port,
    dropped: () => dropped,
    passed: () => passed,
    close: () => {
      front.close();
      back.close();
    },
  };
}
