import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBaresip } from './baresip.ts';
import { pbxPassword, startKamailio } from './kamailio.ts';
import { startSipp } from './sipp.ts';

test('should let a baresip register at kamailio and be called by another one', {
  timeout: 60_000,
}, async (t) => {
  const pbx = await startKamailio();
  t.after(() => pbx.stop());
  const account = (user: string, mode: string): string =>
    `<sip:${user}@panels.test>;outbound="sip:127.0.0.1:${pbx.port};transport=udp";auth_user=${user};auth_pass=${pbxPassword(user)};regint=60;answermode=${mode};audio_codecs=pcmu`;
  const door = await startBaresip({ accounts: [account('door', 'manual')] });
  t.after(() => door.remove());
  const hall = await startBaresip({ accounts: [account('hall', 'auto')] });
  t.after(() => hall.remove());
  await Promise.all([door.registered(), hall.registered()]);
  await door.command('dial', 'sip:hall@panels.test');
  await door.event('CALL_ESTABLISHED');
  await door.command('hangup');
  await hall.event('CALL_CLOSED');
});

test('should let sipp call a baresip', async (t) => {
  const peer = await startBaresip({
    accounts: ['<sip:panel@127.0.0.1:PORT>;regint=0;answermode=auto;audio_codecs=pcmu'],
  });
  t.after(() => peer.remove());
  const sipp = await startSipp({ scenario: { name: 'uac' }, target: peer.port });
  t.after(() => sipp.stop());
  assert.equal(await sipp.exited, 0, sipp.output());
});
