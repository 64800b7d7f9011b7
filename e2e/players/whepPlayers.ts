// Two players that others wrote, in the page of a project: `window.play` by name.
import { WebRTCPlayer } from '@eyevinn/webrtc-player';
import { WHEPClient } from 'whip-whep/whep.js';

/** Plays a camera; resolves with the function that ends it. */
type Play = (id: string, camera: string) => Promise<() => Promise<void>>;

declare global {
  interface Window {
    play: Record<'whipWhep' | 'eyevinn', Play>;
    endPlay: () => Promise<void>;
  }
}

const video = document.querySelector('video')!;
const address = (id: string, camera: string) =>
  new URL(`/api/stream/whep/${id}?url=${encodeURIComponent(camera)}`, location.href);

window.play = {
  async whipWhep(id, camera) {
    const pc = new RTCPeerConnection();
    pc.addTransceiver('video', { direction: 'recvonly' });
    pc.ontrack = ({ streams: [stream] }) => {
      video.srcObject = stream ?? null;
    };
    const client = new WHEPClient();
    await client.view(pc, String(address(id, camera)));
    return async () => {
      await client.stop();
      video.srcObject = null;
    };
  },
  async eyevinn(id, camera) {
    const player = new WebRTCPlayer({ video, type: 'whep', iceServers: [] });
    await player.load(address(id, camera));
    return async () => {
      await player.unload();
      video.srcObject = null;
    };
  },
};
document.title = 'ready';
