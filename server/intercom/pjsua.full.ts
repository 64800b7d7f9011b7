import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { pythonWith } from '../testing/python.ts';
import { freeSipPort } from '../testing/sip/ports.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { until } from '../testing/waiting.ts';
import { startPanel } from './testing/panel.ts';

/** Calls with pjsua2, whose library is in many door stations and phones. pip fetches it. */

const WANTED = 'pjsua2-python==2.15.1.post1';
const SCRIPT = join(import.meta.dirname, 'testing/sip/pjsua.py');
const LOOPBACK = '127.0.0.1';

let library = '';
/** The folder of its Python; undefined where pip has no network. */
let bin: string | undefined;

before(async () => {
  library = temporaryFolder('pjsua');
  bin = await pythonWith(library, [WANTED], 'calls were NOT tried with pjsua2');
});

interface Phone {
  readonly port: number;
  type(line: string): void;
  /** Waits for an event, such as `CONFIRMED`; `code` is that of the last SIP message. */
  tells(event: string): Promise<{ readonly code?: number; readonly digit?: string }>;
}

/** @param srtp 0: never, 1: where the other wants it, 2: always */
async function startPhone(t: TestContext, srtp: 0 | 1 | 2 = 0): Promise<Phone> {
  const port = await freeSipPort();
  const child: ChildProcessWithoutNullStreams = spawn(`${bin}/python`, [SCRIPT, String(port), String(srtp)]);
  const exited = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => {
      output += more;
    });
  const events = (): { event: string; code?: number; digit?: string }[] =>
    output.split('\n').flatMap((line) => (/^\{.*\}$/.test(line) ? [JSON.parse(line)] : []));
  const tells = async (event: string) => {
    await until(() => events().some((one) => one.event === event), `${event} of pjsua2`).catch(
      (error: Error) => {
        throw new Error(`${error.message}: ${output.slice(-3_000)}`);
      },
    );
    return events().find((one) => one.event === event)!;
  };
  await tells('READY');
  return { port, type: (line) => void child.stdin.write(`${line}\n`), tells };
}

test('should report the keys of pjsua2, by INFO and in its sound', async (t) => {
  if (bin === undefined) return t.skip('pip has no network');
  const phone = await startPhone(t);
  const hall = await startPanel(t, 'Hall');
  phone.type(`call sip:panel@${hall.address()}`);
  await hall.becomes('incoming...');
  assert.equal((await hall.sip.answer()).callStatus, 'connected (incoming)');
  await phone.tells('CONFIRMED');
  phone.type('info 5');
  await until(() => hall.heard('dtmfReceived').length === 1, 'the digit by INFO');
  phone.type('dtmf #');
  await until(() => hall.heard('dtmfReceived').length === 2, 'the digit in its sound');
  assert.deepEqual(hall.heard('dtmfReceived'), [{ digit: '5' }, { digit: '#' }]);
  phone.type('hangup');
  await hall.becomes('idle');
});

test('should hear pjsua2 before it answers, with the microphone closed until it does', async (t) => {
  if (bin === undefined) return t.skip('pip has no network');
  const phone = await startPhone(t);
  const hall = await startPanel(t, 'Hall');
  await hall.sip.placeCallToIp({ ip: `${LOOPBACK}:${phone.port}` });
  await phone.tells('INCOMING');
  phone.type('answer 183');
  await hall.becomes('ringing');
  await until(() => hall.page.connections.size === 1 && hall.page.latest.isConnected, 'the page');
  await until(() => hall.page.latest.received.audio.length > 20, 'sound before the answer');
  assert.deepEqual(
    hall.page.asked.map(({ microphone }) => microphone),
    [false],
  );
  phone.type('answer 200');
  await hall.becomes('connected (outgoing, legacy audio)');
  await until(() => hall.page.asked.some(({ microphone }) => microphone), 'the microphone');
  assert.equal((await hall.sip.hangup()).callStatus, 'idle');
  await phone.tells('DISCONNECTED');
});

test('should refuse mandatory SRTP without TLS before it rings, and take it where it is set', async (t) => {
  if (bin === undefined) return t.skip('pip has no network');
  for (const srtpOverUdp of ['off', 'known']) {
    const phone = await startPhone(t, 2);
    const hall = await startPanel(t, 'Hall', { env: { FACEPLATE_SIP_SRTP_OVER_UDP: srtpOverUdp } });
    phone.type(`call sip:panel@${hall.address()}`);
    if (srtpOverUdp === 'off') {
      assert.equal((await phone.tells('DISCONNECTED')).code, 488);
      assert.deepEqual(hall.heard('incomingCall'), []);
      continue;
    }
    await hall.becomes('incoming...');
    assert.equal((await hall.sip.answer()).callStatus, 'connected (incoming)');
    await phone.tells('CONFIRMED');
    await until(() => hall.page.connections.size === 1, 'the page');
    await until(() => hall.page.latest.received.audio.length > 20, 'its sound, decrypted');
    phone.type('hangup');
    await hall.becomes('idle');
  }
});

test('should be called by its SIPS address, and over TLS by nobody without keys', async (t) => {
  if (bin === undefined) return t.skip('pip has no network');
  for (const srtp of [0, 2] as const) {
    const phone = await startPhone(t, srtp);
    const hall = await startPanel(t, 'Hall', { env: { FACEPLATE_SIP_TRANSPORT: 'tls' } });
    phone.type(`call sips:panel@${LOOPBACK}:${hall.port + 1}`);
    if (srtp === 0) {
      assert.equal((await phone.tells('DISCONNECTED')).code, 488);
      assert.deepEqual(hall.heard('incomingCall'), []);
      continue;
    }
    await hall.becomes('incoming...');
    assert.equal((await hall.sip.answer()).callStatus, 'connected (incoming)');
    await phone.tells('CONFIRMED');
    await until(() => hall.page.connections.size === 1, 'the page');
    await until(() => hall.page.latest.received.audio.length > 20, 'its sound, decrypted');
    phone.type('hangup');
    await hall.becomes('idle');
  }
});
