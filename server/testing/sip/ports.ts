import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the range from which the kernel chooses ports itself (net.ipv4.ip_local_port_range). */
const FIRST = 12_000;
const LAST = 31_000;
/** baresip listens on its port and on the next one (TLS); RTP wants pairs. */
const STEP = 10;
const TRIES = 200;

const given = new Set<number>();

/**
 * A port of 127.0.0.1 that is free for UDP and TCP, and its next one too. Never given twice, always ten apart.
 * Another process may still take it: programs that are started on it are tried again on another one.
 * @throws Error when none was found.
 */
export async function freeSipPort(): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const port = FIRST + STEP * Math.floor((Math.random() * (LAST - FIRST)) / STEP);
    if (given.has(port)) continue;
    if ((await isFree(port)) && (await isFree(port + 1))) {
      given.add(port);
      return port;
    }
  }
  throw new Error('no free port for SIP was found');
}

async function isFree(port: number): Promise<boolean> {
  const udp = createSocket('udp4');
  const tcp = createServer();
  try {
    udp.bind(port, '127.0.0.1');
    await once(udp, 'listening');
    tcp.listen(port, '127.0.0.1');
    await once(tcp, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    udp.close();
    if (tcp.listening) await new Promise((resolve) => tcp.close(resolve));
  }
}
