import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { freeSipPort } from '../testing/sip/ports.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { until } from '../testing/waiting.ts';
import { startPanel } from './testing/panel.ts';

/** Calls with linphonec of Debian's linphone-cli, which has neither a sound card nor a screen here. */

interface Linphone {
  readonly port: number;
  /** Types a command, such as `call sip:panel@127.0.0.1:5060`, or a digit. */
  type(line: string): void;
}

/** @param keys how it sends digits */
async function startLinphone(t: TestContext, keys: 'info' | 'events'): Promise<Linphone> {
  const folder = temporaryFolder('linphone');
  const [port, rtpPort] = [await freeSipPort(), await freeSipPort()];
  const settings = [
    '[sip]',
    `sip_port=${port}`,
    // Any free one.
    'sip_tcp_port=-2',
    'sip_tls_port=-2',
    'contact="Door" <sip:door@127.0.0.1>',
    'guess_hostname=0',
    `use_info=${keys === 'info' ? 1 : 0}`,
    `use_rfc2833=${keys === 'events' ? 1 : 0}`,
    '[rtp]',
    `audio_rtp_port=${rtpPort}`,
    '[video]',
    'enabled=0',
    'automatically_initiate=0',
  ];
  await writeFile(join(folder, 'linphonerc'), `${settings.join('\n')}\n`);
  // Without a place for its database it opens no socket.
  await mkdir(join(folder, '.local/share/linphone'), { recursive: true });
  const { PATH } = process.env;
  const child = spawn('linphonec', ['-d', '6', '-c', 'linphonerc'], {
    cwd: folder,
    env: { PATH, HOME: folder },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('latin1').on('data', (more: string) => {
      output += more;
    });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  t.after(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  // It takes commands before it has its socket, and forgets them.
  await until(() => output.includes('Creating listening point'), 'linphonec').catch((error: Error) => {
    throw new Error(`${error.message}: ${output.slice(-3_000)}`);
  });
  return { port, type: (line) => void child.stdin.write(`${line}\n`) };
}

for (const keys of ['info', 'events'] as const) {
  test(`should ring for linphonec, report its keys by ${keys}, and be hung up`, async (t) => {
    const linphone = await startLinphone(t, keys);
    const hall = await startPanel(t, 'Hall');
    linphone.type(`call sip:panel@${hall.address()}`);
    await hall.becomes('incoming...');
    assert.equal((await hall.sip.answer()).callStatus, 'connected (incoming)');
    for (const [at, digit] of ['5', '#'].entries()) {
      linphone.type(digit);
      await until(() => hall.heard('dtmfReceived').length === at + 1, `the key ${digit}`);
    }
    assert.deepEqual(hall.heard('dtmfReceived'), [{ digit: '5' }, { digit: '#' }]);
    linphone.type('terminate');
    await hall.becomes('idle');
  });
}

test('should call linphonec, be answered and hang up', async (t) => {
  const linphone = await startLinphone(t, 'events');
  const hall = await startPanel(t, 'Hall');
  await hall.sip.placeCallToIp({ ip: `127.0.0.1:${linphone.port}` });
  await hall.becomes('ringing');
  linphone.type('answer');
  await hall.becomes('connected (outgoing, legacy audio)');
  assert.equal((await hall.sip.hangup()).callStatus, 'idle');
});
