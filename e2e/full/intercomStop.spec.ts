import { startBaresip } from '../../server/testing/sip/baresip.ts';
import { expect, test } from '../fixtures.ts';
import { SipPanel } from '../sipPanel.ts';

const LOOPBACK = '127.0.0.1';
const panelSecret = 'one secret of this house';

/** Milliseconds from SIGTERM to the end of the process (docs/install.md). */
const STOP_MS = 5_000;

test('should send BYE to its call when the service stops', async () => {
  const hall = await SipPanel.start({ deviceName: 'Hall' });
  const door = await startBaresip({
    accounts: ['<sip:@127.0.0.1:PORT>;regint=0;answermode=auto;audio_codecs=pcmu'],
  });
  try {
    await hall.sip('placeCallToIp', `${LOOPBACK}:${door.port}`);
    await hall.becomes('connected (outgoing, legacy audio)');
    const { ms } = await hall.service.stop('SIGTERM');
    await door.event('CALL_CLOSED');
    expect(ms).toBeLessThan(STOP_MS);
  } finally {
    await door.remove();
    await hall.stop();
  }
});

test('should send BYE to all listeners of its announcement when the service stops', async () => {
  const panels = await Promise.all([
    SipPanel.start({ deviceName: 'Hall', discovery: true, panelSecret }),
    SipPanel.start({ deviceName: 'Attic', discovery: true, panelSecret }),
  ]);
  const [hall, attic] = panels as [SipPanel, SipPanel];
  try {
    const entry = { name: 'Attic', host: LOOPBACK, port: attic.port };
    await expect.poll(() => hall.sip('listPanels')).toContainEqual(entry);
    await hall.sip('pageAll');
    await hall.becomes(/^paging \(\d+ active\)$/);
    await attic.becomes('connected (incoming)');
    const { ms } = await hall.service.stop('SIGTERM');
    await attic.becomes('idle');
    // A BYE arrived: the attic did not end the call because of silence.
    expect(await attic.heard('callEnded')).toMatchObject([{ reason: 'remote_bye' }]);
    expect(ms).toBeLessThan(STOP_MS);
  } finally {
    for (const panel of panels) await panel.stop();
  }
});
