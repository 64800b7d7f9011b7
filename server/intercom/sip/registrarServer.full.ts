import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBaresip } from '../../testing/sip/baresip.ts';
import { until } from '../../testing/waiting.ts';
import { record, sdpFor, startAgent } from '../testing/sip/testAgent.ts';

const ACCOUNTS = [{ username: 'door1', password: 'pw-door1' }];

test('should let a baresip register, call the panel, and be called by its name', async (t) => {
  const panel = await startAgent(t, { registrarAccounts: ACCOUNTS, mayCall: () => false });
  const start = async () => {
    const baresip = await startBaresip({
      accounts: [
        `<sip:door1@127.0.0.1:${panel.agent.port}>;auth_user=door1;auth_pass=pw-door1;regint=60;answermode=auto;audio_codecs=pcmu`,
      ],
    });
    t.after(() => baresip.remove());
    return baresip;
  };
  // It gives up on SHA-256, and gets only MD5 when it comes back half a minute later.
  const first = await start();
  await until(() => first.output().includes('Function not implemented'), 'the first try');
  await first.remove();
  const door = await start();
  await door.registered();
  await door.command('dial', `sip:panel1@127.0.0.1:${panel.agent.port}`);
  await until(() => panel.incoming.length === 1, 'the call of the door');
  assert.equal(panel.incoming[0]!.peer.user, 'door1');
  await panel.incoming[0]!.reject();
  await door.event('CALL_CLOSED');
  const call = panel.agent.call({ kind: 'extension', extension: 'door1' }, sdpFor());
  const { told } = record(call);
  await until(() => told.includes('accepted'), 'the answer of the door');
  await call.hangup();
});
