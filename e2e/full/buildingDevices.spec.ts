import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freeTcpPort, freeUdpPort } from '../../server/testing/freePort.ts';
import { pythonWith, runProgram } from '../../server/testing/python.ts';
import { expect, test } from '../fixtures.ts';
import { runRecipe } from '../peers/recipes.ts';

/** A program of another maker that plays a device, with what it prints. */
class Peer implements AsyncDisposable {
  readonly #child: ChildProcess;
  printed = '';

  constructor(
    program: string,
    args: readonly string[],
    options: { env?: NodeJS.ProcessEnv; isNobody?: boolean } = {},
  ) {
    const isNobody = options.isNobody && process.getuid?.() === 0;
    const [run, all] = isNobody
      ? ['setpriv', ['--reuid=nobody', '--regid=nogroup', '--clear-groups', program, ...args]]
      : [program, args];
    this.#child = spawn(run, all, { stdio: ['ignore', 'pipe', 'pipe'], env: options.env ?? process.env });
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.printed += text;
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGTERM');
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
  }
}

test('should set lights of OLA by Art-Net', async ({ page }) => {
  const folder = await mkdtemp('/tmp/ola.');
  await chmod(folder, 0o777);
  const [http, rpc] = [await freeTcpPort(), await freeTcpPort()];
  const others =
    'dummy e131 espnet ftdidmx gpio karate kinet milinst opendmx openpixelcontrol osc pathport renard sandnet shownet spi stageprofi uartdmx usbdmx usbserial';
  for (const name of others.split(' '))
    await writeFile(join(folder, `ola-${name}.conf`), 'enabled = false\n');
  await writeFile(
    join(folder, 'ola-artnet.conf'),
    'enabled = true\nuse_loopback = true\nip = 127.0.0.1\noutput_ports = 1\nshort_name = OLA\nlong_name = OLA\nnet = 0\nsubnet = 0\n',
    { mode: 0o666 },
  );
  const options = ['--no-register-with-dns-sd', '-c', folder, '-l', '2', '-p', `${http}`, '-r', `${rpc}`];
  // It refuses to run as root.
  await using node = new Peer('olad', options, { isNobody: true, env: { ...process.env, HOME: folder } });
  const ask = async (path: string, body?: string) => {
    const given = body === undefined ? {} : { method: 'POST', body: new URLSearchParams(body) };
    const answer = await fetch(`http://127.0.0.1:${http}${path}`, given).catch(() => undefined);
    return answer?.json().catch(() => undefined);
  };
  try {
    await expect
      .poll(() => ask('/json/get_ports'), node.printed)
      .toContainEqual(expect.objectContaining({ id: '1-I-0' }));
    await ask('/new_universe', 'id=3&name=wall&add_ports=1-I-0');
    await expect
      .poll(async () => {
        await runRecipe(page, `return artnet('127.0.0.1', 3, [255, 120, 1])`);
        return (await ask('/get_dmx?u=3'))?.dmx?.slice(0, 4);
      })
      .toEqual([255, 120, 1, 0]);
  } finally {
    await node[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  }
});

test('should read values of bacpypes3 by BACnet', async ({ page, dataDir, api }) => {
  const bin = await pythonWith(dataDir, ['bacpypes3==0.0.110'], 'BACnet is not read');
  test.skip(bin === undefined, 'the packages cannot be reached');
  const [port, from] = [await freeUdpPort(), await freeUdpPort()];
  const script = join(import.meta.dirname, '../peers/bacnetDevice.py');
  await using device = new Peer(join(bin!, 'python'), [script, `${port}`]);
  await expect.poll(() => device.printed).toContain('ready');
  const read = (object: string, property = 85) =>
    runRecipe(page, `return bacnet('127.0.0.1', ${object}, ${property}, { port: ${port}, from: ${from} })`);
  expect(await read('[0, 1]')).toBe(21.5);
  expect(await read('[5, 7]')).toBe(1);
  expect(await read('[13, 2]')).toBe(3);
  expect(await read('[0, 1]', 77)).toBe('room');
  await expect(read('[0, 9]')).rejects.toThrow(/the device refuses/);
  // Another caller does not hear that port, so nothing leaves from it for him.
  const stranger = await api('/api/remote/udp/send', { host: '127.0.0.1', port, from, hex: '81' });
  expect(stranger).toMatchObject({ status: 404, body: { code: 'NOT_FOUND', field: 'from' } });
  await expect(
    runRecipe(
      page,
      `return bacnet('127.0.0.1', [0, 1], 85, { port: ${await freeUdpPort()}, from: ${from} })`,
    ),
  ).rejects.toThrow(/does not answer/);
});

test('should switch and hear knxd through a tunnel', async ({ page, dataDir }) => {
  const [port, from] = [await freeUdpPort(), await freeUdpPort()];
  const socket = join(await mkdtemp('/tmp/knx.'), 'k');
  const server = ['-D', '-T', '-S', `224.0.23.12:${port}`];
  await using bus = new Peer('knxd', [
    '-e',
    '1.1.128',
    '-E',
    '1.1.129:8',
    `--listen-local=${socket}`,
    ...server,
    '-b',
    'dummy:',
  ]);
  const knxtool = (...args: string[]) =>
    runProgram(dataDir, 'knxtool', [args[0]!, `local:${socket}`, ...args.slice(1)]);
  await expect.poll(async () => (await knxtool('groupswrite', '1/2/9', '0')).code, bus.printed).toBe(0);
  await using heard = new Peer('knxtool', ['groupsocketlisten', `local:${socket}`], {
    env: { ...process.env, LC_ALL: 'C' },
  });
  await runRecipe(
    page,
    `window.told = []; window.ended = 0;
    window.bus = await knxTunnel('127.0.0.1', (write) => told.push(write), { port: ${port}, from: ${from}, onEnd: () => ended++ });`,
  );
  await page.evaluate(`Promise.all([bus.write('1/2/3', [1]), bus.write('5/0/7', [12, 26], true)])`);
  await expect.poll(() => heard.printed).toMatch(/to 1\/2\/3: .*01[\s\S]*to 5\/0\/7: .*0C 1A/i);
  await knxtool('groupswrite', '1/2/4', '1');
  await knxtool('groupwrite', '5/0/8', '0c', '1a');
  await expect
    .poll(() => page.evaluate('told'))
    .toEqual([
      { group: '1/2/4', value: [1] },
      { group: '5/0/8', value: [12, 26] },
    ]);
  await page.evaluate('bus.close()');
  expect(await page.evaluate('ended')).toBe(1);
  await rm(join(socket, '..'), { recursive: true });
  const nobody = await freeUdpPort();
  await expect(
    runRecipe(page, `return knxTunnel('127.0.0.1', () => {}, { port: ${nobody}, from: ${from} })`),
  ).rejects.toThrow(/does not answer/);
});
