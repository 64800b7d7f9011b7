import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { selfSigned } from '../testing/selfSigned.ts';
import { pbxPassword, startKamailio } from '../testing/sip/kamailio.ts';
import { until } from '../testing/waiting.ts';
import { speaks, startPanel, type TestPanel, type TestPanelOptions } from './testing/panel.ts';
import { startTlsPeer } from './testing/tlsPeer.ts';
import { toneInPage } from './testing/tone.ts';

/** Panels set to TLS, on loopback. */

const LOOPBACK = '127.0.0.1';

function startTls(t: TestContext, name: string, options: TestPanelOptions = {}): Promise<TestPanel> {
  return startPanel(t, name, { ...options, env: { FACEPLATE_SIP_TRANSPORT: 'tls', ...options.env } });
}

/** Where a panel accepts TLS: the port after the UDP port. */
const tlsAddress = (panel: TestPanel): string => `${LOOPBACK}:${panel.port + 1}`;

async function lastError(panel: TestPanel): Promise<string> {
  return (await panel.sip.getStatus()).lastError ?? '';
}

test('should be called over TLS by baresip, with encrypted sound', async (t) => {
  const { baresip } = await startTlsPeer(t, 'audio_codecs=pcmu');
  const hall = await startTls(t, 'Hall');
  await baresip.command('dial', `sip:panel@${tlsAddress(hall)};transport=tls`);
  await hall.becomes('incoming...');
  await hall.sip.answer();
  await until(() => hall.page.connections.size === 1, 'the page');
  await until(() => hall.page.latest.received.audio.length > 60, 'sound in the page');
  assert.ok(toneInPage(hall.page) > 0.9, 'opened with the keys of the description');
  await hall.sip.hangup();
  await baresip.event('CALL_CLOSED');
});

test('security: should register over TLS, and be called, only after the registrar was trusted', async (t) => {
  const { key, cert, fingerprint } = selfSigned();
  const pbx = await startKamailio({ digest: 'SHA-256', tls: { key, cert } });
  t.after(() => pbx.stop());
  const place = { host: pbx.host, port: pbx.port + 1 };
  const start = (name: string, user: string): Promise<TestPanel> =>
    startTls(t, name, {
      env: {
        FACEPLATE_SIP_ALLOW: '192.0.2.1',
        FACEPLATE_SIP_REGISTRAR: `${place.host}:${place.port}`,
        FACEPLATE_SIP_USERNAME: user,
      },
      file: { 'sip.password': pbxPassword(user) },
    });
  const [hall, attic] = [await start('Hall', '8010'), await start('Attic', '8011')];
  for (const panel of [hall, attic]) {
    await until(async () => (await lastError(panel)) !== '', 'the refusal');
    assert.match(await lastError(panel), /certificate is not trusted/);
    assert.equal((await panel.sip.getStatus()).registered, false);
    // No waiting: it registers as soon as the certificate is trusted.
    await panel.certificates.trust({ ...place, fingerprint });
    await until(async () => (await panel.sip.getStatus()).registered, 'the registration');
    assert.equal(await lastError(panel), '');
  }
  for (const [from, to, extension] of [
    [hall, attic, '8011'],
    [attic, hall, '8010'],
  ] as const) {
    await from.sip.placeCallToExtension({ extension });
    await to.becomes('incoming...');
    await to.sip.answer();
    await from.becomes('connected (outgoing via PBX)');
    await speaks(from.page, to.page);
    await from.sip.hangup();
    await to.becomes('idle');
  }
});
