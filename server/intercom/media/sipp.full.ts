import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startSipp } from '../../testing/sip/sipp.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import { decodeG711, pcmaTone, toneShare } from '../testing/media/g711.ts';
import { PlainSip } from '../testing/media/plainSip.ts';
import { CALL, startFactory } from '../testing/media/remoteParty.ts';

/** The description of the door station, in its 183 and its 200. */
const ANSWER = `Contact: <sip:door@[local_ip]:[local_port];transport=[transport]>
Content-Type: application/sdp
Content-Length: [len]

v=0
o=door 1 1 IN IP[local_ip_type] [local_ip]
s=-
c=IN IP[media_ip_type] [media_ip]
t=0 0
m=audio [auto_media_port] RTP/AVP 8 101
a=rtpmap:8 PCMA/8000
a=rtpmap:101 telephone-event/8000
`;

const HEADERS = `[last_Via:]
[last_From:]
[last_To:];tag=[pid]door[call_number]
[last_Call-ID:]
[last_CSeq:]
`;

/** Sends sound before it answers, as PBXs and some door stations do. @param file raw PCMA */
const early = (file: string): string => `<?xml version="1.0" encoding="ISO-8859-1" ?>
<scenario name="early media">
  <recv request="INVITE"></recv>
  <send><![CDATA[
SIP/2.0 183 Session Progress
${HEADERS}${ANSWER}]]></send>
  <nop><action><exec rtp_stream="${file},1,8"/></action></nop>
  <pause milliseconds="3000"/>
  <send retrans="500"><![CDATA[
SIP/2.0 200 OK
${HEADERS}${ANSWER}]]></send>
  <recv request="ACK"></recv>
  <recv request="BYE"></recv>
  <send><![CDATA[
SIP/2.0 200 OK
${HEADERS}Content-Length: 0

]]></send>
</scenario>
`;

test('should play the sound of a 183 before the call is answered', { timeout: 60_000 }, async (t) => {
  const folder = temporaryFolder('early');
  const file = join(folder, 'tone.alaw');
  await writeFile(file, Buffer.concat(Array.from({ length: 200 }, (_, index) => pcmaTone(700, index))));
  const sipp = await startSipp({ scenario: { xml: early(file) } });
  t.after(() => sipp.stop());
  const { factory, page } = await startFactory(t);
  const call = await factory.open(CALL);
  const plain = await PlainSip.open(t);
  let preview: Promise<void> | undefined;
  const sip = await plain.call(sipp.port, await call.offer(), (sdp) => {
    preview = call.accept(sdp, { early: true });
  });
  await preview;
  const packets = page.latest.received.audio;
  assert.ok(packets.length > 10, `${packets.length} packets before the answer`);
  const samples = packets.flatMap(({ payload }) => [...payload].map((byte) => decodeG711('PCMA', byte)));
  assert.ok(toneShare(samples.slice(-1_600), 700, 8000) > 0.9, 'the tone before the answer');
  await call.accept(sip.sdp);
  await until(() => page.asked.length === 2, 'the microphone');
  assert.deepEqual(
    page.asked.map(({ microphone }) => microphone),
    [false, true],
  );
  sip.hangup();
  assert.equal(await sipp.exited, 0, sipp.output());
});
