// The same camera for the same viewers with werift's RTCPeerConnection, in a separate process to be measured.
// `node weriftProxy.ts <rtsp url>`; it gets offers by IPC and sends back answers.
import { MediaStreamTrack, RTCPeerConnection, useH264 } from 'werift';
import { parseCameraUrl } from '../../../server/video/rtsp/cameraUrl.ts';
import { RtspClient } from '../../../server/video/rtsp/client.ts';
import { openAccess } from '../../../server/video/testing/openAccess.ts';
import { splitPayload } from '../../../server/webrtc/rtp/h264.ts';

const tracks: MediaStreamTrack[] = [];

async function answer(sdp: string): Promise<string> {
  const connection = new RTCPeerConnection({
    iceServers: [],
    iceUseIpv4: false,
    iceUseIpv6: false,
    iceAdditionalHostAddresses: ['127.0.0.1'],
    iceInterfaceAddresses: { udp4: '127.0.0.1' },
    codecs: { video: [useH264()] },
  });
  const track = new MediaStreamTrack({ kind: 'video' });
  connection.addTransceiver(track, { direction: 'sendonly' });
  await connection.setRemoteDescription({ type: 'offer', sdp });
  await connection.setLocalDescription(await connection.createAnswer());
  connection.connectionStateChange.subscribe((state) => {
    if (state === 'connected') tracks.push(track);
  });
  return connection.localDescription!.sdp;
}

process.on('message', (sdp: string) => {
  answer(sdp).then((text) => process.send?.(text));
});

const client = new RtspClient({
  url: parseCameraUrl(process.argv[2] ?? ''),
  connectMs: 5_000,
  udpMs: 3_000,
  replyMs: 5_000,
  access: openAccess,
  sink: {
    onRtp: (_track, packet) => {
      // The bench's camera sends packets that need no splitting.
      if (splitPayload(packet.subarray(12)).length !== 1) throw new Error('the packet is too large');
      for (const track of tracks) track.writeRtp(packet);
    },
    onRtcp: () => {},
  },
  onClosed: () => process.exit(1),
});
const { media } = await client.describe();
await client.play(media.slice(0, 1));
process.send?.('ready');
