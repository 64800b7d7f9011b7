import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FaceplateProcess } from '../testing/faceplateProcess.ts';
import { freeSipPort } from '../testing/sip/ports.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { until } from '../testing/waiting.ts';
import { speaks, startPanel } from './testing/panel.ts';
import { ScriptedPeer } from './testing/sip/scriptedPeer.ts';
import { sdpFor } from './testing/sip/testAgent.ts';

test('should refuse a ringing call when the service stops', async (t) => {
  const port = await freeSipPort();
  const dataDir = temporaryFolder('stop');
  const sip = { enabled: true, host: '127.0.0.1', port, allow: ['127.0.0.1'], discovery: false };
  writeFileSync(join(dataDir, 'settings.json'), JSON.stringify({ sip }), { mode: 0o600 });
  const service = new FaceplateProcess({ dataDir });
  t.after(() => service.stop('SIGKILL'));
  await service.start();
  const peer = await ScriptedPeer.open(t, () => port);
  peer.request('INVITE', {}, sdpFor());
  await peer.response(180);
  const { code, ms } = await service.stop('SIGTERM');
  assert.equal(code, 0);
  assert.ok(ms < 5_000, `${ms} ms`);
  await until(() => peer.seen.some((what) => what === '480' || what === '486'), 'the refusal');
});

test('should say BYE to its call when it stops', async (t) => {
  const hall = await startPanel(t, 'Hall');
  const attic = await startPanel(t, 'Attic', { env: { FACEPLATE_SIP_AUTO_ANSWER: 'true' } });
  await hall.sip.placeCallToIp({ ip: attic.address() });
  await hall.becomes('connected (outgoing)');
  await speaks(hall.page, attic.page);
  await hall.sip.stop();
  await attic.becomes('idle');
  assert.deepEqual(
    attic.heard('callEnded').map((payload) => 'reason' in payload && payload.reason),
    ['remote_bye'],
  );
});
