import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';

const skip =
  spawnSync('unshare', ['-rn', 'true']).status === 0 && spawnSync('ip', ['-V']).status === 0
    ? false
    : 'needs network namespaces: unshare(1) and ip(8)';

const SERVICE = new URL('./service.ts', import.meta.url).href;
const NATIVE = new URL('../../platform/native/burstSocket.ts', import.meta.url).href;
const LOG = new URL('../../platform/log.ts', import.meta.url).href;

/** Sends each text to its host, and prints what became of it. */
const SENDER = `
const { DatagramSocket, UdpService } = await import(process.env.SERVICE);
const { openPortSocket } = await import(process.env.NATIVE);
const { silentLogger } = await import(process.env.LOG);
const log = silentLogger();
const holders = { hold: () => () => {}, touch: () => {} };
const clock = { now: () => 0, after: () => () => {} };
const service = new UdpService({ driver: new DatagramSocket(log, undefined, openPortSocket), holders, clock, ownPorts: () => [], log });
const context = { identity: {}, signal: new AbortController().signal };
for (const [host, text, from] of JSON.parse(process.env.SENDS)) {
  try {
    if (from !== undefined) await service.listen({ port: from }, context);
    await service.send({ host, port: 40009, text, from }, context);
    console.log('sent ' + text);
  } catch ({ code, message }) {
    console.log(code + ' ' + message);
  }
}
await new Promise((resolve) => setTimeout(resolve, 200));
await service.stop();
`;
/** The devices on the wires: says what comes, with the address that it comes from. */
const RECEIVER = `
const socket = require('node:dgram').createSocket('udp4');
socket.on('message', (bytes, { address, port }) => console.log('heard ' + bytes + ' from ' + address + (port === 40010 ? ':' + port : '')));
socket.bind(40009, '0.0.0.0');
`;

/** Runs the sender in a network of its own. @param cables address of the panel, with its prefix, and of the device */
function inNamespace(
  cables: readonly (readonly [string, string])[],
  sends: readonly (readonly [string, string, number?])[],
) {
  const links = cables.map(
    ([panel, device], index) => `
    ip link add p${index} type veth peer name d${index} netns $devices
    nsenter -t $devices -n ip addr add ${device} dev d${index}
    nsenter -t $devices -n ip link set d${index} up
    ip addr add ${panel} broadcast + dev p${index}
    ip link set p${index} up
    until ip -o link show p${index} | grep -q 'state UP'; do sleep 0.02; done`,
  );
  const script = `
    ip link set lo up
    unshare -n "$0" -e "$1" &
    devices=$!
    until [ "$(readlink /proc/$devices/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.02; done
    ${links.join('')}
    until nsenter -t $devices -n grep -q :9C49 /proc/$devices/net/udp; do sleep 0.02; done
    "$0" --disable-warning=ExperimentalWarning --input-type=module -e "$2"
    kill $devices`;
  const child = spawnSync('unshare', ['-rn', 'sh', '-c', script, process.execPath, RECEIVER, SENDER], {
    encoding: 'utf8',
    env: { ...process.env, SENDS: JSON.stringify(sends), SERVICE, NATIVE, LOG },
    timeout: 60_000,
  });
  return { lines: child.stdout.trim().split('\n').sort(), stderr: child.stderr };
}

describe('broadcasts of a panel', { skip }, () => {
  test('should go out of every interface, without a gateway too, and a directed one out of its own', () => {
    const { lines, stderr } = inNamespace(
      [
        ['172.31.0.5/16', '172.31.0.9/16'],
        ['10.9.0.5/24', '10.9.0.9/24'],
      ],
      [
        ['255.255.255.255', 'all'],
        ['172.31.255.255', 'first'],
        ['10.9.0.255', 'second'],
      ],
    );
    assert.deepEqual(
      lines,
      [
        'heard all from 10.9.0.5',
        'heard all from 172.31.0.5',
        'heard first from 172.31.0.5',
        'heard second from 10.9.0.5',
        'sent all',
        'sent first',
        'sent second',
      ],
      stderr,
    );
  });

  test('should go out of every interface from the port that is heard, too', () => {
    const { lines, stderr } = inNamespace(
      [
        ['172.31.0.5/16', '172.31.0.9/16'],
        ['10.9.0.5/24', '10.9.0.9/24'],
      ],
      [
        ['255.255.255.255', 'all', 40010],
        ['10.9.0.255', 'second', 40010],
        ['172.31.0.9', 'one', 40010],
      ],
    );
    assert.deepEqual(
      lines,
      [
        'heard all from 10.9.0.5:40010',
        'heard all from 172.31.0.5:40010',
        'heard one from 172.31.0.5:40010',
        'heard second from 10.9.0.5:40010',
        'sent all',
        'sent one',
        'sent second',
      ],
      stderr,
    );
  });

  test('should be HARDWARE_ERROR only where no interface takes it', () => {
    const { lines, stderr } = inNamespace([], [['255.255.255.255', 'all']]);
    assert.deepEqual(
      lines.map((line) => line.replace(/: .*/, '')),
      ['HARDWARE_ERROR The datagram to 255.255.255.255 could not be sent'],
      stderr,
    );
    const heard = inNamespace([], [['255.255.255.255', 'all', 40010]]);
    assert.match(heard.lines.join(), /^HARDWARE_ERROR The datagram to 255/, heard.stderr);
  });
});
